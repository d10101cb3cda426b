//! JSON: rows of a batch are read from it, scorers are read from and written to it.
//!
//! The reader is the library's own for the sake of what it promises: memory that cannot be had is an error, whatever
//! the caller's text makes it ask for; every error knows its path, line and column; and a text is gone through once, with
//! no recursion, however deeply it is nested. What it takes for JSON is what `serde_json` takes for JSON, and its tests
//! hold it to that.
//!
//! * `scan` finds where a string or a number ends;
//! * `document` puts together the values of one text, and says where they stand;
//! * `node` reads a value as what it must be;
//! * `items` and `scorer` know the fields, `timestamp` and `duration` their texts;
//! * `writer` writes.

mod document;
mod duration;
mod error;
mod items;
mod node;
mod scan;
mod scorer;
mod timestamp;
mod writer;

pub(crate) use duration::read_duration;
pub use error::JsonError;
pub(crate) use items::append_items;
pub(crate) use node::{Node, Object};
#[doc(hidden)]
pub use scorer::ScorerWriter;
pub(crate) use scorer::{ReadScorer, ScorerReader, read_scorer, write_scorer};

/// The deepest nesting that is read or written: an array in an array is nested 2 deep.
pub(crate) const MOST_DEPTH: u32 = 64;

/// The longest text that is read, in bytes.
pub(crate) const MOST_BYTES: usize = i32::MAX as usize;
