//! `cupel_columns`: many rows as flat arrays.
//!
//! The arrays come from outside, so everything is checked before anything is appended: where offsets begin, that they never
//! go down, that they end inside, that every code has a text, that every text is UTF-8.

use libc::c_char;

use crate::batch::Batch;
use crate::capi::error::{Place, Reason, Refusal};
use crate::capi::item::{CUPEL_METADATA_TYPE_DOUBLE, CUPEL_METADATA_TYPE_OTHER, CUPEL_METADATA_TYPE_STRING};
use crate::capi::ownership::{slice, utf8};
use crate::error::{Error, Excerpt, Parameter, Value};
use crate::ingest::columns::{self, MetadataColumn, TagColumn, TextSlots};
use crate::text::is_blank;

/// Texts as flat arrays, one text for each slot of a column.
///
/// The texts stand in `data` one after another, text t from `offsets[t]` to `offsets[t + 1]`. Without `codes`, slot i has text
/// i. With them the column is dictionary-encoded: slot i has text `codes[i]`. A column whose `offsets` is NULL is absent.
#[allow(non_camel_case_types, reason = "the name is the C name")]
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
#[allow(non_camel_case_types, reason = "the name is the C name")]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cupel_columns {
    /// `sizeof(cupel_columns)`. A greater one, from a newer header, is accepted when everything past this one is zero.
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

/// More than any version of the struct will ever take: a greater size is a struct that was not set up.
const GREATEST_STRUCT: usize = 4096;

/// Appends the rows, or leaves the batch as it was.
///
/// # Safety
///
/// `columns` is NULL or good for reads of its `struct_size`, and every array in it is NULL or as long as it has to be.
pub unsafe fn append(batch: &mut Batch, columns: *const cupel_columns) -> Result<(), Refusal> {
    // SAFETY: the caller's promise.
    let columns = unsafe { read(columns)? };
    // SAFETY: the caller's promise.
    let columns = unsafe { Columns::new(columns)? };
    columns.check()?;
    let mut rows = batch.append();
    rows.reserve(columns.rows)?;
    rows.columns(&columns.checked())?;
    rows.commit();
    Ok(())
}

/// Reads the struct, as much of it as this library knows.
///
/// # Safety
///
/// As for [`append`].
unsafe fn read<'a>(columns: *const cupel_columns) -> Result<&'a cupel_columns, Refusal> {
    if columns.is_null() {
        return Err(Refusal::null("columns"));
    }
    // SAFETY: not null; `struct_size` is the first field of every version.
    let size = unsafe { columns.cast::<usize>().read() };
    let known = size_of::<cupel_columns>();
    if size < known || size > GREATEST_STRUCT {
        let rule = "it must be sizeof(cupel_columns)";
        let argument = Place { field: "struct_size", ..Place::argument("columns") };
        return Err(Reason::Invalid { argument, value: Value::Size(size), rule }.into());
    }
    // SAFETY: the caller's promise: the struct is `size` bytes long.
    let tail = unsafe { std::slice::from_raw_parts(columns.cast::<u8>().add(known), size - known) };
    if tail.iter().any(|&byte| byte != 0) {
        let rule = "it is greater than this library knows, and what lies past that is not zero";
        let argument = Place { field: "struct_size", ..Place::argument("columns") };
        return Err(Reason::Invalid { argument, value: Value::Size(size), rule }.into());
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { &*columns })
}

/// The arrays as slices. Their lengths are right; what is in them is checked by [`Columns::check`].
struct Columns<'a> {
    rows: usize,
    content: Texts<'a>,
    tokens: Option<&'a [i64]>,
    kind: Texts<'a>,
    kind_validity: Validity<'a>,
    source: Texts<'a>,
    source_validity: Validity<'a>,
    priority: Values<'a, i64>,
    timestamp: Values<'a, i64>,
    hint: Values<'a, f64>,
    pinned: Validity<'a>,
    original_tokens: Values<'a, i64>,
    tag_lists: Lists<'a>,
    tags: Texts<'a>,
    metadata_lists: Lists<'a>,
    metadata_keys: Texts<'a>,
    metadata_types: Option<&'a [u8]>,
    metadata_texts: Texts<'a>,
    metadata_numbers: Option<&'a [f64]>,
}

/// Reads an array that may be absent.
///
/// # Safety
///
/// `data` is NULL or good for reads of `len` values.
unsafe fn optional<'a, T>(data: *const T, len: usize, name: &'static str) -> Result<Option<&'a [T]>, Refusal> {
    if data.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    unsafe { slice(data, len, name) }.map(Some)
}

