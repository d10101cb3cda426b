//! Large sets against all, 512 or 1024 sets in a step.
//!
//! The large sets are the columns, taken a block at a time. TextSlice a block
//! each tag is a line of bits, one per column, and the union of the lines of a
//! set's tags marks the columns that it meets. Lines are short so that those
//! of a few hundred tags stay in the nearest cache while all sets pass by.
//!
//! Meeting is symmetric, so a pair is looked at once: a block is met by its
//! own columns and by the members after it, and a meeting with a later member
//! is counted for both: across, by weighing the union, and down, by a bit-sliced
//! counter per column. Small sets need no columns at all.

use super::super::dispatch::multiversion;
use super::{Member, TagSets, rows_of, set_of};

/// The words of a line: a short one, and a long one that halves the number of
/// steps while the lines of all tags still fit in the second cache.
const SHORT: usize = 8;
const LONG: usize = 16;
/// The bytes of a line of the cache.
const ALIGNMENT: usize = 64;
/// The most tags that have long lines.
const LONG_TAGS: usize = 1024;

type Line<const W: usize> = [u64; W];

/// The words of a line for so many tags.
fn width(tag_count: usize) -> usize {
    if tag_count <= LONG_TAGS { LONG } else { SHORT }
}

/// The words of scratch for up to this many tags.
pub(super) fn scratch_words(tag_count: usize) -> Option<usize> {
    // What fewer tags with long lines take, and room to start on a boundary of a cache line.
    let long = tag_count.min(LONG_TAGS) * LONG;
    long.max(tag_count.checked_mul(SHORT)?).checked_add(ALIGNMENT / 8)
}

/// About how long [`count`] takes, in steps of [`super::postings::count`].
pub(super) fn steps(sets: &TagSets<'_>, order: &[Member], large_sets: usize) -> u64 {
    let blocks = large_sets.div_ceil(width(sets.tag_count) * 64) as u64;
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

/// Adds to each large set the rows of the sets that share a tag with it, and
/// to each small set the rows of the large sets that do.
pub(super) fn count(sets: &TagSets<'_>, order: &[Member], large_sets: usize, scratch: &mut [u64], out: &mut [f64]) {
    let skip = scratch.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT / 8);
    let scratch = &mut scratch[skip..];
    if width(sets.tag_count) == LONG {
        count_long(sets, order, large_sets, scratch, out);
    } else {
        count_short(sets, order, large_sets, scratch, out);
    }
}

multiversion! {
    fn count_long(sets: &TagSets<'_>, order: &[Member], large_sets: usize, scratch: &mut [u64], out: &mut [f64]) {
        sweep::<LONG>(sets, order, large_sets, scratch, out);
    }
}

multiversion! {
    fn count_short(sets: &TagSets<'_>, order: &[Member], large_sets: usize, scratch: &mut [u64], out: &mut [f64]) {
        sweep::<SHORT>(sets, order, large_sets, scratch, out);
    }
}

/// Has each block of columns meet its own members and all later ones.
#[inline(always)]
fn sweep<const W: usize>(
    sets: &TagSets<'_>,
    order: &[Member],
    large_sets: usize,
    scratch: &mut [u64],
    out: &mut [f64],
) {
    let (lines, _) = scratch.as_chunks_mut::<W>();
    let lines = &mut lines[..sets.tag_count];
    lines.fill([0; W]);
    for start in (0..large_sets).step_by(W * 64) {
        let end = large_sets.min(start + W * 64);
        let (block, later) = (&order[start..end], &order[end..]);

        for (column, &member) in block.iter().enumerate() {
            for &tag in sets.tags(set_of(member)) {
                lines[tag as usize][column / 64] |= 1 << (column % 64);
            }
        }
        let weights = Weights::of(block);
        for &member in block {
            meet(sets, lines, &weights, member, out);
        }
        let mut down = Counters::new();
        let (fours, rest) = later.as_chunks::<4>();
        for &[a, b, c, d] in fours {
            let met_a = meet(sets, lines, &weights, a, out);
            let met_b = meet(sets, lines, &weights, b, out);
            let met_c = meet(sets, lines, &weights, c, out);
            let met_d = meet(sets, lines, &weights, d, out);
            if rows_of(a) == rows_of(b) && rows_of(b) == rows_of(c) && rows_of(c) == rows_of(d) {
                down.add_four(met_a, met_b, met_c, met_d, rows_of(a));
            } else {
                down.add(met_a, rows_of(a));
                down.add(met_b, rows_of(b));
                down.add(met_c, rows_of(c));
                down.add(met_d, rows_of(d));
            }
        }
        for &member in rest {
            down.add(meet(sets, lines, &weights, member, out), rows_of(member));
        }
        down.finish();
        for (column, &member) in block.iter().enumerate() {
            out[set_of(member)] += down.get(column) as f64;
        }

        for &member in block {
            for &tag in sets.tags(set_of(member)) {
                lines[tag as usize] = [0; W];
            }
        }
    }
}

