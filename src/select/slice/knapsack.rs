//! Knapsack: the set of units with the greatest total value that fits, in buckets of tokens.
//!
//! Of all best sets it is the one that leaves out the unit last in sorted order if any best set does, then the one before it,
//! and so on: what a table over the units in sorted order gives that takes a unit only for a greater value. Most units are
//! settled by bounds before there is a table.

use std::cmp::Ordering;

use crate::error::Error;
use crate::kernel::knapsack::{Sum, add_unit, add_unit_noting};
use crate::memory::{OutOfMemory, try_pad, try_push, try_reserve};
use crate::select::order::key;
use crate::select::slice::{SliceScratch, Slicing};
use crate::select::units::UnitView;

/// A unit as the table sees it.
#[derive(Clone, Copy, Debug)]
struct Item {
    weight: u64,
    value: u64,
    unit: u32,
}

/// The units of one capacity that bounds do not settle.
#[derive(Clone, Copy, Debug)]
struct Problem {
    /// Where they end in `Knapsack::core`.
    end: usize,
    capacity: u64,
}

/// Memory for one call at a time, and the problems that are still to be solved.
#[derive(Debug, Default)]
pub struct Knapsack {
    items: Vec<Item>,
    /// Sums of weights and values of the first items.
    sums: Vec<(u128, u64)>,
    core: Vec<Item>,
    problems: Vec<Problem>,
    table: Table,
}

impl Knapsack {
    /// Forgets what was collected.
    pub fn clear(&mut self) {
        self.core.clear();
        self.problems.clear();
    }
}

/// A table has at most this many columns.
const MOST_COLUMNS: u128 = 1 << 21;
/// All tables of a call have at most this many cells.
const MOST_CELLS: u128 = 1 << 34;

/// Whether a table of this capacity and this number of cells is solved.
fn is_small_enough(capacity: u64, cells: u128) -> bool {
    u128::from(capacity) < MOST_COLUMNS && cells <= MOST_CELLS
}

/// What a score is worth in whole numbers.
fn value_of(score: f64) -> u64 {
    // Converting saturates and takes NaN to 0.
    u64::from((score * 10000.0).floor() as u32)
}

/// The order of values per bucket, greatest first.
fn by_ratio(a: &Item, b: &Item) -> Ordering {
    let product = |a: &Item, b: &Item| u128::from(a.value) * u128::from(b.weight);
    product(b, a).cmp(&product(a, b))
}

/// The sorted order of units.
fn sorted_order(units: UnitView<'_>, a: &Item, b: &Item) -> Ordering {
    key(units.score(b.unit)).cmp(&key(units.score(a.unit))).then(a.unit.cmp(&b.unit))
}

