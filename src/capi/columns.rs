//! `cupel_columns`: many rows as flat arrays. This file reads the struct and makes views of its arrays; `ingest` checks them.

use std::fmt;
use std::mem::offset_of;

use libc::c_char;

use crate::batch::Batch;
use crate::capi::error::{Place, Reason, Refusal};
use crate::capi::ownership::Host;
use crate::error::Value;
use crate::ingest::{
    Array, Codes, Column, ColumnError, Columns, Flags, Metadata, NullableTexts, Offsets, Problem, Tags, Texts, Values,
};
use crate::memory::try_reserve;

/// Texts as flat arrays, one text for each slot of a column.
///
/// The texts stand in `data` one after another, text t from `offsets[t]` to `offsets[t + 1]`. Without `codes`, slot i has text
/// i. With them the column is dictionary-encoded: slot i has text `codes[i]`. A column whose `offsets` is NULL is absent.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cupel_text_column {
    /// The bytes of all texts, UTF-8. May be NULL when `data_len` is 0.
    pub data: *const c_char,
    /// How many bytes there are.
    pub data_len: usize,
    /// `texts_len + 1` offsets into `data`: 0 or more, never going down, at most `data_len`. NULL: the column is absent.
    pub offsets: *const i64,
    /// How many texts there are: as many as the column has slots, unless it has `codes`.
    pub texts_len: usize,
    /// For each slot the number of its text, below `texts_len`. NULL: slot i has text i. The code of a slot that has no value is
    /// not read and may be any number: a missing kind or source, the metadata text of a double. All other codes are checked.
    pub codes: *const u32,
}

/// Many rows at once, as flat arrays: no pointers inside the arrays, so that a garbage-collected host can lend its own.
///
/// Set all of it to zero, then `struct_size` to `sizeof(cupel_columns)`, `rows`, and the columns there are. A column that is
/// NULL is absent: its rows get the default. A validity array has one byte a row, 1 where the value is present and 0 where it
/// is missing; NULL means that all are present.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cupel_columns {
    /// `sizeof(cupel_columns)` of the header that the caller was compiled with. An older header's size is accepted, and the fields
    /// that it lacks are zero; a newer one's is accepted when everything past the fields of this library is zero.
    pub struct_size: usize,
    /// How many rows there are.
    pub rows: usize,
    /// The content: a slot for each row, none of them empty. Absent: rows that are there for their scores only.
    pub content: cupel_text_column,
    /// The sizes in tokens. NULL: 0.
    pub tokens: *const i64,
    /// The kinds: a slot for each row, none of them blank. Absent or missing: `Message`.
    pub kind: cupel_text_column,
    /// Which kinds are present.
    pub kind_validity: *const u8,
    /// The sources: a slot for each row, none of them blank. Absent or missing: `Chat`.
    pub source: cupel_text_column,
    /// Which sources are present.
    pub source_validity: *const u8,
    /// The priorities.
    pub priority: *const i64,
    /// Which priorities are present.
    pub priority_validity: *const u8,
    /// The instants, in nanoseconds since the Unix epoch.
    pub timestamp: *const i64,
    /// Which instants are present.
    pub timestamp_validity: *const u8,
    /// The host's hints; any bit pattern.
    pub future_relevance_hint: *const f64,
    /// Which hints are present.
    pub future_relevance_hint_validity: *const u8,
    /// 1 for a row that the host wants kept, 0 for one that it does not. NULL: 0.
    pub pinned: *const u8,
    /// The sizes in tokens before the host shortened the items.
    pub original_tokens: *const i64,
    /// Which original sizes are present.
    pub original_tokens_validity: *const u8,
    /// `rows + 1` offsets into the slots of `tags`: row r has the slots from `tag_lists[r]` to `tag_lists[r + 1]`. NULL: no tags.
    pub tag_lists: *const i64,
    /// How many slots `tags` has.
    pub tags_len: usize,
    /// The tags.
    pub tags: cupel_text_column,
    /// `rows + 1` offsets into the slots of the metadata columns. NULL: no metadata.
    pub metadata_lists: *const i64,
    /// How many slots the metadata columns have.
    pub metadata_len: usize,
    /// The keys. A key that stands twice in a row has the value that comes last.
    pub metadata_keys: cupel_text_column,
    /// For each slot a cupel_metadata_type, as a byte. NULL: all are strings.
    pub metadata_types: *const u8,
    /// The values that are texts; the slot of a double is not read. May be absent when all are doubles.
    pub metadata_texts: cupel_text_column,
    /// The values that are doubles; the slots of texts are not read. May be NULL when all are texts.
    pub metadata_numbers: *const f64,
}

