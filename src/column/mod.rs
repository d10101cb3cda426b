//! Column types.
//!
//! A packed column holds integers in the narrowest width that fits. A nullable column adds validity bytes once a value is
//! missing. A dictionary column holds a code per row into distinct texts. All growth is fallible.

pub mod dictionary;
pub mod nullable;
pub mod packed;
mod text;

pub use dictionary::DictionaryColumn;
pub use nullable::{Nullable, Storage};
pub use packed::Packed;
pub use text::TextColumn;
