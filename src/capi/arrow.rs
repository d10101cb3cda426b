//! Tables through Arrow's C data interface. This file reads the options; `arrow` reads the arrays.

use std::ffi::c_char;
use std::ptr::NonNull;

use crate::arrow::{
    ArrowArray, ArrowArrayStream, ArrowSchema, Options, PART_ROWS, Table, Wanted, append_stream, append_table,
};
use crate::capi::batch::cupel_batch;
use crate::capi::boundary::call;
use crate::capi::error::{Argument, Refusal, cupel_error};
use crate::capi::ownership::Host;
use crate::capi::scorer::cupel_scorer;
use crate::capi::sized_struct::SizedStruct;
use crate::capi::status::{CUPEL_STATUS_OUT_OF_RANGE, cupel_status};
use crate::error::{Error, Parameter};

/// How a table is read. Set all of it to zero, then `struct_size` to `sizeof(cupel_arrow_options)`. A function that gets NULL
/// for it uses the defaults.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cupel_arrow_options {
    /// `sizeof(cupel_arrow_options)`.
    pub struct_size: usize,
    /// CUPEL_ARROW_NAIVE_IS_UTC or 0.
    pub flags: u64,
    /// The name of the column whose values make rows a group: UTF-8. NULL: the table is one group.
    pub group: *const c_char,
    /// The length of the name in bytes.
    pub group_len: usize,
}

/// Timestamps without a zone are taken as UTC instead of refused.
pub const CUPEL_ARROW_NAIVE_IS_UTC: u64 = 1;

// SAFETY: the size comes first, there is no padding, and any bits are a value.
unsafe impl SizedStruct for cupel_arrow_options {
    const ARGUMENT: &'static str = "options";
    const RULE: &'static str = "it must be sizeof(cupel_arrow_options)";
}

impl cupel_arrow_options {
    /// The options of a host; NULL stands for all defaults.
    pub(super) fn options<'a>(host: Host, options: *const Self) -> Result<Options<'a>, Refusal> {
        if options.is_null() {
            return Ok(Options::default());
        }
        let options = host.sized_struct(options)?;
        if options.flags & !CUPEL_ARROW_NAIVE_IS_UTC != 0 {
            let argument = Argument::field("options", None, "flags");
            let rule = "no bit but CUPEL_ARROW_NAIVE_IS_UTC has a meaning";
            return Err(Refusal::of(CUPEL_STATUS_OUT_OF_RANGE, argument, format_args!("is {}: {rule}", options.flags)));
        }
        let group = match options.group.is_null() {
            true => None,
            false => Some(host.text(options.group, options.group_len, "options.group")?),
        };
        Ok(Options { naive_is_utc: options.flags & CUPEL_ARROW_NAIVE_IS_UTC != 0, group })
    }
}

/// Appends the rows of an Arrow table, a struct array: all of them, or none when the call fails. Everything is checked before anything is
/// appended.
///
/// Columns are found by name: content, tokens, kind, source, priority, tags, metadata, timestamp, future_relevance_hint (or
/// futureRelevanceHint), pinned, original_tokens (or originalTokens). Others are ignored; at least one must be there. The types that
/// each of them takes are in docs/arrow.md.
///
/// The interface has no sizes of buffers: that they are as long as the lengths and offsets of the array demand is the producer's
/// promise, and the caller's.
///
/// @param options  NULL: all defaults. A group column named there is read as any other.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (a type that a column does not take, a null where none may be, a timestamp without a zone, a
///         struct that was released, a table without a known column, a name that occurs twice), OUT_OF_RANGE, LENGTH_MISMATCH,
///         INVALID_UTF8, EMPTY_CONTENT, EMPTY_KIND, EMPTY_SOURCE, BUSY, OUT_OF_MEMORY; the message names the column and the row
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_append_arrow(
    batch: *mut cupel_batch,
    schema: *const ArrowSchema,
    array: *const ArrowArray,
    options: *const cupel_arrow_options,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let batch = cupel_batch::change(host, batch)?;
        needed(schema, "schema")?;
        needed(array, "array")?;
        let options = cupel_arrow_options::options(host, options)?;
        append_table(batch, schema, array, options)?;
        Ok(())
    })
}

/// Appends the rows of all arrays of an Arrow stream: all of them, or none when the call fails. Otherwise like
/// cupel_batch_append_arrow().
///
/// @param stream   The stream, which is read to its end, and stays the caller's to release. What it hands out is released by this
///                 function. After a call that fails its position is lost.
/// @return as cupel_batch_append_arrow(), and CALLBACK_FAILED when the stream fails; the message has the stream's own
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_append_arrow_stream(
    batch: *mut cupel_batch,
    stream: *mut ArrowArrayStream,
    options: *const cupel_arrow_options,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let batch = cupel_batch::change(host, batch)?;
        let stream = NonNull::new(stream).ok_or_else(|| Refusal::null("stream"))?;
        let options = cupel_arrow_options::options(host, options)?;
        append_stream(batch, stream, options)?;
        Ok(())
    })
}

/// Scores every row of an Arrow table among the rows of its group: table in, scores out. Each row gets the score that it would have in
/// a batch of its group alone, to the bit. A clock is read once. A call that fails writes no score.
///
/// The table is a struct array as for cupel_batch_append_arrow(). Of its columns those are read that the scorer reads, see
/// cupel_scorer_columns(), and the group column; the others are not looked at. A column that is absent has its default in every row.
/// Rows with the same value in the group column are a group, and must follow each other: integers, bool, text, binary, fixed-size
/// binary, and dictionaries of these; null is a value like any other.
///
/// The table may be a list of structs instead, in any layout of lists: each list is a group, and there is a score for each struct from
/// the first offset to the last.
///
/// A custom scorer is refused, and so is one that combines custom scorers.
///
/// @return as cupel_batch_append_arrow(), and LENGTH_MISMATCH, INVALID_ARGUMENT (a custom scorer, a value of the group column that comes
///         back after another, no column of that name), CALLBACK_FAILED (a clock)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_score_arrow(
    scorer: *const cupel_scorer,
    schema: *const ArrowSchema,
    array: *const ArrowArray,
    options: *const cupel_arrow_options,
    out_scores: *mut f64,
    out_scores_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let scorer = host.handle(scorer)?.scorer().clone();
        needed(schema, "schema")?;
        needed(array, "array")?;
        let options = cupel_arrow_options::options(host, options)?;
        let table = Table::find(schema, Some(array), options, Wanted::Set(scorer.columns()), true)?;
        if out_scores_len != table.rows() {
            let (actual, expected) = (out_scores_len, table.rows());
            return Err(Error::LengthMismatch { parameter: Parameter::TableScores, actual, expected }.into());
        }
        table.score(&scorer, PART_ROWS, host.slice_mut(out_scores, out_scores_len, "out_scores")?)?;
        Ok(())
    })
}

/// Refuses NULL.
fn needed<T>(pointer: *const T, name: &'static str) -> Result<(), Refusal> {
    if pointer.is_null() { Err(Refusal::null(name)) } else { Ok(()) }
}
