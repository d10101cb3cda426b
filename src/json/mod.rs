//! JSON: rows of a batch are read from it, scorers are read from and written to it.
//!
//! ```
//! use cupel::json::{append_items, read_scorer, write_scorer};
//! use cupel::batch::Batch;
//! use cupel::scorer::Clock;
//!
//! let mut batch = Batch::new();
//! append_items(
//!     &mut batch,
//!     r#"{"content": "The build is red.", "tokens": 5, "kind": "ToolOutput", "priority": 3}
//!        {"content": "Thanks!", "tokens": 2, "priority": 1}"#,
//! )?;
//! let scorer = read_scorer(
//!     r#"{"scorers": [{"type": "priority", "weight": 2}, {"type": "kind", "weight": 1}]}"#,
//!     &Clock::system(),
//! )?;
//! let mut scores = [0.0; 2];
//! scorer.score_batch(&batch, &mut scores)?;
//! assert!(scores[0] > scores[1]);
//! assert_eq!(
//!     write_scorer(&scorer)?,
//!     r#"{"type":"composite","scorers":[{"type":"priority","weight":2.0},{"type":"kind","weight":1.0}]}"#
//! );
//!
//! let error = append_items(&mut batch, r#"[{"content": "No tokens."}]"#).unwrap_err();
//! assert_eq!(error.to_string(), r#"$[0] (line 1, column 2): lacks the field "tokens", which is required"#);
//! assert_eq!(batch.len(), 2);
//! # Ok::<(), cupel::Error>(())
//! ```

// The parser is `serde_json`. What is ours is what it leaves to its users:
//
// * `node` is a value as a piece of the text, of which the next level is read when it is asked for; it refuses names that
//   stand twice, and nesting that is too deep;
// * `place` finds the path, the line and the column of what is wrong, once something is;
// * `items` and `scorer` know the fields, `timestamp` and `duration` their texts;
// * `writer` writes.
//
// Memory. What grows with the text is asked for in a way that can fail: the nodes of a level, the texts that are kept, and,
// by way of a probe, what `serde_json` needs meanwhile to unescape a text or to keep track of nesting. The probe gives back
// what it got, so another thread may take it before `serde_json` does. Not asked for beforehand is what does not grow with
// the text: up to 512 bytes for a string of up to 256, and the boxes of the errors of `serde_json`. When those cannot be had
// the process aborts.

mod duration;
mod error;
mod items;
mod node;
mod place;
mod scorer;
mod timestamp;
mod writer;

pub(crate) use duration::read_duration;
pub use error::JsonError;
pub use items::append_items;
pub(crate) use node::{Node, Object};
#[doc(hidden)]
pub use scorer::ScorerWriter;
pub(crate) use scorer::{ReadScorer, ScorerReader};
pub use scorer::{read_scorer, write_scorer};

/// The deepest nesting that is read or written: an array in an array is nested 2 deep.
const MOST_DEPTH: u32 = 64;

/// What is wrong with a value in more containers than that.
const TOO_DEEP: &str = "is nested more than 64 deep";

/// The longest text that is read, in bytes.
const MOST_BYTES: usize = i32::MAX as usize;
