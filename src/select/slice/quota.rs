//! Quotas: the target is shared among kinds, and each kind is sliced on its own.

use crate::batch::Batch;
use crate::column::packed::on_values;
use crate::error::Error;
use crate::memory::{OutOfMemory, try_pad, try_push, try_reserve};
use crate::select::Slicer;
use crate::select::policy::CheckedPolicy;
use crate::select::slice::{SliceScratch, Slicing};
use crate::text::{Match, TextInterner};

/// The candidates of each kind and its share of the target.
#[derive(Debug)]
pub struct Shares {
    /// The kinds, folded.
    folded: TextInterner,
    /// For each kind of the batch its number in `folded`, and so in `kinds`.
    numbers: Vec<u32>,
    kinds: Vec<KindShare>,
    /// The kinds that candidates have.
    present: Vec<u32>,
    /// The candidates by kind, ascending in each.
    candidates: Vec<u32>,
}

/// The candidates of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct KindShare {
    /// The position of its entry in the policy.
    entry: Option<usize>,
    /// Where they end in `Shares::candidates`; 0 before any was found.
    end: usize,
    /// The sum of their tokens.
    mass: u128,
    require: u64,
    cap: u64,
}

impl Default for Shares {
    fn default() -> Self {
        Self {
            folded: TextInterner::new(Match::AsciiCaseInsensitive),
            numbers: Vec::new(),
            kinds: Vec::new(),
            present: Vec::new(),
            candidates: Vec::new(),
        }
    }
}

impl Shares {
    /// Finds the entries of a batch's kinds.
    pub fn begin(&mut self, policy: &CheckedPolicy, batch: &Batch) -> Result<(), OutOfMemory> {
        let Self { folded, numbers, kinds, present, .. } = self;
        folded.clear();
        numbers.clear();
        kinds.clear();
        present.clear();
        if policy.quotas.entries().is_empty() {
            return Ok(());
        }
        let names = batch.kinds().texts();
        try_reserve(numbers, names.len())?;
        for text in names.texts() {
            let number = folded.intern(text.into())?;
            if number as usize == kinds.len() {
                try_push(kinds, KindShare { entry: policy.quotas.find(text), ..KindShare::default() })?;
            }
            numbers.push(number);
        }
        try_reserve(present, kinds.len())?;
        Ok(())
    }
}

/// floor(percent / 100 * target), at most the target.
fn share_of(percent: f64, target: u64) -> u64 {
    ((percent / 100.0 * target as f64).floor() as u64).min(target)
}

/// floor(whole * part / total), where part is at most total and total is less than 2^126.
fn proportion(whole: u64, part: u128, total: u128) -> u64 {
    if let Some(product) = part.checked_mul(whole.into()) {
        return (product / total) as u64;
    }
    // Long multiplication and division: after each bit of `whole`, its leading bits times part are quotient * total + rest.
    let (mut quotient, mut rest) = (0_u64, 0_u128);
    for bit in (0..u64::BITS).rev() {
        quotient *= 2;
        rest *= 2;
        if whole >> bit & 1 == 1 {
            rest += part;
        }
        while rest >= total {
            rest -= total;
            quotient += 1;
        }
    }
    quotient
}

impl Slicing<'_> {
    /// Slices each kind on its own, if there are quotas.
    pub fn slice_by_quotas(
        &mut self,
        candidates: &[u32],
        target: u64,
        scratch: &mut SliceScratch,
    ) -> Result<(), Error> {
        // A call that failed may have left some.
        scratch.knapsack.clear();
        if self.policy.quotas.entries().is_empty() {
            self.slice(candidates, target, scratch)?;
        } else {
            let mut shares = std::mem::take(&mut scratch.quotas);
            let result = self.slice_kinds(candidates, target, &mut shares, scratch);
            scratch.quotas = shares;
            result?;
        }
        match self.policy.slicer {
            Slicer::Knapsack => self.solve(target, scratch),
            _ => Ok(()),
        }
    }

    fn slice_kinds(
        &mut self,
        candidates: &[u32],
        target: u64,
        shares: &mut Shares,
        scratch: &mut SliceScratch,
    ) -> Result<(), OutOfMemory> {
        self.share(candidates, target, shares)?;
        let quotas = self.policy.quotas.entries();
        let required: u128 = quotas.iter().map(|quota| u128::from(share_of(quota.min, target))).sum();
        let unassigned = u128::from(target).saturating_sub(required) as u64;
        let Shares { kinds, present, candidates, .. } = shares;
        let present = present.iter().map(|&number| &kinds[number as usize]);
        let sharing = present.clone().filter(|kind| kind.cap > kind.require);
        let total: u128 = sharing.map(|kind| kind.mass).sum();
        let mut start = 0;
        for kind in present {
            let share = if total > 0 && kind.cap > kind.require { proportion(unassigned, kind.mass, total) } else { 0 };
            let budget = kind.require.saturating_add(share).min(kind.cap);
            if budget > 0 {
                self.slice(&candidates[start..kind.end], budget, scratch)?;
            }
            start = kind.end;
        }
        Ok(())
    }

    /// Puts the candidates in order of their kinds, with the limits of each kind.
    fn share(&mut self, candidates: &[u32], target: u64, shares: &mut Shares) -> Result<(), OutOfMemory> {
        let Shares { numbers, kinds, present, candidates: sorted, .. } = shares;
        for number in present.drain(..) {
            let kind = &mut kinds[number as usize];
            *kind = KindShare { entry: kind.entry, ..KindShare::default() };
        }
        sorted.clear();
        try_pad(sorted, candidates.len(), 0)?;
        on_values!(self.batch.kinds().rows(), codes => {
            let number = |unit: u32| numbers[codes[unit as usize] as usize] as usize;
            for &unit in candidates {
                let number = number(unit);
                let kind = &mut kinds[number];
                if kind.end == 0 {
                    present.push(number as u32);
                    (kind.require, kind.cap) = match kind.entry.map(|entry| self.policy.quotas.entries()[entry]) {
                        None => (0, target),
                        Some(quota) => (share_of(quota.min, target), share_of(quota.max, target)),
                    };
                }
                kind.end += 1;
                kind.mass += self.units.exact_tokens(unit);
            }
            let mut start = 0;
            for &number in &*present {
                start += std::mem::replace(&mut kinds[number as usize].end, start);
            }
            for &unit in candidates {
                let kind = &mut kinds[number(unit)];
                sorted[kind.end] = unit;
                kind.end += 1;
            }
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proportions_are_exact() {
        let big = 1_u128 << 95;
        assert_eq!(proportion(u64::MAX >> 1, big - 1, big), (u64::MAX >> 1) - 1);
        assert_eq!(proportion(u64::MAX >> 1, big, big), u64::MAX >> 1);
        assert_eq!(proportion(10, big / 2 - 1, big), 4);
        assert_eq!(proportion(700, 400, 1200), 233);
        for (whole, part, total) in
            [(u64::MAX >> 1, 3_u128 << 64, 7_u128 << 64), (1 << 62, (1 << 90) + 1, (1 << 92) + 5)]
        {
            // Both sides of the quotient, in parts that 128 bits hold.
            let quotient = proportion(whole, part, total);
            let (quarter, half) = (proportion(whole / 2, part, total), whole / 2);
            assert!(quotient / 2 == quarter || quotient / 2 == quarter + 1, "{quotient} {quarter} {half}");
        }
    }

    #[test]
    fn a_share_stays_a_double() {
        assert_eq!(share_of(29.0, 100), 28);
        assert_eq!(share_of(100.0, i64::MAX as u64), i64::MAX as u64);
    }
}
