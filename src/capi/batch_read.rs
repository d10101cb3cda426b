//! Reading the rows of a batch by column, into the host's arrays.
//!
//! A function checks all its arguments before it writes anything. Texts are written as bytes and offsets. The last
//! offset is the number of bytes, so that a host that does not know how many there are reads the offsets first.

use std::ffi::c_char;
use std::ops::Range;

use bytemuck::Pod;

use crate::batch::{Batch, MetadataValue};
use crate::capi::batch::cupel_batch;
use crate::capi::boundary::{call, create};
use crate::capi::error::{Refusal, cupel_error};
use crate::capi::item::{CUPEL_METADATA_TYPE_DOUBLE, CUPEL_METADATA_TYPE_OTHER, CUPEL_METADATA_TYPE_STRING};
use crate::capi::ownership::Host;
use crate::capi::status::{CUPEL_STATUS_LENGTH_MISMATCH, CUPEL_STATUS_OUT_OF_RANGE, cupel_status};
use crate::capi::text::cupel_text;
use crate::column::{DictionaryColumn, Nullable, Storage};
use crate::json;
use crate::text::TextInterner;

/// The arguments that name the rows to read: a batch, the first row, the number of rows.
type Rows = (*const cupel_batch, usize, usize);

/// A batch, and the range of its rows that is read.
#[inline(always)]
fn rows_of<'a>(host: Host, (batch, first_row, rows): Rows) -> Result<(&'a Batch, Range<usize>), Refusal> {
    let batch = host.handle(batch)?.batch();
    match first_row.checked_add(rows) {
        Some(end) if end <= batch.len() => Ok((batch, first_row..end)),
        _ => Err(no_such_rows(batch.len(), first_row, rows)),
    }
}

#[cold]
fn no_such_rows(len: usize, first_row: usize, rows: usize) -> Refusal {
    let (argument, value, rule) = if first_row > len {
        ("first_row", first_row, "the batch has fewer rows")
    } else {
        ("rows", rows, "the batch has fewer rows from first_row on")
    };
    Refusal::of(CUPEL_STATUS_OUT_OF_RANGE, argument, format_args!("is {value}: {rule}"))
}

/// An array that may be NULL.
fn optional<'a, T: Pod>(
    host: Host,
    data: *mut T,
    len: usize,
    name: &'static str,
) -> Result<Option<&'a mut [T]>, Refusal> {
    if data.is_null() { Ok(None) } else { host.slice_mut(data, len, name).map(Some) }
}

/// The buffer for the bytes of texts. There is none when it is NULL and its length is 0.
fn text_buffer<'a>(host: Host, data: *mut c_char, len: usize) -> Result<Option<&'a mut [u8]>, Refusal> {
    if data.is_null() && len == 0 { Ok(None) } else { host.slice_mut(data.cast(), len, "out_data").map(Some) }
}

/// The first `texts + 1` entries of an array of offsets.
fn offsets<'a>(host: Host, data: *mut i64, len: usize, texts: usize) -> Result<&'a mut [i64], Refusal> {
    let offsets = host.slice_mut(data, len, "out_offsets")?;
    check_len("out_offsets_len", len, texts + 1)?;
    Ok(&mut offsets[..texts + 1])
}

fn check_len(argument: &'static str, len: usize, needed: usize) -> Result<(), Refusal> {
    if len >= needed {
        return Ok(());
    }
    Err(Refusal::of(CUPEL_STATUS_LENGTH_MISMATCH, argument, format_args!("is {len}: it must be {needed} or more")))
}

/// Writes texts and their offsets, or nothing if the buffer is too short.
fn write_texts<'t>(
    texts: impl Iterator<Item = &'t str> + Clone,
    offsets: &mut [i64],
    mut buffer: Option<&mut [u8]>,
) -> Result<(), Refusal> {
    if let Some(buffer) = &buffer {
        check_len("out_data_len", buffer.len(), texts.clone().map(str::len).sum())?;
    }
    let mut start = 0;
    let lens = texts.map(|text| {
        if let Some(buffer) = &mut buffer {
            buffer[start..start + text.len()].copy_from_slice(text.as_bytes());
        }
        start += text.len();
        text.len()
    });
    write_offsets(lens, offsets);
    Ok(())
}

