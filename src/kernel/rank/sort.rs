//! Any keys: a sort of words that hold the key's leading bits and the row.
//!
//! A word holds the number of the row in its low bits and as many leading bits of `key - min` as
//! fit above. Sorting words moves 8 bytes per row, and needs no second look at the keys but for
//! those that agree in all of the leading bits. Of random keys, about log2(rows) leading bits tell
//! most apart; with four bits more, one pair of neighbours in sixteen agrees. So a radix sort on
//! these few bits leaves words nearly sorted, and short runs are put right afterwards. Where the
//! keys are not like random ones, that is noticed by the size of the buckets, and the standard sort
//! takes over.

use core::hint::select_unpredictable;

use super::{Key, Rows, TABLE, score};

/// Leading bits sorted by, beyond the logarithm of the number of rows.
const SPARE_BITS: u32 = 4;

/// From so many rows on, words are first scattered into buckets that fit the cache, each of which
/// is then sorted.
pub(super) const SCATTER_FROM: usize = 150_000;

/// Logarithm of the number of these buckets.
const SCATTER_BITS: u32 = 8;

/// Bits of the largest digit: two tables of counters fit the scratch.
const DIGIT_BITS: u32 = (TABLE / 2).ilog2();

/// Fewer words than this are left to the standard sort.
const RADIX_FROM: usize = 64;

/// Ranks rows whose keys lie between `min` and `min + span`; `span` is not 0.
pub(super) fn rank<K: Key>(rows: Rows<K>, min: i64, span: u64, peers: usize, scratch: &mut [u64], out: &mut [f64]) {
    let index_bits = rows.keys.len().ilog2() + 1;
    let key_bits = span.ilog2() + 1;
    let dropped = key_bits.saturating_sub(u64::BITS - index_bits);
    let packing = Packing { min, dropped, index_bits };
    let top = key_bits - dropped + index_bits;
    let sorted_bits = |words: usize| (words.ilog2() + 1 + SPARE_BITS).min(2 * DIGIT_BITS);

    let (table, scratch) = scratch.split_at_mut(TABLE);
    let (words, spare) = scratch.split_at_mut(rows.keys.len());
    if rows.present.is_some() {
        out.fill(0.0);
    }
    if rows.keys.len() < SCATTER_FROM || top - index_bits <= SCATTER_BITS {
        let mut used = 0;
        rows.each(|row, key, present| {
            words[used] = packing.pack(key.into(), row);
            used += usize::from(present);
        });
        let words = &mut words[..peers];
        sort(words, spare, table, top.saturating_sub(sorted_bits(peers)).max(index_bits), top);
        packing.emit(words, 0, peers, rows.keys, out);
        return;
    }
    let bucket_shift = top - SCATTER_BITS;
    const BUCKETS: usize = 1 << SCATTER_BITS;
    // Rows that are absent go into a bucket of their own, at the end.
    let bucket = |word: u64, present| select_unpredictable(present, (word >> bucket_shift) as usize % BUCKETS, BUCKETS);
    let mut ends = [0_usize; BUCKETS + 1];
    rows.each(|row, key, present| ends[bucket(packing.pack(key.into(), row), present)] += 1);
    let mut start = 0;
    for end in &mut ends {
        start += core::mem::replace(end, start);
    }
    rows.each(|row, key, present| {
        let word = packing.pack(key.into(), row);
        let end = &mut ends[bucket(word, present)];
        words[*end] = word;
        *end += 1;
    });
    let mut start = 0;
    for &end in &ends[..BUCKETS] {
        let words = &mut words[start..end];
        if !words.is_empty() {
            let low = bucket_shift.saturating_sub(sorted_bits(words.len())).max(index_bits);
            sort(words, spare, table, low, bucket_shift);
            packing.emit(words, start, peers, rows.keys, out);
        }
        start = end;
    }
}

