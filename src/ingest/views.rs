//! Views of a host's arrays.

/// Offsets into an array: entry `i` spans from offset `i` to offset `i + 1`, so there is one offset more than entries. The first
/// one need not be 0; none is less than the one before it.
#[derive(Clone, Copy, Debug)]
pub enum Offsets<'a> {
    /// 32-bit offsets.
    I32(&'a [i32]),
    /// 64-bit offsets.
    I64(&'a [i64]),
}

/// Evaluates an expression on the slice of offsets, whatever their width.
macro_rules! on_offsets {
    ($offsets:expr, $values:ident => $body:expr) => {
        match $offsets {
            $crate::ingest::Offsets::I32($values) => $body,
            $crate::ingest::Offsets::I64($values) => $body,
        }
    };
}
pub(crate) use on_offsets;

impl Offsets<'_> {
    /// How many offsets there are.
    pub fn len(&self) -> usize {
        on_offsets!(self, offsets => offsets.len())
    }

    /// Whether there is no offset at all, which even a column without entries must have.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The offset at `index`.
    #[inline(always)]
    pub fn get(&self, index: usize) -> i64 {
        match self {
            Self::I32(offsets) => offsets[index].into(),
            Self::I64(offsets) => offsets[index],
        }
    }
}

/// Dictionary codes: for each slot the number of its text. Signed codes must not be negative.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "each variant is named after its type")]
pub enum Codes<'a> {
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
}

macro_rules! on_codes {
    ($codes:expr, $values:ident => $body:expr) => {
        match $codes {
            Codes::I8($values) => $body,
            Codes::I16($values) => $body,
            Codes::I32($values) => $body,
            Codes::I64($values) => $body,
            Codes::U8($values) => $body,
            Codes::U16($values) => $body,
            Codes::U32($values) => $body,
            Codes::U64($values) => $body,
        }
    };
}

impl Codes<'_> {
    /// How many codes there are.
    pub fn len(&self) -> usize {
        on_codes!(self, codes => codes.len())
    }

    /// Whether there is no code.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code of a slot; a negative one counts as greater than any text's number.
    #[inline(always)]
    #[allow(clippy::cast_lossless, reason = "a negative code must become a great one, for every width alike")]
    pub fn get(&self, slot: usize) -> usize {
        on_codes!(self, codes => codes[slot] as usize)
    }

    /// The code of a slot as it was given, for a message.
    pub(crate) fn value(&self, slot: usize) -> i128 {
        on_codes!(self, codes => codes[slot].into())
    }

    /// Whether every code in `slots` equals the one `period` slots before it.
    pub(crate) fn repeat(&self, slots: std::ops::Range<usize>, period: usize) -> bool {
        on_codes!(self, codes => repeats(&codes[slots], period))
    }
}

/// Whether every value equals the one `period` positions before it.
pub(crate) fn repeats<T: PartialEq>(values: &[T], period: usize) -> bool {
    values.get(period..).is_some_and(|later| later == &values[..later.len()])
}

/// A flag for each row: whether a value is present, or whether a row is pinned.
#[derive(Clone, Copy, Debug)]
pub enum Flags<'a> {
    /// A byte each, 0 or 1.
    Bytes(&'a [u8]),
    /// A bit each, least significant first.
    Bits {
        /// The bytes that hold the bits.
        bytes: &'a [u8],
        /// The position of the first flag's bit.
        offset: usize,
    },
}

impl Flags<'_> {
    /// The flag at `index`.
    #[inline(always)]
    pub fn get(&self, index: usize) -> bool {
        match self {
            Self::Bytes(bytes) => bytes[index] == 1,
            Self::Bits { bytes, offset } => {
                let bit = offset + index;
                bytes[bit / 8] >> (bit % 8) & 1 == 1
            }
        }
    }

    /// Whether all of the first `len` flags are set.
    pub(crate) fn all(&self, len: usize) -> bool {
        match self {
            Self::Bytes(bytes) => !bytes.contains(&0),
            Self::Bits { .. } => (0..len).all(|index| self.get(index)),
        }
    }

    /// How many flags there are room for.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Bits { bytes, offset } => bytes.len().saturating_mul(8).saturating_sub(*offset),
        }
    }
}