impl<'a> Columns<'a> {
    /// # Safety
    ///
    /// Every array is NULL or as long as it has to be.
    unsafe fn new(columns: &'a cupel_columns) -> Result<Self, Refusal> {
        let c = columns;
        let rows = c.rows;
        if rows > Batch::MOST_ROWS {
            return Err(Reason::OutOfRange {
                argument: Place { field: "rows", ..Place::argument("columns") },
                value: Value::Size(rows),
                rule: "a batch has at most 2147483647 rows",
            }
            .into());
        }
        // SAFETY: the caller's promise, for each array.
        unsafe {
            Ok(Self {
                rows,
                content: Texts::new(&c.content, rows, "content")?,
                tokens: optional(c.tokens, rows, "tokens")?,
                kind: Texts::new(&c.kind, rows, "kind")?,
                kind_validity: Validity::new(c.kind_validity, rows, "kind_validity")?,
                source: Texts::new(&c.source, rows, "source")?,
                source_validity: Validity::new(c.source_validity, rows, "source_validity")?,
                priority: Values::new(c.priority, c.priority_validity, rows, "priority", "priority_validity")?,
                timestamp: Values::new(c.timestamp, c.timestamp_validity, rows, "timestamp", "timestamp_validity")?,
                hint: Values::new(
                    c.future_relevance_hint,
                    c.future_relevance_hint_validity,
                    rows,
                    "future_relevance_hint",
                    "future_relevance_hint_validity",
                )?,
                pinned: Validity::new(c.pinned, rows, "pinned")?,
                original_tokens: Values::new(
                    c.original_tokens,
                    c.original_tokens_validity,
                    rows,
                    "original_tokens",
                    "original_tokens_validity",
                )?,
                tag_lists: Lists::new(c.tag_lists, rows, c.tags_len, "tag_lists")?,
                tags: Texts::new(&c.tags, c.tags_len, "tags")?,
                metadata_lists: Lists::new(c.metadata_lists, rows, c.metadata_len, "metadata_lists")?,
                metadata_keys: Texts::new(&c.metadata_keys, c.metadata_len, "metadata_keys")?,
                metadata_types: optional(c.metadata_types, c.metadata_len, "metadata_types")?,
                metadata_texts: Texts::new(&c.metadata_texts, c.metadata_len, "metadata_texts")?,
                metadata_numbers: optional(c.metadata_numbers, c.metadata_len, "metadata_numbers")?,
            })
        }
    }

    fn check(&self) -> Result<(), Refusal> {
        for validity in [
            &self.kind_validity,
            &self.source_validity,
            &self.priority.validity,
            &self.timestamp.validity,
            &self.hint.validity,
            &self.pinned,
            &self.original_tokens.validity,
        ] {
            validity.check()?;
        }
        self.content.check(|_| true)?;
        self.content.check_not_empty()?;
        self.kind.check(|row| self.kind_validity.get(row))?;
        self.kind.check_rule(
            |row| self.kind_validity.get(row),
            |text, place| {
                if is_blank(text) {
                    Err(Reason::At(place, Error::EmptyKind { parameter: Parameter::Kind, text: Excerpt::new(text) }))
                } else {
                    Ok(())
                }
            },
        )?;
        self.source.check(|row| self.source_validity.get(row))?;
        self.source.check_rule(
            |row| self.source_validity.get(row),
            |text, place| {
                if is_blank(text) {
                    Err(Reason::At(
                        place,
                        Error::EmptySource { parameter: Parameter::Source, text: Excerpt::new(text) },
                    ))
                } else {
                    Ok(())
                }
            },
        )?;
        self.tag_lists.check()?;
        self.metadata_lists.check()?;
        self.tags.check(|_| true)?;
        self.metadata_keys.check(|_| true)?;
        self.check_metadata_types()?;
        self.metadata_texts.check(|slot| !self.is_double(slot))?;
        if !self.tag_lists.is_empty() && self.tags.offsets.is_none() {
            return Err(Refusal::null("tags.offsets"));
        }
        if !self.metadata_lists.is_empty() && self.metadata_keys.offsets.is_none() {
            return Err(Refusal::null("metadata_keys.offsets"));
        }
        Ok(())
    }

