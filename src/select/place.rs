//! The order of the units that are kept.

use std::cmp::Ordering;

use crate::batch::Batch;
use crate::memory::{OutOfMemory, try_push, try_reserve};
use crate::select::Placer;
use crate::select::order::{Entry, key, sort_ascending, sort_descending};
use crate::select::units::UnitView;

/// Puts units in order. Keeps its memory.
#[derive(Debug, Default)]
pub struct Places {
    entries: Vec<Entry>,
    /// What comes after the entries: units without a timestamp.
    rest: Vec<Entry>,
}

/// The score of pinned units.
pub const PINNED_SCORE: f64 = 1.0;

/// The position of units in the merged list: pinned units by first row, then the others by score and first row.
#[derive(Clone, Copy)]
pub struct Merged<'a> {
    units: UnitView<'a>,
    pinned: &'a [u32],
}

impl<'a> Merged<'a> {
    /// The order with these pinned units, which ascend.
    pub fn new(units: UnitView<'a>, pinned: &'a [u32]) -> Self {
        Self { units, pinned }
    }

    fn is_pinned(&self, unit: u32) -> bool {
        !self.pinned.is_empty() && self.pinned.binary_search(&unit).is_ok()
    }

    /// The order of these keys, and of units with equal keys, is that of the list. No score has the key 0 when inverted.
    fn key(&self, unit: u32) -> u64 {
        if self.is_pinned(unit) { 0 } else { !key(self.units.score(unit)) }
    }

    fn compare(&self, a: u32, b: u32) -> Ordering {
        (self.key(a), a).cmp(&(self.key(b), b))
    }

    fn score_key(&self, unit: u32) -> u64 {
        key(if self.is_pinned(unit) { PINNED_SCORE } else { self.units.score(unit) })
    }
}

impl Places {
    /// Sorts units that are not pinned by score, greatest first, and by first row.
    pub fn sort_by_score(&mut self, kept: &mut [u32], units: UnitView<'_>) -> Result<(), OutOfMemory> {
        self.entries.clear();
        try_reserve(&mut self.entries, kept.len())?;
        self.entries.extend(kept.iter().map(|&unit| (key(units.score(unit)), unit)));
        sort_descending(&mut self.entries, &|a, b| a.cmp(&b));
        for (unit, &(_, sorted)) in kept.iter_mut().zip(&self.entries) {
            *unit = sorted;
        }
        Ok(())
    }

    /// Appends to `rows`, which has room, the rows of pinned and other kept units in the order of a placer.
    pub fn place(
        &mut self,
        placer: Placer,
        pinned_first: bool,
        batch: &Batch,
        merged: Merged<'_>,
        kept: &[u32],
        rows: &mut Vec<u32>,
    ) -> Result<(), OutOfMemory> {
        let pinned = merged.pinned;
        let units = merged.units;
        self.entries.clear();
        self.rest.clear();
        try_reserve(&mut self.entries, pinned.len() + kept.len())?;
        if pinned_first {
            pinned.iter().for_each(|&unit| rows.extend(units.rows(unit)));
        }
        let placed = if pinned_first { &[][..] } else { pinned };
        let placed = placed.iter().chain(kept).copied();
        match placer {
            Placer::BatchOrder => {
                self.entries.extend(placed.map(|unit| (unit.into(), unit)));
                sort_ascending(&mut self.entries, &|a, b| a.cmp(&b));
            }
            Placer::Chronological => {
                for unit in placed {
                    match units.rows(unit).find_map(|row| batch.timestamp().get(row as usize)) {
                        // The order of signed integers.
                        Some(time) => self.entries.push((time as u64 ^ 1 << 63, unit)),
                        None => try_push(&mut self.rest, (merged.key(unit), unit))?,
                    }
                }
                sort_ascending(&mut self.entries, &|a, b| merged.compare(a, b));
                self.rest.sort_unstable();
                try_reserve(&mut self.entries, self.rest.len())?;
                self.entries.append(&mut self.rest);
            }
            Placer::Ranked | Placer::UShaped => {
                self.entries.extend(placed.map(|unit| (merged.score_key(unit), unit)));
                sort_descending(&mut self.entries, &|a, b| merged.compare(a, b));
            }
        }
        let mut push = |&(_, unit): &Entry| rows.extend(units.rows(unit));
        if placer == Placer::UShaped {
            self.entries.iter().step_by(2).for_each(&mut push);
            self.entries.iter().skip(1).step_by(2).rev().for_each(&mut push);
        } else {
            self.entries.iter().for_each(&mut push);
        }
        Ok(())
    }
}
