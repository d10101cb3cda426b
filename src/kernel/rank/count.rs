//! Keys in a small range: how often each occurs says how many rows lie below it.

use core::hint::select_unpredictable;

use super::super::dispatch::multiversion;
use super::super::sort::Rows;
use super::{Key, score};

/// Tables that rows take turns to count in: a counter that is incremented again before the last
/// increment has reached memory has to wait for it, and with few values that is the common case.
const TURNS: usize = 4;

/// Counters in each of these tables: any `u8` is a valid index.
const VALUES: usize = 256;

/// Rows whose values are worked out at a time, in vector registers.
const BLOCK: usize = 512;

/// Keys whose greatest and least differ by less than this are counted by value.
pub(super) fn greatest_span(rows: usize) -> u64 {
    rows.max(VALUES) as u64
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
    if let (Ok(absent), Some(table)) = (u8::try_from(absent), scratch.first_chunk_mut()) {
        return rank_by_byte(rows.keys, rows.present, min, absent, peers, table, out);
    }
    let value = |key: K, present| select_unpredictable(present, key.into().wrapping_sub(min) as usize, absent);
    let table = &mut scratch[..=absent];
    table.fill(0);
    rows.each(|_, key, present| table[value(key, present)] += 1);
    counts_to_scores(&mut table[..absent], peers);
    table[absent] = ABSENT;
    rows.each(|row, key, present| out[row] = f64::from_bits(table[value(key, present)]));
}

multiversion! {
    /// Ranks keys from `min` up, of which so few are distinct that their values and `absent` fit a
    /// byte.
    fn rank_by_byte<K: Key>(
        keys: &[K],
        present: Option<&[u8]>,
        min: i64,
        absent: u8,
        peers: usize,
        table: &mut [u64; TURNS * VALUES],
        out: &mut [f64],
    ) {
        let (tables, _) = table.as_chunks_mut::<VALUES>();
        let [first, second, third, fourth] = tables else { unreachable!("as many as turns") };
        let distinct = usize::from(absent);
        for table in [&mut *first, &mut *second, &mut *third, &mut *fourth] {
            table[..=distinct].fill(0);
        }
        let mut values = [0; BLOCK];
        for block in 0..keys.len().div_ceil(BLOCK) {
            let values = block_of_values(keys, present, block, min, absent, &mut values);
            let (quads, rest) = values.as_chunks::<TURNS>();
            for &[a, b, c, d] in quads {
                first[usize::from(a)] += 1;
                second[usize::from(b)] += 1;
                third[usize::from(c)] += 1;
                fourth[usize::from(d)] += 1;
            }
            for &value in rest {
                first[usize::from(value)] += 1;
            }
        }
        for table in [second, third, fourth] {
            for (count, other) in first[..distinct].iter_mut().zip(table) {
                *count += *other;
            }
        }
        counts_to_scores(&mut first[..distinct], peers);
        first[distinct] = ABSENT;
        for (block, out) in out.chunks_mut(BLOCK).enumerate() {
            let values = block_of_values(keys, present, block, min, absent, &mut values);
            for (out, &value) in out.iter_mut().zip(values) {
                *out = f64::from_bits(first[usize::from(value)]);
            }
        }
    }
}

/// The values of a block of rows: the distance of the key from `min`, or `absent`.
#[inline(always)]
fn block_of_values<'a, K: Key>(
    keys: &[K],
    present: Option<&[u8]>,
    block: usize,
    min: i64,
    absent: u8,
    values: &'a mut [u8; BLOCK],
) -> &'a [u8] {
    let rows = block * BLOCK..keys.len().min((block + 1) * BLOCK);
    let values = &mut values[..rows.len()];
    for (value, &key) in values.iter_mut().zip(&keys[rows.clone()]) {
        *value = (key.into() as u8).wrapping_sub(min as u8);
    }
    if let Some(present) = present {
        for (value, &present) in values.iter_mut().zip(&present[rows]) {
            *value = select_unpredictable(present == 0, absent, *value);
        }
    }
    values
}

/// The score of a row that is absent, as a word of a table.
const ABSENT: u64 = 0.0_f64.to_bits();

/// Replaces the number of rows of each value, in the order of the values, by the bits of their
/// score.
#[inline(always)]
fn counts_to_scores(counts: &mut [u64], peers: usize) {
    let mut smaller = 0;
    for count in counts {
        let equal = *count as usize;
        *count = score(smaller, peers).to_bits();
        smaller += equal;
    }
}