/// Writes the offsets of lists or texts: 0, then the end of each.
fn write_offsets(lens: impl Iterator<Item = usize>, offsets: &mut [i64]) {
    offsets[0] = 0;
    let mut end = 0;
    for (len, offset) in lens.zip(&mut offsets[1..]) {
        end += len;
        *offset = end as i64;
    }
}

/// The body of a function that reads a number of every row.
unsafe fn read_numbers<T: Pod>(
    rows: Rows,
    (out, name): (*mut T, &'static str),
    out_error: *mut *mut cupel_error,
    read: impl FnOnce(&Batch, Range<usize>, &mut [T]),
) -> cupel_status {
    call(out_error, |host| {
        let (batch, range) = rows_of(host, rows)?;
        let out = host.slice_mut(out, range.len(), name)?;
        read(batch, range, out);
        Ok(())
    })
}

/// The body of a function that reads the codes of a dictionary column.
unsafe fn read_codes(
    rows: Rows,
    out_codes: *mut u32,
    out_error: *mut *mut cupel_error,
    column: impl FnOnce(&Batch) -> &DictionaryColumn,
) -> cupel_status {
    read_numbers(rows, (out_codes, "out_codes"), out_error, |batch, rows, out| {
        let codes = column(batch).rows();
        out.iter_mut().zip(rows).for_each(|(out, row)| *out = codes.get(row) as u32);
    })
}

/// The body of a function that reads a nullable column.
unsafe fn read_nullable<C: Storage<Value: Pod>>(
    rows: Rows,
    (out, name): (*mut C::Value, &'static str),
    out_validity: *mut u8,
    out_error: *mut *mut cupel_error,
    column: impl FnOnce(&Batch) -> &Nullable<C>,
) -> cupel_status {
    call(out_error, |host| {
        let (batch, range) = rows_of(host, rows)?;
        let out = host.slice_mut(out, range.len(), name)?;
        let validity = optional(host, out_validity, range.len(), "out_validity")?;
        column(batch).read(range, out, validity);
        Ok(())
    })
}

/// The body of a function that reads a column of texts.
unsafe fn read_texts(
    rows: Rows,
    out_offsets: *mut i64,
    (out_data, out_data_len): (*mut c_char, usize),
    out_error: *mut *mut cupel_error,
    text: impl Fn(&Batch, usize) -> &str,
) -> cupel_status {
    call(out_error, |host| {
        let (batch, range) = rows_of(host, rows)?;
        let offsets = host.slice_mut(out_offsets, range.len() + 1, "out_offsets")?;
        let buffer = text_buffer(host, out_data, out_data_len)?;
        write_texts(range.map(|row| text(batch, row)), offsets, buffer)
    })
}

/// The body of a function that reads the distinct texts of a column.
unsafe fn read_dictionary(
    batch: *const cupel_batch,
    (out_offsets, out_offsets_len): (*mut i64, usize),
    (out_data, out_data_len): (*mut c_char, usize),
    out_error: *mut *mut cupel_error,
    dictionary: impl FnOnce(&Batch) -> &TextInterner,
) -> cupel_status {
    call(out_error, |host| {
        let dictionary = dictionary(host.handle(batch)?.batch());
        let offsets = offsets(host, out_offsets, out_offsets_len, dictionary.len())?;
        write_texts(dictionary.texts(), offsets, text_buffer(host, out_data, out_data_len)?)
    })
}

/// The type, the text and the number of a metadata value, as the host reads them.
fn parts(value: MetadataValue<'_>) -> (u8, &str, f64) {
    match value {
        MetadataValue::String(text) => (CUPEL_METADATA_TYPE_STRING as u8, text, f64::NAN),
        MetadataValue::Double(number) => (CUPEL_METADATA_TYPE_DOUBLE as u8, "", number),
        MetadataValue::Other(text) => (CUPEL_METADATA_TYPE_OTHER as u8, text, f64::NAN),
    }
}

/// Writes a range of rows as JSON Lines, which cupel_batch_append_json() reads: for each row an object of the fields
/// that are set, as cupel_item_to_json() writes it, and a line feed.
///
/// @param rows The number of rows to write.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (what JSON cannot express, by row and field; or more than 2147483647 bytes),
///         OUT_OF_RANGE, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_to_json(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_text: *mut *mut cupel_text,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_text, "out_text"), |host| {
        let (batch, range) = rows_of(host, (batch, first_row, rows))?;
        Ok(cupel_text::new(json::write_rows(batch, range)?)?)
    })
}