impl Slicing<'_> {
    /// Settles the units of a budget that bounds settle, and leaves the others for [`solve`](Self::solve).
    pub fn collect(&mut self, candidates: &[u32], budget: u64, scratch: &mut SliceScratch) -> Result<(), OutOfMemory> {
        let units = self.units;
        let bucket = self.policy.bucket_size as u64;
        let capacity = budget / bucket;
        let SliceScratch { kept, knapsack: Knapsack { items, sums, core, problems, .. }, .. } = scratch;
        items.clear();
        for &unit in candidates {
            let tokens = units.tokens(unit);
            if tokens == 0 {
                self.keep(unit, kept);
                continue;
            }
            let weight = (tokens - 1) / bucket + 1;
            if weight <= capacity {
                let value = units.scores(unit).map(value_of).sum();
                if value > 0 {
                    try_push(items, Item { weight, value, unit })?;
                }
            }
        }
        keep_best_of_each_weight(items, capacity, units);
        if items.iter().map(|item| u128::from(item.weight)).sum::<u128>() <= capacity.into() {
            items.iter().for_each(|item| self.keep(item.unit, kept));
            return Ok(());
        }
        items.sort_unstable_by(|a, b| by_ratio(a, b).then_with(|| sorted_order(units, a, b)));
        sums.clear();
        try_reserve(sums, items.len() + 1)?;
        let mut sum = (0, 0);
        sums.push(sum);
        for item in &*items {
            sum = (sum.0 + u128::from(item.weight), sum.1 + item.value);
            sums.push(sum);
        }
        let bounds = Bounds { items, sums };
        let least = bounds.greedy(capacity);
        let mut left = capacity;
        let start = core.len();
        for (position, item) in items.iter().enumerate() {
            if item.value + bounds.above(position, capacity - item.weight) < least {
                continue;
            }
            if bounds.above(position, capacity) < least {
                left -= item.weight;
                self.keep(item.unit, kept);
            } else {
                try_push(core, *item)?;
            }
        }
        if core.len() > start {
            core[start..].sort_unstable_by(|a, b| sorted_order(units, a, b));
            try_push(problems, Problem { end: core.len(), capacity: left })?;
        }
        Ok(())
    }

    /// Solves what was collected for a target.
    pub fn solve(&mut self, target: u64, scratch: &mut SliceScratch) -> Result<(), Error> {
        let SliceScratch { kept, knapsack, .. } = scratch;
        self.check_size(target, knapsack)?;
        let Knapsack { core, problems, table, .. } = knapsack;
        let mut start = 0;
        for problem in &*problems {
            let items = &core[start..problem.end];
            let capacity = problem.capacity as usize;
            let keep = |item: &Item| self.keep(item.unit, kept);
            if items.iter().map(|item| u128::from(item.value)).sum::<u128>() < 1 << 31 {
                table.solve::<u32>(items, capacity, keep)?;
            } else {
                table.solve::<u64>(items, capacity, keep)?;
            }
            start = problem.end;
        }
        Ok(())
    }

    fn check_size(&self, target: u64, knapsack: &Knapsack) -> Result<(), Error> {
        let (mut cells, mut capacity, mut start) = (0_u128, 0, 0);
        for problem in &knapsack.problems {
            cells += (problem.end - start) as u128 * (u128::from(problem.capacity) + 1);
            capacity = capacity.max(problem.capacity);
            start = problem.end;
        }
        if is_small_enough(capacity, cells) {
            return Ok(());
        }
        let units = knapsack.core.len();
        Err(Error::TooLarge {
            units,
            capacity,
            cells: u64::try_from(cells).unwrap_or(u64::MAX),
            bucket_size: self.policy.bucket_size,
            sufficient_bucket_size: sufficient_bucket(target, self.policy.bucket_size),
        })
    }
}

/// A bucket size with which a table is small enough, whatever the units.
fn sufficient_bucket(target: u64, bucket_size: i64) -> i64 {
    let mut bucket = bucket_size as u64;
    loop {
        bucket = bucket.saturating_mul(2).min(i64::MAX as u64);
        let capacity = target / bucket;
        // floor(capacity / w) units of each weight w remain, and that is at most capacity * (1 + ln(capacity)).
        let units = capacity as f64 * (1.0 + (capacity.max(1) as f64).ln());
        if is_small_enough(capacity, (units * (capacity as f64 + 1.0)).ceil() as u128) {
            return bucket as i64;
        }
    }
}

/// Of the items of one weight no more than fit can be kept: drops all but the best.
fn keep_best_of_each_weight(items: &mut Vec<Item>, capacity: u64, units: UnitView<'_>) {
    items.sort_unstable_by_key(|item| item.weight);
    let (mut start, mut end) = (0, 0);
    while start < items.len() {
        let weight = items[start].weight;
        let count = items[start..].iter().take_while(|item| item.weight == weight).count();
        let most = usize::try_from(capacity / weight).unwrap_or(usize::MAX);
        if most < count {
            items[start..start + count]
                .select_nth_unstable_by(most - 1, |a, b| b.value.cmp(&a.value).then_with(|| sorted_order(units, a, b)));
        }
        let kept = most.min(count);
        items.copy_within(start..start + kept, end);
        end += kept;
        start += count;
    }
    items.truncate(end);
}

/// Bounds of the value of sets, from items in the order of their ratios.
struct Bounds<'a> {
    items: &'a [Item],
    sums: &'a [(u128, u64)],
}

