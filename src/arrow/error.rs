//! What is wrong with a table, as data.

use std::fmt;

use crate::error::Excerpt;
use crate::ingest::ColumnError;
use crate::memory::OutOfMemory;

/// Why a table is refused.
#[derive(Clone, Copy, Debug)]
pub struct ArrowError {
    /// The column; empty for the table itself.
    pub column: Excerpt,
    /// The row.
    pub row: Option<usize>,
    /// What is wrong there.
    pub fault: Fault,
}

/// What is wrong with a table.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// A struct was released, or was never filled.
    Released,
    /// A type that the column does not take.
    Type {
        /// The type, in Arrow's notation.
        format: Excerpt,
        /// What it takes.
        wanted: &'static str,
    },
    /// A value is not what the column takes.
    Value(&'static str),
    /// A null where none may be.
    Null,
    /// The table has no column of this name, or none that is known.
    Absent(&'static str),
    /// The name occurs twice.
    Twice,
    /// The counts of children or buffers do not fit the type, or a pointer is NULL.
    Malformed(&'static str),
    /// A child is shorter than its parent says.
    Short {
        /// Its length.
        actual: usize,
        /// The length it must have.
        expected: usize,
    },
    /// An offset, an index or an instant is out of range.
    OutOfRange {
        /// The value.
        value: i128,
        /// The range.
        rule: &'static str,
    },
    /// A column that the checks of columns refuse.
    Column(ColumnError),
    /// An allocation failed.
    OutOfMemory(OutOfMemory),
}

impl ArrowError {
    /// A fault of the table itself.
    pub(super) fn table(fault: Fault) -> Self {
        Self { column: Excerpt::new(""), row: None, fault }
    }

    /// A fault of a stream of tables.
    pub(crate) fn of_stream(fault: Fault) -> Self {
        Self { column: Excerpt::new("the stream"), row: None, fault }
    }

    /// A fault of a column.
    #[cold]
    pub(super) fn column(name: &str, row: Option<usize>, fault: Fault) -> Self {
        Self { column: Excerpt::new(name), row, fault }
    }
}

impl From<OutOfMemory> for ArrowError {
    fn from(error: OutOfMemory) -> Self {
        Self::table(Fault::OutOfMemory(error))
    }
}

impl fmt::Display for ArrowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The checks of columns name the column themselves.
        if !matches!(self.fault, Fault::Column(_) | Fault::OutOfMemory(_)) {
            match self.column.as_str() {
                "" => f.write_str("the table")?,
                name => f.write_str(name)?,
            }
        }
        if let Some(row) = self.row {
            match self.fault {
                Fault::Column(_) => write!(f, "row {row}: ")?,
                _ => write!(f, "[{row}]")?,
            }
        }
        match self.fault {
            Fault::Released => f.write_str(" was released"),
            Fault::Type { format, wanted } => write!(f, " has the type {format}: it must be {wanted}"),
            Fault::Value(rule) => write!(f, " {rule}"),
            Fault::Null => f.write_str(" is null, which it must not be"),
            Fault::Absent(what) => write!(f, " has no column {what}"),
            Fault::Twice => f.write_str(" occurs twice among the columns"),
            Fault::Malformed(what) => write!(f, " is malformed: {what}"),
            Fault::Short { actual, expected } => write!(f, " has the length {actual}: it must be at least {expected}"),
            Fault::OutOfRange { value, rule } => write!(f, " is {value}: {rule}"),
            Fault::Column(error) => error.fmt(f),
            Fault::OutOfMemory(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ArrowError {}
