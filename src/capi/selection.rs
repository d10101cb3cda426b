//! `cupel_selection`: what was selected, and its memory.

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicU8, Ordering};

use crate::capi::boundary::{call, create, guard_value};
use crate::capi::error::{Refusal, cupel_error};
use crate::capi::ownership::{Handle, Host};
use crate::capi::sized_struct::SizedStruct;
use crate::capi::status::{CUPEL_STATUS_BUSY, cupel_status};
use crate::select::{Reason, Selection, Shortfall};

/// The rows to keep, in order, and a reason for every row of the batch. A new one is empty. It is selected into as often as the
/// host likes, and keeps its memory for the next time.
///
/// Threads: one at a time while selecting into it; otherwise any number may read it. Lifetime: it belongs to the caller of
/// cupel_selection_new(), who frees it once with cupel_selection_free(); it does not refer to the batch or the selector.
#[derive(Debug)]
pub struct cupel_selection {
    state: AtomicU8,
    selection: UnsafeCell<Selection>,
}

/// Nobody is selecting into it.
const IDLE: u8 = 0;
/// A call is selecting into it.
const SELECTING: u8 = 1;
/// A call is selecting into it, and frees it at its end.
const FREED: u8 = 2;

impl Handle for cupel_selection {
    const NAME: &'static str = "selection";
}

impl cupel_selection {
    /// Looks at the last result.
    pub(super) fn get(&self) -> Result<&Selection, Refusal> {
        if self.state.load(Ordering::Acquire) != IDLE {
            return Err(selecting());
        }
        // SAFETY: nobody is selecting into it, and by the header's contract nobody begins while it is being read.
        Ok(unsafe { &*self.selection.get() })
    }

    /// Begins to select into it. A custom scorer that is called meanwhile is refused the selection.
    pub(super) fn select_into(host: Host, selection: *mut Self) -> Result<Target, Refusal> {
        let state = &host.handle(selection.cast_const())?.state;
        match state.compare_exchange(IDLE, SELECTING, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok(Target(selection)),
            Err(_) => Err(selecting()),
        }
    }
}

#[cold]
fn selecting() -> Refusal {
    let complaint = "is being selected into: it cannot be used until that call returns";
    Refusal::of(CUPEL_STATUS_BUSY, cupel_selection::NAME, complaint)
}

/// A selection that a call selects into.
pub(super) struct Target(*mut cupel_selection);

impl Target {
    /// The selection.
    pub(super) fn selection(&mut self) -> &mut Selection {
        // SAFETY: the state is that of this call, so that nobody else looks at the selection or frees it.
        unsafe { &mut *(*self.0).selection.get() }
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // SAFETY: a selection that is being selected into is not freed by anybody else.
        let state = unsafe { &*self.0 }.state.swap(IDLE, Ordering::AcqRel);
        if state == FREED {
            // SAFETY: the host gave it up during the call.
            unsafe { cupel_selection::free(self.0) };
        }
    }
}

/// A count quota that could not be met.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cupel_shortfall {
    /// The position of the entry in the policy's `count_quotas`.
    pub entry: usize,
    /// How many units it requires.
    pub required: usize,
    /// How many candidates there were.
    pub found: usize,
}

// The arrays of a selection are lent to the host as they are.
const _: () = {
    assert!(size_of::<cupel_shortfall>() == size_of::<Shortfall>());
    assert!(std::mem::offset_of!(cupel_shortfall, entry) == std::mem::offset_of!(Shortfall, entry));
    assert!(std::mem::offset_of!(cupel_shortfall, required) == std::mem::offset_of!(Shortfall, required));
    assert!(std::mem::offset_of!(cupel_shortfall, found) == std::mem::offset_of!(Shortfall, found));
};

/// Why a row was kept or dropped. Numbers below 16 are of rows that were kept.
pub type cupel_reason = i32;

/// Kept: it took part and fitted.
pub const CUPEL_REASON_SCORED: cupel_reason = 1;
/// Kept: it is pinned.
pub const CUPEL_REASON_PINNED: cupel_reason = 2;
/// Kept: it is not pinned, and its unit has no tokens.
pub const CUPEL_REASON_ZERO_TOKENS: cupel_reason = 3;
/// Kept: its group has a pinned row.
pub const CUPEL_REASON_GROUP: cupel_reason = 4;
/// Dropped: there was no budget left for it.
pub const CUPEL_REASON_BUDGET: cupel_reason = 16;
/// Dropped: another row has the same content. The cause is the row that stayed.
pub const CUPEL_REASON_DUPLICATE: cupel_reason = 17;
/// Dropped: its tokens are negative.
pub const CUPEL_REASON_NEGATIVE_TOKENS: cupel_reason = 18;
/// Dropped: it would have fitted without pinned rows. The cause is the first of them.
pub const CUPEL_REASON_PINNED_OVERRIDE: cupel_reason = 19;
/// Dropped: as many units of its kind as its count quota allows were kept.
pub const CUPEL_REASON_COUNT_CAP: cupel_reason = 20;
/// Dropped: as many rows as the request allows were kept.
pub const CUPEL_REASON_ROW_LIMIT: cupel_reason = 21;

