//! Keys in a small range: a table of how many rows have each key.

use core::hint::select_unpredictable;

use super::super::sort::Rows;
use super::{Key, score};

/// The score of an absent row, as the bits that the table holds.
const ABSENT: u64 = 0.0_f64.to_bits();

/// Keys are counted when the greatest and the least differ by less than this.
pub(super) fn span_limit(rows: usize) -> u64 {
    rows.max(256) as u64
}

/// Ranks keys from `min` to `min + span`. `scratch` has a word for each of them and one more.
pub(super) fn rank<K: Key>(rows: Rows<K>, min: i64, span: usize, peers: usize, scratch: &mut [u64], out: &mut [f64]) {
    // Absent rows have the last slot, so that neither loop branches on them.
    let absent = span + 1;
    let slot = |key: K, present| select_unpredictable(present, key.into().wrapping_sub(min) as usize, absent);
    let table = &mut scratch[..=absent];
    table.fill(0);
    rows.each(|_, key, present| table[slot(key, present)] += 1);
    let mut smaller = 0;
    for count in &mut table[..absent] {
        let equal = *count as usize;
        *count = score(smaller, peers).to_bits();
        smaller += equal;
    }
    table[absent] = ABSENT;
    rows.each(|row, key, present| out[row] = f64::from_bits(table[slot(key, present)]));
}
