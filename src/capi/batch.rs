//! `cupel_batch`: the rows that are scored together.

use std::ffi::c_char;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use crate::batch::Batch;
use crate::capi::boundary::{call, give, guard_value};
use crate::capi::columns::{self, cupel_columns};
use crate::capi::error::{Refusal, cupel_error};
use crate::capi::item::cupel_item;
use crate::capi::ownership::{Handle, Host};
use crate::capi::status::{CUPEL_STATUS_BUSY, cupel_status};
use crate::json;
use crate::memory::try_box_with;

/// The rows that are scored together. An item that is pushed twice becomes two rows.
///
/// Threads: functions that take it as `const` may run on any number of threads at once, the others on one thread while
/// no other function runs. Changing a batch while it is being scored is refused with CUPEL_STATUS_BUSY where the
/// library can tell. Lifetime: it belongs to the caller of cupel_batch_new(), who frees it once with
/// cupel_batch_free().
#[derive(Debug)]
pub struct cupel_batch {
    batch: Batch,
    /// Counts the references to the handle: the host's and one for each scoring call.
    holds: AtomicUsize,
}

impl Handle for cupel_batch {
    const NAME: &'static str = "batch";
}

impl cupel_batch {
    /// The handle of a batch that is being scored, for a callback. [`Hold::new`] has exposed its address.
    pub(super) fn from_batch(batch: &Batch) -> *const Self {
        let address = (&raw const *batch).addr() - std::mem::offset_of!(Self, batch);
        std::ptr::with_exposed_provenance(address)
    }

    /// The batch of the core.
    pub(super) fn batch(&self) -> &Batch {
        &self.batch
    }

    /// Borrows a batch to change it. It must not be being scored.
    pub(super) fn change<'a>(host: Host, batch: *mut Self) -> Result<&'a mut Batch, Refusal> {
        // Checked before the batch is borrowed as mutable: a custom scorer may be calling from within a scoring call.
        if host.handle(batch.cast_const())?.holds.load(Ordering::Acquire) != HOST {
            let complaint = "is being scored: it cannot be changed until that call returns";
            return Err(Refusal::of(CUPEL_STATUS_BUSY, Self::NAME, complaint));
        }
        Ok(&mut host.handle_mut(batch)?.batch)
    }
}

/// The host's reference to a batch, until it frees the batch.
const HOST: usize = 1;
/// The reference of one scoring call.
const SCORING: usize = 2;

/// The reference of a scoring call to its batch. If the host frees the batch during the call, for example from a custom
/// scorer, it is freed when the call returns.
#[derive(Debug)]
pub(super) struct Hold(*const cupel_batch);

impl Hold {
    /// Adds a reference.
    pub(super) fn new<'a>(host: Host, batch: *const cupel_batch) -> Result<(Self, &'a Batch), Refusal> {
        let held = host.handle(batch)?;
        held.holds.fetch_add(SCORING, Ordering::Relaxed);
        batch.expose_provenance();
        Ok((Self(batch), &held.batch))
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // SAFETY: the batch is alive while this reference exists.
        unsafe { release(self.0, SCORING) };
    }
}

/// Drops a reference, and frees the batch with the last one.
///
/// # Safety
///
/// `batch` is a live handle, and the reference belongs to the caller.
unsafe fn release(batch: *const cupel_batch, hold: usize) {
    // SAFETY: the caller's promise.
    let holds: &AtomicUsize = &unsafe { &*batch }.holds;
    if holds.fetch_sub(hold, Ordering::Release) == hold {
        fence(Ordering::Acquire);
        // SAFETY: it was the last reference, so nobody else uses the handle.
        unsafe { cupel_batch::free(batch.cast_mut()) };
    }
}

/// Makes a batch without rows.
///
/// @param capacity The number of rows to reserve memory for; may be 0. A batch grows as needed.
/// @return NULL_ARGUMENT, OUT_OF_MEMORY (also for a capacity of more than 2^31 - 1 rows)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_new(
    capacity: usize,
    out_batch: *mut *mut cupel_batch,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    give(out_error, (out_batch, "out_batch"), |_| {
        // A constant is copied once.
        let mut handle = try_box_with(|| const { cupel_batch { batch: Batch::new(), holds: AtomicUsize::new(HOST) } })?;
        if capacity > 0 {
            handle.batch.reserve(capacity).map_err(|error| Refusal::for_size(error, "capacity", capacity))?;
        }
        Ok(Box::into_raw(handle))
    })
}

/// Appends a row with the fields of an item, which are copied.
///
/// @return NULL_ARGUMENT, BUSY, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_push(
    batch: *mut cupel_batch,
    item: *const cupel_item,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let item = cupel_item::borrow(host, item)?;
        Ok(cupel_batch::change(host, batch)?.push(&item)?)
    })
}

