//! The checks of columns. Everything that the rows reach is checked before anything is appended.

use std::ops::Range;

use crate::error::Excerpt;
use crate::ingest::checked::{Checked, CheckedMetadata, CheckedTags, CheckedTexts, Lists, ValueType};
use crate::ingest::error::{Array, Column, ColumnError, Problem};
use crate::ingest::on_offsets;
use crate::ingest::views::{Columns, Flags, Metadata, NullableTexts, Offsets, Tags, Texts, Values};
use crate::kernel::utf8::ascii;
use crate::text::is_blank;

type Result<T> = std::result::Result<T, ColumnError>;

fn refuse<T>(column: Column, array: Array, index: Option<usize>, problem: Problem) -> Result<T> {
    Err(ColumnError { column, array, index, problem })
}

/// Checks a number of rows, before arrays of that many are read.
pub(crate) fn check_rows(rows: usize) -> Result<()> {
    if rows > crate::ingest::MAX_ROWS {
        let rule = "a batch has at most 2147483647 rows";
        let value = rows as i128;
        return refuse(Column::Rows, Array::Slots, None, Problem::OutOfRange { value, rule });
    }
    Ok(())
}

impl<'a> Columns<'a> {
    /// Checks every array: lengths, offsets (0 or more, ascending, inside what they point into), codes, validity bytes, UTF-8,
    /// and that no content is empty and no kind or source blank.
    ///
    /// Of the tags and the metadata only the slots that the lists of the rows reach are checked, and of texts without a dictionary
    /// only those of these slots: a slice of a large table costs what the slice has.
    pub fn check(&self) -> std::result::Result<Checked<'a>, ColumnError> {
        let rows = self.rows;
        check_rows(rows)?;
        if let Some(tokens) = self.tokens {
            check_len(Column::Tokens, Array::Slots, tokens.len(), rows)?;
        }
        if let Some(pinned) = &self.pinned {
            check_flags(Column::Pinned, Array::Slots, pinned, rows)?;
        }
        Ok(Checked {
            rows,
            content: self.content.map(|content| check_content(content, rows)).transpose()?,
            tokens: self.tokens,
            kind: check_names(self.kind, Column::Kind, rows)?,
            source: check_names(self.source, Column::Source, rows)?,
            priority: check_values(self.priority, Column::Priority, rows)?,
            timestamp: check_values(self.timestamp, Column::Timestamp, rows)?,
            future_relevance_hint: check_values(self.future_relevance_hint, Column::FutureRelevanceHint, rows)?,
            pinned: self.pinned,
            original_tokens: check_values(self.original_tokens, Column::OriginalTokens, rows)?,
            tags: self.tags.map(|tags| check_tags(&tags, rows)).transpose()?,
            metadata: self.metadata.map(|metadata| check_metadata(&metadata, rows)).transpose()?,
        })
    }
}

fn check_len(column: Column, array: Array, actual: usize, expected: usize) -> Result<()> {
    if actual == expected {
        return Ok(());
    }
    let why = match (column, array) {
        (Column::TagLists | Column::MetadataLists, _) => "one offset more than there are rows",
        (Column::Tags, _) | (Column::MetadataKeys | Column::MetadataTexts, Array::Texts | Array::Codes) => {
            "one for each slot"
        }
        (Column::MetadataTypes | Column::MetadataNumbers, _) => "one for each slot",
        (_, Array::Texts) => "one text for each row",
        _ => "one for each row",
    };
    refuse(column, array, None, Problem::Length { actual, expected, why })
}

fn check_flags(column: Column, array: Array, flags: &Flags<'_>, rows: usize) -> Result<()> {
    match flags {
        Flags::Bytes(bytes) => {
            check_len(column, array, bytes.len(), rows)?;
            // A fold over all bytes vectorises; the position is looked for only when there is one.
            if bytes.iter().fold(0, |all, &byte| all | byte) > 1 {
                let row = bytes.iter().position(|&byte| byte > 1).unwrap_or_default();
                let problem = Problem::OutOfRange { value: bytes[row].into(), rule: "it must be 0 or 1" };
                return refuse(column, array, Some(row), problem);
            }
            Ok(())
        }
        // The last byte may have bits to spare.
        Flags::Bits { .. } => check_len(column, array, flags.len().min(rows), rows),
    }
}

fn check_values<'a, T>(values: Option<Values<'a, T>>, column: Column, rows: usize) -> Result<Option<Values<'a, T>>> {
    if let Some(values) = &values {
        check_len(column, Array::Slots, values.values.len(), rows)?;
        if let Some(validity) = &values.validity {
            check_flags(column, Array::Validity, validity, rows)?;
        }
    }
    Ok(values)
}

