//! What is scored: items, their metadata, and the batch that holds them by column.

mod batch;
pub(crate) mod columns;
mod few;
mod item;
mod item_fields;
mod item_text;
mod kept_hash;
mod kind;
mod list_interner;
mod metadata;
mod metadata_table;
mod optional;
pub(crate) mod packed;
mod recent;
mod set_table;
mod short_lists;
mod tag_table;
mod text_column;
mod text_interner;
mod text_key;
mod trust_column;
mod within;
mod workspace;

pub use batch::Batch;
pub(crate) use batch::{Appender, RowFields};
pub use item::{Item, ItemBuilder};
pub(crate) use item_fields::{Fields, Value};
pub(crate) use kind::is_blank;
pub use kind::{DEFAULT_KIND, DEFAULT_SOURCE, WELL_KNOWN_KINDS, WELL_KNOWN_SOURCES};
pub(crate) use metadata::ValueText;
pub use metadata::{MetadataValue, TRUST_KEY};
pub(crate) use set_table::SetTable;
pub use text_interner::Match as TextMatch;
pub(crate) use text_interner::TextInterner;
pub(crate) use text_key::ShortText;
pub(crate) use workspace::Workspace;
