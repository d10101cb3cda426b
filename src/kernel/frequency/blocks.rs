//! Large sets by bitsets, 512 sets per step.
//!
//! Each large set of a block is a column of bits. Each tag has a line with a bit per column, set where the set has the tag.
//! The union of the lines of a set's tags marks the columns that share a tag with it. A line is as long as a cache line, so
//! that the lines of a few hundred tags stay in the first-level cache.
//!
//! Sharing a tag is symmetric, so each pair of sets is compared once: a block with itself and with the sets after it. A match
//! with a later set counts for both: for the set by the rows of the matching columns, for the columns by bit-sliced counters.
//! Comparing each pair twice, without these counters, would double the cost. Small sets are compared with large sets only;
//! `pairs` counts them among themselves.

use super::super::dispatch::multiversion;
use super::{Member, TagSets, rows_of, set_of};

/// The words of a line.
const WORDS: usize = 8;
/// The sets of a block.
const COLUMNS: usize = WORDS * 64;
/// The bytes of a cache line.
const ALIGNMENT: usize = 64;

type Line = [u64; WORDS];

/// The words of scratch for up to this many tags.
pub(super) fn scratch_words(tag_count: usize) -> Option<usize> {
    // And the words to align the first line.
    tag_count.checked_mul(WORDS)?.checked_add(ALIGNMENT / 8)
}

/// The estimated cost of [`count`], in steps of [`super::postings::count`].
pub(super) fn steps(sets: &TagSets<'_>, order: &[Member], large_sets: usize) -> u64 {
    let blocks = large_sets.div_ceil(COLUMNS) as u64;
    let members = (order.len() - large_sets / 2) as u64;
    let occurrences = sets.tags.len() as u64;
    // A line costs more when the lines do not fit the first caches.
    let line = match sets.tag_count {
        ..=512 => 1,
        513..=8192 => 2,
        _ => 4,
    };
    blocks.saturating_mul(members.saturating_mul(8).saturating_add(occurrences.saturating_mul(line)))
}

/// Adds to each large set the rows of the sets that share a tag with it, and to each small set the rows of the large sets
/// that do. The large sets come first in `order`.
pub(super) fn count(sets: &TagSets<'_>, order: &[Member], large_sets: usize, scratch: &mut [u64], out: &mut [f64]) {
    let skip = scratch.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT / 8);
    let (lines, _) = scratch[skip..].as_chunks_mut::<WORDS>();
    let lines = &mut lines[..sets.tag_count];
    lines.fill([0; WORDS]);
    for start in (0..large_sets).step_by(COLUMNS) {
        let (block, later) = order[start..].split_at(COLUMNS.min(large_sets - start));
        meet_block(sets, block, later, lines, out);
    }
}

multiversion! {
    /// Compares a block with itself and with all later members. All lines are zero before and after.
    fn meet_block(sets: &TagSets<'_>, block: &[Member], later: &[Member], lines: &mut [Line], out: &mut [f64]) {
        for (column, &member) in block.iter().enumerate() {
            for &tag in sets.tags(set_of(member)) {
                lines[tag as usize][column / 64] |= 1 << (column % 64);
            }
        }
        let weights = Weights::of(block);
        for &member in block {
            meet(sets, lines, &weights, member, out);
        }
        let mut counters = Counters::new();
        for &member in later {
            counters.add(meet(sets, lines, &weights, member, out), rows_of(member));
        }
        counters.finish();
        for (column, &member) in block.iter().enumerate() {
            out[set_of(member)] += counters.get(column) as f64;
        }
        for &member in block {
            for &tag in sets.tags(set_of(member)) {
                lines[tag as usize] = [0; WORDS];
            }
        }
    }
}

/// Returns the columns that share a tag with a member, and adds their rows to the member.
#[inline(always)]
fn meet(sets: &TagSets<'_>, lines: &[Line], weights: &Weights, member: Member, out: &mut [f64]) -> Line {
    let set = set_of(member);
    let met = union(lines, sets.tags(set));
    out[set] += weights.weigh(&met) as f64;
    met
}

