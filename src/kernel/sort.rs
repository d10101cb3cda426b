//! Rows in the order of an integer key: a radix sort of words that hold the leading bits of the key and the row.
//!
//! A word holds the row in its low bits and as many leading bits of the key as fit above. Sorting words moves 8 bytes per
//! row and reads the keys again only for rows that agree in all of the leading bits. Of random keys, about log2(rows)
//! leading bits distinguish most; with four bits more, one pair of neighbours in sixteen agrees. Two digits of a radix
//! sort on these bits therefore leave the words nearly sorted, and short runs are sorted afterwards.
//!
//! Skewed keys show in the sizes of the buckets. Skewed keys, and batches larger than the cache, are first scattered into about a
//! hundred ranges of keys with about equally many rows, found by counting leading bits. A range that is still skewed goes to
//! the standard sort.

use core::hint::select_unpredictable;

/// Words of scratch that do not depend on the number of rows: tables of counters.
const TABLE: usize = 4096;

/// From this number of rows on, words are scattered into ranges that fit the cache before they are sorted.
pub(super) const SCATTER_FROM: usize = 150_000;

/// Below this number of rows, skewed keys go to the standard sort without another pass.
const SCATTER_SKEWED_FROM: usize = 2048;

/// Leading bits that are counted before words are scattered: one table of counters.
const COUNTED_BITS: u32 = TABLE.ilog2();

/// A range ends when it would exceed its share of the rows, one in this number. At most twice as many ranges result.
const RANGES: usize = 128;

/// Leading bits sorted by, beyond the logarithm of the number of rows.
const SPARE_BITS: u32 = 4;

/// Bits of the largest digit: two tables of counters.
const DIGIT_BITS: u32 = (TABLE / 2).ilog2();

/// Fewer words than this are left to the standard sort.
const RADIX_FROM: usize = 64;

/// Words of scratch that sorting this number of rows needs.
pub(super) fn scratch_words(rows: usize) -> usize {
    rows.saturating_mul(2).saturating_add(TABLE)
}

/// Keys of rows, of which some may be absent.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a, K> {
    pub keys: &'a [K],
    /// 1 for a row that has a key, 0 for one that has none; `None` when every row has one.
    pub present: Option<&'a [u8]>,
}

impl<K: Copy> Rows<'_, K> {
    /// Calls `visit` with every row, its key, and whether it is present. The key of a row that is
    /// not present may be anything.
    ///
    /// Two loops, so that the usual case of no gaps does not pay for them.
    #[inline(always)]
    pub fn each(self, mut visit: impl FnMut(usize, K, bool)) {
        match self.present {
            None => {
                for (row, &key) in self.keys.iter().enumerate() {
                    visit(row, key, true);
                }
            }
            Some(present) => {
                for (row, (&key, &present)) in self.keys.iter().zip(present).enumerate() {
                    visit(row, key, present != 0);
                }
            }
        }
    }
}

/// Rows whose keys are equal, in ascending order.
#[derive(Clone, Copy)]
pub(super) struct Ties<'a> {
    words: &'a [u64],
    packing: Packing,
}

impl Ties<'_> {
    /// Their number.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.words.len()
    }

    /// The rows.
    #[inline(always)]
    pub fn rows(self) -> impl Iterator<Item = usize> {
        self.words.iter().map(move |&word| self.packing.row(word))
    }
}