/// Texts: concatenated bytes and an offset for each text. Without `codes`, slot `i` has text `i`; with them the column is
/// dictionary-encoded, and slot `i` has text `codes[i]`.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// The bytes of all texts, UTF-8.
    pub data: &'a [u8],
    /// Where each text starts in `data`, and where the last one ends.
    pub offsets: Offsets<'a>,
    /// The number of each slot's text.
    pub codes: Option<Codes<'a>>,
}

impl Texts<'_> {
    /// How many texts there are.
    pub(crate) fn texts_len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// How many slots there are.
    pub(crate) fn slots(&self) -> usize {
        self.codes.map_or(self.texts_len(), |codes| codes.len())
    }
}

/// Texts, each of which may be missing.
#[derive(Clone, Copy, Debug)]
pub struct NullableTexts<'a> {
    /// The texts. The code of a slot whose value is missing is not read.
    pub texts: Texts<'a>,
    /// Which are present; none: all.
    pub validity: Option<Flags<'a>>,
}

impl<'a> From<Texts<'a>> for NullableTexts<'a> {
    fn from(texts: Texts<'a>) -> Self {
        Self { texts, validity: None }
    }
}

/// Numbers, each of which may be missing.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a, T> {
    /// The numbers, one for each row. Where the value is missing any number may be stored.
    pub values: &'a [T],
    /// Which are present; none: all.
    pub validity: Option<Flags<'a>>,
}

/// The tags of all rows.
#[derive(Clone, Copy, Debug)]
pub struct Tags<'a> {
    /// The slots of each row.
    pub lists: Offsets<'a>,
    /// The tags.
    pub tags: Texts<'a>,
}

/// The metadata of all rows. A key that a row has more than once takes the last value.
#[derive(Clone, Copy, Debug)]
pub struct Metadata<'a> {
    /// The slots of each row.
    pub lists: Offsets<'a>,
    /// The key of each slot.
    pub keys: Texts<'a>,
    /// The type of each slot's value: 0 a text, 1 a number, 2 the text of another value. None: all are texts.
    pub types: Option<&'a [u8]>,
    /// The values that are texts; the code of a slot that has a number is not read. May be absent when all are numbers.
    pub texts: Option<Texts<'a>>,
    /// The values that are numbers; other slots may hold any number. May be absent when all are texts.
    pub numbers: Option<&'a [f64]>,
}

/// Rows as flat arrays. Every column is optional; what is absent gets the default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Columns<'a> {
    /// How many rows there are.
    pub rows: usize,
    /// The contents, none of them empty. Absent: rows that are there for their scores only.
    pub content: Option<Texts<'a>>,
    /// The sizes in tokens. Absent: 0.
    pub tokens: Option<&'a [i64]>,
    /// The kinds, none of them blank. Absent or missing: `Message`.
    pub kind: Option<NullableTexts<'a>>,
    /// The sources, none of them blank. Absent or missing: `Chat`.
    pub source: Option<NullableTexts<'a>>,
    /// The priorities.
    pub priority: Option<Values<'a, i64>>,
    /// The instants, in nanoseconds since the Unix epoch.
    pub timestamp: Option<Values<'a, i64>>,
    /// The host's own estimates of how useful the items will be; any double.
    pub future_relevance_hint: Option<Values<'a, f64>>,
    /// Which rows the host wants kept. Absent: none.
    pub pinned: Option<Flags<'a>>,
    /// The sizes in tokens before the host shortened the items.
    pub original_tokens: Option<Values<'a, i64>>,
    /// The tags. Absent: no row has any.
    pub tags: Option<Tags<'a>>,
    /// The metadata. Absent: no row has any.
    pub metadata: Option<Metadata<'a>>,
}
