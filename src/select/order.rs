//! Units sorted by a key.

use std::cmp::Ordering;

/// A unit with the key it is sorted by.
pub type Entry = (u64, u32);

/// The order of units with equal keys. Ties are rare, and a sort for each kind of tie would add 20 kB to the library.
pub type Tie<'a> = &'a dyn Fn(u32, u32) -> Ordering;

/// Sorts by key, greatest first, and entries with equal keys by `tie`.
pub fn sort_descending(entries: &mut [Entry], tie: Tie<'_>) {
    entries.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| tie(a.1, b.1)));
}

/// Sorts by key, least first, and entries with equal keys by `tie`.
pub fn sort_ascending(entries: &mut [Entry], tie: Tie<'_>) {
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| tie(a.1, b.1)));
}