/// Visits the present rows in ascending order of `key`: one call for each key that occurs.
///
/// `key` is at most `greatest`, and `peers` rows are present. `scratch` has [`scratch_words`] of the number of rows.
pub(super) fn visit_by_key<K: Copy>(
    rows: Rows<'_, K>,
    key: impl Fn(K) -> u64 + Copy,
    greatest: u64,
    peers: usize,
    scratch: &mut [u64],
    visit: &mut impl FnMut(Ties<'_>),
) {
    let row_bits = rows.keys.len().ilog2() + 1;
    let key_bits = (greatest | 1).ilog2() + 1;
    let packing = Packing { dropped: key_bits.saturating_sub(u64::BITS - row_bits), row_bits };
    let top = key_bits - packing.dropped + row_bits;

    let (table, words) = scratch.split_at_mut(TABLE);
    let (words, spare) = words.split_at_mut(rows.keys.len());
    if rows.keys.len() < SCATTER_FROM {
        let mut used = 0;
        rows.each(|row, k, present| {
            words[used] = packing.pack(key(k), row);
            used += usize::from(present);
        });
        let words = &mut words[..peers];
        let mut sorted = radix_sort(words, spare, table, row_bits, 0, top);
        if !sorted && rows.keys.len() < SCATTER_SKEWED_FROM {
            words.sort_unstable();
            sorted = true;
        }
        if sorted {
            return visit_sorted(words, packing, rows.keys, key, visit);
        }
    }

    let counted_bits = COUNTED_BITS.min(top - row_bits);
    let shift = top - counted_bits;
    // The key of an absent row may exceed `greatest`, hence the mask.
    let leading = |word: u64| (word >> shift) as usize & ((1 << counted_bits) - 1);
    let counters = &mut table[..1 << counted_bits];
    counters.fill(0);
    rows.each(|row, k, present| counters[leading(packing.pack(key(k), row))] += u64::from(present));
    let ranges = Ranges::divide(counters, peers);
    let beyond = ranges.len;
    let mut ends = ranges.starts;
    rows.each(|row, k, present| {
        let word = packing.pack(key(k), row);
        let range = select_unpredictable(present, counters[leading(word)] as usize, beyond);
        let end = &mut ends[range];
        words[*end] = word;
        *end += 1;
    });
    for (range, &end) in ends[..beyond].iter().enumerate() {
        let words = &mut words[ranges.starts[range]..end];
        let (first, last) = ranges.leading[range];
        let high = shift + (last - first + 1).next_power_of_two().ilog2();
        if !radix_sort(words, spare, table, row_bits, u64::from(first) << shift, high) {
            words.sort_unstable();
        }
        visit_sorted(words, packing, rows.keys, key, visit);
    }
}

/// Ranges of leading bits.
struct Ranges {
    len: usize,
    /// Where the words of each range start; those of rows that are in no range start at the end of the last one.
    starts: [usize; 2 * RANGES + 2],
    /// The first and the last leading bits of each range.
    leading: [(u16, u16); 2 * RANGES + 1],
}

impl Ranges {
    /// Divides `peers` rows, of which there are `counters[i]` with leading bits `i`, and replaces the counters by the ranges.
    fn divide(counters: &mut [u64], peers: usize) -> Self {
        let mut ranges = Self { len: 0, starts: [0; 2 * RANGES + 2], leading: [(0, 0); 2 * RANGES + 1] };
        let share = peers.div_ceil(RANGES);
        let (mut start, mut rows) = (0, 0);
        for (leading, counter) in counters.iter_mut().enumerate() {
            let count = *counter as usize;
            if count == 0 {
                continue;
            }
            if rows > 0 && rows + count > share {
                ranges.len += 1;
                start += rows;
                ranges.starts[ranges.len] = start;
                rows = 0;
            }
            if rows == 0 {
                ranges.leading[ranges.len].0 = leading as u16;
            }
            ranges.leading[ranges.len].1 = leading as u16;
            *counter = ranges.len as u64;
            rows += count;
        }
        if rows > 0 {
            ranges.len += 1;
            ranges.starts[ranges.len] = start + rows;
        }
        ranges
    }
}

/// Sorts words from `base` up to `base + 2^high`. Returns `false` and leaves them unchanged when they are too skewed.
fn radix_sort(words: &mut [u64], spare: &mut [u64], table: &mut [u64], row_bits: u32, base: u64, high: u32) -> bool {
    if words.len() < RADIX_FROM {
        words.sort_unstable();
        return true;
    }
    let sorted_bits = (words.len().ilog2() + 1 + SPARE_BITS).min(2 * DIGIT_BITS);
    let low = high.saturating_sub(sorted_bits).max(row_bits);
    let bits = high - low;
    if bits < 2 {
        words.sort_unstable();
        return true;
    }
    let middle = low + bits / 2;
    let lower_digit = |word: u64| (word.wrapping_sub(base) >> low) as usize & ((1 << (middle - low)) - 1);
    let upper_digit = |word: u64| (word.wrapping_sub(base) >> middle) as usize & ((1 << (high - middle)) - 1);
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
        return false;
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
    true
}

/// Finishes the sort of words that are in order except for the bits below `low`.
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
    /// Low bits of a key that do not fit in a word.
    dropped: u32,
    /// Bits of a word that hold the row.
    row_bits: u32,
}

impl Packing {
    #[inline(always)]
    fn pack(self, key: u64, row: usize) -> u64 {
        (key >> self.dropped << self.row_bits) | row as u64
    }

    #[inline(always)]
    fn row(self, word: u64) -> usize {
        (word & ((1 << self.row_bits) - 1)) as usize
    }
}

/// Visits the rows of sorted words.
fn visit_sorted<K: Copy>(
    words: &mut [u64],
    packing: Packing,
    keys: &[K],
    key: impl Fn(K) -> u64 + Copy,
    visit: &mut impl FnMut(Ties<'_>),
) {
    let mut at = 0;
    while at < words.len() {
        let word = words[at];
        let prefix = word >> packing.row_bits;
        if words.get(at + 1).is_none_or(|next| next >> packing.row_bits != prefix) {
            visit(Ties { words: &[word], packing });
            at += 1;
            continue;
        }
        let mut end = at + 2;
        while words.get(end).is_some_and(|next| next >> packing.row_bits == prefix) {
            end += 1;
        }
        let run = &mut words[at..end];
        if packing.dropped == 0 {
            visit(Ties { words: run, packing });
        } else {
            visit_run(run, packing, keys, key, visit);
        }
        at = end;
    }
}

/// Visits rows that agree in the leading bits of their keys.
#[cold]
fn visit_run<K: Copy>(
    words: &mut [u64],
    packing: Packing,
    keys: &[K],
    key: impl Fn(K) -> u64 + Copy,
    visit: &mut impl FnMut(Ties<'_>),
) {
    // Pack the low bits that did not fit before. They all fit now, unless there are more than 2^32 rows. Higher bits are equal in
    // all of the words.
    let next = Packing { dropped: packing.dropped.saturating_sub(u64::BITS - packing.row_bits), ..packing };
    for word in &mut *words {
        let row = packing.row(*word);
        *word = next.pack(key(keys[row]), row);
    }
    words.sort_unstable();
    visit_sorted(words, next, keys, key, visit);
}
