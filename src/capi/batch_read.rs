//! Reading the rows of a batch by column, into the host's arrays.
//!
//! What a function needs is checked before it writes anything. Texts are written as bytes and offsets; the last offset says how
//! many bytes there are, so that a host that has no bound asks for the offsets first.

use std::ops::Range;

use libc::c_char;

use crate::batch::{Batch, MetadataValue};
use crate::capi::batch::cupel_batch;
use crate::capi::boundary::{call, create};
use crate::capi::error::{Place, Reason, Refusal, cupel_error};
use crate::capi::item::{CUPEL_METADATA_TYPE_DOUBLE, CUPEL_METADATA_TYPE_OTHER, CUPEL_METADATA_TYPE_STRING};
use crate::capi::ownership::Host;
use crate::capi::status::cupel_status;
use crate::capi::text::cupel_text;
use crate::error::Value;
use crate::json;

/// A batch, and the rows of it that are to be read.
#[inline(always)]
fn rows_of<'a>(
    host: Host,
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
) -> Result<(&'a Batch, Range<usize>), Refusal> {
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
    Reason::OutOfRange { argument: Place::argument(argument), value: Value::Size(value), rule }.into()
}

/// An array that the host may not want.
fn optional<'a, T: bytemuck::Pod>(
    host: Host,
    data: *mut T,
    len: usize,
    name: &'static str,
) -> Result<Option<&'a mut [T]>, Refusal> {
    if data.is_null() { Ok(None) } else { host.slice_mut(data, len, name).map(Some) }
}

/// The first `texts + 1` entries of an array of offsets.
fn offsets<'a>(host: Host, data: *mut i64, len: usize, texts: usize) -> Result<&'a mut [i64], Refusal> {
    let offsets = host.slice_mut(data, len, "out_offsets")?;
    check_room("out_offsets_len", len, texts + 1)?;
    Ok(&mut offsets[..texts + 1])
}

fn check_room(argument: &'static str, len: usize, needed: usize) -> Result<(), Refusal> {
    if len >= needed {
        return Ok(());
    }
    Err(Reason::TooShort { argument: Place::argument(argument), len, needed }.into())
}

/// Where the bytes of texts go, if the host wants them.
struct Room<'a>(Option<&'a mut [u8]>);

impl<'a> Room<'a> {
    fn new(host: Host, data: *mut c_char, len: usize) -> Result<Self, Refusal> {
        let wanted = !data.is_null() || len > 0;
        Ok(Self(if wanted { Some(host.slice_mut(data.cast(), len, "out_data")?) } else { None }))
    }

    /// Refuses room that is too small for the texts.
    fn check<'t>(self, texts: impl Iterator<Item = &'t str>) -> Result<Self, Refusal> {
        if let Some(data) = &self.0 {
            check_room("out_data_len", data.len(), texts.map(str::len).sum())?;
        }
        Ok(self)
    }

    /// Writes texts, for which there is room, and where each begins and the last one ends.
    fn write<'t>(self, texts: impl Iterator<Item = &'t str>, offsets: &mut [i64]) {
        let Self(mut data) = self;
        offsets[0] = 0;
        let mut end = 0;
        for (text, offset) in texts.zip(&mut offsets[1..]) {
            if let Some(data) = &mut data {
                data[end..end + text.len()].copy_from_slice(text.as_bytes());
            }
            end += text.len();
            *offset = end as i64;
        }
    }
}

/// The type, the text and the number of a metadata value, as the host reads them.
fn parts(value: MetadataValue<'_>) -> (u8, &str, f64) {
    match value {
        MetadataValue::String(text) => (CUPEL_METADATA_TYPE_STRING as u8, text, f64::NAN),
        MetadataValue::Double(number) => (CUPEL_METADATA_TYPE_DOUBLE as u8, "", number),
        MetadataValue::Other(text) => (CUPEL_METADATA_TYPE_OTHER as u8, text, f64::NAN),
    }
}

