//! Errors of reading and writing JSON.

use std::fmt;

use crate::memory::OutOfMemory;

/// Why a text was refused, or why a value has no JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonError {
    /// The text is not JSON, or not that of items or of a scorer.
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
    NoJsonForm(&'static str),
    /// An allocation failed.
    OutOfMemory(OutOfMemory),
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { path, line, column, rule } => write!(f, "{path} (line {line}, column {column}): {rule}"),
            Self::NoJsonForm(reason) => f.write_str(reason),
            Self::OutOfMemory(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for JsonError {}

impl From<OutOfMemory> for JsonError {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory(error)
    }
}
