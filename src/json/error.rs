//! Errors of reading and writing JSON.

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
    /// An allocation failed.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}