/// Sorts words that agree in the bits from `high` on. They are expected to differ in those from
/// `low` to `high`.
fn sort(words: &mut [u64], spare: &mut [u64], table: &mut [u64], low: u32, high: u32) {
    let bits = high - low;
    if words.len() < RADIX_FROM || bits < 2 {
        words.sort_unstable();
        return;
    }
    let middle = low + bits / 2;
    let lower_digit = |word: u64| (word >> low) as usize & ((1 << (middle - low)) - 1);
    let upper_digit = |word: u64| (word >> middle) as usize & ((1 << (high - middle)) - 1);
    let (lower, upper) = table.split_at_mut(TABLE / 2);
    let lower = &mut lower[..1 << (middle - low)];
    let upper = &mut upper[..1 << (high - middle)];
    lower.fill(0);
    upper.fill(0);
    for &word in &*words {
        lower[lower_digit(word)] += 1;
        upper[upper_digit(word)] += 1;
    }
    if upper.iter().any(|&count| count as usize > words.len() / 8) && upper.len() >= 64 {
        words.sort_unstable();
        return;
    }
    for counts in [&mut *lower, &mut *upper] {
        let mut start = 0;
        for count in counts {
            start += core::mem::replace(count, start);
        }
    }
    let spare = &mut spare[..words.len()];
    for &word in &*words {
        let end = &mut lower[lower_digit(word)];
        spare[*end as usize] = word;
        *end += 1;
    }
    for &word in &*spare {
        let end = &mut upper[upper_digit(word)];
        words[*end as usize] = word;
        *end += 1;
    }
    repair(words, low);
}

/// Finishes the sort of words that are in order but for the bits below `low`.
fn repair(words: &mut [u64], low: u32) {
    let mut at = 1;
    while at < words.len() {
        if words[at - 1] > words[at] {
            let run = words[at] >> low;
            let start = words[..at].iter().rposition(|&word| word >> low != run).map_or(0, |before| before + 1);
            let end = words[at..].iter().position(|&word| word >> low != run).map_or(words.len(), |after| at + after);
            words[start..end].sort_unstable();
            at = end;
        }
        at += 1;
    }
}

/// How keys are put into words.
#[derive(Clone, Copy)]
struct Packing {
    min: i64,
    /// Low bits of a key that have no room in a word.
    dropped: u32,
    /// Bits of a word that hold the row.
    index_bits: u32,
}

impl Packing {
    #[inline(always)]
    fn pack(self, key: i64, row: usize) -> u64 {
        (key.wrapping_sub(self.min) as u64 >> self.dropped << self.index_bits) | row as u64
    }

    #[inline(always)]
    fn row(self, word: u64) -> usize {
        (word & ((1 << self.index_bits) - 1)) as usize
    }

    /// Writes the scores of sorted words, of which the first has `before` smaller peers.
    fn emit<K: Key>(self, words: &mut [u64], before: usize, peers: usize, keys: &[K], out: &mut [f64]) {
        let mut at = 0;
        while at < words.len() {
            let word = words[at];
            let prefix = word >> self.index_bits;
            if words.get(at + 1).is_some_and(|next| next >> self.index_bits == prefix) {
                let mut end = at + 2;
                while words.get(end).is_some_and(|next| next >> self.index_bits == prefix) {
                    end += 1;
                }
                let run = &mut words[at..end];
                self.emit_run(run, before + at, peers, keys, out);
                at = end;
            } else {
                out[self.row(word)] = score(before + at, peers);
                at += 1;
            }
        }
    }

    /// Writes the scores of words that agree in the leading bits of their keys.
    fn emit_run<K: Key>(self, words: &mut [u64], before: usize, peers: usize, keys: &[K], out: &mut [f64]) {
        if self.dropped == 0 {
            let score = score(before, peers);
            for &word in &*words {
                out[self.row(word)] = score;
            }
            return;
        }
        // They are packed anew, with bits that had no room before. Only with more than 2^32 rows do not all of them fit
        // now. Bits above them are the same in all of the words, whether they fit or not.
        let next = Self { dropped: self.dropped.saturating_sub(u64::BITS - self.index_bits), ..self };
        for word in &mut *words {
            let row = self.row(*word);
            *word = next.pack(keys[row].into(), row);
        }
        words.sort_unstable();
        next.emit(words, before, peers, keys, out);
    }
}

/// Ranks by way of words that keep so many bits for the row, sorted by the standard sort.
#[cfg(test)]
pub(super) fn rank_packed<K: Key>(keys: &[K], min: i64, index_bits: u32, out: &mut [f64]) {
    let packing = Packing { min, dropped: index_bits, index_bits };
    let pack = |(row, &key): (usize, &K)| packing.pack(key.into(), row);
    let mut words: Vec<u64> = keys.iter().enumerate().map(pack).collect();
    words.sort_unstable();
    packing.emit(&mut words, 0, keys.len(), keys, out);
}
