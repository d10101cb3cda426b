//! `cupel_columns`: rows as flat arrays. This file reads the struct and makes views of its arrays; `ingest` checks
//! them.

use std::cell::{Cell, OnceCell};
use std::ffi::c_char;
use std::fmt;
use std::mem::offset_of;

use bytemuck::AnyBitPattern;

use crate::batch::Batch;
use crate::capi::error::{Argument, Refusal};
use crate::capi::ownership::Host;
use crate::capi::sized_struct::SizedStruct;
use crate::ingest::{
    Array, Codes, Column, ColumnError, Columns, Flags, Metadata, NullableTexts, Offsets, Problem, Tags, Texts, Values,
    check_rows,
};
use crate::memory::try_reserve;

/// A column of texts, as flat arrays.
///
/// `data` holds the texts one after another: text t is from `offsets[t]` to before `offsets[t + 1]`. If `codes` is
/// NULL, slot i of the column has text i. Otherwise the column is dictionary-encoded, and slot i has text `codes[i]`. A
/// column whose `offsets` is NULL is absent.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cupel_text_column {
    /// The bytes of all texts, UTF-8. May be NULL when `data_len` is 0.
    pub data: *const c_char,
    /// The length of `data`.
    pub data_len: usize,
    /// `texts_len + 1` offsets into `data`: 0 or more, never decreasing, at most `data_len`. NULL: the column is
    /// absent.
    pub offsets: *const i64,
    /// The number of texts. Without `codes` it is the number of slots.
    pub texts_len: usize,
    /// For each slot the index of its text, less than `texts_len`. NULL: slot i has text i. The code of a slot without
    /// a value (a missing kind or source, the metadata text of a double) is not read and may be any number.
    pub codes: *const u32,
}

/// Rows as flat arrays. The arrays contain no pointers, so that a garbage-collected host can lend its own.
///
/// Set all bytes to zero, then set `struct_size` to `sizeof(cupel_columns)`, `rows`, and the columns. A column that is
/// NULL is absent: its rows have the default. A validity array has one byte for each row: 1 if the value is present, 0
/// if it is missing. NULL means that all are present.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cupel_columns {
    /// `sizeof(cupel_columns)` of the header that the caller was compiled with. The size of an older header is
    /// accepted: the fields that it lacks are zero. The size of a newer one is accepted if all fields that this library
    /// does not know are zero.
    pub struct_size: usize,
    /// The number of rows.
    pub rows: usize,
    /// The contents: a slot for each row, none of them empty. Absent: rows without content, which can only be scored.
    pub content: cupel_text_column,
    /// The sizes in tokens. NULL: 0.
    pub tokens: *const i64,
    /// The kinds: a slot for each row, none of them blank. The default is `Message`.
    pub kind: cupel_text_column,
    /// Which kinds are present.
    pub kind_validity: *const u8,
    /// The sources: a slot for each row, none of them blank. The default is `Chat`.
    pub source: cupel_text_column,
    /// Which sources are present.
    pub source_validity: *const u8,
    /// The priorities.
    pub priority: *const i64,
    /// Which priorities are present.
    pub priority_validity: *const u8,
    /// The timestamps, in nanoseconds since the Unix epoch.
    pub timestamp: *const i64,
    /// Which timestamps are present.
    pub timestamp_validity: *const u8,
    /// The future relevance hints; any bit pattern.
    pub future_relevance_hint: *const f64,
    /// Which hints are present.
    pub future_relevance_hint_validity: *const u8,
    /// For each row, 1 if it is pinned and 0 if it is not. NULL: 0.
    pub pinned: *const u8,
    /// The original sizes in tokens, from before the host shortened the items.
    pub original_tokens: *const i64,
    /// Which original sizes are present.
    pub original_tokens_validity: *const u8,
    /// `rows + 1` offsets into the slots of `tags`: row r has the slots from `tag_lists[r]` to before `tag_lists[r +
    /// 1]`. Only the slots from the first offset to the last are read and checked, so that a whole table can be lent
    /// with a few rows. NULL: no tags.
    pub tag_lists: *const i64,
    /// The number of slots of `tags`.
    pub tags_len: usize,
    /// The tags.
    pub tags: cupel_text_column,
    /// `rows + 1` offsets into the slots of the metadata columns; only the slots between the first and the last are
    /// read and checked. NULL: no metadata.
    pub metadata_lists: *const i64,
    /// The number of slots of the metadata columns.
    pub metadata_len: usize,
    /// The keys. If a row has a duplicate key, its last value counts.
    pub metadata_keys: cupel_text_column,
    /// For each slot a cupel_metadata_type as a byte. NULL: all are strings.
    pub metadata_types: *const u8,
    /// The values that are texts; the slot of a double is not read. May be absent when all are doubles.
    pub metadata_texts: cupel_text_column,
    /// The values that are doubles; the slots of texts are not read. May be NULL when all are texts.
    pub metadata_numbers: *const f64,
}

