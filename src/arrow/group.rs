//! Groups: rows with the same value of a column, which follow each other.

use std::hash::{BuildHasher, Hash, Hasher};

use hashbrown::HashTable;

use crate::arrow::error::{ArrowError, Fault};
use crate::arrow::node::{Node, Result, at_row};
use crate::arrow::number::bits;
use crate::arrow::text::{CodeArray, TextArray, Validity};
use crate::ingest::Flags;
use crate::memory::{OutOfMemory, try_push};
use crate::text::hash_state;

/// Where each group starts, and where the last one ends.
#[derive(Debug)]
pub struct Groups(pub(super) Vec<i64>);

impl Groups {
    /// Offsets into the rows: one more than there are groups.
    pub fn offsets(&self) -> &[i64] {
        &self.0
    }
}

/// What a group column takes, for messages.
const GROUP: &str = "an integer, bool, text, binary, fixed-size binary, or a dictionary of one of these";

/// A value of a group column. A null is a value like any other. All tables have one type, in which no two integers have the same
/// low 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key<'a> {
    Null,
    Integer(u64),
    Bytes(&'a [u8]),
}

impl Hash for Key<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Null => state.write_u8(0),
            Self::Integer(value) => state.write_u64(*value),
            Self::Bytes(bytes) => state.write(bytes),
        }
    }
}

/// The values of a group column.
#[derive(Debug)]
enum Keys<'a> {
    Integers(CodeArray<'a>, Validity<'a>),
    Booleans(Option<Flags<'a>>, Option<Flags<'a>>),
    Texts(TextArray<'a>),
    Fixed { values: crate::arrow::buffer::Buffer<'a, u8>, width: usize, validity: Validity<'a> },
    Dictionary { codes: CodeArray<'a>, validity: Validity<'a>, values: Box<Keys<'a>>, len: usize },
    Nulls,
}

impl<'a> Keys<'a> {
    fn read(node: &Node<'a>) -> Result<Self> {
        if let Some(dictionary) = node.dictionary()? {
            // A dictionary of dictionaries is no type of Arrow's.
            if dictionary.dictionary()?.is_some() {
                return Err(node.wrong_type(GROUP));
            }
            let codes = CodeArray::read(node)?;
            let values = crate::memory::try_box(Self::read(&dictionary)?)?;
            return Ok(Self::Dictionary { codes, validity: node.validity().into(), values, len: dictionary.len });
        }
        Ok(match node.format {
            "n" => Self::Nulls,
            "c" | "C" | "s" | "S" | "i" | "I" | "l" | "L" => {
                Self::Integers(CodeArray::read(node)?, node.validity().into())
            }
            "b" => {
                let (bits, validity) = bits(node)?;
                Self::Booleans(bits, validity)
            }
            "u" | "U" | "vu" | "z" | "Z" | "vz" => Self::Texts(TextArray::read_bytes(node)?),
            format => match format.strip_prefix("w:").map(str::parse::<usize>) {
                Some(Ok(width)) => {
                    node.expect(2, 0)?;
                    let overflow = || node.fault(None, Fault::Malformed("the length of the values overflows"));
                    let bytes = |count: usize| count.checked_mul(width).filter(|&len| len <= isize::MAX as usize);
                    let (first, len) = (bytes(node.offset), bytes(node.len));
                    let (first, len) = (first.ok_or_else(overflow)?, len.ok_or_else(overflow)?);
                    Self::Fixed { values: node.values_at(1, first, len)?, width, validity: node.validity().into() }
                }
                _ => return Err(node.wrong_type(GROUP)),
            },
        })
    }

    /// The value of a row; none where an offset or a code is out of range.
    #[inline]
    fn get(&self, row: usize) -> Option<Key<'_>> {
        match self {
            Self::Integers(values, validity) if validity.get(row) => {
                Some(Key::Integer(values.view().value(row) as u64))
            }
            Self::Booleans(bits, validity) if validity.is_none_or(|validity| validity.get(row)) => {
                Some(Key::Integer(bits.is_some_and(|bits| bits.get(row)).into()))
            }
            Self::Texts(texts) if texts.is_present(row) => texts.bytes(row).map(Key::Bytes),
            Self::Fixed { values, width, validity } if validity.get(row) => {
                Some(Key::Bytes(&values[row * width..(row + 1) * width]))
            }
            Self::Dictionary { codes, validity, values, len } if validity.get(row) => {
                let code = codes.view().get(row);
                if code < *len { values.get(code) } else { None }
            }
            _ => Some(Key::Null),
        }
    }

    /// The offset or the code of a row that is out of range.
    #[cold]
    fn out_of_range(&self, row: usize) -> i128 {
        match self {
            Self::Texts(texts) => texts.end(row).into(),
            Self::Dictionary { codes, values, len, .. } => match codes.view().get(row) {
                code if code < *len => values.out_of_range(code),
                _ => codes.view().value(row),
            },
            _ => 0,
        }
    }
}

impl Groups {
    /// The groups of rows with the same value, through all tables that a column goes on in. A value that comes back after
    /// another is refused.
    pub(super) fn of(nodes: &[Node<'_>]) -> Result<Self> {
        let mut columns = Vec::new();
        let mut first = 0;
        for node in nodes {
            try_push(&mut columns, Keys::read(node).map_err(|error| at_row(error, first))?)?;
            first += node.len;
        }
        let (mut offsets, mut first) = (Vec::new(), 0);
        let hasher = hash_state();
        // The table and the row where each group begins.
        let mut seen: HashTable<(usize, usize)> = HashTable::new();
        let key_at = |&(table, row): &(usize, usize)| columns[table].get(row);
        let hash = |place: &(usize, usize)| hasher.hash_one(key_at(place));
        let mut last = None;
        for (table, (node, keys)) in nodes.iter().zip(&columns).enumerate() {
            let fault = |row, fault| at_row(node.fault(Some(row), fault), first);
            for row in 0..node.len {
                let rule = "an offset must lie inside the data, a code below the length of the dictionary";
                let key = keys.get(row);
                if last == key && key.is_some() {
                    continue;
                }
                if key.is_none() {
                    return Err(fault(row, Fault::OutOfRange { value: keys.out_of_range(row), rule }));
                }
                last = key;
                let digest = hasher.hash_one(key);
                if seen.find(digest, |place| key_at(place) == key).is_some() {
                    return Err(fault(row, Fault::Value("comes back: sort by the group column")));
                }
                seen.try_reserve(1, hash).map_err(OutOfMemory::from)?;
                seen.insert_unique(digest, (table, row), hash);
                try_push(&mut offsets, (first + row) as i64)?;
            }
            first += node.len;
        }
        try_push(&mut offsets, first as i64)?;
        Ok(Self(offsets))
    }

    /// All rows as one group.
    pub(super) fn one(rows: usize) -> Result<Self> {
        let mut offsets = Vec::new();
        try_push(&mut offsets, 0)?;
        try_push(&mut offsets, rows as i64)?;
        Ok(Self(offsets))
    }
}

impl From<Fault> for ArrowError {
    fn from(fault: Fault) -> Self {
        Self::table(fault)
    }
}