/// The smallest struct that is accepted: one that ends before the first column.
const LEAST_STRUCT: usize = offset_of!(cupel_columns, content);
/// Greater than any version of the struct: a greater size is that of a struct that was not set up.
const GREATEST_STRUCT: usize = 4096;

/// Appends the rows, or leaves the batch unchanged.
///
/// # Safety
///
/// `columns` is NULL or good for reads of its `struct_size` bytes; every array in it is NULL or as long as the header demands.
pub unsafe fn append(host: Host, batch: &mut Batch, columns: *const cupel_columns) -> Result<(), Refusal> {
    // SAFETY: the caller's promise.
    let columns = unsafe { read(columns)? };
    let arrays = Arrays::new(host, &columns)?;
    batch.append_columns(&arrays.columns()?.check()?)?;
    Ok(())
}

/// Reads the struct: as much of it as the caller has, and zeros for the rest. It need not be aligned.
///
/// # Safety
///
/// As for [`append`].
unsafe fn read(columns: *const cupel_columns) -> Result<cupel_columns, Refusal> {
    if columns.is_null() {
        return Err(Refusal::null("columns"));
    }
    // SAFETY: not null; `struct_size` is the first field of every version.
    let size = unsafe { columns.cast::<usize>().read_unaligned() };
    let refuse = |rule| {
        let argument = Place { field: "struct_size", ..Place::argument("columns") };
        Err(Reason::Invalid { argument, value: Value::Size(size), rule }.into())
    };
    // Every field is as long as an address, and none is there in part.
    if !(LEAST_STRUCT..=GREATEST_STRUCT).contains(&size) || !size.is_multiple_of(size_of::<usize>()) {
        return refuse("it must be sizeof(cupel_columns)");
    }
    let known = size_of::<cupel_columns>();
    if size > known {
        // SAFETY: the caller's promise: the struct is `size` bytes long.
        let tail = unsafe { std::slice::from_raw_parts(columns.cast::<u8>().add(known), size - known) };
        if tail.iter().any(|&byte| byte != 0) {
            return refuse("it is greater than this library knows, and what lies past that is not zero");
        }
    }
    // SAFETY: pointers and integers, for all of which zero is a value.
    let mut read: cupel_columns = unsafe { std::mem::zeroed() };
    // SAFETY: the caller's promise: as many bytes are good for reads; no more than the struct has are written.
    unsafe { columns.cast::<u8>().copy_to_nonoverlapping((&raw mut read).cast(), size.min(known)) };
    Ok(read)
}

/// An array of a host. One that is not aligned for its type, as a slice of a buffer may be, is copied.
enum Lent<'a, T> {
    Absent,
    Host(&'a [T]),
    Copy(Vec<T>),
}

impl<'a, T: Copy> Lent<'a, T> {
    fn new(host: Host, data: *const T, len: usize, column: Column) -> Result<Self, Refusal> {
        if data.is_null() {
            return Ok(Self::Absent);
        }
        let place = Place { field: column.name(), ..Place::argument("columns") };
        if data.is_aligned() || len == 0 {
            return Ok(Self::Host(host.slice_at(data, len, place)?));
        }
        let bytes = host.slice_at(data.cast::<u8>(), len.saturating_mul(size_of::<T>()), place)?;
        let mut copy = Vec::new();
        try_reserve(&mut copy, len)?;
        // SAFETY: each chunk is as long as a value, and any bits are a value of the numbers that arrays have.
        copy.extend(
            bytes.chunks_exact(size_of::<T>()).map(|chunk| unsafe { chunk.as_ptr().cast::<T>().read_unaligned() }),
        );
        Ok(Self::Copy(copy))
    }

    fn get(&self) -> Option<&[T]> {
        match self {
            Self::Absent => None,
            Self::Host(values) => Some(values),
            Self::Copy(values) => Some(values),
        }
    }
}

/// The arrays of a text column.
struct LentTexts<'a> {
    data: &'a [u8],
    offsets: Lent<'a, i64>,
    codes: Lent<'a, u32>,
}

