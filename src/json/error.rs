//! What is wrong in a JSON text, and where.

use std::fmt;

/// Why a JSON text was refused: where it went wrong and the rule that it breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    path: String,
    line: usize,
    column: usize,
    rule: String,
}

impl JsonError {
    pub(crate) fn new(path: String, (line, column): (usize, usize), rule: String) -> Self {
        Self { path, line, column, rule }
    }

    /// The path from the root of the text: `$.scorers[2].tagWeights.urgent`. DictionaryColumn that are no identifiers are
    /// written as `["not one"]`, and long ones are cut.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column in the line, counted in characters from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// What is there, and what should be.
    pub fn rule(&self) -> &str {
        &self.rule
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, column, rule } = self;
        write!(f, "{path} (line {line}, column {column}): {rule}")
    }
}

impl std::error::Error for JsonError {}
