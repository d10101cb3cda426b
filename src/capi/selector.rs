//! `cupel_selector`: a policy that chooses the rows to keep under a token budget.

use std::ffi::c_char;

use crate::capi::batch::{Hold, cupel_batch};
use crate::capi::boundary::{call, create, free};
use crate::capi::clock::cupel_clock;
use crate::capi::error::{Argument, Refusal, cupel_error};
use crate::capi::ownership::{Handle, Host, choice};
use crate::capi::scorer::{cupel_scorer, group_offsets};
use crate::capi::selection::cupel_selection;
use crate::capi::sized_struct::SizedStruct;
use crate::capi::status::cupel_status;
use crate::capi::text::cupel_text;
use crate::json;
use crate::scorer::Clock;
use crate::select::{CountQuota, Overflow, Placer, Policy, Previous, Quota, Request, Scarcity, Selector, Slicer};

/// A policy: which rows of a batch are kept under a budget, and in which order.
#[derive(Debug)]
pub struct cupel_selector(Selector);

impl Handle for cupel_selector {
    const NAME: &'static str = "selector";
}

/// The share of the target that goes to a kind.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cupel_quota {
    /// The kind, UTF-8, not NUL-terminated; not blank. Kinds are equal under ASCII case folding.
    pub kind: *const c_char,
    /// Its length in bytes.
    pub kind_len: usize,
    /// The least share, in percent: from 0 to `max_percent`. The least shares of all quotas add up to 100 at most.
    pub min_percent: f64,
    /// The greatest share, in percent: at most 100.
    pub max_percent: f64,
}

/// How many units of a kind are kept.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cupel_count_quota {
    /// The kind, UTF-8, not NUL-terminated; not blank. Kinds are equal under ASCII case folding.
    pub kind: *const c_char,
    /// Its length in bytes.
    pub kind_len: usize,
    /// At least this many are kept, whatever they cost.
    pub min_count: usize,
    /// At most this many are kept; `SIZE_MAX` is no limit.
    pub max_count: usize,
}

/// How candidates are chosen.
pub type cupel_slicer = i32;

/// By value per token, best first; what does not fit is skipped.
pub const CUPEL_SLICER_GREEDY: cupel_slicer = 0;
/// The set with the greatest total value that fits, in buckets of tokens.
pub const CUPEL_SLICER_KNAPSACK: cupel_slicer = 1;
/// By score, best first; what does not fit is skipped.
pub const CUPEL_SLICER_RANKED: cupel_slicer = 2;
/// By score, best first, up to the first that does not fit.
pub const CUPEL_SLICER_PREFIX: cupel_slicer = 3;

/// The order of the rows that are kept.
pub type cupel_placer = i32;

/// By timestamp, oldest first; rows without one come last.
pub const CUPEL_PLACER_CHRONOLOGICAL: cupel_placer = 0;
/// The best at both ends, the worst in the middle.
pub const CUPEL_PLACER_U_SHAPED: cupel_placer = 1;
/// By score, best first.
pub const CUPEL_PLACER_RANKED: cupel_placer = 2;
/// As in the batch.
pub const CUPEL_PLACER_BATCH_ORDER: cupel_placer = 3;

/// What happens when the rows that are kept exceed the target.
pub type cupel_overflow = i32;

/// The call fails.
pub const CUPEL_OVERFLOW_FAIL: cupel_overflow = 0;
/// Rows that are not pinned are dropped, worst first, until the rest fits.
pub const CUPEL_OVERFLOW_TRUNCATE: cupel_overflow = 1;
/// All stay, up to the window less the output reserve.
pub const CUPEL_OVERFLOW_PROCEED: cupel_overflow = 2;

/// What happens when there are fewer candidates of a kind than a count quota requires.
pub type cupel_scarcity = i32;

/// The selection records a shortfall.
pub const CUPEL_SCARCITY_DEGRADE: cupel_scarcity = 0;
/// The call fails.
pub const CUPEL_SCARCITY_FAIL: cupel_scarcity = 1;