/// Checks that the offsets of entries are 0 or more, ascending, and at most `len`.
fn check_offsets(offsets: Offsets<'_>, entries: Range<usize>, len: usize, column: Column, array: Array) -> Result<()> {
    let refuse = |index: usize, rule| {
        refuse(column, array, Some(index), Problem::OutOfRange { value: offsets.get(index).into(), rule })
    };
    if offsets.get(entries.start) < 0 {
        return refuse(entries.start, "the first offset must be 0 or above");
    }
    // A fold vectorises: a descent, or a negative offset, leaves its sign.
    let descends = on_offsets!(offsets, offsets => {
        let ends = &offsets[entries.start + 1..=entries.end];
        let starts = &offsets[entries.clone()];
        starts.iter().zip(ends).fold(0, |all, (start, end)| all | end | end.wrapping_sub(*start)) < 0
    });
    if descends {
        let entry = entries.clone().find(|&entry| offsets.get(entry) > offsets.get(entry + 1)).unwrap_or_default();
        return refuse(entry + 1, "offsets must never go down");
    }
    if usize::try_from(offsets.get(entries.end)).map_or(true, |end| end > len) {
        return refuse(entries.end, "offsets must end inside what they point into");
    }
    Ok(())
}

fn check_lists<'a>(lists: Offsets<'a>, rows: usize, slots: usize, column: Column) -> Result<Lists<'a>> {
    check_len(column, Array::Slots, lists.len(), rows + 1)?;
    check_offsets(lists, 0..rows, slots, column, Array::Slots)?;
    Ok(Lists(lists))
}

/// Checks the texts of `reached` slots, of `slots` that there are: offsets, UTF-8 and codes. `used` says of a slot whether its code
/// is read. Of a dictionary all texts are checked.
fn check_texts<'a>(
    texts: Texts<'a>,
    column: Column,
    slots: usize,
    reached: Range<usize>,
    used: impl Fn(usize) -> bool,
) -> Result<CheckedTexts<'a>> {
    if texts.offsets.is_empty() {
        return refuse(column, Array::Offsets, None, Problem::Absent);
    }
    let array = if texts.codes.is_some() { Array::Codes } else { Array::Texts };
    check_len(column, array, texts.slots(), slots)?;
    let numbers = if texts.codes.is_some() { 0..texts.texts_len() } else { reached.clone() };
    check_offsets(texts.offsets, numbers.clone(), texts.data.len(), column, Array::Offsets)?;
    let base = texts.offsets.get(numbers.start);
    let Some(text) = check_utf8(&texts, numbers.clone()) else {
        return find_invalid_utf8(&texts, numbers, column);
    };
    if let Some(codes) = texts.codes {
        let len = texts.texts_len();
        if let Some(slot) = reached.clone().find(|&slot| codes.get(slot) >= len && used(slot)) {
            let problem =
                Problem::OutOfRange { value: codes.value(slot), rule: "a code must be below the number of texts" };
            return refuse(column, Array::Codes, Some(slot), problem);
        }
    }
    Ok(CheckedTexts { text, base, offsets: texts.offsets, codes: texts.codes })
}

/// The texts of these numbers as one, if they are UTF-8 and no offset is inside a character.
fn check_utf8<'a>(texts: &Texts<'a>, numbers: Range<usize>) -> Option<&'a str> {
    let start = texts.offsets.get(numbers.start) as usize;
    let bytes = &texts.data[start..texts.offsets.get(numbers.end) as usize];
    if let Some(text) = ascii(bytes) {
        return Some(text);
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let whole = |number: usize| text.is_char_boundary(texts.offsets.get(number) as usize - start);
    numbers.clone().all(whole).then_some(text)
}

/// Finds the first text that is not UTF-8 by itself.
#[cold]
fn find_invalid_utf8<T>(texts: &Texts<'_>, numbers: Range<usize>, column: Column) -> Result<T> {
    for text in numbers {
        let span = texts.offsets.get(text) as usize..texts.offsets.get(text + 1) as usize;
        if let Err(error) = std::str::from_utf8(&texts.data[span]) {
            let problem = Problem::Utf8 { offset: error.valid_up_to() };
            // Of a dictionary, the caller knows the first slot that has the text.
            let slot = match texts.codes {
                None => Some(text),
                Some(codes) => (0..codes.len()).find(|&slot| codes.get(slot) == text),
            };
            return match slot {
                Some(slot) => refuse(column, Array::Slots, Some(slot), problem),
                None => refuse(column, Array::Texts, Some(text), problem),
            };
        }
    }
    unreachable!("texts that are UTF-8 one by one are UTF-8 together, with offsets between characters")
}