/// Writes a range of rows as JSON Lines, which cupel_batch_append_json() reads: for each row an object of every field that is set, as
/// cupel_item_to_json() writes it, and a line feed.
///
/// @param batch      The batch.
/// @param first_row  The first row.
/// @param rows       How many rows to write.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (what JSON cannot say, by row and field; or more than 2147483647 bytes), OUT_OF_RANGE,
///         OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_to_json(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_text: *mut *mut cupel_text,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_text, "out_text"), |host| {
        let (batch, range) = rows_of(host, batch, first_row, rows)?;
        Ok(cupel_text::new(json::write_rows(batch, range)?)?)
    })
}

/// Reads the sizes in tokens of a range of rows.
///
/// @param batch      The batch.
/// @param first_row  The first row.
/// @param rows       How many rows to read.
/// @param out_tokens  Where to put them: `rows` entries.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (an array that is not aligned), OUT_OF_RANGE
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_tokens(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_tokens: *mut i64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let (batch, range) = rows_of(host, batch, first_row, rows)?;
        let out = host.slice_mut(out_tokens, rows, "out_tokens")?;
        batch.tokens().read(range, out);
        Ok(())
    })
}

/// Reads the priorities of a range of rows.
///
/// @param batch      The batch.
/// @param first_row  The first row.
/// @param rows       How many rows to read.
/// @param out_priorities  Where to put them: `rows` entries, 0 where it is not set.
/// @param out_validity  Where to put, for each, 1 where it is set and 0 where it is not; may be NULL.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (an array that is not aligned), OUT_OF_RANGE
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_priority(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_priorities: *mut i64,
    out_validity: *mut u8,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let (batch, range) = rows_of(host, batch, first_row, rows)?;
        let out = host.slice_mut(out_priorities, rows, "out_priorities")?;
        let validity = optional(host, out_validity, rows, "out_validity")?;
        batch.priority().read(range, out, validity);
        Ok(())
    })
}

/// Reads the instants, in nanoseconds since the Unix epoch, of a range of rows.
///
/// @param batch      The batch.
/// @param first_row  The first row.
/// @param rows       How many rows to read.
/// @param out_unix_nanoseconds  Where to put them: `rows` entries, 0 where it is not set.
/// @param out_validity  Where to put, for each, 1 where it is set and 0 where it is not; may be NULL.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (an array that is not aligned), OUT_OF_RANGE
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_timestamp(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_unix_nanoseconds: *mut i64,
    out_validity: *mut u8,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let (batch, range) = rows_of(host, batch, first_row, rows)?;
        let out = host.slice_mut(out_unix_nanoseconds, rows, "out_unix_nanoseconds")?;
        let validity = optional(host, out_validity, rows, "out_validity")?;
        batch.timestamp().read(range, out, validity);
        Ok(())
    })
}

/// Reads the host's hints of a range of rows.
///
/// @param batch      The batch.
/// @param first_row  The first row.
/// @param rows       How many rows to read.
/// @param out_hints  Where to put them: `rows` entries, NaN where it is not set.
/// @param out_validity  Where to put, for each, 1 where it is set and 0 where it is not; may be NULL.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (an array that is not aligned), OUT_OF_RANGE
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_future_relevance_hint(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_hints: *mut f64,
    out_validity: *mut u8,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let (batch, range) = rows_of(host, batch, first_row, rows)?;
        let out = host.slice_mut(out_hints, rows, "out_hints")?;
        let validity = optional(host, out_validity, rows, "out_validity")?;
        batch.future_relevance_hint().read(range, out, validity);
        Ok(())
    })
}

/// Reads the sizes in tokens before the host shortened the items, of a range of rows.
///
/// @param batch      The batch.
/// @param first_row  The first row.
/// @param rows       How many rows to read.
/// @param out_original_tokens  Where to put them: `rows` entries, 0 where it is not set.
/// @param out_validity  Where to put, for each, 1 where it is set and 0 where it is not; may be NULL.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (an array that is not aligned), OUT_OF_RANGE
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_original_tokens(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_original_tokens: *mut i64,
    out_validity: *mut u8,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let (batch, range) = rows_of(host, batch, first_row, rows)?;
        let out = host.slice_mut(out_original_tokens, rows, "out_original_tokens")?;
        let validity = optional(host, out_validity, rows, "out_validity")?;
        batch.original_tokens().read(range, out, validity);
        Ok(())
    })
}

