//! `cupel_batch`: the rows that are scored together.

use std::sync::atomic::{AtomicUsize, Ordering, fence};

use libc::c_char;

use crate::batch::Batch;
use crate::capi::boundary::{call, create, guard_value};
use crate::capi::columns::{self, cupel_columns};
use crate::capi::error::{Reason, Refusal, cupel_error};
use crate::capi::item::cupel_item;
use crate::capi::ownership::{Handle, Host};
use crate::capi::status::cupel_status;
use crate::json;

/// The rows that are scored together. An item is its row: pushing an item twice gives two rows that are each other's peers.
///
/// Threads: functions that take it as `const` may run on any number of threads at once; the others one at a time, and not
/// beside the former. Changing it while it is being scored is refused with CUPEL_STATUS_BUSY where the library can tell.
/// Lifetime: it belongs to the caller of cupel_batch_new(), who frees it once with cupel_batch_free().
#[derive(Debug)]
pub struct cupel_batch {
    batch: Batch,
    /// Who holds the handle: the host, and every scoring call.
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

    /// The rows.
    pub(super) fn batch(&self) -> &Batch {
        &self.batch
    }

    /// The rows of a handle that may be NULL.
    ///
    /// # Safety
    ///
    /// `batch` is NULL or a live handle.
    pub(super) unsafe fn peek<'a>(batch: *const Self) -> Option<&'a Batch> {
        // SAFETY: the caller's promise.
        unsafe { batch.as_ref() }.map(Self::batch)
    }

    /// Changes a batch that nobody is scoring.
    pub(super) fn change<'a>(host: Host, batch: *mut Self) -> Result<&'a mut Batch, Refusal> {
        // Checked before the batch is borrowed as mutable: a custom scorer may be calling from within a scoring call.
        if host.handle(batch.cast_const())?.holds.load(Ordering::Acquire) != HOST {
            return Err(Reason::Busy.into());
        }
        Ok(&mut host.handle_mut(batch)?.batch)
    }
}

/// The host's hold on a batch, from the beginning until it frees the batch.
const HOST: usize = 1;
/// The hold of one scoring call.
const SCORING: usize = 2;

/// A hold on a batch for the length of a scoring call. A host that frees the batch meanwhile, from a custom scorer perhaps,
/// frees it when the call is over.
#[derive(Debug)]
pub(super) struct Hold(*const cupel_batch);

impl Hold {
    /// Takes hold of a batch.
    pub(super) fn new<'a>(host: Host, batch: *const cupel_batch) -> Result<(Self, &'a Batch), Refusal> {
        let held = host.handle(batch)?;
        held.holds.fetch_add(SCORING, Ordering::Relaxed);
        batch.expose_provenance();
        Ok((Self(batch), &held.batch))
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // SAFETY: the batch is there, because this hold is.
        unsafe { release(self.0, SCORING) };
    }
}

/// Lets go of a batch, and frees it with the last hold.
///
/// # Safety
///
/// `batch` is a live handle, and the hold is the caller's to let go.
unsafe fn release(batch: *const cupel_batch, hold: usize) {
    // SAFETY: the caller's promise.
    let holds: &AtomicUsize = &unsafe { &*batch }.holds;
    if holds.fetch_sub(hold, Ordering::Release) == hold {
        fence(Ordering::Acquire);
        // SAFETY: it was the last hold, so nobody else uses the handle.
        unsafe { cupel_batch::free(batch.cast_mut()) };
    }
}

/// Makes a batch without rows.
///
/// @param capacity How many rows to make room for; 0 is fine. A hint: a batch grows as it needs.
/// @return NULL_ARGUMENT, OUT_OF_MEMORY (a capacity past 2^31 - 1 rows too)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_new(
    capacity: usize,
    out_batch: *mut *mut cupel_batch,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_batch, "out_batch"), |_| {
        let mut batch = Batch::new();
        batch.reserve(capacity).map_err(|error| Refusal::for_size(error, "capacity", capacity))?;
        Ok(cupel_batch { batch, holds: AtomicUsize::new(HOST) })
    })
}

/// Appends a row with the fields of an item. The batch takes no share of the item.
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