/// Counts the columns that a member meets, and returns them.
#[inline(always)]
fn meet<const W: usize>(
    sets: &TagSets<'_>,
    lines: &[Line<W>],
    weights: &Weights<W>,
    member: Member,
    out: &mut [f64],
) -> Line<W> {
    let set = set_of(member);
    let met = union(lines, sets.tags(set));
    out[set] += weights.weigh(&met) as f64;
    met
}

#[inline(always)]
fn union<const W: usize>(lines: &[Line<W>], tags: &[u32]) -> Line<W> {
    let mut union = [0; W];
    for &tag in tags {
        let line = &lines[tag as usize];
        for i in 0..W {
            union[i] |= line[i];
        }
    }
    union
}

/// The rows of the columns of a block.
enum Weights<const W: usize> {
    /// All columns have this many.
    Equal(u64),
    /// Bit by bit, for as many bits as the largest has.
    Planes([Line<W>; u32::BITS as usize], usize),
}

impl<const W: usize> Weights<W> {
    fn of(block: &[Member]) -> Self {
        // Columns come in descending order of rows.
        let (most, least) = (rows_of(block[0]), rows_of(block[block.len() - 1]));
        if most == least {
            return Self::Equal(u64::from(most));
        }
        let mut planes = [[0; W]; u32::BITS as usize];
        let bits = (u32::BITS - most.leading_zeros()) as usize;
        for (column, &member) in block.iter().enumerate() {
            for (bit, plane) in planes[..bits].iter_mut().enumerate() {
                plane[column / 64] |= u64::from(rows_of(member) >> bit & 1) << (column % 64);
            }
        }
        Self::Planes(planes, bits)
    }

    #[inline(always)]
    fn weigh(&self, met: &Line<W>) -> u64 {
        match self {
            Self::Equal(rows) => ones(met) * rows,
            Self::Planes(planes, bits) => {
                let mut sum = 0;
                for (bit, plane) in planes[..*bits].iter().enumerate() {
                    let mut part = *met;
                    for i in 0..W {
                        part[i] &= plane[i];
                    }
                    sum += ones(&part) << bit;
                }
                sum
            }
        }
    }
}

#[inline(always)]
fn ones<const W: usize>(line: &Line<W>) -> u64 {
    // By fours, as the vectors of AVX2 are. Word after word the compiler cuts lines elsewhere, also where they are united, and every
    // other read then crosses from one line of the cache to the next.
    const { assert!(W.is_multiple_of(4)) };
    let (fours, _) = line.as_chunks::<4>();
    let mut sums = [0; 4];
    for four in fours {
        for i in 0..4 {
            sums[i] += u64::from(four[i].count_ones());
        }
    }
    sums.iter().sum()
}

/// Adds two bits per column to `sum` and returns the carries.
#[inline(always)]
fn full_add<const W: usize>(sum: &mut Line<W>, a: &Line<W>, b: &Line<W>) -> Line<W> {
    let mut carry = [0; W];
    for i in 0..W {
        let half = sum[i] ^ a[i];
        carry[i] = sum[i] & a[i] | half & b[i];
        sum[i] = half ^ b[i];
    }
    carry
}

/// A counter for each column, sliced: `sums[p]` holds bit `p` of all of them.
///
/// A line to be added at bit `p` waits until a second one comes, and both enter
/// the sum in one full addition, whose carries are a line to be added at bit
/// `p + 1`: half as many, so adding costs one addition on average.
struct Counters<const W: usize> {
    sums: [Line<W>; 64],
    waiting: [Line<W>; 64],
    /// Bit `p`: a line waits at `waiting[p]`.
    occupied: u64,
}

impl<const W: usize> Counters<W> {
    fn new() -> Self {
        Self { sums: [[0; W]; 64], waiting: [[0; W]; 64], occupied: 0 }
    }

    /// Adds `rows` to the counters of the columns in `met`.
    #[inline(always)]
    fn add(&mut self, met: Line<W>, mut rows: u32) {
        while rows != 0 {
            self.add_at(met, rows.trailing_zeros() as usize);
            rows &= rows - 1;
        }
    }

    /// Adds the same `rows` for four lines, without a wait at the first two bits.
    #[inline(always)]
    fn add_four(&mut self, a: Line<W>, b: Line<W>, c: Line<W>, d: Line<W>, mut rows: u32) {
        while rows != 0 {
            let bit = rows.trailing_zeros() as usize;
            rows &= rows - 1;
            let mut sum = self.sums[bit];
            let low = full_add(&mut sum, &a, &b);
            let high = full_add(&mut sum, &c, &d);
            self.sums[bit] = sum;
            let carry = full_add(&mut self.sums[bit + 1], &low, &high);
            self.add_at(carry, bit + 2);
        }
    }

    #[inline(always)]
    fn add_at(&mut self, mut line: Line<W>, mut bit: usize) {
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
                self.add_at([0; W], bit);
            }
        }
    }

    fn get(&self, column: usize) -> u64 {
        let (word, shift) = (column / 64, column % 64);
        let sums = self.sums.iter().enumerate();
        sums.fold(0, |sum, (bit, line)| sum | (line[word] >> shift & 1) << bit)
    }
}
