//! `CUPEL_COLUMN_*`: sets of columns as bits.

use crate::capi::boundary::give;
use crate::capi::error::cupel_error;
use crate::capi::scorer::cupel_scorer;
use crate::capi::status::cupel_status;
use crate::ingest::ColumnSet;

/// The column content.
pub const CUPEL_COLUMN_CONTENT: u32 = 0x1;
/// The column tokens.
pub const CUPEL_COLUMN_TOKENS: u32 = 0x2;
/// The column kind.
pub const CUPEL_COLUMN_KIND: u32 = 0x4;
/// The column source.
pub const CUPEL_COLUMN_SOURCE: u32 = 0x8;
/// The column priority.
pub const CUPEL_COLUMN_PRIORITY: u32 = 0x10;
/// The column tags.
pub const CUPEL_COLUMN_TAGS: u32 = 0x20;
/// The column metadata.
pub const CUPEL_COLUMN_METADATA: u32 = 0x40;
/// The column timestamp.
pub const CUPEL_COLUMN_TIMESTAMP: u32 = 0x80;
/// The column future_relevance_hint.
pub const CUPEL_COLUMN_FUTURE_RELEVANCE_HINT: u32 = 0x100;
/// The column pinned.
pub const CUPEL_COLUMN_PINNED: u32 = 0x200;
/// The column original_tokens.
pub const CUPEL_COLUMN_ORIGINAL_TOKENS: u32 = 0x400;

const _: () = {
    assert!(CUPEL_COLUMN_CONTENT == ColumnSet::CONTENT.bits());
    assert!(CUPEL_COLUMN_TOKENS == ColumnSet::TOKENS.bits());
    assert!(CUPEL_COLUMN_KIND == ColumnSet::KIND.bits());
    assert!(CUPEL_COLUMN_SOURCE == ColumnSet::SOURCE.bits());
    assert!(CUPEL_COLUMN_PRIORITY == ColumnSet::PRIORITY.bits());
    assert!(CUPEL_COLUMN_TAGS == ColumnSet::TAGS.bits());
    assert!(CUPEL_COLUMN_METADATA == ColumnSet::METADATA.bits());
    assert!(CUPEL_COLUMN_TIMESTAMP == ColumnSet::TIMESTAMP.bits());
    assert!(CUPEL_COLUMN_FUTURE_RELEVANCE_HINT == ColumnSet::FUTURE_RELEVANCE_HINT.bits());
    assert!(CUPEL_COLUMN_PINNED == ColumnSet::PINNED.bits());
    assert!(CUPEL_COLUMN_ORIGINAL_TOKENS == ColumnSet::ORIGINAL_TOKENS.bits());
};

/// Gives the columns that a scorer and its children read: those that cupel_scorer_score_arrow() needs in a table. No
/// built-in scorer reads the content.
///
/// @param scorer The scorer. One that is or contains a custom scorer may read every column.
/// @param out_columns Where to put the columns: CUPEL_COLUMN_* bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_columns(
    scorer: *const cupel_scorer,
    out_columns: *mut u32,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    give(out_error, (out_columns, "out_columns"), |host| Ok(host.handle(scorer)?.scorer().columns().bits()))
}
