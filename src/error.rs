//! What can go wrong, in words that name the argument, its place and the value.

use std::fmt;

use crate::json::JsonError;
use crate::memory::OutOfMemory;

/// Why a call was refused. The thing that the call was to change is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An item's content is empty.
    #[error("{argument} is empty: an item needs content")]
    EmptyContent {
        /// Where the content stood.
        argument: Place,
    },
    /// A kind is empty or only white space.
    #[error("{argument} is blank ({value}): a kind needs a character that is not white space")]
    EmptyKind {
        /// Where the kind stood.
        argument: Place,
        /// What stood there.
        value: Excerpt,
    },
    /// A source is empty or only white space.
    #[error("{argument} is blank ({value}): a source needs a character that is not white space")]
    EmptySource {
        /// Where the source stood.
        argument: Place,
        /// What stood there.
        value: Excerpt,
    },
    /// A value breaks a rule of the scorer or the item it was given for.
    #[error("{argument} is {value}: {rule}")]
    Invalid {
        /// Where the value stood.
        argument: Place,
        /// The value.
        value: Value,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// An index, a code or an enumerator lies outside its range.
    #[error("{argument} is {value}: {rule}")]
    OutOfRange {
        /// Where the value stood.
        argument: Place,
        /// The value.
        value: Value,
        /// The range.
        rule: &'static str,
    },
    /// A row was asked for that the batch does not have.
    #[error("{argument} is {index}: there are {len}, counted from 0")]
    NoSuchIndex {
        /// The argument.
        argument: &'static str,
        /// Its value.
        index: usize,
        /// How many there are.
        len: usize,
    },
    /// Two lengths that must agree do not.
    #[error("{argument} is {actual}: it must be {expected}, {why}")]
    LengthMismatch {
        /// The argument that gives the length.
        argument: &'static str,
        /// Its value.
        actual: usize,
        /// What it must be.
        expected: usize,
        /// Where the expected length comes from.
        why: &'static str,
    },
    /// A text is not UTF-8.
    #[error("{argument} is not valid UTF-8 at byte {offset}")]
    InvalidUtf8 {
        /// The text.
        argument: Place,
        /// The offset in the text of the first byte that is not part of a character.
        offset: usize,
    },
    /// A callback of the host reported a failure.
    #[error("the {callback} callback failed with status {status}{}", Detail(source.as_deref()))]
    CallbackFailed {
        /// Which callback.
        callback: &'static str,
        /// The status that it returned.
        status: i32,
        /// The error that the callback gave, if any.
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// A scorer of the caller's own reported a failure.
    #[error("a custom scorer failed: {0}")]
    Custom(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A text is not the JSON of items or of a scorer.
    #[error(transparent)]
    Json(#[from] Box<JsonError>),
    /// A scorer has no JSON form.
    #[error("{0}")]
    NoJsonForm(&'static str),
    /// Memory that was asked for could not be had.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// An error after a colon, or nothing.
struct Detail<'a>(Option<&'a (dyn std::error::Error + Send + Sync)>);

impl fmt::Display for Detail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |error| write!(f, ": {error}"))
    }
}

impl From<std::collections::TryReserveError> for Error {
    fn from(error: std::collections::TryReserveError) -> Self {
        Self::OutOfMemory(error.into())
    }
}

impl From<hashbrown::TryReserveError> for Error {
    fn from(error: hashbrown::TryReserveError) -> Self {
        Self::OutOfMemory(error.into())
    }
}

/// Where a value stood: an argument, or a field of one entry of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The argument's name.
    pub argument: &'static str,
    /// The position in it, counted from 0, when it is a list.
    pub index: Option<usize>,
    /// The field of the entry, when it has several; else empty.
    pub field: &'static str,
}

impl Place {
    /// An argument that is no list.
    pub const fn argument(argument: &'static str) -> Self {
        Self { argument, index: None, field: "" }
    }

    /// An entry of a list.
    pub const fn entry(argument: &'static str, index: usize) -> Self {
        Self { argument, index: Some(index), field: "" }
    }

    /// A field of an entry of a list.
    pub const fn field(argument: &'static str, index: usize, field: &'static str) -> Self {
        Self { argument, index: Some(index), field }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.argument)?;
        if let Some(index) = self.index {
            write!(f, "[{index}]")?;
        }
        if !self.field.is_empty() {
            write!(f, ".{}", self.field)?;
        }
        Ok(())
    }
}

/// An offending value, kept without allocating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A real number.
    Double(f64),
    /// A whole number.
    Integer(i64),
    /// A count or a length.
    Size(usize),
    /// A text.
    Text(Excerpt),
    /// A real number that belongs to a name: a weight of a kind or of a tag.
    Named(Excerpt, f64),
    /// A name that stood earlier in the same list, and where.
    Repeated(Excerpt, usize),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // `{:?}` writes 1e300 where `{}` writes 301 digits.
            Self::Double(value) => write!(f, "{value:?}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Size(value) => write!(f, "{value}"),
            Self::Text(text) => write!(f, "{text}"),
            Self::Named(name, value) => write!(f, "{value:?} (for {name})"),
            Self::Repeated(name, first) => write!(f, "{name} again (first at position {first})"),
        }
    }
}

/// The beginning of a text that a message quotes: all of it when it is short.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Excerpt {
    bytes: [u8; Self::MOST],
    len: u8,
    cut: bool,
}

impl Excerpt {
    /// Keeps an error below the size at which passing it around by value is frowned upon.
    const MOST: usize = 38;

    /// Keeps as much of `text` as a message quotes.
    pub fn new(text: &str) -> Self {
        let mut len = text.len().min(Self::MOST);
        while !text.is_char_boundary(len) {
            len -= 1;
        }
        let mut bytes = [0; Self::MOST];
        bytes[..len].copy_from_slice(&text.as_bytes()[..len]);
        Self { bytes, len: len as u8, cut: len < text.len() }
    }

    /// What was kept.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())?;
        if self.cut { f.write_str("...") } else { Ok(()) }
    }
}

impl fmt::Debug for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