/// Reads which rows of a range the host wants kept.
///
/// @param batch      The batch.
/// @param first_row  The first row.
/// @param rows       How many rows to read.
/// @param out_pinned  Where to put them: `rows` entries, 1 for a row that the host wants kept and 0 for any other.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (an array that is not aligned), OUT_OF_RANGE
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_pinned(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_pinned: *mut u8,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let (batch, range) = rows_of(host, batch, first_row, rows)?;
        let out = host.slice_mut(out_pinned, rows, "out_pinned")?;
        let pinned = batch.pinned();
        out.iter_mut().zip(range).for_each(|(out, row)| *out = pinned.get(row).copied().unwrap_or_default());
        Ok(())
    })
}

/// Reads the contents of a range of rows. Empty for a row that came without.
///
/// @param batch         The batch.
/// @param first_row     The first row.
/// @param rows          How many rows to read.
/// @param out_offsets   Where to put where each text begins and the last one ends: `rows + 1` entries, the first of which is 0.
/// @param out_data      Where to put the bytes of the texts, one after another; NULL to get the offsets only.
/// @param out_data_len  How many bytes there is room for: the last offset or more; 0 with NULL.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (an array that is not aligned), LENGTH_MISMATCH (too little room), OUT_OF_RANGE
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
    call(out_error, |host| {
        let (batch, range) = rows_of(host, batch, first_row, rows)?;
        let offsets = host.slice_mut(out_offsets, rows + 1, "out_offsets")?;
        let data = Room::new(host, out_data, out_data_len)?;
        let texts = range.map(|row| batch.content(row));
        data.check(texts.clone())?.write(texts, offsets);
        Ok(())
    })
}

/// Reads the kinds of a range of rows. See cupel_batch_read_kind_codes() where texts repeat.
///
/// @param batch         The batch.
/// @param first_row     The first row.
/// @param rows          How many rows to read.
/// @param out_offsets   Where to put where each text begins and the last one ends: `rows + 1` entries, the first of which is 0.
/// @param out_data      Where to put the bytes of the texts, one after another; NULL to get the offsets only.
/// @param out_data_len  How many bytes there is room for: the last offset or more; 0 with NULL.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (an array that is not aligned), LENGTH_MISMATCH (too little room), OUT_OF_RANGE
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
    call(out_error, |host| {
        let (batch, range) = rows_of(host, batch, first_row, rows)?;
        let offsets = host.slice_mut(out_offsets, rows + 1, "out_offsets")?;
        let data = Room::new(host, out_data, out_data_len)?;
        let texts = range.map(|row| batch.kinds().get(row));
        data.check(texts.clone())?.write(texts, offsets);
        Ok(())
    })
}

/// Reads the sources of a range of rows. See cupel_batch_read_source_codes() where texts repeat.
///
/// @param batch         The batch.
/// @param first_row     The first row.
/// @param rows          How many rows to read.
/// @param out_offsets   Where to put where each text begins and the last one ends: `rows + 1` entries, the first of which is 0.
/// @param out_data      Where to put the bytes of the texts, one after another; NULL to get the offsets only.
/// @param out_data_len  How many bytes there is room for: the last offset or more; 0 with NULL.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (an array that is not aligned), LENGTH_MISMATCH (too little room), OUT_OF_RANGE
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
    call(out_error, |host| {
        let (batch, range) = rows_of(host, batch, first_row, rows)?;
        let offsets = host.slice_mut(out_offsets, rows + 1, "out_offsets")?;
        let data = Room::new(host, out_data, out_data_len)?;
        let texts = range.map(|row| batch.sources().get(row));
        data.check(texts.clone())?.write(texts, offsets);
        Ok(())
    })
}

/// Reads the kinds of a range of rows as codes: rows of the same kind have the same code. The codes are positions in what
/// cupel_batch_read_kind_texts() gives, and hold until the batch is changed.
///
/// @param batch      The batch.
/// @param first_row  The first row.
/// @param rows       How many rows to read.
/// @param out_codes  Where to put the codes: `rows` entries.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (an array that is not aligned), OUT_OF_RANGE
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_kind_codes(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_codes: *mut u32,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let (batch, range) = rows_of(host, batch, first_row, rows)?;
        let out = host.slice_mut(out_codes, rows, "out_codes")?;
        let codes = batch.kinds().rows();
        out.iter_mut().zip(range).for_each(|(out, row)| *out = codes.get(row) as u32);
        Ok(())
    })
}

