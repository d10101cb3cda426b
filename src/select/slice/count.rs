//! Count quotas: the least and the greatest number of units of a kind.

use crate::batch::Batch;
use crate::error::{Error, Excerpt};
use crate::memory::{OutOfMemory, try_pad, try_push, try_reserve};
use crate::select::order::key;
use crate::select::policy::CheckedPolicy;
use crate::select::slice::{Order, SliceScratch, Slicing};
use crate::select::{Scarcity, Shortfall, Slicer};

/// How many units of each entry's kind are kept.
#[derive(Debug, Default)]
pub struct Caps {
    /// For each kind of the batch the entry of the policy.
    entries: Vec<u32>,
    /// For each entry how many units were kept.
    kept: Vec<usize>,
}

/// No entry.
const NONE: u32 = u32::MAX;

impl Caps {
    /// Finds the entries of a batch's kinds, with nothing kept.
    pub fn begin(&mut self, policy: &CheckedPolicy, batch: &Batch) -> Result<(), OutOfMemory> {
        self.entries.clear();
        self.kept.clear();
        let quotas = &policy.count_quotas;
        if quotas.entries().is_empty() {
            return Ok(());
        }
        try_pad(&mut self.kept, quotas.entries().len(), 0)?;
        let kinds = batch.kinds().texts();
        try_reserve(&mut self.entries, kinds.len())?;
        self.entries.extend(kinds.texts().map(|kind| quotas.find(kind).map_or(NONE, |entry| entry as u32)));
        Ok(())
    }

    /// Forgets what was kept.
    pub fn clear(&mut self) {
        self.kept.fill(0);
    }

    fn entry(&self, batch: &Batch, unit: u32) -> Option<usize> {
        let entry = *self.entries.get(batch.kinds().rows().get(unit as usize) as usize)?;
        (entry != NONE).then_some(entry as usize)
    }

    /// Whether as many units of the unit's kind as its entry allows were kept.
    pub fn is_full(&self, policy: &CheckedPolicy, batch: &Batch, unit: u32) -> bool {
        self.entry(batch, unit).is_some_and(|entry| self.kept[entry] == policy.count_quotas.entries()[entry].max)
    }
}

impl Slicing<'_> {
    /// Commits what the entries require, slices the rest, and drops what exceeds the caps.
    pub fn slice_by_counts(
        &mut self,
        candidates: &[u32],
        target: u64,
        scratch: &mut SliceScratch,
    ) -> Result<(), Error> {
        let left = target.saturating_sub(self.commit(candidates, scratch)?);
        if left == 0 {
            return Ok(());
        }
        let committed = scratch.kept.len();
        let rest = std::mem::take(&mut scratch.rest);
        let result = self.slice_by_quotas(&rest, left, scratch);
        scratch.rest = rest;
        result?;
        self.drop_above_caps(committed, scratch);
        Ok(())
    }

    /// Keeps the best units of each entry, whatever they cost; gives their tokens and leaves the others in `scratch.rest`.
    fn commit(&mut self, candidates: &[u32], scratch: &mut SliceScratch) -> Result<u64, Error> {
        let SliceScratch { kept, caps, entries, rest, .. } = scratch;
        Order::Score.read(self.units, candidates, entries)?;
        Order::Score.sort(self.units, entries);
        rest.clear();
        try_reserve(rest, candidates.len())?;
        let quotas = &self.policy.count_quotas;
        let mut tokens = 0_u64;
        for &(_, unit) in &*entries {
            match caps.entry(self.batch, unit) {
                Some(entry) if caps.kept[entry] < quotas.entries()[entry].min => {
                    caps.kept[entry] += 1;
                    tokens = tokens.saturating_add(self.units.tokens(unit));
                    self.keep(unit, kept);
                }
                _ => rest.push(unit),
            }
        }
        // Other slices expect ascending candidates.
        rest.sort_unstable();
        for (entry, (&found, quota)) in caps.kept.iter().zip(quotas.entries()).enumerate() {
            if found < quota.min {
                let required = quota.min;
                if self.policy.scarcity == Scarcity::Fail {
                    let kind = Excerpt::new(quotas.kind(entry));
                    return Err(Error::Shortfall { entry, required, found, kind });
                }
                try_push(self.shortfalls, Shortfall { entry, required, found })?;
            }
        }
        Ok(tokens)
    }

    /// Drops units whose kind has reached its maximum, in the order in which the slicer took them.
    fn drop_above_caps(&mut self, committed: usize, scratch: &mut SliceScratch) {
        let SliceScratch { kept, caps, .. } = scratch;
        let units = self.units;
        if self.policy.slicer == Slicer::Knapsack {
            // By score, greatest first; among equal scores units without tokens first, then the others from the last to the first.
            kept[committed..].sort_unstable_by(|&a, &b| {
                let (a_has, b_has) = (units.tokens(a) > 0, units.tokens(b) > 0);
                key(units.score(b))
                    .cmp(&key(units.score(a)))
                    .then(a_has.cmp(&b_has))
                    .then_with(|| if a_has { b.cmp(&a) } else { a.cmp(&b) })
            });
        }
        let mut end = committed;
        for position in committed..kept.len() {
            let unit = kept[position];
            if let Some(entry) = caps.entry(self.batch, unit) {
                if caps.kept[entry] >= self.policy.count_quotas.entries()[entry].max {
                    self.reasons[unit as usize] = 0;
                    continue;
                }
                caps.kept[entry] += 1;
            }
            kept[end] = unit;
            end += 1;
        }
        kept.truncate(end);
    }
}
