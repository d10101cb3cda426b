//! What is scored: items, their metadata, and the batch that holds them by column.

mod batch;
mod item;
mod kind;
mod list_interner;
mod metadata;
mod metadata_table;
mod optional;
pub(crate) mod packed;
mod tag_table;
mod text_column;
mod text_interner;
mod workspace;

pub(crate) use batch::{Appender, RowFields};
pub use batch::Batch;
pub use item::{Item, ItemBuilder};
pub(crate) use kind::is_blank;
pub use kind::{DEFAULT_KIND, DEFAULT_SOURCE, WELL_KNOWN_KINDS, WELL_KNOWN_SOURCES};
pub use metadata::{MetadataValue, TRUST_KEY};
pub(crate) use metadata::ValueText;
pub(crate) use text_interner::TextInterner;
pub use text_interner::Match as TextMatch;
pub(crate) use workspace::Workspace;