impl Bounds<'_> {
    /// The value of the items that fit when they are taken in order.
    fn greedy(&self, mut capacity: u64) -> u64 {
        let mut value = 0;
        for item in self.items {
            if item.weight <= capacity {
                capacity -= item.weight;
                value += item.value;
            }
        }
        value
    }

    /// No set without the item at `position` that fits `capacity` is worth more: what the others are worth when the last may be
    /// taken in part, rounded up.
    fn above(&self, position: usize, capacity: u64) -> u64 {
        let Item { weight, value, .. } = self.items[position];
        let capacity = u128::from(capacity);
        let (taken, sum) = if self.sums[position].0 > capacity {
            let taken = self.sums[..position].partition_point(|sum| sum.0 <= capacity) - 1;
            (taken, self.sums[taken])
        } else {
            let taken =
                position + self.sums[position + 1..].partition_point(|sum| sum.0 - u128::from(weight) <= capacity);
            let sum = self.sums[taken];
            (taken, (sum.0 - u128::from(weight), sum.1 - value))
        };
        match self.items.get(taken) {
            None => sum.1,
            Some(next) => {
                let part = (capacity - sum.0) * u128::from(next.value);
                sum.1 + part.div_ceil(next.weight.into()) as u64
            }
        }
    }
}

/// The table: for each capacity the greatest value of a set of the units so far. Only the last row is kept, with some
/// saved rows, and the decisions of one block of rows at a time.
#[derive(Debug, Default)]
struct Table {
    /// The row of sums, the one before it, and the saved rows.
    sums: Vec<u64>,
    /// Where the saved rows stand.
    saved: Vec<usize>,
    /// The decisions of a block, a bit each.
    taken: Vec<u64>,
}

impl Table {
    /// Saved rows take at most this many bytes.
    const MOST_SAVED: usize = 64 << 20;
    /// The decisions of a block take at most this many words.
    const MOST_TAKEN: usize = 8 << 20;

    /// Calls `keep` with the items of the best set.
    fn solve<S: Sum>(
        &mut self,
        items: &[Item],
        capacity: usize,
        mut keep: impl FnMut(&Item),
    ) -> Result<(), OutOfMemory> {
        let columns = capacity + 1;
        let words = columns.div_ceil(64);
        let block = (Self::MOST_TAKEN / words).clamp(1, items.len());
        let blocks = items.len().div_ceil(block);
        let slots = (Self::MOST_SAVED / (columns * size_of::<S>())).clamp(1, blocks);
        self.solve_in::<S>(items, columns, block, slots, &mut keep)
    }

    /// [`solve`](Self::solve) with blocks of `block` units and at most `slots` saved rows.
    fn solve_in<S: Sum>(
        &mut self,
        items: &[Item],
        columns: usize,
        block: usize,
        slots: usize,
        keep: &mut impl FnMut(&Item),
    ) -> Result<(), OutOfMemory> {
        let words = columns.div_ceil(64);
        let Self { sums, saved, taken } = self;
        // The rows are of whole words.
        let stride = columns.next_multiple_of(2);
        try_pad(sums, ((slots + 2) * stride * size_of::<S>()).div_ceil(8), 0)?;
        try_pad(taken, block * words, 0)?;
        saved.clear();
        try_reserve(saved, slots)?;
        let (rows, saved_rows) = bytemuck::cast_slice_mut::<_, S>(sums).split_at_mut(2 * stride);
        let (mut row, mut other) = rows.split_at_mut(stride);
        let (mut end, mut capacity) = (items.len(), columns - 1);
        while end > 0 {
            let start = match saved.last() {
                None => {
                    row[..columns].fill(S::default());
                    0
                }
                Some(&position) => {
                    row[..columns].copy_from_slice(&saved_rows[(saved.len() - 1) * stride..][..columns]);
                    position
                }
            };
            let free = slots - saved.len();
            let blocks = (end - start).div_ceil(block);
            let target = if blocks == 1 {
                start
            } else if free == 0 {
                start + (blocks - 1) * block
            } else {
                start + blocks_to_advance(blocks, free) * block
            };
            for item in &items[start..target] {
                if add_unit(&row[..columns], &mut other[..columns], item.weight, item.value) {
                    std::mem::swap(&mut row, &mut other);
                }
            }
            if blocks > 1 && free > 0 {
                saved_rows[saved.len() * stride..][..columns].copy_from_slice(&row[..columns]);
                saved.push(target);
                continue;
            }
            for (item, taken) in items[target..end].iter().zip(taken.chunks_exact_mut(words)) {
                if add_unit_noting(&row[..columns], &mut other[..columns], item.weight, item.value, taken) {
                    std::mem::swap(&mut row, &mut other);
                }
            }
            for (item, taken) in items[target..end].iter().zip(taken.chunks_exact(words)).rev() {
                if taken[capacity / 64] >> (capacity % 64) & 1 == 1 {
                    capacity -= item.weight as usize;
                    keep(item);
                }
            }
            end = target;
            saved.pop_if(|position| *position == end);
        }
        Ok(())
    }
}