// SAFETY: the size comes first, all fields are addresses and integers without padding, and any bits are a value:
// addresses are not followed before they are checked.
unsafe impl SizedStruct for cupel_columns {
    const ARGUMENT: &'static str = "columns";
    const RULE: &'static str = "it must be sizeof(cupel_columns)";
    const LEAST: usize = offset_of!(cupel_columns, content);
}

/// Appends the rows, or fails and leaves the batch unchanged.
pub fn append(host: Host, batch: &mut Batch, columns: *const cupel_columns) -> Result<(), Refusal> {
    let columns = host.sized_struct(columns)?;
    // The number of rows is that of every array, and is checked before any is read.
    check_rows(columns.rows)?;
    let arrays = Arrays { host, rows: columns.rows, copies: &Copies::default() };
    let checked = arrays.columns(&columns)?.check();
    let checked = checked.as_ref().map_err(|&error| error)?;
    batch.append_columns(checked).map_err(|error| Refusal::for_size(error, "columns.rows", columns.rows))
}

/// Copies of arrays that are not aligned for their type: a host may lend a part of a buffer.
#[derive(Default)]
struct Copies {
    /// One for each array of the struct whose elements are longer than a byte.
    copies: [OnceCell<Vec<u64>>; 20],
    len: Cell<usize>,
}

/// Makes slices of the arrays of the struct.
struct Arrays<'a> {
    host: Host,
    rows: usize,
    copies: &'a Copies,
}

impl<'a> Arrays<'a> {
    /// An array, or none where it is NULL.
    fn array<T: AnyBitPattern>(&self, data: *const T, len: usize, column: Column) -> Result<Option<&'a [T]>, Refusal> {
        if data.is_null() {
            return Ok(None);
        }
        if data.is_aligned() || len == 0 {
            return Ok(Some(self.host.slice(data, len, argument(column))?));
        }
        let bytes = self.host.slice(data.cast::<u8>(), len.saturating_mul(size_of::<T>()), argument(column))?;
        let words = bytes.len().div_ceil(size_of::<u64>());
        let mut copy = Vec::new();
        try_reserve(&mut copy, words)?;
        copy.resize(words, 0);
        bytemuck::cast_slice_mut(&mut copy)[..bytes.len()].copy_from_slice(bytes);
        let index = self.copies.len.get();
        self.copies.len.set(index + 1);
        let copy = self.copies.copies[index].get_or_init(|| copy);
        Ok(Some(&bytemuck::cast_slice(copy)[..len]))
    }

    /// A text column, or none where it is absent.
    fn texts(&self, texts: &cupel_text_column, slots: usize, column: Column) -> Result<Option<Texts<'a>>, Refusal> {
        if texts.offsets.is_null() {
            if texts.data_len > 0 || texts.texts_len > 0 || (!texts.codes.is_null() && slots > 0) {
                return Err(absent(column, Array::Offsets));
            }
            return Ok(None);
        }
        if texts.codes.is_null() && texts.texts_len != slots {
            let why = match column {
                Column::Tags => "tags_len, as there are no codes",
                Column::MetadataKeys | Column::MetadataTexts => "metadata_len, as there are no codes",
                _ => "one text for each row, as there are no codes",
            };
            let problem = Problem::Length { actual: texts.texts_len, expected: slots, why };
            return Err(ColumnError { column, array: Array::Texts, index: None, problem }.into());
        }
        if texts.data.is_null() && texts.data_len > 0 {
            return Err(absent(column, Array::Data));
        }
        let too_long = || Refusal::too_long(argument(column), texts.texts_len);
        let offsets_len = texts.texts_len.checked_add(1).ok_or_else(too_long)?;
        Ok(Some(Texts {
            data: self.host.slice(texts.data.cast(), texts.data_len, argument(column))?,
            offsets: Offsets::I64(self.array(texts.offsets, offsets_len, column)?.unwrap_or_default()),
            codes: self.array(texts.codes, slots, column)?.map(Codes::U32),
        }))
    }

    fn nullable_texts(
        &self,
        texts: &cupel_text_column,
        validity: *const u8,
        column: Column,
    ) -> Result<Option<NullableTexts<'a>>, Refusal> {
        let validity = self.array(validity, self.rows, column)?.map(Flags::Bytes);
        match self.texts(texts, self.rows, column)? {
            Some(texts) => Ok(Some(NullableTexts { texts, validity })),
            None if validity.is_some() && self.rows > 0 => Err(absent(column, Array::Offsets)),
            None => Ok(None),
        }
    }

    fn values<T: AnyBitPattern>(
        &self,
        values: *const T,
        validity: *const u8,
        column: Column,
    ) -> Result<Option<Values<'a, T>>, Refusal> {
        let validity = self.array(validity, self.rows, column)?.map(Flags::Bytes);
        match self.array(values, self.rows, column)? {
            Some(values) => Ok(Some(Values { values, validity })),
            None if validity.is_some() && self.rows > 0 => Err(absent(column, Array::Slots)),
            None => Ok(None),
        }
    }

    /// The columns of the struct. A column with a missing part is refused.
    fn columns(&self, c: &cupel_columns) -> Result<Columns<'a>, Refusal> {
        let hint = Column::FutureRelevanceHint;
        Ok(Columns {
            rows: self.rows,
            content: self.texts(&c.content, self.rows, Column::Content)?,
            tokens: self.array(c.tokens, self.rows, Column::Tokens)?,
            kind: self.nullable_texts(&c.kind, c.kind_validity, Column::Kind)?,
            source: self.nullable_texts(&c.source, c.source_validity, Column::Source)?,
            priority: self.values(c.priority, c.priority_validity, Column::Priority)?,
            timestamp: self.values(c.timestamp, c.timestamp_validity, Column::Timestamp)?,
            future_relevance_hint: self.values(c.future_relevance_hint, c.future_relevance_hint_validity, hint)?,
            pinned: self.array(c.pinned, self.rows, Column::Pinned)?.map(Flags::Bytes),
            original_tokens: self.values(c.original_tokens, c.original_tokens_validity, Column::OriginalTokens)?,
            tags: self.tags(c)?,
            metadata: self.metadata(c)?,
        })
    }

    fn tags(&self, c: &cupel_columns) -> Result<Option<Tags<'a>>, Refusal> {
        let lists = self.array(c.tag_lists, self.rows + 1, Column::TagLists)?;
        let tags = self.texts(&c.tags, c.tags_len, Column::Tags)?;
        let tags = texts_of_lists(tags, c.tags_len, lists, Column::TagLists, Column::Tags)?;
        Ok(lists.zip(tags).map(|(lists, tags)| Tags { lists: Offsets::I64(lists), tags }))
    }

    fn metadata(&self, c: &cupel_columns) -> Result<Option<Metadata<'a>>, Refusal> {
        let lists = self.array(c.metadata_lists, self.rows + 1, Column::MetadataLists)?;
        let keys = self.texts(&c.metadata_keys, c.metadata_len, Column::MetadataKeys)?;
        let types = self.array(c.metadata_types, c.metadata_len, Column::MetadataTypes)?;
        let texts = self.texts(&c.metadata_texts, c.metadata_len, Column::MetadataTexts)?;
        let numbers = self.array(c.metadata_numbers, c.metadata_len, Column::MetadataNumbers)?;
        let keys = texts_of_lists(keys, c.metadata_len, lists, Column::MetadataLists, Column::MetadataKeys)?;
        let metadata = |(lists, keys)| Metadata { lists: Offsets::I64(lists), keys, types, texts, numbers };
        Ok(lists.zip(keys).map(metadata))
    }
}