/// Appends many rows at once, from flat arrays: all of them, or none when the call fails. Everything is checked before anything
/// is appended.
///
/// @param columns The arrays, which are read during the call only; see cupel_columns.
/// @return NULL_ARGUMENT, INVALID_UTF8, INVALID_ARGUMENT, EMPTY_CONTENT, EMPTY_KIND, EMPTY_SOURCE, OUT_OF_RANGE, LENGTH_MISMATCH,
///         BUSY, OUT_OF_MEMORY; the message names the column and the row
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_append_columns(
    batch: *mut cupel_batch,
    columns: *const cupel_columns,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| columns::append(host, cupel_batch::change(host, batch)?, columns))
}

/// Appends the items of a JSON text: all of them, or none when the call fails.
///
/// An array of objects, one object, or JSON Lines. Fields: content, tokens (both required), kind, source, priority, tags, metadata,
/// timestamp (RFC 3339), futureRelevanceHint, pinned, originalTokens.
///
/// @return NULL_ARGUMENT, INVALID_UTF8, INVALID_JSON (the message gives path, line and column), OUT_OF_RANGE, BUSY, OUT_OF_MEMORY
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

/// How many rows a batch has.
///
/// @param batch The batch; NULL gives 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_len(batch: *const cupel_batch) -> usize {
    cupel_batch::peek(batch).map_or(0, Batch::len)
}

/// Makes an item with the fields of a row, for a custom scorer or a host that wants to show what it scored. The content is empty
/// for a row that came without; metadata may come in another order than it was set in.
///
/// @return NULL_ARGUMENT, OUT_OF_RANGE, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_item(
    batch: *const cupel_batch,
    row: usize,
    out_item: *mut *mut cupel_item,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let out_item = host.out(out_item, "out_item")?;
        let item = host.handle(batch)?.batch.item(row)?;
        out_item.write(cupel_item::hand_over(item).as_ptr());
        Ok(())
    })
}

/// Makes room for more rows, in the columns that are in use.
///
/// @param additional_rows How many rows are to come.
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

/// Gives back memory that is not in use: what is left over from growing, and what scoring keeps for the next time.
///
/// @return NULL_ARGUMENT, BUSY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_shrink(batch: *mut cupel_batch, out_error: *mut *mut cupel_error) -> cupel_status {
    call(out_error, |host| {
        cupel_batch::change(host, batch)?.shrink();
        Ok(())
    })
}

/// Removes rows, all at once, by a byte for each. The rows that remain keep their order and are numbered anew; scores are those
/// of a batch that has had these rows only. The memory of removed rows is used for later ones, and given back once more rows were
/// removed than remain. It takes time in proportion to the rows and no memory.
///
/// @param keep For each row 1 to keep it, 0 to remove it.
/// @param keep_len How many bytes there are: the number of rows.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (a byte that is neither), LENGTH_MISMATCH, BUSY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_retain(
    batch: *mut cupel_batch,
    keep: *const u8,
    keep_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let batch = cupel_batch::change(host, batch)?;
        batch.retain(host.slice(keep, keep_len, "keep")?)?;
        Ok(())
    })
}

/// Removes all rows but those of a list; otherwise like cupel_batch_retain().
///
/// @param rows The rows to keep, each greater than the one before.
/// @param rows_len How many there are.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (rows that do not ascend), OUT_OF_RANGE, BUSY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_retain_rows(
    batch: *mut cupel_batch,
    rows: *const u32,
    rows_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let batch = cupel_batch::change(host, batch)?;
        batch.retain_rows(host.slice(rows, rows_len, "rows")?)?;
        Ok(())
    })
}

/// Removes all rows but the last ones; otherwise like cupel_batch_retain().
///
/// @param rows How many rows to keep; with as many as there are, or more, nothing is removed.
/// @return NULL_ARGUMENT, BUSY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_keep_last(
    batch: *mut cupel_batch,
    rows: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        cupel_batch::change(host, batch)?.keep_last(rows);
        Ok(())
    })
}

/// Forgets the rows and keeps the memory.
///
/// @return NULL_ARGUMENT, BUSY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_clear(batch: *mut cupel_batch, out_error: *mut *mut cupel_error) -> cupel_status {
    call(out_error, |host| {
        cupel_batch::change(host, batch)?.clear();
        Ok(())
    })
}

/// Frees a batch.
///
/// @param batch A batch; NULL does nothing. It must not be freed twice. One that is being scored lives until that call
///     returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_batch_free(batch: *mut cupel_batch) {
    if !batch.is_null() {
        guard_value((), || release(batch, HOST));
    }
}