    /// Checks the types, and that the arrays are there that they call for.
    fn check_metadata_types(&self) -> Result<(), Refusal> {
        // All at once first, which the processor does many at a time.
        let (numbers, texts) = (self.metadata_numbers.is_some(), self.metadata_texts.offsets.is_some());
        let is_right = |&value_type: &u8| {
            let double = value_type == columns::DOUBLE;
            value_type <= columns::OTHER && ((double & numbers) | (!double & texts))
        };
        if self.metadata_types.map_or(texts, |types| types.iter().fold(true, |all, one| all & is_right(one))) {
            return Ok(());
        }
        for slot in self.metadata_lists.slots() {
            match self.metadata_types.map_or(CUPEL_METADATA_TYPE_STRING, |types| types[slot].into()) {
                CUPEL_METADATA_TYPE_DOUBLE if self.metadata_numbers.is_none() => {
                    return Err(Refusal::null("metadata_numbers"));
                }
                CUPEL_METADATA_TYPE_DOUBLE => {}
                CUPEL_METADATA_TYPE_STRING | CUPEL_METADATA_TYPE_OTHER if self.metadata_texts.offsets.is_none() => {
                    return Err(Refusal::null("metadata_texts.offsets"));
                }
                CUPEL_METADATA_TYPE_STRING | CUPEL_METADATA_TYPE_OTHER => {}
                other => {
                    return Err(Reason::OutOfRange {
                        argument: Place::entry("metadata_types", slot),
                        value: Value::Integer(other.into()),
                        rule: "it must be a cupel_metadata_type",
                    }
                    .into());
                }
            }
        }
        Ok(())
    }

    fn is_double(&self, slot: usize) -> bool {
        self.metadata_types.is_some_and(|types| i32::from(types[slot]) == CUPEL_METADATA_TYPE_DOUBLE)
    }

    /// The columns as the core takes them. Only after [`check`](Self::check).
    fn checked(&self) -> columns::Columns<'a> {
        columns::Columns {
            rows: self.rows,
            content: self.content.slots(),
            tokens: self.tokens,
            kinds: (self.kind.slots(), self.kind_validity.bytes),
            sources: (self.source.slots(), self.source_validity.bytes),
            priority: self.priority.parts(),
            timestamp: self.timestamp.parts(),
            future_relevance_hint: self.hint.parts(),
            pinned: self.pinned.bytes,
            original_tokens: self.original_tokens.parts(),
            tags: self.tag_lists.not_empty().zip(self.tags.slots()).map(|(lists, tags)| TagColumn { lists, tags }),
            metadata: self.metadata_lists.not_empty().zip(self.metadata_keys.slots()).map(|(lists, keys)| {
                MetadataColumn {
                    lists,
                    keys,
                    types: self.metadata_types,
                    texts: self.metadata_texts.slots(),
                    numbers: self.metadata_numbers,
                }
            }),
        }
    }
}

/// One byte a row, 0 or 1.
struct Validity<'a> {
    bytes: Option<&'a [u8]>,
    name: &'static str,
}

impl<'a> Validity<'a> {
    /// # Safety
    ///
    /// As for [`optional`].
    unsafe fn new(data: *const u8, rows: usize, name: &'static str) -> Result<Self, Refusal> {
        // SAFETY: the caller's promise.
        Ok(Self { bytes: unsafe { optional(data, rows, name)? }, name })
    }

    fn check(&self) -> Result<(), Refusal> {
        let bytes = self.bytes.unwrap_or_default();
        // All at once first, which the processor does many at a time.
        if bytes.iter().fold(0, |all, &byte| all | byte) <= 1 {
            return Ok(());
        }
        let row = bytes.iter().position(|&byte| byte > 1).unwrap_or_default();
        let argument = Place::entry(self.name, row);
        Err(Reason::OutOfRange { argument, value: Value::Integer(bytes[row].into()), rule: "it must be 0 or 1" }.into())
    }

    fn get(&self, row: usize) -> bool {
        self.bytes.is_none_or(|bytes| bytes[row] == 1)
    }
}

/// Numbers, some of which may be missing.
struct Values<'a, T> {
    values: Option<&'a [T]>,
    validity: Validity<'a>,
}

impl<'a, T> Values<'a, T> {
    /// # Safety
    ///
    /// As for [`optional`].
    unsafe fn new(
        values: *const T,
        validity: *const u8,
        rows: usize,
        name: &'static str,
        validity_name: &'static str,
    ) -> Result<Self, Refusal> {
        // SAFETY: the caller's promise.
        let values = unsafe { optional(values, rows, name)? };
        // SAFETY: the caller's promise.
        Ok(Self { values, validity: unsafe { Validity::new(validity, rows, validity_name)? } })
    }