/// Reads the sizes in tokens of a range of rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_tokens(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_tokens: *mut i64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    read_numbers((batch, first_row, rows), (out_tokens, "out_tokens"), out_error, |batch, rows, out| {
        batch.tokens().read(rows, out);
    })
}

/// Reads the priorities of a range of rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_priority(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_priorities: *mut i64,
    out_validity: *mut u8,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    let out = (out_priorities, "out_priorities");
    read_nullable((batch, first_row, rows), out, out_validity, out_error, Batch::priority)
}

/// Reads the timestamps of a range of rows, in nanoseconds since the Unix epoch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_timestamp(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_unix_nanoseconds: *mut i64,
    out_validity: *mut u8,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    let out = (out_unix_nanoseconds, "out_unix_nanoseconds");
    read_nullable((batch, first_row, rows), out, out_validity, out_error, Batch::timestamp)
}

/// Reads the future relevance hints of a range of rows.
///
/// @param out_hints Where to put them: `rows` entries, NaN where it is not set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_future_relevance_hint(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_hints: *mut f64,
    out_validity: *mut u8,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    let out = (out_hints, "out_hints");
    read_nullable((batch, first_row, rows), out, out_validity, out_error, Batch::future_relevance_hint)
}

/// Reads the original sizes in tokens of a range of rows: those from before the host shortened the items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_original_tokens(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_original_tokens: *mut i64,
    out_validity: *mut u8,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    let out = (out_original_tokens, "out_original_tokens");
    read_nullable((batch, first_row, rows), out, out_validity, out_error, Batch::original_tokens)
}

/// Reads which rows of a range are pinned.
///
/// @param out_pinned Where to put, for each row, 1 if it is pinned and 0 if it is not: `rows` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_pinned(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_pinned: *mut u8,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    read_numbers((batch, first_row, rows), (out_pinned, "out_pinned"), out_error, |batch, rows, out| {
        let pinned = batch.pinned();
        out.iter_mut().zip(rows).for_each(|(out, row)| *out = pinned.get(row).copied().unwrap_or_default());
    })
}

/// Reads the contents of a range of rows. The content is empty for a row that was added without one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_content(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_offsets: *mut i64,
    out_data: *mut c_char,
    out_data_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    read_texts((batch, first_row, rows), out_offsets, (out_data, out_data_len), out_error, Batch::content)
}

/// Reads the kinds of a range of rows. cupel_batch_read_kind_codes() reads fewer bytes where kinds repeat.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_kind(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_offsets: *mut i64,
    out_data: *mut c_char,
    out_data_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    read_texts((batch, first_row, rows), out_offsets, (out_data, out_data_len), out_error, |batch, row| {
        batch.kinds().get(row)
    })
}

/// Reads the sources of a range of rows. cupel_batch_read_source_codes() reads fewer bytes where sources repeat.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_source(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_offsets: *mut i64,
    out_data: *mut c_char,
    out_data_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    read_texts((batch, first_row, rows), out_offsets, (out_data, out_data_len), out_error, |batch, row| {
        batch.sources().get(row)
    })
}

/// Reads the kinds of a range of rows as codes: indices into the texts that cupel_batch_read_kind_texts() reads. Rows
/// of the same kind have the same code. Codes are valid until the batch is changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_kind_codes(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_codes: *mut u32,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    read_codes((batch, first_row, rows), out_codes, out_error, Batch::kinds)
}

/// The number of distinct kinds, which may include kinds of rows that were removed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_kinds_len(batch: *const cupel_batch) -> usize {
    batch.as_ref().map_or(0, |batch| batch.batch().kinds().texts().len())
}

/// Reads the distinct kinds, by code.
///
/// @param out_offsets_len The length of out_offsets: cupel_batch_kinds_len() + 1 or more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_kind_texts(
    batch: *const cupel_batch,
    out_offsets: *mut i64,
    out_offsets_len: usize,
    out_data: *mut c_char,
    out_data_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    let (offsets, data) = ((out_offsets, out_offsets_len), (out_data, out_data_len));
    read_dictionary(batch, offsets, data, out_error, |batch| batch.kinds().texts())
}

