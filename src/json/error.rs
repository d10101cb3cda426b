//! Errors of reading and writing JSON.

use std::fmt;

use crate::error::Excerpt;
use crate::memory::OutOfMemory;

/// Why a text was refused, or why a value has no JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// The text is not JSON, or not that of items or of a scorer.
    #[error("{path} (line {line}, column {column}): {rule}")]
    Invalid {
        /// The path from the root of the text: `$.scorers[2].tagWeights.urgent`. Names that are not identifiers are written as
        /// `["a name"]`, and long ones are cut.
        path: String,
        /// The line, from 1.
        line: usize,
        /// The column in the line, in characters from 1.
        column: usize,
        /// What is there, and the rule that it breaks.
        rule: String,
    },
    /// The value cannot be written.
    #[error("{0}")]
    NoJsonForm(&'static str),
    /// A row or an item cannot be written.
    #[error("{}{field}{} {rule}", Part("row ", *row, ": "), Part("[", *key, "]"))]
    Unwritable {
        /// The row of the batch; none for an item.
        row: Option<usize>,
        /// The field that JSON has no form for.
        field: &'static str,
        /// The key in the metadata.
        key: Option<Excerpt>,
        /// What it is, and the rule that it breaks.
        rule: &'static str,
    },
    /// An allocation failed.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A value of a message with the text before and after it, if there is one.
struct Part<T>(&'static str, Option<T>, &'static str);

impl<T: fmt::Display> fmt::Display for Part<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.1.as_ref().map_or(Ok(()), |value| write!(f, "{}{value}{}", self.0, self.2))
    }
}