impl<'a> LentTexts<'a> {
    fn new(host: Host, column: &cupel_text_column, slots: usize, name: Column) -> Result<Self, Refusal> {
        if column.offsets.is_null() {
            if column.data_len > 0 || column.texts_len > 0 || (!column.codes.is_null() && slots > 0) {
                return Err(absent(name, Array::Offsets));
            }
            return Ok(Self { data: &[], offsets: Lent::Absent, codes: Lent::Absent });
        }
        if column.codes.is_null() && column.texts_len != slots {
            let why = match name {
                Column::Tags => "tags_len, as there are no codes",
                Column::MetadataKeys | Column::MetadataTexts => "metadata_len, as there are no codes",
                _ => "one text for each row, as there are no codes",
            };
            let problem = Problem::Length { actual: column.texts_len, expected: slots, why };
            return Err(ColumnError { column: name, array: Array::Texts, index: None, problem }.into());
        }
        if column.data.is_null() && column.data_len > 0 {
            return Err(absent(name, Array::Data));
        }
        let place = Place { field: name.name(), ..Place::argument("columns") };
        let offsets =
            column.texts_len.checked_add(1).ok_or(Reason::TooLong { argument: place, len: column.texts_len })?;
        Ok(Self {
            data: host.slice_at(column.data.cast(), column.data_len, place)?,
            offsets: Lent::new(host, column.offsets, offsets, name)?,
            codes: Lent::new(host, column.codes, slots, name)?,
        })
    }

    fn get(&self) -> Option<Texts<'_>> {
        let offsets = Offsets::I64(self.offsets.get()?);
        Some(Texts { data: self.data, offsets, codes: self.codes.get().map(Codes::U32) })
    }
}

/// The refusal of a column without an array that it needs.
fn absent(column: Column, array: Array) -> Refusal {
    ColumnError { column, array, index: None, problem: Problem::Absent }.into()
}

/// All arrays of the struct.
struct Arrays<'a> {
    rows: usize,
    content: LentTexts<'a>,
    tokens: Lent<'a, i64>,
    kind: LentTexts<'a>,
    kind_validity: Lent<'a, u8>,
    source: LentTexts<'a>,
    source_validity: Lent<'a, u8>,
    priority: Lent<'a, i64>,
    priority_validity: Lent<'a, u8>,
    timestamp: Lent<'a, i64>,
    timestamp_validity: Lent<'a, u8>,
    hint: Lent<'a, f64>,
    hint_validity: Lent<'a, u8>,
    pinned: Lent<'a, u8>,
    original_tokens: Lent<'a, i64>,
    original_tokens_validity: Lent<'a, u8>,
    tag_lists: Lent<'a, i64>,
    tags_len: usize,
    tags: LentTexts<'a>,
    metadata_lists: Lent<'a, i64>,
    metadata_len: usize,
    metadata_keys: LentTexts<'a>,
    metadata_types: Lent<'a, u8>,
    metadata_texts: LentTexts<'a>,
    metadata_numbers: Lent<'a, f64>,
}

impl<'a> Arrays<'a> {
    fn new(host: Host, c: &cupel_columns) -> Result<Self, Refusal> {
        // The number of rows is that of every array, and is checked before any is read.
        let rows = Columns { rows: c.rows, ..Columns::default() }.check()?.rows();
        let (tags, metadata) = (c.tags_len, c.metadata_len);
        Ok(Self {
            rows,
            content: LentTexts::new(host, &c.content, rows, Column::Content)?,
            tokens: Lent::new(host, c.tokens, rows, Column::Tokens)?,
            kind: LentTexts::new(host, &c.kind, rows, Column::Kind)?,
            kind_validity: Lent::new(host, c.kind_validity, rows, Column::Kind)?,
            source: LentTexts::new(host, &c.source, rows, Column::Source)?,
            source_validity: Lent::new(host, c.source_validity, rows, Column::Source)?,
            priority: Lent::new(host, c.priority, rows, Column::Priority)?,
            priority_validity: Lent::new(host, c.priority_validity, rows, Column::Priority)?,
            timestamp: Lent::new(host, c.timestamp, rows, Column::Timestamp)?,
            timestamp_validity: Lent::new(host, c.timestamp_validity, rows, Column::Timestamp)?,
            hint: Lent::new(host, c.future_relevance_hint, rows, Column::FutureRelevanceHint)?,
            hint_validity: Lent::new(host, c.future_relevance_hint_validity, rows, Column::FutureRelevanceHint)?,
            pinned: Lent::new(host, c.pinned, rows, Column::Pinned)?,
            original_tokens: Lent::new(host, c.original_tokens, rows, Column::OriginalTokens)?,
            original_tokens_validity: Lent::new(host, c.original_tokens_validity, rows, Column::OriginalTokens)?,
            tag_lists: Lent::new(host, c.tag_lists, rows + 1, Column::TagLists)?,
            tags_len: tags,
            tags: LentTexts::new(host, &c.tags, tags, Column::Tags)?,
            metadata_lists: Lent::new(host, c.metadata_lists, rows + 1, Column::MetadataLists)?,
            metadata_len: metadata,
            metadata_keys: LentTexts::new(host, &c.metadata_keys, metadata, Column::MetadataKeys)?,
            metadata_types: Lent::new(host, c.metadata_types, metadata, Column::MetadataTypes)?,
            metadata_texts: LentTexts::new(host, &c.metadata_texts, metadata, Column::MetadataTexts)?,
            metadata_numbers: Lent::new(host, c.metadata_numbers, metadata, Column::MetadataNumbers)?,
        })
    }