    fn parts(&self) -> (Option<&'a [T]>, Option<&'a [u8]>) {
        (self.values, self.validity.bytes)
    }
}

/// For each row, which slots of a column are its own.
struct Lists<'a> {
    offsets: Option<&'a [i64]>,
    slots: usize,
    name: &'static str,
}

impl<'a> Lists<'a> {
    /// # Safety
    ///
    /// As for [`optional`], with one offset more than rows.
    unsafe fn new(offsets: *const i64, rows: usize, slots: usize, name: &'static str) -> Result<Self, Refusal> {
        let len = rows.checked_add(1).ok_or(Reason::TooLong { argument: Place::argument(name), len: rows })?;
        // SAFETY: the caller's promise.
        Ok(Self { offsets: unsafe { optional(offsets, len, name)? }, slots, name })
    }

    fn check(&self) -> Result<(), Refusal> {
        self.offsets.map_or(Ok(()), |offsets| check_offsets(offsets, self.slots, self.name, ""))
    }

    /// Whether no row has a slot.
    fn is_empty(&self) -> bool {
        self.slots().is_empty()
    }

    /// The slots of all rows.
    fn slots(&self) -> std::ops::Range<usize> {
        match self.offsets {
            Some(&[first, .., last]) => first as usize..last as usize,
            _ => 0..0,
        }
    }

    /// The lists, if any row has a slot.
    fn not_empty(&self) -> Option<columns::Lists<'a>> {
        self.offsets.filter(|_| !self.is_empty()).map(columns::Lists)
    }
}

/// Checks that offsets begin at 0 or above, never go down and end inside.
fn check_offsets(offsets: &[i64], len: usize, name: &'static str, field: &'static str) -> Result<(), Refusal> {
    let refuse = |index: usize, rule| {
        let argument = Place { argument: name, index: Some(index), field };
        Err(Reason::OutOfRange { argument, value: Value::Integer(offsets[index]), rule }.into())
    };
    if offsets[0] < 0 {
        return refuse(0, "the first offset must be 0 or above");
    }
    // All at once first, which the processor does several at a time: a step down, or a negative number, leaves its sign.
    if offsets.windows(2).fold(0, |all, pair| all | pair[1] | pair[1].wrapping_sub(pair[0])) < 0 {
        let index = offsets.windows(2).position(|pair| pair[0] > pair[1]).unwrap_or_default();
        return refuse(index + 1, "offsets must never go down");
    }
    let last = offsets.len() - 1;
    if usize::try_from(offsets[last]).map_or(true, |end| end > len) {
        return refuse(last, "offsets must end inside what they point into");
    }
    Ok(())
}

/// Texts for the slots of a column.
struct Texts<'a> {
    data: &'a [u8],
    offsets: Option<&'a [i64]>,
    codes: Option<&'a [u32]>,
    name: &'static str,
}

impl<'a> Texts<'a> {
    /// # Safety
    ///
    /// Every array of the column is NULL or as long as it has to be.
    unsafe fn new(column: &'a cupel_text_column, slots: usize, name: &'static str) -> Result<Self, Refusal> {
        if column.offsets.is_null() {
            return Ok(Self { data: &[], offsets: None, codes: None, name });
        }
        if column.codes.is_null() && column.texts_len != slots {
            return Err(Reason::LengthMismatch {
                argument: Place::argument(name),
                actual: column.texts_len,
                expected: slots,
                why: "one text for each slot, as there are no codes",
            }
            .into());
        }
        let offsets = column
            .texts_len
            .checked_add(1)
            .ok_or(Reason::TooLong { argument: Place::argument(name), len: column.texts_len })?;
        // SAFETY: the caller's promise, for each array.
        unsafe {
            Ok(Self {
                data: slice(column.data.cast(), column.data_len, name)?,
                offsets: Some(slice(column.offsets, offsets, name)?),
                codes: optional(column.codes, slots, name)?,
                name,
            })
        }
    }