#[inline(always)]
fn union(lines: &[Line], tags: &[u32]) -> Line {
    let mut union = [0; WORDS];
    for &tag in tags {
        for (union, &word) in union.iter_mut().zip(&lines[tag as usize]) {
            *union |= word;
        }
    }
    union
}

/// The rows of the columns of a block, bit by bit: a column has bit `p` of its number in `planes[p]`.
struct Weights {
    planes: [Line; u32::BITS as usize],
    /// As many as the greatest number needs.
    bits: usize,
}

impl Weights {
    fn of(block: &[Member]) -> Self {
        // Columns come in descending order of rows.
        let bits = (u32::BITS - rows_of(block[0]).leading_zeros()) as usize;
        let mut planes = [[0; WORDS]; u32::BITS as usize];
        for (column, &member) in block.iter().enumerate() {
            for (bit, plane) in planes[..bits].iter_mut().enumerate() {
                plane[column / 64] |= u64::from(rows_of(member) >> bit & 1) << (column % 64);
            }
        }
        Self { planes, bits }
    }

    /// The rows of the columns in `met`.
    #[inline(always)]
    fn weigh(&self, met: &Line) -> u64 {
        let planes = self.planes[..self.bits].iter().enumerate();
        planes.fold(0, |sum, (bit, plane)| sum + (ones(&std::array::from_fn(|word| met[word] & plane[word])) << bit))
    }
}

#[inline(always)]
fn ones(line: &Line) -> u64 {
    // Four words are one AVX2 vector. With a plain loop over words the compiler reads lines at offsets that cross a cache line.
    let (fours, _) = line.as_chunks::<4>();
    let mut sums = [0; 4];
    for four in fours {
        for (sum, word) in sums.iter_mut().zip(four) {
            *sum += u64::from(word.count_ones());
        }
    }
    sums.iter().sum()
}

/// Adds two bits per column to `sum` and returns the carries.
#[inline(always)]
fn full_add(sum: &mut Line, a: &Line, b: &Line) -> Line {
    let mut carry = [0; WORDS];
    for i in 0..WORDS {
        let half = sum[i] ^ a[i];
        carry[i] = sum[i] & a[i] | half & b[i];
        sum[i] = half ^ b[i];
    }
    carry
}

/// A counter per column, sliced: `sums[p]` holds bit `p` of all of them.
///
/// A line at bit `p` waits for a second one, and one full addition adds both to the sum. Its carries are a line at bit `p + 1`.
/// Each bit has half as many lines as the one before, so a line costs one full addition on average.
struct Counters {
    sums: [Line; 64],
    waiting: [Line; 64],
    /// Bit `p`: a line waits at `waiting[p]`.
    occupied: u64,
}

impl Counters {
    fn new() -> Self {
        Self { sums: [[0; WORDS]; 64], waiting: [[0; WORDS]; 64], occupied: 0 }
    }

    /// Adds `rows` to the counters of the columns in `met`.
    #[inline(always)]
    fn add(&mut self, met: Line, mut rows: u32) {
        while rows != 0 {
            self.add_at(met, rows.trailing_zeros() as usize);
            rows &= rows - 1;
        }
    }

    #[inline(always)]
    fn add_at(&mut self, mut line: Line, mut bit: usize) {
        while self.occupied >> bit & 1 != 0 {
            self.occupied ^= 1 << bit;
            line = full_add(&mut self.sums[bit], &self.waiting[bit], &line);
            bit += 1;
        }
        self.occupied |= 1 << bit;
        self.waiting[bit] = line;
    }

    /// Adds the lines that still wait.
    fn finish(&mut self) {
        for bit in 0..63 {
            if self.occupied >> bit & 1 != 0 {
                self.add_at([0; WORDS], bit);
            }
        }
    }

    fn get(&self, column: usize) -> u64 {
        let (word, shift) = (column / 64, column % 64);
        let sums = self.sums.iter().enumerate();
        sums.fold(0, |sum, (bit, line)| sum | (line[word] >> shift & 1) << bit)
    }
}
