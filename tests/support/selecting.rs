//! Selectors and selections over the exported C functions.

use std::{fmt, ptr};

use cupel::capi as c;

use super::{Batch, Result, Scorer, check, create};

handle!(
    /// An immutable policy.
    Selector, cupel_selector, cupel_selector_free
);
handle!(
    /// A result and its memory.
    Selection, cupel_selection, cupel_selection_free
);

/// A policy in Rust's types; the default is the library's.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Kind, min and max percent.
    pub quotas: Vec<(String, f64, f64)>,
    /// Kind, min and max count.
    pub count_quotas: Vec<(String, usize, usize)>,
    pub group_key: Option<String>,
    pub duplicate_key: Option<String>,
    pub bucket_size: i64,
    pub slicer: i32,
    pub placer: i32,
    pub overflow: i32,
    pub scarcity: i32,
    pub keep_duplicates: i32,
    pub pinned_first: i32,
}

fn key(text: &Option<String>) -> (*const std::ffi::c_char, usize) {
    text.as_ref().map_or((ptr::null(), 0), |text| (text.as_ptr().cast(), text.len()))
}

impl Selector {
    pub fn new(policy: &Policy, scorer: Option<&Scorer>) -> Result<Self> {
        let quotas: Vec<c::cupel_quota> = policy
            .quotas
            .iter()
            .map(|(kind, min, max)| c::cupel_quota {
                kind: kind.as_ptr().cast(),
                kind_len: kind.len(),
                min_percent: *min,
                max_percent: *max,
            })
            .collect();
        let count_quotas: Vec<c::cupel_count_quota> = policy
            .count_quotas
            .iter()
            .map(|(kind, min, max)| c::cupel_count_quota {
                kind: kind.as_ptr().cast(),
                kind_len: kind.len(),
                min_count: *min,
                max_count: *max,
            })
            .collect();
        let raw = c::cupel_policy {
            struct_size: size_of::<c::cupel_policy>(),
            scorer: scorer.map_or(ptr::null(), Scorer::as_ptr),
            quotas: quotas.as_ptr(),
            quotas_len: quotas.len(),
            count_quotas: count_quotas.as_ptr(),
            count_quotas_len: count_quotas.len(),
            group_key: key(&policy.group_key).0,
            group_key_len: key(&policy.group_key).1,
            duplicate_key: key(&policy.duplicate_key).0,
            duplicate_key_len: key(&policy.duplicate_key).1,
            bucket_size: policy.bucket_size,
            slicer: policy.slicer,
            placer: policy.placer,
            overflow: policy.overflow,
            scarcity: policy.scarcity,
            keep_duplicates: policy.keep_duplicates,
            pinned_first: policy.pinned_first,
        };
        Self::of_raw(&raw)
    }

    pub fn of_raw(policy: &c::cupel_policy) -> Result<Self> {
        create(|out, error| unsafe { c::cupel_selector_new(policy, out, error) }).map(Self)
    }

    pub fn select(&self, batch: &Batch, request: &c::cupel_request, selection: &mut Selection) -> Result<()> {
        check(|error| unsafe {
            c::cupel_selector_select(self.as_ptr(), batch.as_ptr(), request, selection.as_mut_ptr(), error)
        })
    }

    pub fn select_groups(
        &self,
        batch: &Batch,
        groups: &[i64],
        request: &c::cupel_request,
        selection: &mut Selection,
    ) -> Result<()> {
        let (offsets, groups_len) = (groups.as_ptr(), groups.len() - 1);
        check(|error| unsafe {
            let (selector, into) = (self.as_ptr(), selection.as_mut_ptr());
            c::cupel_selector_select_groups(selector, batch.as_ptr(), offsets, groups_len, request, into, error)
        })
    }

    pub fn needed(&self, batch: &Batch, selection: &Selection) -> Result<Vec<i64>> {
        let mut tokens = vec![i64::MIN; batch.len()];
        check(|error| unsafe {
            let (out, len) = (tokens.as_mut_ptr(), tokens.len());
            c::cupel_selector_needed(self.as_ptr(), batch.as_ptr(), selection.as_ptr(), out, len, error)
        })?;
        Ok(tokens)
    }
}

/// A request for a window and a target.
pub fn request(max_tokens: i64, target_tokens: i64) -> c::cupel_request {
    c::cupel_request {
        struct_size: size_of::<c::cupel_request>(),
        max_tokens,
        target_tokens,
        output_reserve: 0,
        reserved_tokens: 0,
        safety_margin_percent: 0.0,
        max_rows: 0,
        scores: ptr::null(),
        scores_len: 0,
        previous: ptr::null(),
    }
}

/// What a selection holds.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    pub rows: Vec<u32>,
    pub scores: Vec<f64>,
    pub reasons: Vec<u8>,
    pub causes: Vec<u32>,
    pub shortfalls: Vec<(usize, usize, usize)>,
    pub offsets: Vec<i64>,
    pub shortfall_offsets: Vec<i64>,
    pub kept_tokens: i64,
    pub pinned_tokens: i64,
    pub considered_tokens: i64,
    pub effective_target: i64,
    pub available_tokens: i64,
    pub overflow_tokens: i64,
    pub stable: bool,
}

/// An array that a view lends; NULL when it is empty.
fn array<T: Copy>(data: *const T, len: usize) -> Vec<T> {
    if len == 0 { Vec::new() } else { unsafe { std::slice::from_raw_parts(data, len) }.to_vec() }
}

impl Selection {
    pub fn new() -> Result<Self> {
        create(|out, error| unsafe { c::cupel_selection_new(out, error) }).map(Self)
    }

    pub fn view(&self) -> c::cupel_selection_view {
        let mut view: c::cupel_selection_view = unsafe { std::mem::zeroed() };
        view.struct_size = size_of::<c::cupel_selection_view>();
        check(|error| unsafe { c::cupel_selection_read(self.as_ptr(), &mut view, error) }).expect("it can be read");
        view
    }

    pub fn read(&self) -> View {
        let view = self.view();
        let shortfalls = array(view.shortfalls, view.shortfalls_len);
        View {
            rows: array(view.rows, view.rows_len),
            scores: array(view.scores, view.batch_len),
            reasons: array(view.reasons, view.batch_len),
            causes: array(view.causes, view.batch_len),
            shortfalls: shortfalls.iter().map(|short| (short.entry, short.required, short.found)).collect(),
            offsets: array(view.offsets, view.offsets_len),
            shortfall_offsets: array(view.shortfall_offsets, view.offsets_len),
            kept_tokens: view.kept_tokens,
            pinned_tokens: view.pinned_tokens,
            considered_tokens: view.considered_tokens,
            effective_target: view.effective_target,
            available_tokens: view.available_tokens,
            overflow_tokens: view.overflow_tokens,
            stable: view.stable == 1,
        }
    }
}

/// The name of a reason without its prefix.
pub fn reason_name(reason: u8) -> String {
    let name = unsafe { std::ffi::CStr::from_ptr(c::cupel_reason_name(reason.into())) };
    let name = name.to_str().expect("names are UTF-8");
    name.strip_prefix("CUPEL_REASON_").expect("a reason's name").to_owned()
}