/// What a selection holds. Set `struct_size` to `sizeof(cupel_selection_view)`; cupel_selection_read() fills the rest. An
/// empty array may be NULL. The arrays are valid until the next call that selects into the selection, or until it is freed.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cupel_selection_view {
    /// `sizeof(cupel_selection_view)`. A smaller struct, of an older header, gets the fields that it has; the rest of a larger
    /// one, of a newer header, is set to zero.
    pub struct_size: usize,
    /// The rows that are kept, in order: those of one group after those of another, after cupel_selector_select_groups().
    pub rows: *const u32,
    /// How many there are.
    pub rows_len: usize,
    /// For each row of the batch its score: 1 in pinned units, 0 for negative tokens.
    pub scores: *const f64,
    /// For each row of the batch a cupel_reason, as a byte.
    pub reasons: *const u8,
    /// For each row of the batch the row that caused its reason; `UINT32_MAX` where none did.
    pub causes: *const u32,
    /// How many rows the batch had.
    pub batch_len: usize,
    /// The count quotas that could not be met.
    pub shortfalls: *const cupel_shortfall,
    /// How many there are.
    pub shortfalls_len: usize,
    /// The tokens of the rows that are kept. All sums of tokens are over all groups, and clamped to 64 bits.
    pub kept_tokens: i64,
    /// The tokens of pinned units.
    pub pinned_tokens: i64,
    /// The tokens of all rows, negative ones too.
    pub considered_tokens: i64,
    /// What the slicer had to fill: the target less what pinned rows and reserves take. When `stable`, the room of the window.
    pub effective_target: i64,
    /// What it left of that. Count quotas can make it negative.
    pub available_tokens: i64,
    /// By how much the rows exceeded the target, before any were dropped for that.
    pub overflow_tokens: i64,
    /// 1 when the rows of the previous selection were left as they were, else 0.
    pub stable: i64,
    /// Where the rows of each group begin in `rows`, and at the end where those of the last one end: group i has the rows from
    /// `offsets[i]` to before `offsets[i + 1]`. After cupel_selector_select() there is one group.
    pub offsets: *const i64,
    /// The same for `shortfalls`.
    pub shortfall_offsets: *const i64,
    /// The length of both: the number of groups and one more; 0 before anything was selected.
    pub offsets_len: usize,
}

// SAFETY: the size comes first, there is no padding, and any bits are a value.
unsafe impl SizedStruct for cupel_selection_view {
    const ARGUMENT: &'static str = "out_view";
    const RULE: &'static str = "it must be sizeof(cupel_selection_view)";
}

/// Makes a selection that is empty.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_selection_new(
    out_selection: *mut *mut cupel_selection,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_selection, "out_selection"), |_| {
        Ok(cupel_selection { state: AtomicU8::new(IDLE), selection: UnsafeCell::new(Selection::new()) })
    })
}

/// Reads a selection.
///
/// @param out_view   The view to fill. Its `struct_size` must be set.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (a struct_size that cannot be), BUSY (it is being selected into)
///
/// Threads: any number at once, while nobody selects into it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_selection_read(
    selection: *const cupel_selection,
    out_view: *mut cupel_selection_view,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    /// The address of an array, NULL for an empty one.
    fn address<T>(values: &[T]) -> *const T {
        if values.is_empty() { std::ptr::null() } else { values.as_ptr() }
    }
    call(out_error, |host| {
        let selection = host.handle(selection)?.get()?;
        let tokens = selection.tokens();
        let view = cupel_selection_view {
            struct_size: 0,
            rows: address(selection.rows()),
            rows_len: selection.rows().len(),
            scores: address(selection.scores()),
            reasons: address(selection.reason_numbers()),
            causes: address(selection.causes()),
            batch_len: selection.batch_len(),
            shortfalls: address(selection.shortfalls()).cast(),
            shortfalls_len: selection.shortfalls().len(),
            kept_tokens: tokens.kept,
            pinned_tokens: tokens.pinned,
            considered_tokens: tokens.considered,
            effective_target: tokens.effective_target,
            available_tokens: tokens.available,
            overflow_tokens: tokens.overflow,
            stable: selection.is_stable().into(),
            offsets: address(selection.offsets()),
            shortfall_offsets: address(selection.shortfall_offsets()),
            offsets_len: selection.offsets().len(),
        };
        host.fill(out_view, view)
    })
}

/// Frees a selection, and the arrays of its views.
///
/// @param selection  A selection; NULL does nothing. It must not be freed twice. One that is being selected into lives until that
///                   call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_selection_free(selection: *mut cupel_selection) {
    if selection.is_null() {
        return;
    }
    guard_value((), || {
        let state = &(*selection).state;
        if state.compare_exchange(SELECTING, FREED, Ordering::AcqRel, Ordering::Acquire).is_err() {
            cupel_selection::free(selection);
        }
    });
}

/// The name of a reason, such as `"CUPEL_REASON_SCORED"`.
///
/// @param reason  Any number; one that is not a reason has the name `"CUPEL_REASON_UNKNOWN"`.
/// @return        A NUL-terminated text that lives for ever. Never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn cupel_reason_name(reason: cupel_reason) -> *const c_char {
    name(reason).as_ptr()
}

fn name(reason: cupel_reason) -> &'static CStr {
    match u8::try_from(reason).ok().and_then(Reason::from_number) {
        None => c"CUPEL_REASON_UNKNOWN",
        Some(Reason::Scored) => c"CUPEL_REASON_SCORED",
        Some(Reason::Pinned) => c"CUPEL_REASON_PINNED",
        Some(Reason::ZeroTokens) => c"CUPEL_REASON_ZERO_TOKENS",
        Some(Reason::Group) => c"CUPEL_REASON_GROUP",
        Some(Reason::Budget) => c"CUPEL_REASON_BUDGET",
        Some(Reason::Duplicate) => c"CUPEL_REASON_DUPLICATE",
        Some(Reason::NegativeTokens) => c"CUPEL_REASON_NEGATIVE_TOKENS",
        Some(Reason::PinnedOverride) => c"CUPEL_REASON_PINNED_OVERRIDE",
        Some(Reason::CountCap) => c"CUPEL_REASON_COUNT_CAP",
        Some(Reason::RowLimit) => c"CUPEL_REASON_ROW_LIMIT",
    }
}
