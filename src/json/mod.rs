//! JSON: rows of a batch, scorers and selectors are read from it and written to it.
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
//! assert_eq!(error.to_string(), r#"$[0] (line 1, column 2): lacks the required field "tokens""#);
//! assert_eq!(batch.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// The lexer is our own: it reads once, in constant stack, and asks for memory in ways that can fail. `items` reads straight into
// a batch; `tree` keeps what is needed in another order, for `scorer`. `failure` finds the path of what is wrong.

mod duration;
mod error;
mod failure;
mod item_writer;
mod items;
mod lexer;
mod scorer;
mod selector;
mod timestamp;
mod tree;
mod writer;

pub use error::JsonError;
pub use item_writer::{write_item, write_rows};
pub use items::append_items;
pub use scorer::{read_scorer, write_scorer};
pub use selector::{read_selector, write_selector};

/// The deepest nesting that is read or written: an array in an array is nested 2 deep.
const MAX_DEPTH: u32 = 64;

/// The longest text of items, in bytes.
const MAX_BYTES: usize = i32::MAX as usize;

/// The longest text of a scorer that is read or written, in bytes.
const MAX_SCORER_BYTES: usize = 64 << 20;

/// The longest text of a scorer that is written.
const SCORER_LIMIT: writer::Limit =
    writer::Limit { bytes: MAX_SCORER_BYTES, message: "the JSON of the scorer is longer than 67108864 bytes" };

/// The most scorers in a text that is read or written.
const MAX_SCORERS: usize = 100_000;
