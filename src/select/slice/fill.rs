//! Greedy, ranked and prefix: units are taken in one order while there is budget.

use crate::memory::{OutOfMemory, try_pad, try_reserve};
use crate::select::Reason;
use crate::select::order::{Entry, key, sort_descending};
use crate::select::slice::{SliceScratch, Slicing};
use crate::select::units::UnitView;

/// The order in which units are taken; ties go by score, then by first row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By value per token, greatest first.
    Density,
    /// By score, greatest first.
    Score,
}

impl Order {
    #[inline(always)]
    fn key(self, units: UnitView<'_>, unit: u32) -> u64 {
        match self {
            Self::Density => {
                let value = units.value(unit);
                match units.tokens(unit) {
                    0 => key(f64::MAX),
                    // The usual conversion is one instruction.
                    tokens @ 1..=0x7fff_ffff_ffff_ffff => key(value / (tokens as i64 as f64)),
                    _ => key(value / (units.exact_tokens(unit) as f64)),
                }
            }
            Self::Score => key(units.score(unit)),
        }
    }

    /// The units with their keys, best first.
    pub fn sort(self, units: UnitView<'_>, entries: &mut [Entry]) {
        sort_descending(entries, &|a, b| match self {
            Self::Density => key(units.score(b)).cmp(&key(units.score(a))).then(a.cmp(&b)),
            Self::Score => a.cmp(&b),
        });
    }

    /// Puts units and their keys into `entries`.
    pub fn read(self, units: UnitView<'_>, candidates: &[u32], entries: &mut Vec<Entry>) -> Result<(), OutOfMemory> {
        entries.clear();
        try_reserve(entries, candidates.len())?;
        entries.extend(candidates.iter().map(|&unit| (self.key(units, unit), unit)));
        Ok(())
    }
}

/// What lies between two keys: how many units and tokens.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    units: u64,
    tokens: u64,
}

/// Counts of units by the leading bits of their keys, to find how far a budget reaches before anything is sorted.
#[derive(Debug, Default)]
pub struct Buckets(Vec<Bucket>);

/// Up to this many units are sorted without buckets.
const FEW: usize = 1024;

impl Buckets {
    /// Finds a key such that the units from it up use `budget` or are `rows`, and are at least `units`, about.
    fn cut(
        &mut self,
        units: UnitView<'_>,
        entries: &[Entry],
        budget: u64,
        rows: u64,
        least: usize,
    ) -> Result<u64, OutOfMemory> {
        let (low, high) = entries.iter().fold((u64::MAX, 0), |(low, high), &(key, _)| (low.min(key), high.max(key)));
        let bits = (entries.len().ilog2() - 1).min(16);
        let shift = (64 - (high - low).leading_zeros()).saturating_sub(bits);
        let buckets = &mut self.0;
        buckets.clear();
        try_pad(buckets, ((high - low) >> shift) as usize + 1, Bucket::default())?;
        for &(key, unit) in entries {
            let bucket = &mut buckets[((key - low) >> shift) as usize];
            bucket.units += 1;
            bucket.tokens = bucket.tokens.saturating_add(units.tokens(unit));
        }
        let mut sum = Bucket::default();
        for (index, bucket) in buckets.iter().enumerate().rev() {
            sum.units += bucket.units;
            sum.tokens = sum.tokens.saturating_add(bucket.tokens);
            if sum.units >= least as u64 && (sum.tokens > budget || sum.units >= rows) {
                return Ok(low + ((index as u64) << shift));
            }
        }
        Ok(low)
    }
}

/// Moves the entries with at least the key `cut` to the end; gives their position.
fn partition(entries: &mut [Entry], cut: u64) -> usize {
    let (mut start, mut end) = (0, entries.len());
    while start < end {
        if entries[start].0 >= cut {
            end -= 1;
            entries.swap(start, end);
        } else {
            start += 1;
        }
    }
    start
}

impl Slicing<'_> {
    /// Takes units in order while there is budget, and skips what does not fit, or stops there.
    ///
    /// Only what the budget may reach is sorted. Each round takes the best units that would use the budget up, were all of them
    /// taken; those left that are larger than what remains of it then leave. Rounds take a growing share of the units, so that
    /// there are few.
    pub fn fill(
        &mut self,
        order: Order,
        stops: bool,
        candidates: &[u32],
        budget: u64,
        scratch: &mut SliceScratch,
    ) -> Result<(), OutOfMemory> {
        let SliceScratch { kept, entries, buckets, .. } = scratch;
        let units = self.units;
        if stops {
            order.read(units, candidates, entries)?;
        } else {
            entries.clear();
            try_reserve(entries, candidates.len())?;
            let fitting = candidates.iter().filter(|&&unit| units.tokens(unit) <= budget);
            entries.extend(fitting.map(|&unit| (order.key(units, unit), unit)));
        }
        let mut remaining = budget;
        let mut share = 256;
        while !entries.is_empty() {
            let start = if entries.len() <= FEW || share <= 1 {
                0
            } else {
                let cut = buckets.cut(units, entries, remaining, self.rows_left, entries.len() / share)?;
                partition(entries, cut)
            };
            share /= 2;
            order.sort(units, &mut entries[start..]);
            for position in start..entries.len() {
                let unit = entries[position].1;
                let tokens = units.tokens(unit);
                let rows = u64::from(units.len(unit));
                if tokens <= remaining && rows <= self.rows_left {
                    remaining -= tokens;
                    self.rows_left -= rows;
                    self.keep(unit, kept);
                    continue;
                }
                let by_rows = tokens <= remaining;
                if stops {
                    if by_rows {
                        let dropped = entries[..start].iter().chain(&entries[position..]);
                        dropped.for_each(|&(_, unit)| self.reasons[unit as usize] = Reason::RowLimit as u8);
                    }
                    return Ok(());
                }
                if by_rows {
                    self.reasons[unit as usize] = Reason::RowLimit as u8;
                }
            }
            entries.truncate(start);
            if !stops {
                entries.retain(|&(_, unit)| units.tokens(unit) <= remaining);
                if self.rows_left == 0 {
                    entries.iter().for_each(|&(_, unit)| self.reasons[unit as usize] = Reason::RowLimit as u8);
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