/// How to select. Set all of it to zero, then `struct_size` to `sizeof(cupel_policy)`: that is the default policy, greedy and
/// chronological.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cupel_policy {
    /// `sizeof(cupel_policy)`. A smaller struct, of an older header, is read as far as it goes; a larger one must be zero beyond
    /// what this library knows.
    pub struct_size: usize,
    /// Gives the scores; the selector keeps a share of it. NULL: every request brings scores.
    pub scorer: *const cupel_scorer,
    /// Shares of the target by kind, each kind once.
    pub quotas: *const cupel_quota,
    /// How many there are.
    pub quotas_len: usize,
    /// Counts by kind, each kind once.
    pub count_quotas: *const cupel_count_quota,
    /// How many there are.
    pub count_quotas_len: usize,
    /// The metadata key whose text makes rows a group, which is kept or dropped as one. NULL: there are no groups.
    pub group_key: *const c_char,
    /// Its length in bytes.
    pub group_key_len: usize,
    /// The metadata key whose text is compared to find duplicates; rows without it are not compared. NULL: contents are
    /// compared.
    pub duplicate_key: *const c_char,
    /// Its length in bytes.
    pub duplicate_key_len: usize,
    /// The tokens of a knapsack bucket; 0 is 100.
    pub bucket_size: i64,
    /// A cupel_slicer.
    pub slicer: cupel_slicer,
    /// A cupel_placer.
    pub placer: cupel_placer,
    /// A cupel_overflow.
    pub overflow: cupel_overflow,
    /// A cupel_scarcity.
    pub scarcity: cupel_scarcity,
    /// 1 to keep rows with equal contents side by side, else 0.
    pub keep_duplicates: i32,
    /// 1 to put pinned rows before all others, whatever the placer, else 0.
    pub pinned_first: i32,
}

// SAFETY: the size comes first, there is no padding, and any bits are a value: addresses are not followed before they are checked.
unsafe impl SizedStruct for cupel_policy {
    const ARGUMENT: &'static str = "policy";
    const RULE: &'static str = "it must be sizeof(cupel_policy)";
}

/// The budget of a call, in tokens, and what else may differ from call to call. Set all of it to zero, then `struct_size` to
/// `sizeof(cupel_request)`, and `max_tokens`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cupel_request {
    /// `sizeof(cupel_request)`; see cupel_policy.
    pub struct_size: usize,
    /// The window of the model: 0 or more.
    pub max_tokens: i64,
    /// How much to fill: at most `max_tokens`; 0 is `max_tokens` less `output_reserve`.
    pub target_tokens: i64,
    /// What the window keeps free for the output: at most `max_tokens`.
    pub output_reserve: i64,
    /// What the host will add itself: 0 or more. It is taken off the room of rows that are not pinned.
    pub reserved_tokens: i64,
    /// What is taken off that room for errors in counting, in percent: from 0 to 100.
    pub safety_margin_percent: f64,
    /// How many rows may be kept; 0 is no limit. Only with greedy, ranked and prefix, without quotas.
    pub max_rows: usize,
    /// A score for each row, instead of the scorer's. They may be the scores of any selection. NULL: the selector's scorer
    /// gives them.
    pub scores: *const f64,
    /// How many there are: the length of the batch.
    pub scores_len: usize,
    /// An earlier selection over the same batch, to which rows were only appended since: its rows stay in front, as they are,
    /// while `max_tokens` holds them and the new rows. It may be the selection that is selected into, and must not be of groups.
    /// NULL: there is none.
    pub previous: *const cupel_selection,
}

// SAFETY: the size comes first, there is no padding, and any bits are a value: addresses are not followed before they are checked.
unsafe impl SizedStruct for cupel_request {
    const ARGUMENT: &'static str = "request";
    const RULE: &'static str = "it must be sizeof(cupel_request)";
}

/// Reads a metadata key that may be absent.
fn key<'a>(host: Host, key: *const c_char, len: usize, argument: &'static str) -> Result<Option<&'a str>, Refusal> {
    if key.is_null() { Ok(None) } else { host.text(key, len, argument).map(Some) }
}