    /// Checks the column: offsets, UTF-8, and that each code of a slot that is used has a text.
    fn check(&self, used: impl Fn(usize) -> bool) -> Result<(), Refusal> {
        let Some(offsets) = self.offsets else { return Ok(()) };
        check_offsets(offsets, self.data.len(), self.name, "offsets")?;
        self.check_utf8(offsets)?;
        let codes = self.codes.unwrap_or_default();
        let texts = self.texts_len();
        match codes.iter().enumerate().find(|&(slot, &code)| code as usize >= texts && used(slot)) {
            None => Ok(()),
            Some((slot, &code)) => Err(Reason::OutOfRange {
                argument: Place::field(self.name, slot, "codes"),
                value: Value::Integer(code.into()),
                rule: "a code must be below texts_len",
            }
            .into()),
        }
    }

    /// Refuses a slot whose text is empty. Only after [`check`](Self::check).
    fn check_not_empty(&self) -> Result<(), Refusal> {
        let Some(texts) = self.slots() else { return Ok(()) };
        if texts.offsets.windows(2).fold(true, |all, ends| all & (ends[0] != ends[1])) {
            return Ok(());
        }
        let slots = self.codes.map_or(self.texts_len(), <[u32]>::len);
        match (0..slots).find(|&slot| texts.get(slot).text().is_empty()) {
            None => Ok(()),
            Some(slot) => Err(Reason::At(Place::entry(self.name, slot), Error::EmptyContent).into()),
        }
    }

    /// Whether every text begins with a visible character of ASCII, and so is neither empty nor blank.
    fn begin_with_letters(&self, texts: TextSlots<'_>) -> bool {
        let begins =
            |ends: &[i64]| ends[0] < ends[1] && self.data.get(ends[0] as usize).is_some_and(u8::is_ascii_graphic);
        texts.offsets.windows(2).all(begins)
    }

    /// Holds the text of every slot that is used against a rule, which no text that begins with a letter breaks. Only after
    /// [`check`](Self::check).
    fn check_rule(
        &self,
        used: impl Fn(usize) -> bool,
        rule: impl Fn(&str, Place) -> Result<(), Reason>,
    ) -> Result<(), Refusal> {
        let Some(texts) = self.slots() else { return Ok(()) };
        if self.begin_with_letters(texts) {
            return Ok(());
        }
        let slots = self.codes.map_or(self.texts_len(), <[u32]>::len);
        for slot in (0..slots).filter(|&slot| used(slot)) {
            rule(texts.get(slot).text(), Place::entry(self.name, slot))?;
        }
        Ok(())
    }

    /// All texts at once: the whole is UTF-8, and no offset falls inside a character.
    fn check_utf8(&self, offsets: &[i64]) -> Result<(), Refusal> {
        let (start, end) = (offsets[0] as usize, offsets[offsets.len() - 1] as usize);
        let bytes = &self.data[start..end];
        let between_characters =
            |whole: &str| offsets.iter().all(|&offset| whole.is_char_boundary(offset as usize - start));
        if bytes.is_ascii() || std::str::from_utf8(bytes).is_ok_and(between_characters) {
            return Ok(());
        }
        // Something is wrong: find the text that has it.
        for (text, span) in offsets.windows(2).enumerate() {
            // Of a dictionary, the first slot that has the text is what the caller knows.
            let slot = self.codes.and_then(|codes| codes.iter().position(|&code| code as usize == text));
            let place = match (self.codes, slot) {
                (None, _) => Place::entry(self.name, text),
                (Some(_), Some(slot)) => Place::entry(self.name, slot),
                (Some(_), None) => Place::field(self.name, text, "texts"),
            };
            utf8(&self.data[span[0] as usize..span[1] as usize], place)?;
        }
        Ok(())
    }

    fn texts_len(&self) -> usize {
        self.offsets.map_or(0, |offsets| offsets.len() - 1)
    }

    /// The texts as the core takes them. Only after [`check`](Self::check).
    fn slots(&self) -> Option<TextSlots<'a>> {
        let offsets = self.offsets?;
        let bytes = &self.data[offsets[0] as usize..offsets[offsets.len() - 1] as usize];
        // SAFETY: `check` has found all texts of the column to be UTF-8, and so they are together.
        let text = unsafe { std::str::from_utf8_unchecked(bytes) };
        Some(TextSlots { text, offsets, codes: self.codes })
    }
}

// The core reads the types as they come.
const _: () = assert!(
    CUPEL_METADATA_TYPE_STRING == columns::STRING as i32
        && CUPEL_METADATA_TYPE_DOUBLE == columns::DOUBLE as i32
        && CUPEL_METADATA_TYPE_OTHER == columns::OTHER as i32
);