/// How many blocks to compute before the next row is saved, so that with `free` slots each block is computed as few times as
/// possible.
fn blocks_to_advance(blocks: usize, free: usize) -> usize {
    // `s` places, the start counted, and `r` runs suffice for binomial(s + r, r) blocks: by a saved row they split into those
    // before it, with a run less, and those after it, with a place less.
    let places = free + 1;
    let (mut runs, mut reach) = (0, 1_usize);
    while reach < blocks {
        runs += 1;
        reach = reach.saturating_mul(places + runs) / runs;
    }
    let after = reach * places / (places + runs);
    blocks - after.clamp(1, blocks - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::random::Random;

    /// The set of a table that is kept as a whole.
    fn naive(items: &[Item], capacity: usize) -> Vec<u32> {
        let mut best = vec![0; capacity + 1];
        let mut taken = vec![vec![false; capacity + 1]; items.len()];
        for (item, taken) in items.iter().zip(&mut taken) {
            for room in (0..=capacity).rev().filter(|&room| item.weight as usize <= room) {
                let with = best[room - item.weight as usize] + item.value;
                if with > best[room] {
                    (best[room], taken[room]) = (with, true);
                }
            }
        }
        let mut kept = Vec::new();
        let mut room = capacity;
        for (item, taken) in items.iter().zip(&taken).rev().filter(|(item, _)| item.weight as usize <= capacity) {
            if taken[room] {
                room -= item.weight as usize;
                kept.push(item.unit);
            }
        }
        kept
    }

    #[test]
    fn blocks_and_saved_rows_change_nothing() {
        let mut random = Random(7);
        let mut table = Table::default();
        for case in 0..600 {
            let count = 1 + random.below(60);
            let capacity = random.below(300) as usize;
            let items: Vec<Item> = (0..count as u32)
                .map(|unit| Item { weight: 1 + random.below(120), value: 1 + random.below(9), unit })
                .collect();
            let expected = naive(&items, capacity);
            let (block, slots) = (1 + random.below(20) as usize, 1 + random.below(5) as usize);
            let (mut narrow, mut wide) = (Vec::new(), Vec::new());
            let columns = capacity + 1;
            table.solve_in::<u32>(&items, columns, block, slots, &mut |item| narrow.push(item.unit)).unwrap();
            table.solve_in::<u64>(&items, columns, block, slots, &mut |item| wide.push(item.unit)).unwrap();
            assert_eq!(narrow, expected, "case {case}: {items:?} {capacity} {block} {slots}");
            assert_eq!(wide, expected, "case {case}");
        }
    }

    #[test]
    fn few_saved_rows_need_few_runs() {
        // How often each block is run, the last time included.
        fn runs(blocks: usize, free: usize) -> usize {
            if blocks <= 1 {
                return 1;
            }
            if free == 0 {
                return blocks;
            }
            let first = blocks_to_advance(blocks, free);
            (1 + runs(first, free)).max(runs(blocks - first, free - 1))
        }
        // The greatest table of sums of 64 bits: 32 blocks, and 4 rows that can be saved.
        assert!(runs(32, 4) <= 4, "{}", runs(32, 4));
        assert!(runs(33, 8) <= 4);
        for blocks in 2..200 {
            for free in 1..9 {
                assert!((1..blocks).contains(&blocks_to_advance(blocks, free)));
            }
        }
    }

    #[test]
    fn the_limits_of_a_table_are_inclusive() {
        let most = (1 << 21) - 1;
        assert!(is_small_enough(most, 1 << 34) && is_small_enough(most, 3 << 21));
        assert!(!is_small_enough(most, (1 << 34) + 1) && !is_small_enough(most + 1, 3));
    }

    #[test]
    fn a_sufficient_bucket_is_enough() {
        for (target, bucket) in [(128_000, 1), (i64::MAX as u64, 1), (2_097_152, 1), (i64::MAX as u64, i64::MAX)] {
            let bucket = sufficient_bucket(target, bucket) as u64;
            let capacity = target / bucket;
            assert!(u128::from(capacity) < MOST_COLUMNS);
            let units: u128 = (1..=capacity).map(|weight| u128::from(capacity / weight)).sum();
            assert!(units * (u128::from(capacity) + 1) <= MOST_CELLS);
        }
    }
}