/// Reads the sources of a range of rows as codes: indices into the texts that cupel_batch_read_source_texts() reads.
/// Rows of the same source have the same code. Codes are valid until the batch is changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_source_codes(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_codes: *mut u32,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    read_codes((batch, first_row, rows), out_codes, out_error, Batch::sources)
}

/// The number of distinct sources, which may include sources of rows that were removed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_sources_len(batch: *const cupel_batch) -> usize {
    batch.as_ref().map_or(0, |batch| batch.batch().sources().texts().len())
}

/// Reads the distinct sources, by code.
///
/// @param out_offsets_len The length of out_offsets: cupel_batch_sources_len() + 1 or more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_source_texts(
    batch: *const cupel_batch,
    out_offsets: *mut i64,
    out_offsets_len: usize,
    out_data: *mut c_char,
    out_data_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    let (offsets, data) = ((out_offsets, out_offsets_len), (out_data, out_data_len));
    read_dictionary(batch, offsets, data, out_error, |batch| batch.sources().texts())
}

/// Reads the tags of a range of rows. A host that does not know the lengths calls it three times: for the lists, whose
/// last entry is the number of tags; for the offsets, whose last entry is the number of bytes; and for everything.
///
/// @param out_lists Where to put the offsets of the rows' lists of tags: `rows + 1` entries, the first of which is 0.
///     Row r of the range has the tags from `out_lists[r]` to before `out_lists[r + 1]`.
/// @param out_offsets Where to put the offsets of the tags into out_data; NULL to read the lists only.
/// @param out_offsets_len The length of out_offsets: the number of tags + 1 or more; 0 with NULL.
/// @param out_data Where to put the bytes of the tags, one after another; NULL to read no bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_tags(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_lists: *mut i64,
    out_offsets: *mut i64,
    out_offsets_len: usize,
    out_data: *mut c_char,
    out_data_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let (batch, range) = rows_of(host, (batch, first_row, rows))?;
        let lists = host.slice_mut(out_lists, rows + 1, "out_lists")?;
        let buffer = text_buffer(host, out_data, out_data_len)?;
        let lens = range.clone().map(|row| batch.tags().row(row).len());
        if !out_offsets.is_null() || out_offsets_len > 0 || buffer.is_some() {
            let offsets = offsets(host, out_offsets, out_offsets_len, lens.clone().sum())?;
            write_texts(range.flat_map(|row| batch.tags().row(row)), offsets, buffer)?;
        }
        write_offsets(lens, lists);
        Ok(())
    })
}

/// Reads the metadata of a range of rows. A host that does not know the lengths calls it three times: for the lists,
/// whose last entry is the number of metadata entries; for the offsets, whose last entry is the number of bytes; and
/// for everything. The entries of a row may be in another order than they were set in.
///
/// @param out_lists Where to put the offsets of the rows' lists of entries: `rows + 1` entries, the first of which is
///     0. Row r of the range has the entries from `out_lists[r]` to before `out_lists[r + 1]`.
/// @param out_keys Where to put the codes of the keys: indices into the keys that cupel_batch_read_metadata_keys()
///     reads, valid until the batch is changed; may be NULL.
/// @param out_types Where to put, for each entry, a cupel_metadata_type as a byte; may be NULL.
/// @param out_numbers Where to put the values that are doubles, NaN for a text; may be NULL.
/// @param out_offsets Where to put the offsets of the entries' texts into out_data: one more than out_entries_len. The
///     text of a double is empty. May be NULL.
/// @param out_entries_len The length of out_keys, out_types and out_numbers; 0 to read the lists only.
/// @param out_data Where to put the bytes of the texts, one after another; NULL to read no bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_metadata(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_lists: *mut i64,
    out_keys: *mut u32,
    out_types: *mut u8,
    out_numbers: *mut f64,
    out_offsets: *mut i64,
    out_entries_len: usize,
    out_data: *mut c_char,
    out_data_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let (batch, range) = rows_of(host, (batch, first_row, rows))?;
        let lists = host.slice_mut(out_lists, rows + 1, "out_lists")?;
        // No array of offsets can be longer.
        if out_entries_len >= isize::MAX as usize / size_of::<i64>() {
            return Err(Refusal::too_long("out_entries", out_entries_len));
        }
        let mut keys = optional(host, out_keys, out_entries_len, "out_keys")?;
        let mut types = optional(host, out_types, out_entries_len, "out_types")?;
        let mut numbers = optional(host, out_numbers, out_entries_len, "out_numbers")?;
        let buffer = text_buffer(host, out_data, out_data_len)?;
        let lens = range.clone().map(|row| batch.metadata().row_by_key(row).count());
        if out_entries_len > 0 || buffer.is_some() {
            let count = lens.clone().sum();
            check_len("out_entries_len", out_entries_len, count)?;
            let entries = range.flat_map(|row| batch.metadata().row_by_key(row));
            if !out_offsets.is_null() || buffer.is_some() {
                let offsets = host.slice_mut(out_offsets, count + 1, "out_offsets")?;
                write_texts(entries.clone().map(|(_, value)| parts(value).1), offsets, buffer)?;
            }
            for (index, (key, value)) in entries.enumerate() {
                let (value_type, _, number) = parts(value);
                keys.iter_mut().for_each(|keys| keys[index] = key);
                types.iter_mut().for_each(|types| types[index] = value_type);
                numbers.iter_mut().for_each(|numbers| numbers[index] = number);
            }
        }
        write_offsets(lens, lists);
        Ok(())
    })
}