/// How many distinct kinds there are. Some may be of rows that were removed.
///
/// @param batch  The batch; NULL gives 0.
///
/// Threads: any number at once, while nobody changes the batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_kinds_len(batch: *const cupel_batch) -> usize {
    cupel_batch::peek(batch).map_or(0, |batch| batch.kinds().texts().len())
}

/// Reads the distinct kinds, by code.
///
/// @param batch            The batch.
/// @param out_offsets      Where to put where each text begins and the last one ends.
/// @param out_offsets_len  How many entries there is room for: cupel_batch_kinds_len() + 1 or more.
/// @param out_data         Where to put the bytes of the texts, one after another; NULL to get the offsets only.
/// @param out_data_len     How many bytes there is room for: the last offset or more; 0 with NULL.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (an array that is not aligned), LENGTH_MISMATCH (too little room)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_kind_texts(
    batch: *const cupel_batch,
    out_offsets: *mut i64,
    out_offsets_len: usize,
    out_data: *mut c_char,
    out_data_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let texts = host.handle(batch)?.batch().kinds().texts();
        let offsets = offsets(host, out_offsets, out_offsets_len, texts.len())?;
        let data = Room::new(host, out_data, out_data_len)?;
        data.check(texts.texts())?.write(texts.texts(), offsets);
        Ok(())
    })
}

/// Reads the sources of a range of rows as codes: rows of the same source have the same code. The codes are positions in what
/// cupel_batch_read_source_texts() gives, and hold until the batch is changed.
///
/// @param batch      The batch.
/// @param first_row  The first row.
/// @param rows       How many rows to read.
/// @param out_codes  Where to put the codes: `rows` entries.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (an array that is not aligned), OUT_OF_RANGE
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_source_codes(
    batch: *const cupel_batch,
    first_row: usize,
    rows: usize,
    out_codes: *mut u32,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let (batch, range) = rows_of(host, batch, first_row, rows)?;
        let out = host.slice_mut(out_codes, rows, "out_codes")?;
        let codes = batch.sources().rows();
        out.iter_mut().zip(range).for_each(|(out, row)| *out = codes.get(row) as u32);
        Ok(())
    })
}

/// How many distinct sources there are. Some may be of rows that were removed.
///
/// @param batch  The batch; NULL gives 0.
///
/// Threads: any number at once, while nobody changes the batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_sources_len(batch: *const cupel_batch) -> usize {
    cupel_batch::peek(batch).map_or(0, |batch| batch.sources().texts().len())
}

/// Reads the distinct sources, by code.
///
/// @param batch            The batch.
/// @param out_offsets      Where to put where each text begins and the last one ends.
/// @param out_offsets_len  How many entries there is room for: cupel_batch_sources_len() + 1 or more.
/// @param out_data         Where to put the bytes of the texts, one after another; NULL to get the offsets only.
/// @param out_data_len     How many bytes there is room for: the last offset or more; 0 with NULL.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (an array that is not aligned), LENGTH_MISMATCH (too little room)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_source_texts(
    batch: *const cupel_batch,
    out_offsets: *mut i64,
    out_offsets_len: usize,
    out_data: *mut c_char,
    out_data_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let texts = host.handle(batch)?.batch().sources().texts();
        let offsets = offsets(host, out_offsets, out_offsets_len, texts.len())?;
        let data = Room::new(host, out_data, out_data_len)?;
        data.check(texts.texts())?.write(texts.texts(), offsets);
        Ok(())
    })
}

