//! What is wrong with columns, as data.

use std::fmt;

use crate::error::Excerpt;

/// Why columns are refused. Nothing was appended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnError {
    /// The column.
    pub column: Column,
    /// Which of its arrays.
    pub array: Array,
    /// The position in the array, or the slot for [`Array::Slots`].
    pub index: Option<usize>,
    /// What is wrong there.
    pub problem: Problem,
}

/// A column of [`Columns`](crate::ingest::Columns).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant is named after its field")]
pub enum Column {
    Rows,
    Content,
    Tokens,
    Kind,
    Source,
    Priority,
    Timestamp,
    FutureRelevanceHint,
    Pinned,
    OriginalTokens,
    TagLists,
    Tags,
    MetadataLists,
    MetadataKeys,
    MetadataTypes,
    MetadataTexts,
    MetadataNumbers,
}

impl Column {
    /// The column's name: `metadata_keys`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Content => "content",
            Self::Tokens => "tokens",
            Self::Kind => "kind",
            Self::Source => "source",
            Self::Priority => "priority",
            Self::Timestamp => "timestamp",
            Self::FutureRelevanceHint => "future_relevance_hint",
            Self::Pinned => "pinned",
            Self::OriginalTokens => "original_tokens",
            Self::TagLists => "tag_lists",
            Self::Tags => "tags",
            Self::MetadataLists => "metadata_lists",
            Self::MetadataKeys => "metadata_keys",
            Self::MetadataTypes => "metadata_types",
            Self::MetadataTexts => "metadata_texts",
            Self::MetadataNumbers => "metadata_numbers",
        }
    }
}

/// An array of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Array {
    /// The value of a slot, or the only array of the column.
    Slots,
    /// The texts of a text column, by number.
    Texts,
    /// The bytes of a text column.
    Data,
    /// The offsets of a text column.
    Offsets,
    /// The dictionary codes of a text column.
    Codes,
    /// Which values are present.
    Validity,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Problem {
    /// The array is needed and absent.
    Absent,
    /// The array has the wrong length.
    Length {
        /// Its length.
        actual: usize,
        /// The length it must have.
        expected: usize,
        /// Where that comes from.
        why: &'static str,
    },
    /// A value is outside its range.
    OutOfRange {
        /// The value.
        value: i128,
        /// The range.
        rule: &'static str,
    },
    /// A text is not UTF-8.
    Utf8 {
        /// The offset in the text of the first byte that is not part of a character.
        offset: usize,
    },
    /// A content is empty.
    Empty,
    /// A kind or a source is blank.
    Blank(Excerpt),
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.column.name())?;
        f.write_str(match self.array {
            Array::Slots => "",
            Array::Texts => ".texts",
            Array::Data => ".data",
            Array::Offsets => ".offsets",
            Array::Codes => ".codes",
            Array::Validity => ".validity",
        })?;
        if let Some(index) = self.index {
            write!(f, "[{index}]")?;
        }
        match self.problem {
            Problem::Absent => f.write_str(" is absent"),
            Problem::Length { .. } => write!(f, " has length {}", self.problem),
            Problem::OutOfRange { .. } => write!(f, " is {}", self.problem),
            Problem::Utf8 { .. } | Problem::Empty | Problem::Blank(_) => write!(f, " {}", self.problem),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("absent"),
            Self::Length { actual, expected, why } => write!(f, "{actual}: it must be {expected}, {why}"),
            Self::OutOfRange { value, rule } => write!(f, "{value}: {rule}"),
            Self::Utf8 { offset } => write!(f, "is not valid UTF-8 at byte {offset}"),
            Self::Empty => f.write_str("is empty: an item needs content"),
            Self::Blank(text) => write!(f, "is blank ({text}): it needs a character that is not white space"),
        }
    }
}

impl std::error::Error for ColumnError {}