/// Reads the metadata values of one key of a range of rows.
///
/// @param key The key, UTF-8.
/// @param out_types Where to put, for each row, a cupel_metadata_type as a byte; 0 where the row does not have the key.
///     May be NULL.
/// @param out_validity Where to put, for each row, 1 where it has the key and 0 where it does not; may be NULL.
/// @param out_numbers Where to put the values that are doubles, NaN for all others; may be NULL.
/// @param out_offsets Where to put the offsets of the rows' texts into out_data: `rows + 1` entries, the first of which
///     is 0. The text of a double is empty. May be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_metadata_key(
    batch: *const cupel_batch,
    key: *const c_char,
    key_len: usize,
    first_row: usize,
    rows: usize,
    out_types: *mut u8,
    out_validity: *mut u8,
    out_numbers: *mut f64,
    out_offsets: *mut i64,
    out_data: *mut c_char,
    out_data_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let (batch, range) = rows_of(host, (batch, first_row, rows))?;
        let key = batch.metadata().key_number(host.text(key, key_len, "key")?);
        let types = optional(host, out_types, rows, "out_types")?.unwrap_or_default();
        let validity = optional(host, out_validity, rows, "out_validity")?.unwrap_or_default();
        let numbers = optional(host, out_numbers, rows, "out_numbers")?.unwrap_or_default();
        let buffer = text_buffer(host, out_data, out_data_len)?;
        let values = range.map(|row| key.and_then(|key| batch.metadata().value_in_row(row, key)));
        let missing = (0, "", f64::NAN);
        let value_parts = values.clone().map(|value| value.map_or(missing, parts));
        if !out_offsets.is_null() || buffer.is_some() {
            let offsets = host.slice_mut(out_offsets, rows + 1, "out_offsets")?;
            write_texts(value_parts.clone().map(|(_, text, _)| text), offsets, buffer)?;
        }
        types.iter_mut().zip(value_parts.clone()).for_each(|(out, (value_type, _, _))| *out = value_type);
        validity.iter_mut().zip(values).for_each(|(out, value)| *out = value.is_some().into());
        numbers.iter_mut().zip(value_parts).for_each(|(out, (_, _, number))| *out = number);
        Ok(())
    })
}

/// The number of distinct metadata keys, which may include keys of rows that were removed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_metadata_keys_len(batch: *const cupel_batch) -> usize {
    batch.as_ref().map_or(0, |batch| batch.batch().metadata().keys().len())
}

/// Reads the distinct metadata keys, by code.
///
/// @param out_offsets_len The length of out_offsets: cupel_batch_metadata_keys_len() + 1 or more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_metadata_keys(
    batch: *const cupel_batch,
    out_offsets: *mut i64,
    out_offsets_len: usize,
    out_data: *mut c_char,
    out_data_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    let (offsets, data) = ((out_offsets, out_offsets_len), (out_data, out_data_len));
    read_dictionary(batch, offsets, data, out_error, |batch| batch.metadata().keys())
}
