//! Units sorted by a key.

use std::cmp::Ordering;

/// A unit with the key it is sorted by.
pub type Entry = (u64, u32);

/// Sorts by key, greatest first, and entries with equal keys by `tie`.
pub fn sort_descending(entries: &mut [Entry], tie: impl Fn(u32, u32) -> Ordering) {
    entries.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| tie(a.1, b.1)));
}

/// Sorts by key, least first, and entries with equal keys by `tie`.
pub fn sort_ascending(entries: &mut [Entry], tie: impl Fn(u32, u32) -> Ordering) {
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| tie(a.1, b.1)));
}