/// Appends rows from flat arrays: all of them, or none if the call fails.
///
/// @param columns The arrays, which are read only during the call; see cupel_columns.
/// @return NULL_ARGUMENT, INVALID_UTF8, INVALID_ARGUMENT, EMPTY_CONTENT, EMPTY_KIND, EMPTY_SOURCE, OUT_OF_RANGE,
///         LENGTH_MISMATCH, BUSY, OUT_OF_MEMORY; the message names the column and the row
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_append_columns(
    batch: *mut cupel_batch,
    columns: *const cupel_columns,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| columns::append(host, cupel_batch::change(host, batch)?, columns))
}

/// Appends the items of a JSON text: all of them, or none if the call fails.
///
/// The text is an array of objects, one object, or JSON Lines. Fields: content, tokens (both required), kind, source,
/// priority, tags, metadata, timestamp (RFC 3339), futureRelevanceHint, pinned, originalTokens.
///
/// @return NULL_ARGUMENT, INVALID_UTF8, INVALID_JSON (the message gives path, line and column), OUT_OF_RANGE, BUSY,
///         OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_append_json(
    batch: *mut cupel_batch,
    json: *const c_char,
    json_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let json = host.text(json, json_len, "json")?;
        let batch = cupel_batch::change(host, batch)?;
        json::append_items(batch, json).map_err(|error| Refusal::for_size(error, "json_len", json_len))
    })
}

/// The number of rows of a batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_len(batch: *const cupel_batch) -> usize {
    batch.as_ref().map_or(0, |batch| batch.batch.len())
}

/// Makes an item with the fields of a row. The content is empty for a row that was added without one. Metadata entries
/// may be in another order than they were set in.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_item(
    batch: *const cupel_batch,
    row: usize,
    out_item: *mut *mut cupel_item,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    give(out_error, (out_item, "out_item"), |host| Ok(cupel_item::hand_over(host.handle(batch)?.batch.item(row)?)))
}

/// Reserves memory for more rows, in the columns that are in use.
///
/// @param additional_rows The number of rows to reserve memory for.
/// @return NULL_ARGUMENT, BUSY, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_reserve(
    batch: *mut cupel_batch,
    additional_rows: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let batch = cupel_batch::change(host, batch)?;
        batch.reserve(additional_rows).map_err(|error| Refusal::for_size(error, "additional_rows", additional_rows))
    })
}

/// Frees memory that is not in use: spare capacity, and what scoring keeps for the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_shrink(batch: *mut cupel_batch, out_error: *mut *mut cupel_error) -> cupel_status {
    call(out_error, |host| cupel_batch::change(host, batch).map(Batch::shrink))
}

/// Keeps the rows that are marked and removes the others. The rows that remain keep their order and are numbered from
/// 0. Their scores are those of a batch that never had the others. The memory of removed rows is reused, and freed once
/// more rows were removed than remain. It takes time proportional to the number of rows and allocates no memory.
///
/// @param keep For each row, 1 to keep it or 0 to remove it.
/// @param keep_len The length of keep: the number of rows.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (a byte that is neither), LENGTH_MISMATCH, BUSY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_retain(
    batch: *mut cupel_batch,
    keep: *const u8,
    keep_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| Ok(cupel_batch::change(host, batch)?.retain(host.slice(keep, keep_len, "keep")?)?))
}

/// Keeps the rows of a list and removes the others. Otherwise like cupel_batch_retain().
///
/// @param rows The rows to keep, each greater than the one before.
/// @param rows_len The length of rows.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (rows that do not ascend), OUT_OF_RANGE, BUSY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_retain_rows(
    batch: *mut cupel_batch,
    rows: *const u32,
    rows_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| Ok(cupel_batch::change(host, batch)?.retain_rows(host.slice(rows, rows_len, "rows")?)?))
}

/// Keeps the last rows and removes the others. Otherwise like cupel_batch_retain().
///
/// @param rows The number of rows to keep. If the batch has no more than these, nothing is removed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_keep_last(
    batch: *mut cupel_batch,
    rows: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| cupel_batch::change(host, batch).map(|batch| batch.keep_last(rows)))
}

/// Removes all rows and keeps the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_clear(batch: *mut cupel_batch, out_error: *mut *mut cupel_error) -> cupel_status {
    call(out_error, |host| cupel_batch::change(host, batch).map(Batch::clear))
}

/// Frees a batch. One that is being scored is freed when that call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_free(batch: *mut cupel_batch) {
    if !batch.is_null() {
        guard_value((), || release(batch, HOST));
    }
}
