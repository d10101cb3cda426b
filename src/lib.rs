//! Tells a language-model application which pieces of context are worth keeping.

pub mod arrow;
pub mod batch;
pub mod capi;
mod column;
pub mod error;
pub mod ingest;
pub mod json;
#[doc(hidden)]
pub mod kernel;
mod memory;
pub mod scorer;
pub mod select;
mod text;

pub use batch::{Batch, Item, ItemBuilder, MetadataValue};
pub use error::Error;
pub use memory::OutOfMemory;
pub use text::Match as TextMatch;