/// Makes a selector.
///
/// @param policy        The policy. What it points at is copied, and a share of the scorer is kept.
/// @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_KIND, INVALID_ARGUMENT (a percentage, a count or a bucket size that breaks its rule,
///         a kind that has two quotas), OUT_OF_RANGE (an unknown slicer, placer, overflow or scarcity, a flag that is neither 0 nor
///         1, a length that cannot be), OUT_OF_MEMORY; the message names the field and the entry
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_selector_new(
    policy: *const cupel_policy,
    out_selector: *mut *mut cupel_selector,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_selector, "out_selector"), |host| {
        let policy = host.sized_struct(policy)?;
        let kind = |list, index, kind, len| host.text(kind, len, Argument::field(list, Some(index), "kind"));
        let quotas = host.list(policy.quotas, policy.quotas_len, "quotas", |index, entry| {
            let kind = kind("quotas", index, entry.kind, entry.kind_len)?;
            Ok(Quota { kind, min_percent: entry.min_percent, max_percent: entry.max_percent })
        })?;
        let count_quotas =
            host.list(policy.count_quotas, policy.count_quotas_len, "count_quotas", |index, entry| {
                let kind = kind("count_quotas", index, entry.kind, entry.kind_len)?;
                Ok(CountQuota { kind, min_count: entry.min_count, max_count: entry.max_count })
            })?;
        let flag = |argument, number| choice(argument, number, &[false, true], "it must be 0 or 1");
        Ok(cupel_selector(Selector::new(Policy {
            scorer: host.optional(policy.scorer).map(|scorer| scorer.scorer().clone()),
            slicer: choice(
                "slicer",
                policy.slicer,
                &[Slicer::Greedy, Slicer::Knapsack, Slicer::Ranked, Slicer::Prefix],
                "it must be CUPEL_SLICER_GREEDY, _KNAPSACK, _RANKED or _PREFIX",
            )?,
            placer: choice(
                "placer",
                policy.placer,
                &[Placer::Chronological, Placer::UShaped, Placer::Ranked, Placer::BatchOrder],
                "it must be CUPEL_PLACER_CHRONOLOGICAL, _U_SHAPED, _RANKED or _BATCH_ORDER",
            )?,
            overflow: choice(
                "overflow",
                policy.overflow,
                &[Overflow::Fail, Overflow::Truncate, Overflow::Proceed],
                "it must be CUPEL_OVERFLOW_FAIL, _TRUNCATE or _PROCEED",
            )?,
            keep_duplicates: flag("keep_duplicates", policy.keep_duplicates)?,
            bucket_size: if policy.bucket_size == 0 { Policy::DEFAULT_BUCKET_SIZE } else { policy.bucket_size },
            quotas: &quotas,
            count_quotas: &count_quotas,
            scarcity: choice(
                "scarcity",
                policy.scarcity,
                &[Scarcity::Degrade, Scarcity::Fail],
                "it must be CUPEL_SCARCITY_DEGRADE or _FAIL",
            )?,
            group_key: key(host, policy.group_key, policy.group_key_len, "group_key")?,
            duplicate_key: key(host, policy.duplicate_key, policy.duplicate_key_len, "duplicate_key")?,
            pinned_first: flag("pinned_first", policy.pinned_first)?,
        })?))
    })
}

/// Makes a selector, with the scorers below it, from a JSON text: a policy of the managed library, or one with fields of this
/// library's own. `docs/json.md` lists the fields.
///
/// @param clock         The source of the present instant for decay; NULL is the system's clock.
/// @return NULL_ARGUMENT, INVALID_UTF8, INVALID_JSON (the message gives path, line and column), OUT_OF_RANGE, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_selector_from_json(
    json: *const c_char,
    json_len: usize,
    clock: *const cupel_clock,
    out_selector: *mut *mut cupel_selector,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_selector, "out_selector"), |host| {
        let json = host.text(json, json_len, "json")?;
        let clock = host.optional(clock).map_or(Clock::system(), |clock| clock.clock().clone());
        Ok(cupel_selector(json::read_selector(json, &clock)?))
    })
}

/// Writes a selector as the JSON that cupel_selector_from_json() reads: its scorer, and what is not the default. Clocks are not
/// written.
///
/// @param selector  The selector; one whose scorer is or contains a custom scorer is refused.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_selector_to_json(
    selector: *const cupel_selector,
    out_text: *mut *mut cupel_text,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_text, "out_text"), |host| {
        Ok(cupel_text::new(json::write_selector(&host.handle(selector)?.0)?)?)
    })
}

/// Chooses the rows of a batch to keep.
///
/// A host makes a selector once, and selects for each prompt:
///
///   cupel_policy policy = {sizeof policy, recency};
///   cupel_request request = {sizeof request, 8000, 6000};
///   cupel_selection_view kept = {sizeof kept};
///   if (cupel_selector_new(&policy, &selector, &error) == CUPEL_STATUS_OK &&
///       cupel_selection_new(&selection, &error) == CUPEL_STATUS_OK &&
///       cupel_selector_select(selector, batch, &request, selection, &error) == CUPEL_STATUS_OK &&
///       cupel_selection_read(selection, &kept, &error) == CUPEL_STATUS_OK) {
///       for (size_t i = 0; i < kept.rows_len; i++) { printf("keep row %u\n", kept.rows[i]); }
///       for (size_t i = 0; i < kept.batch_len; i++) { printf("row %zu: %s\n", i, cupel_reason_name(kept.reasons[i])); }
///   }
///
/// @param request    The budget.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (a field of the request that breaks its rule; no scorer and no scores), LENGTH_MISMATCH
///         (scores, or a previous selection over more rows), OVER_BUDGET, CALLBACK_FAILED, SHORTFALL, TOO_LARGE, BUSY (a selection
///         that is being selected into), OUT_OF_MEMORY
///
/// Threads: any number at once, each with a selection of its own, while nobody changes the batch. Selecting into a selection
/// again allocates nothing while the batch does not grow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_selector_select(
    selector: *const cupel_selector,
    batch: *const cupel_batch,
    request: *const cupel_request,
    selection: *mut cupel_selection,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| select(host, (selector, batch), None, request, selection))
}