    /// The columns that the arrays make up. A column of which only a part is there is refused.
    fn columns(&self) -> Result<Columns<'_>, Refusal> {
        Ok(Columns {
            rows: self.rows,
            content: self.content.get(),
            tokens: self.tokens.get(),
            kind: self.names(&self.kind, &self.kind_validity, Column::Kind)?,
            source: self.names(&self.source, &self.source_validity, Column::Source)?,
            priority: self.values(&self.priority, &self.priority_validity, Column::Priority)?,
            timestamp: self.values(&self.timestamp, &self.timestamp_validity, Column::Timestamp)?,
            future_relevance_hint: self.values(&self.hint, &self.hint_validity, Column::FutureRelevanceHint)?,
            pinned: self.pinned.get().map(Flags::Bytes),
            original_tokens: self.values(
                &self.original_tokens,
                &self.original_tokens_validity,
                Column::OriginalTokens,
            )?,
            tags: self.tags()?,
            metadata: self.metadata()?,
        })
    }

    fn names<'b>(
        &self,
        texts: &'b LentTexts<'_>,
        validity: &'b Lent<'_, u8>,
        column: Column,
    ) -> Result<Option<NullableTexts<'b>>, Refusal> {
        match (texts.get(), validity.get()) {
            (Some(texts), validity) => Ok(Some(NullableTexts { texts, validity: validity.map(Flags::Bytes) })),
            (None, Some(_)) if self.rows > 0 => Err(absent(column, Array::Offsets)),
            (None, _) => Ok(None),
        }
    }

    fn values<'b, T: Copy>(
        &self,
        values: &'b Lent<'_, T>,
        validity: &'b Lent<'_, u8>,
        column: Column,
    ) -> Result<Option<Values<'b, T>>, Refusal> {
        match (values.get(), validity.get()) {
            (Some(values), validity) => Ok(Some(Values { values, validity: validity.map(Flags::Bytes) })),
            (None, Some(_)) if self.rows > 0 => Err(absent(column, Array::Slots)),
            (None, _) => Ok(None),
        }
    }

    fn tags(&self) -> Result<Option<Tags<'_>>, Refusal> {
        match self.tag_lists.get() {
            Some(lists) => Ok(Some(Tags {
                lists: Offsets::I64(lists),
                tags: texts_of_lists(&self.tags, self.tags_len, lists, Column::Tags)?,
            })),
            None if self.tags_len > 0 || self.tags.get().is_some_and(|tags| tags.offsets.len() > 1) => {
                Err(absent(Column::TagLists, Array::Slots))
            }
            None => Ok(None),
        }
    }

    fn metadata(&self) -> Result<Option<Metadata<'_>>, Refusal> {
        match self.metadata_lists.get() {
            Some(lists) => Ok(Some(Metadata {
                lists: Offsets::I64(lists),
                keys: texts_of_lists(&self.metadata_keys, self.metadata_len, lists, Column::MetadataKeys)?,
                types: self.metadata_types.get(),
                texts: self.metadata_texts.get(),
                numbers: self.metadata_numbers.get(),
            })),
            None if self.metadata_len > 0 || self.metadata_keys.get().is_some_and(|keys| keys.offsets.len() > 1) => {
                Err(absent(Column::MetadataLists, Array::Slots))
            }
            None => Ok(None),
        }
    }
}

/// The texts of lists, which may be absent while all lists are empty.
fn texts_of_lists<'a>(
    texts: &'a LentTexts<'_>,
    slots: usize,
    lists: &[i64],
    column: Column,
) -> Result<Texts<'a>, Refusal> {
    match texts.get() {
        Some(texts) => Ok(texts),
        None if slots > 0 || lists.first() != lists.last() => Err(absent(column, Array::Offsets)),
        None => Ok(Texts { data: &[], offsets: Offsets::I64(&[0]), codes: None }),
    }
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