/// Reads the tags of a range of rows: first the lists, which say how many tags there are, then the offsets, which say how many bytes,
/// then all. What was read before is written again.
///
/// @param batch            The batch.
/// @param first_row        The first row.
/// @param rows             How many rows to read.
/// @param out_lists        Where to put where the tags of each row begin and those of the last one end: `rows + 1` entries, the first
///                         of which is 0. The last one is the number of tags.
/// @param out_offsets      Where to put where each tag begins and the last one ends; NULL to get the lists only.
/// @param out_offsets_len  How many entries there is room for: the number of tags + 1 or more; 0 with NULL.
/// @param out_data         Where to put the bytes of the tags, one after another; NULL to get no bytes.
/// @param out_data_len     How many bytes there is room for: the last offset or more; 0 with NULL.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (an array that is not aligned), LENGTH_MISMATCH (too little room), OUT_OF_RANGE
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
        let (batch, range) = rows_of(host, batch, first_row, rows)?;
        let lists = host.slice_mut(out_lists, rows + 1, "out_lists")?;
        let data = Room::new(host, out_data, out_data_len)?;
        let tags = range.clone().flat_map(|row| batch.tags().row(row));
        if !out_offsets.is_null() || out_offsets_len > 0 || data.0.is_some() {
            let count = range.clone().map(|row| batch.tags().row(row).len()).sum();
            let offsets = offsets(host, out_offsets, out_offsets_len, count)?;
            data.check(tags.clone())?.write(tags, offsets);
        }
        write_ends(range.map(|row| batch.tags().row(row).len()), lists);
        Ok(())
    })
}

/// Writes where lists begin and the last one ends.
fn write_ends(lens: impl Iterator<Item = usize>, ends: &mut [i64]) {
    ends[0] = 0;
    let mut end = 0;
    for (len, out) in lens.zip(&mut ends[1..]) {
        end += len;
        *out = end as i64;
    }
}

/// Reads the metadata of a range of rows: first the lists, which say how many entries there are, then the offsets of the texts, which
/// say how many bytes, then all. What was read before is written again. Entries may come in another order than they were set in.
///
/// @param batch            The batch.
/// @param first_row        The first row.
/// @param rows             How many rows to read.
/// @param out_lists        Where to put where the entries of each row begin and those of the last one end: `rows + 1` entries, the
///                         first of which is 0. The last one is the number of entries.
/// @param out_keys         Where to put the codes of the keys, which are positions in what cupel_batch_read_metadata_keys() gives and
///                         hold until the batch is changed; may be NULL.
/// @param out_types        Where to put, for each entry, a cupel_metadata_type as a byte; may be NULL.
/// @param out_numbers      Where to put the values that are doubles, NaN for a text; may be NULL.
/// @param out_offsets      Where to put where the text of each entry begins and the last one ends, with one entry more than the arrays
///                         before; a double has no text. May be NULL.
/// @param out_entries_len  How many entries there is room for; 0 to get the lists only.
/// @param out_data         Where to put the bytes of the texts, one after another; NULL to get no bytes.
/// @param out_data_len     How many bytes there is room for: the last offset or more; 0 with NULL.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (an array that is not aligned), LENGTH_MISMATCH (too little room), OUT_OF_RANGE
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
        let (batch, range) = rows_of(host, batch, first_row, rows)?;
        let lists = host.slice_mut(out_lists, rows + 1, "out_lists")?;
        // No array of offsets can be longer.
        if out_entries_len >= isize::MAX as usize / size_of::<i64>() {
            return Err(Reason::TooLong { argument: Place::argument("out_entries"), len: out_entries_len }.into());
        }
        let mut keys = optional(host, out_keys, out_entries_len, "out_keys")?;
        let mut types = optional(host, out_types, out_entries_len, "out_types")?;
        let mut numbers = optional(host, out_numbers, out_entries_len, "out_numbers")?;
        let data = Room::new(host, out_data, out_data_len)?;
        let len = |row| batch.metadata().row_by_key(row).count();
        let entries = range.clone().flat_map(|row| batch.metadata().row_by_key(row));
        let texts = entries.clone().map(|(_, value)| parts(value).1);
        if out_entries_len > 0 || data.0.is_some() {
            let count = range.clone().map(len).sum();
            check_room("out_entries_len", out_entries_len, count)?;
            if !out_offsets.is_null() || data.0.is_some() {
                let offsets = host.slice_mut(out_offsets, count + 1, "out_offsets")?;
                data.check(texts.clone())?.write(texts, offsets);
            }
            for (at, (key, value)) in entries.enumerate() {
                let (value_type, _, number) = parts(value);
                keys.iter_mut().for_each(|keys| keys[at] = key);
                types.iter_mut().for_each(|types| types[at] = value_type);
                numbers.iter_mut().for_each(|numbers| numbers[at] = number);
            }
        }
        write_ends(range.map(len), lists);
        Ok(())
    })
}