/// Chooses the rows to keep of each group of a batch, in one call: each group gets the selection that it would have in a batch of its
/// own, with `request` as the budget of each. Rows are scored, compared, and kept or dropped among the rows of their group. A clock is
/// read once.
///
/// Groups are those of cupel_scorer_score_groups(), such as conversations. The units that a `group_key` makes are inside a group: a
/// unit never has rows of two.
///
/// The selection has the rows of one group after those of another, with the row numbers of the batch; `offsets` of its view tells them
/// apart. Scores, reasons and causes are for each row of the batch. Sums of tokens are over all groups: `effective_target` is what
/// the slicer had to fill in all of them together.
///
/// A custom scorer is refused, and so is one that combines custom scorers, unless the request brings scores: a callback has no view of
/// a part of a batch.
///
/// @param batch       The rows, those of a group next to each other.
/// @param request     The budget of each group. It must have no previous selection. Its scores are for all rows of the batch.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (offsets that are not as above, a field of the request that breaks its rule, a previous
///         selection, no scorer and no scores, a custom scorer), LENGTH_MISMATCH (scores), OVER_BUDGET, CALLBACK_FAILED (a clock),
///         SHORTFALL, TOO_LARGE, BUSY (a selection that is being selected into), OUT_OF_RANGE (a length that cannot be),
///         OUT_OF_MEMORY; where a group is at fault the message names it and its rows
///
/// Threads: any number at once, each with a selection of its own, while nobody changes the batch. Selecting into a selection
/// again allocates nothing while neither the batch nor its largest group grows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_selector_select_groups(
    selector: *const cupel_selector,
    batch: *const cupel_batch,
    groups: *const i64,
    groups_len: usize,
    request: *const cupel_request,
    selection: *mut cupel_selection,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let groups = group_offsets(host, groups, groups_len)?;
        select(host, (selector, batch), Some(groups), request, selection)
    })
}

/// Selects a whole batch, or each of its groups.
fn select(
    host: Host,
    (selector, batch): (*const cupel_selector, *const cupel_batch),
    groups: Option<&[i64]>,
    request: *const cupel_request,
    selection: *mut cupel_selection,
) -> Result<(), Refusal> {
    // A share of its own: a custom scorer may free the handle during the call.
    let selector = host.handle(selector)?.0.clone();
    let (_hold, batch) = Hold::new(host, batch)?;
    let request = host.sized_struct(request)?;
    let own = std::ptr::eq(request.previous, selection);
    let mut target = cupel_selection::select_into(host, selection)?;
    let previous = match host.optional(request.previous) {
        None => Previous::None,
        Some(_) if own => Previous::Own,
        Some(previous) => Previous::Selection(previous.get()?),
    };
    let scores =
        if request.scores.is_null() { None } else { Some(host.slice(request.scores, request.scores_len, "scores")?) };
    let request = Request {
        max_tokens: request.max_tokens,
        target_tokens: request.target_tokens,
        output_reserve: request.output_reserve,
        reserved_tokens: request.reserved_tokens,
        safety_margin_percent: request.safety_margin_percent,
        max_rows: request.max_rows,
        scores,
        previous,
    };
    match groups {
        None => selector.select(batch, &request, target.selection())?,
        Some(groups) => selector.select_groups(batch, groups, &request, target.selection())?,
    }
    Ok(())
}

/// Writes for each row the least effective target from which on the row is always kept: 0 for rows of pinned units, -1 for rows
/// that took no part (duplicates, negative tokens). A limit of rows is left out of account.
///
/// @param selector        The selector: greedy, ranked or prefix, without quotas.
/// @param batch           The rows.
/// @param selection       What the selector made of the batch; its scores count.
/// @param out_tokens      Where to put the targets, one a row.
/// @param out_tokens_len  How many there are: the length of the batch.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (knapsack or quotas, a selection of groups), LENGTH_MISMATCH, BUSY, OUT_OF_MEMORY
///
/// Threads: any number at once, while nobody changes the batch or selects into the selection.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_selector_needed(
    selector: *const cupel_selector,
    batch: *const cupel_batch,
    selection: *const cupel_selection,
    out_tokens: *mut i64,
    out_tokens_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let selector = host.handle(selector)?.0.clone();
        let (_hold, batch) = Hold::new(host, batch)?;
        let selection = host.handle(selection)?.get()?;
        let out = host.slice_mut(out_tokens, out_tokens_len, "out_tokens")?;
        selector.needed(batch, selection, out)?;
        Ok(())
    })
}

/// Frees a selector.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_selector_free(selector: *mut cupel_selector) {
    free(selector);
}
