//! Large sets against all, 512 sets in a step.
//!
//! A block of large sets is a column of bits each. Each tag has a line of bits, one per column, that says which sets of the
//! block have it, and the union of the lines of a set's tags marks the columns that the set meets. Lines are as long as a
//! cache line, so that those of a few hundred tags stay in the nearest cache while the other sets pass by.
//!
//! Meeting is symmetric, so each pair of sets is looked at once: a block is met by its own columns and by the sets after it,
//! and a meeting with a later set is counted for both: for the set by weighing the union, for the columns by a bit-sliced
//! counter. Without these counters large batches cost twice as much. Small sets need no columns: small sets that meet small
//! sets are counted elsewhere.

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
    // With room to start at the boundary of a cache line.
    tag_count.checked_mul(WORDS)?.checked_add(ALIGNMENT / 8)
}

/// About how long [`count`] takes, in steps of [`super::postings::count`].
pub(super) fn steps(sets: &TagSets<'_>, order: &[Member], large_sets: usize) -> u64 {
    let blocks = large_sets.div_ceil(COLUMNS) as u64;
    let members = (order.len() - large_sets / 2) as u64;
    let occurrences = sets.tags.len() as u64;
    // A line costs more when the lines outgrow the nearest caches.
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
    /// Has a block meet itself and all later members. All lines are zero before and after.
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

/// Adds the rows of the columns that a member meets to it, and returns the columns.
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
    // By fours, as the vectors of AVX2 are. Word after word the compiler splits lines elsewhere, also where they are united,
    // and every other read then crosses from one cache line to the next.
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
/// A line to be added at bit `p` waits until a second one comes, and both enter the sum in one full addition, whose carries
/// are a line to be added at bit `p + 1`: half as many, so adding costs one addition on average.
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

    /// Adds what still waits.
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