/// Reads the metadata values of one key of a range of rows.
///
/// @param batch         The batch.
/// @param key           The key, UTF-8.
/// @param key_len       Its length in bytes.
/// @param first_row     The first row.
/// @param rows          How many rows to read.
/// @param out_types     Where to put, for each row, a cupel_metadata_type as a byte; 0 where the row does not have the key. May be NULL.
/// @param out_validity  Where to put, for each row, 1 where it has the key and 0 where it does not; may be NULL.
/// @param out_numbers   Where to put the values that are doubles, NaN for all others; may be NULL.
/// @param out_offsets   Where to put where the text of each row begins and the last one ends: `rows + 1` entries, the first of which
///                      is 0; may be NULL. The text of a double is empty.
/// @param out_data      Where to put the bytes of the texts, one after another; NULL to get the offsets only.
/// @param out_data_len  How many bytes there is room for: the last offset or more; 0 with NULL.
/// @return NULL_ARGUMENT, INVALID_UTF8, INVALID_ARGUMENT (an array that is not aligned), LENGTH_MISMATCH (too little room),
///         OUT_OF_RANGE
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
        let (batch, range) = rows_of(host, batch, first_row, rows)?;
        let key = batch.metadata().key_number(host.text(key, key_len, "key")?);
        let types = optional(host, out_types, rows, "out_types")?;
        let validity = optional(host, out_validity, rows, "out_validity")?;
        let numbers = optional(host, out_numbers, rows, "out_numbers")?;
        let data = Room::new(host, out_data, out_data_len)?;
        let values = range.map(|row| key.and_then(|key| batch.metadata().value_in_row(row, key)));
        if !out_offsets.is_null() || data.0.is_some() {
            let offsets = host.slice_mut(out_offsets, rows + 1, "out_offsets")?;
            let texts = values.clone().map(|value| value.map_or("", |value| parts(value).1));
            data.check(texts.clone())?.write(texts, offsets);
        }
        if let Some(types) = types {
            let of_rows = values.clone().map(|value| value.map_or(0, |value| parts(value).0));
            types.iter_mut().zip(of_rows).for_each(|(out, value_type)| *out = value_type);
        }
        if let Some(validity) = validity {
            validity.iter_mut().zip(values.clone()).for_each(|(out, value)| *out = value.is_some().into());
        }
        if let Some(numbers) = numbers {
            let of_rows = values.map(|value| value.map_or(f64::NAN, |value| parts(value).2));
            numbers.iter_mut().zip(of_rows).for_each(|(out, number)| *out = number);
        }
        Ok(())
    })
}

/// How many distinct metadata keys there are. Some may be of rows that were removed.
///
/// @param batch  The batch; NULL gives 0.
///
/// Threads: any number at once, while nobody changes the batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_metadata_keys_len(batch: *const cupel_batch) -> usize {
    cupel_batch::peek(batch).map_or(0, |batch| batch.metadata().keys().len())
}

/// Reads the distinct metadata keys, by code.
///
/// @param batch            The batch.
/// @param out_offsets      Where to put where each text begins and the last one ends.
/// @param out_offsets_len  How many entries there is room for: cupel_batch_metadata_keys_len() + 1 or more.
/// @param out_data         Where to put the bytes of the texts, one after another; NULL to get the offsets only.
/// @param out_data_len     How many bytes there is room for: the last offset or more; 0 with NULL.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (an array that is not aligned), LENGTH_MISMATCH (too little room)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_read_metadata_keys(
    batch: *const cupel_batch,
    out_offsets: *mut i64,
    out_offsets_len: usize,
    out_data: *mut c_char,
    out_data_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let texts = host.handle(batch)?.batch().metadata().keys();
        let offsets = offsets(host, out_offsets, out_offsets_len, texts.len())?;
        let data = Room::new(host, out_data, out_data_len)?;
        data.check(texts.texts())?.write(texts.texts(), offsets);
        Ok(())
    })
}