fn check_content(content: Texts<'_>, rows: usize) -> Result<CheckedTexts<'_>> {
    let texts = check_texts(content, Column::Content, rows, 0..rows, |_| true)?;
    let empty_text = on_offsets!(texts.offsets, offsets => offsets.windows(2).any(|ends| ends[0] == ends[1]));
    if empty_text && let Some(row) = (0..rows).find(|&row| texts.get(row).is_empty()) {
        return refuse(Column::Content, Array::Slots, Some(row), Problem::Empty);
    }
    Ok(texts)
}

/// Checks kinds or sources.
fn check_names<'a>(
    names: Option<NullableTexts<'a>>,
    column: Column,
    rows: usize,
) -> Result<Option<(CheckedTexts<'a>, Option<Flags<'a>>)>> {
    let Some(NullableTexts { texts, validity }) = names else { return Ok(None) };
    if let Some(validity) = &validity {
        check_flags(column, Array::Validity, validity, rows)?;
    }
    let present = |row: usize| validity.is_none_or(|validity| validity.get(row));
    let texts = check_texts(texts, column, rows, 0..rows, present)?;
    // Fast path: no text that starts with a visible ASCII character is blank.
    let bytes = texts.text.as_bytes();
    let visible = on_offsets!(texts.offsets, offsets => offsets.windows(2).all(|ends| {
        let start = (i64::from(ends[0]) - texts.base) as usize;
        ends[0] < ends[1] && bytes.get(start).is_some_and(u8::is_ascii_graphic)
    }));
    if !visible {
        for row in (0..rows).filter(|&row| present(row)) {
            let text = texts.get(row);
            if is_blank(text) {
                return refuse(column, Array::Slots, Some(row), Problem::Blank(Excerpt::new(text)));
            }
        }
    }
    Ok(Some((texts, validity)))
}

fn check_tags<'a>(tags: &Tags<'a>, rows: usize) -> Result<CheckedTags<'a>> {
    let slots = tags.tags.slots();
    let lists = check_lists(tags.lists, rows, slots, Column::TagLists)?;
    let tags = check_texts(tags.tags, Column::Tags, slots, lists.slots(0, rows), |_| true)?;
    Ok(CheckedTags { lists, tags })
}

fn check_metadata<'a>(metadata: &Metadata<'a>, rows: usize) -> Result<CheckedMetadata<'a>> {
    let Metadata { lists, keys, types, texts, numbers } = *metadata;
    let slots = keys.slots();
    let lists = check_lists(lists, rows, slots, Column::MetadataLists)?;
    let reached = lists.slots(0, rows);
    let keys = check_texts(keys, Column::MetadataKeys, slots, reached.clone(), |_| true)?;
    if let Some(types) = types {
        check_len(Column::MetadataTypes, Array::Slots, types.len(), slots)?;
    }
    if let Some(numbers) = numbers {
        check_len(Column::MetadataNumbers, Array::Slots, numbers.len(), slots)?;
    }
    check_types(reached.clone(), types, texts.is_some(), numbers.is_some())?;
    let is_text = |slot: usize| types.is_none_or(|types| types[slot] != ValueType::Double as u8);
    let texts =
        texts.map(|texts| check_texts(texts, Column::MetadataTexts, slots, reached.clone(), is_text)).transpose()?;
    Ok(CheckedMetadata { lists, keys, types, texts, numbers })
}

/// Checks the types of the values of slots, and that the arrays are there that they call for.
fn check_types(slots: Range<usize>, types: Option<&[u8]>, texts: bool, numbers: bool) -> Result<()> {
    const DOUBLE: u8 = ValueType::Double as u8;
    // A fold over all types vectorises; slots are looked at one by one only when one of them is wrong.
    let is_right = |&value_type: &u8| {
        let double = value_type == DOUBLE;
        value_type <= ValueType::Other as u8 && ((double & numbers) | (!double & texts))
    };
    if types.map_or(texts, |types| types[slots.clone()].iter().fold(true, |all, value_type| all & is_right(value_type)))
    {
        return Ok(());
    }
    for slot in slots {
        match types.map_or(ValueType::String as u8, |types| types[slot]) {
            DOUBLE if !numbers => return refuse(Column::MetadataNumbers, Array::Slots, None, Problem::Absent),
            DOUBLE => {}
            value_type if value_type > ValueType::Other as u8 => {
                let rule = "it must be a type of metadata value, 0 to 2";
                let problem = Problem::OutOfRange { value: value_type.into(), rule };
                return refuse(Column::MetadataTypes, Array::Slots, Some(slot), problem);
            }
            _ if !texts => return refuse(Column::MetadataTexts, Array::Offsets, None, Problem::Absent),
            _ => {}
        }
    }
    Ok(())
}
