//! The rows that are scored together.
//!
//! An item is one row with its fields; a builder makes items. A batch keeps rows by column: one file for the rows, one each
//! for tags, tag sets, metadata and trust. Rows are appended through an appender, which takes back what is not committed.

mod append;
mod builder;
mod item;
mod kind;
mod list_interner;
mod metadata;
mod retain;
mod rows;
mod tag_sets;
mod tags;
mod trust;
mod value;
mod workspace;

pub(crate) use append::{Appender, RowFields};
pub use builder::ItemBuilder;
pub use item::Item;
pub use kind::{DEFAULT_KIND, DEFAULT_SOURCE, WELL_KNOWN_KINDS, WELL_KNOWN_SOURCES};
pub use rows::Batch;
pub(crate) use tag_sets::{FoldedTags, TagSetTable};
pub use value::{MetadataValue, TRUST_KEY};
pub(crate) use value::{ValueText, is_written};
