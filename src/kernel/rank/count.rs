//! Few distinct keys: how often each occurs says how many rows lie below it.

use super::{Key, Rows, TABLE, score};

/// Tables that rows take turns to count in: a counter that is incremented again before the last
/// increment has reached memory has to wait for it, and with few values that is the common case.
const TURNS: usize = 4;

/// With at least so many rows it pays to try whether the distinct keys are few.
pub(super) const FEW_DISTINCT_FROM: usize = 2048;

/// So many distinct keys are few.
const FEW_DISTINCT: usize = 256;

/// Slots of the hash table, a power of two.
const SLOTS: usize = 1024;

/// Keys whose greatest and least differ by less than this are counted by value.
pub(super) fn greatest_span(rows: usize) -> u64 {
    rows.max(TABLE / TURNS - 2) as u64
}

/// Ranks keys from `min` to `min + span`.
pub(super) fn rank_by_value<K: Key>(
    rows: Rows<K>,
    min: i64,
    span: usize,
    peers: usize,
    scratch: &mut [u64],
    out: &mut [f64],
) {
    // One value more stands for the rows that are absent.
    let absent = span + 1;
    let values = span + 2;
    let turns = if values * TURNS <= TABLE { TURNS } else { 1 };
    let counts = &mut scratch[..values * turns];
    counts.fill(0);
    let value = |row: usize, key: K| {
        let value = key.into().wrapping_sub(min) as u64 as usize;
        match rows.present {
            Some(present) if present[row] == 0 => absent,
            _ => value,
        }
    };
    for (row, &key) in rows.keys.iter().enumerate() {
        counts[row % turns * values + value(row, key)] += 1;
    }
    let (scores, others) = counts.split_at_mut(values);
    for others in others.chunks_exact(values) {
        for (count, other) in scores.iter_mut().zip(others) {
            *count += other;
        }
    }
    let mut smaller = 0;
    for count in &mut scores[..absent] {
        let equal = *count as usize;
        *count = score(smaller, peers).to_bits();
        smaller += equal;
    }
    scores[absent] = 0.0_f64.to_bits();
    for ((row, &key), out) in rows.keys.iter().enumerate().zip(out) {
        *out = f64::from_bits(scores[value(row, key)]);
    }
}

/// Ranks keys of which few are distinct. With more, gives up: returns `false`, and `out` is as it
/// was.
pub(super) fn rank_by_hash<K: Key>(
    rows: Rows<K>,
    peers: usize,
    scratch: &mut [u64],
    out: &mut [f64],
) -> bool {
    let (table, slots) = scratch.split_at_mut(TABLE);
    let (keys, table) = table.split_at_mut(SLOTS);
    let (counts, table) = table.split_at_mut(SLOTS + 1);
    let order = &mut table[..FEW_DISTINCT];
    counts.fill(0);
    let mut distinct = 0;
    for (row, &key) in rows.keys.iter().enumerate() {
        if rows.present.is_some_and(|present| present[row] == 0) {
            slots[row] = SLOTS as u64;
            continue;
        }
        let key = key.into() as u64;
        let mut slot =
            (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOTS.trailing_zeros())) as usize;
        while counts[slot] != 0 && keys[slot] != key {
            slot = (slot + 1) % SLOTS;
        }
        if counts[slot] == 0 {
            if distinct == FEW_DISTINCT {
                return false;
            }
            keys[slot] = key;
            order[distinct] = slot as u64;
            distinct += 1;
        }
        counts[slot] += 1;
        slots[row] = slot as u64;
    }
    let order = &mut order[..distinct];
    order.sort_unstable_by_key(|&slot| keys[slot as usize] as i64);
    let mut smaller = 0;
    for &slot in &*order {
        let count = &mut counts[slot as usize];
        let equal = *count as usize;
        *count = score(smaller, peers).to_bits();
        smaller += equal;
    }
    counts[SLOTS] = 0.0_f64.to_bits();
    for (out, &slot) in out.iter_mut().zip(&*slots) {
        *out = f64::from_bits(counts[slot as usize]);
    }
    true
}