/// The texts of a column of lists, which may be absent if all lists are empty. None if the whole column is absent.
fn texts_of_lists<'a>(
    texts: Option<Texts<'a>>,
    slots: usize,
    lists: Option<&[i64]>,
    lists_column: Column,
    column: Column,
) -> Result<Option<Texts<'a>>, Refusal> {
    match (lists, texts) {
        (Some(_), Some(texts)) => Ok(Some(texts)),
        (Some(lists), None) if slots > 0 || lists.first() != lists.last() => Err(absent(column, Array::Offsets)),
        (Some(_), None) => Ok(Some(Texts { data: &[], offsets: Offsets::I64(&[0]), codes: None })),
        (None, texts) if slots > 0 || texts.is_some_and(|texts| texts.offsets.len() > 1) => {
            Err(absent(lists_column, Array::Slots))
        }
        (None, _) => Ok(None),
    }
}

/// The refusal of a column that lacks a required array.
fn absent(column: Column, array: Array) -> Refusal {
    ColumnError { column, array, index: None, problem: Problem::Absent }.into()
}

fn argument(column: Column) -> Argument {
    Argument::field("columns", None, column.name())
}

/// The field of the struct that an error is about: `columns.kind.offsets[2]`.
pub(super) struct FieldPath<'a>(pub &'a ColumnError);

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ColumnError { column, array, index, problem } = self.0;
        let part = match (array, problem) {
            (Array::Slots, _) => "",
            (Array::Texts, Problem::Length { .. }) => ".texts_len",
            (Array::Texts, _) => ".texts",
            (Array::Data, _) => ".data",
            (Array::Offsets, _) => ".offsets",
            (Array::Codes, _) => ".codes",
            (Array::Validity, _) => "_validity",
        };
        write!(f, "columns.{}{part}", column.name())?;
        index.map_or(Ok(()), |index| write!(f, "[{index}]"))
    }
}
