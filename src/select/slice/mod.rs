//! Slicers: which candidates are kept within a target.

mod count;
mod fill;
mod knapsack;
mod quota;

use crate::batch::Batch;
use crate::error::Error;
use crate::memory::{OutOfMemory, try_reserve};
use crate::select::order::Entry;
use crate::select::policy::CheckedPolicy;
use crate::select::units::UnitView;
use crate::select::{Reason, Shortfall, Slicer};

pub use count::Caps;
pub use fill::Order;

/// Memory for one call at a time.
#[derive(Debug, Default)]
pub struct SliceScratch {
    /// The units that were kept, in the order in which the slicer took them.
    pub kept: Vec<u32>,
    /// The caps that were enforced, to tell why a unit was dropped.
    pub caps: Caps,
    entries: Vec<Entry>,
    buckets: fill::Buckets,
    quotas: quota::Shares,
    knapsack: knapsack::Knapsack,
    /// Candidates that are neither committed nor sliced yet.
    rest: Vec<u32>,
}

impl SliceScratch {
    /// Reads the kinds of a batch, for any number of [`Slicing::run`].
    pub fn begin(&mut self, policy: &CheckedPolicy, batch: &Batch) -> Result<(), OutOfMemory> {
        self.caps.begin(policy, batch)?;
        self.quotas.begin(policy, batch)
    }

    /// Memory for units and their keys.
    pub fn entries(&mut self) -> &mut Vec<Entry> {
        &mut self.entries
    }
}

/// What the slicers work on.
pub struct Slicing<'a> {
    pub policy: &'a CheckedPolicy,
    pub batch: &'a Batch,
    pub units: UnitView<'a>,
    /// By first row: `SCORED` once a unit is kept, `ROW_LIMIT` where only its rows did not fit, else 0.
    pub reasons: &'a mut [u8],
    pub shortfalls: &'a mut Vec<Shortfall>,
    /// How many rows may still be kept.
    pub rows_left: u64,
}

impl Slicing<'_> {
    /// Chooses among `candidates`, which ascend, up to `target` tokens.
    pub fn run(&mut self, candidates: &[u32], target: i64, scratch: &mut SliceScratch) -> Result<(), Error> {
        scratch.kept.clear();
        scratch.caps.clear();
        if candidates.is_empty() || target <= 0 {
            return Ok(());
        }
        try_reserve(&mut scratch.kept, candidates.len())?;
        if self.policy.count_quotas.entries().is_empty() {
            self.slice_by_quotas(candidates, target as u64, scratch)
        } else {
            self.slice_by_counts(candidates, target as u64, scratch)
        }
    }

    /// Slices without regard to kinds. Knapsacks are solved for all kinds together, see [`solve`](Self::solve).
    fn slice(&mut self, candidates: &[u32], budget: u64, scratch: &mut SliceScratch) -> Result<(), OutOfMemory> {
        match self.policy.slicer {
            Slicer::Greedy => self.fill(Order::Density, false, candidates, budget, scratch),
            Slicer::Ranked => self.fill(Order::Score, false, candidates, budget, scratch),
            Slicer::Prefix => self.fill(Order::Score, true, candidates, budget, scratch),
            Slicer::Knapsack => self.collect(candidates, budget, scratch),
        }
    }

    fn keep(&mut self, unit: u32, kept: &mut Vec<u32>) {
        self.reasons[unit as usize] = Reason::Scored as u8;
        // There is room for every candidate.
        kept.push(unit);
    }
}
