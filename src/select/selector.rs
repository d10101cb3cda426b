//! One call: from scores to a selection.

use std::ops::Range;

use crate::batch::Batch;
use crate::error::{Error, Parameter, PinnedRows};
use crate::ingest::ColumnSet;
use crate::memory::{Shared, try_box, try_reserve};
use crate::scorer::{ClockReadings, Groups, ScoreInput, SharedScorer};
use crate::select::place::{Merged, PINNED_SCORE};
use crate::select::policy::CheckedPolicy;
use crate::select::request::{Budget, Room};
use crate::select::scratch::Scratch;
use crate::select::selection::Results;
use crate::select::slice::{Caps, Slicing};
use crate::select::stable::keep_front;
use crate::select::units::UnitView;
use crate::select::{NO_CAUSE, Overflow, Placer, Policy, Previous, Reason, Request, Selection};

/// A policy, ready for use: immutable, cheap to clone, free to be shared by threads.
#[derive(Clone, Debug)]
pub struct Selector(Shared<CheckedPolicy>);

impl Selector {
    /// Checks a policy.
    ///
    /// # Errors
    ///
    /// A quota whose percentages or counts break their rules, a kind that is blank or has two quotas, a bucket size below 1.
    pub fn new(policy: Policy<'_>) -> Result<Self, Error> {
        Ok(Self(Shared::try_new(CheckedPolicy::new(policy)?)?))
    }

    pub(crate) fn policy(&self) -> &CheckedPolicy {
        &self.0
    }

    /// The scorer of the policy.
    pub fn scorer(&self) -> Option<&SharedScorer> {
        self.0.scorer.as_ref()
    }

    /// The columns that selecting reads, those of the scorer among them.
    pub fn columns(&self) -> ColumnSet {
        let policy = &*self.0;
        let reads = |column, is_read: bool| if is_read { column } else { ColumnSet::NONE };
        let has_quotas = !policy.quotas.entries().is_empty() || !policy.count_quotas.entries().is_empty();
        let has_key = policy.group_key.is_some() || (!policy.keep_duplicates && policy.duplicate_key.is_some());
        self.scorer()
            .map_or(ColumnSet::NONE, SharedScorer::columns)
            .with(ColumnSet::TOKENS)
            .with(ColumnSet::PINNED)
            .with(reads(ColumnSet::KIND, has_quotas))
            .with(reads(ColumnSet::TIMESTAMP, policy.placer == Placer::Chronological))
            .with(reads(ColumnSet::METADATA, has_key))
            .with(reads(ColumnSet::CONTENT, !policy.keep_duplicates && policy.duplicate_key.is_none()))
    }

    /// Chooses the rows of `batch` to keep.
    ///
    /// # Errors
    ///
    /// The first of: a field of the request that breaks a rule; scores that are missing or of another length than the batch; an
    /// earlier selection over more rows than the batch has, or of groups; pinned rows that exceed the window; the scorer's
    /// failure; a count quota that cannot be met; a knapsack table that is too large; kept rows that exceed the target. The
    /// selection is unchanged then.
    pub fn select(&self, batch: &Batch, request: &Request<'_>, selection: &mut Selection) -> Result<(), Error> {
        self.select_ranges(batch, None, request, selection)
    }

    /// Chooses the rows to keep of each group, as if the group were a batch of its own: `request` is the budget of each, and its
    /// rows are compared and scored among each other. `groups` are non-decreasing offsets into the rows, from 0 to the length
    /// of the batch. The selection has the kept rows of one group after those of another; [`Selection::offsets`] tells them
    /// apart. Sums of tokens are over all groups.
    ///
    /// A clock is read once.
    ///
    /// # Errors
    ///
    /// Offsets that break their rule; else those of [`select`](Self::select), where what concerns a group is an
    /// [`Error::InGroup`] of the lowest such group. A request with an earlier selection is refused, and so is a scorer that is
    /// custom or combines custom scorers, unless the request brings scores. The selection is unchanged then.
    pub fn select_groups(
        &self,
        batch: &Batch,
        groups: &[i64],
        request: &Request<'_>,
        selection: &mut Selection,
    ) -> Result<(), Error> {
        self.select_ranges(batch, Some(Groups::new(groups, batch.len())?), request, selection)
    }

    fn select_ranges(
        &self,
        batch: &Batch,
        groups: Option<Groups<'_>>,
        request: &Request<'_>,
        selection: &mut Selection,
    ) -> Result<(), Error> {
        let Selection { front, back } = selection;
        let previous = match request.previous {
            Previous::None => None,
            Previous::Own => Some(&*front),
            Previous::Selection(selection) => Some(&selection.front),
        };
        self.select_in(batch, groups, request, previous, back)?;
        std::mem::swap(front, back);
        // Allocated here for the next call: views of the old result are no longer valid.
        back.reserve_as(front);
        Ok(())
    }

    fn select_in(
        &self,
        batch: &Batch,
        groups: Option<Groups<'_>>,
        request: &Request<'_>,
        previous: Option<&Results>,
        results: &mut Results,
    ) -> Result<(), Error> {
        let budget = request.budget(self.0.takes_max_rows())?;
        let previous = self.check(batch, groups, request, previous)?;
        let whole = [0, batch.len() as i64];
        let ranges = groups.map_or_else(|| Groups::new(&whole, batch.len()), Ok)?;
        batch.workspace().with(|scratch: &mut Scratch| {
            let mut call = Selecting { policy: &self.0, batch, groups, ranges, budget, results, scratch };
            call.classify()?;
            call.score(request.scores)?;
            match previous {
                Some(previous) if call.keep_front(previous)? => call.results.end_range(),
                _ => call.slice_and_place()?,
            }
            Ok(())
        })
    }

    /// Checks a request against the batch. An earlier result over no row counts as none.
    fn check<'a>(
        &self,
        batch: &Batch,
        groups: Option<Groups<'_>>,
        request: &Request<'_>,
        previous: Option<&'a Results>,
    ) -> Result<Option<&'a Results>, Error> {
        match (request.scores, &self.0.scorer, previous) {
            (Some(scores), ..) if scores.len() != batch.len() => Err(Error::LengthMismatch {
                parameter: Parameter::RequestScores,
                actual: scores.len(),
                expected: batch.len(),
            }),
            (None, None, _) if !batch.is_empty() => Err(Error::NoScores),
            (.., Some(_)) if groups.is_some() => Err(Error::PreviousForGroups),
            (.., Some(previous)) if previous.is_of_groups() => Err(Error::SelectionOfGroups),
            (.., Some(previous)) if previous.reasons.len() > batch.len() => {
                Err(Error::PreviousTooLong { rows: previous.reasons.len(), len: batch.len() })
            }
            (None, Some(scorer), _) if groups.is_some() && scorer.is_custom() => Err(Error::CustomInGroups),
            _ => Ok(previous.filter(|previous| !previous.reasons.is_empty())),
        }
    }
}

/// The state of one call.
struct Selecting<'a> {
    policy: &'a CheckedPolicy,
    batch: &'a Batch,
    /// The groups that are selected on their own, unless it is the whole batch.
    groups: Option<Groups<'a>>,
    /// The same, with the whole batch as one range.
    ranges: Groups<'a>,
    budget: Budget,
    results: &'a mut Results,
    scratch: &'a mut Scratch,
}

/// A sum of tokens as it is reported.
pub(super) fn clamp(tokens: i128) -> i64 {
    tokens.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

impl Selecting<'_> {
    fn classify(&mut self) -> Result<(), Error> {
        let units = &mut self.scratch.units;
        self.results.begin(self.batch.len(), self.ranges.count())?;
        units.classify(self.batch, self.ranges, self.policy.group_key.as_deref(), &mut self.results.reasons)?;
        self.results.tokens.considered = clamp(units.considered_tokens);
        let mut pinned_tokens = 0;
        let mut pinned = 0..0;
        for (index, rows) in self.ranges.iter().enumerate() {
            let units = &self.scratch.units;
            pinned = units_in(&units.pinned, pinned.end, &rows);
            let tokens = units.view(self.batch, &[]).sum(&units.pinned[pinned.clone()]);
            if tokens > self.budget.ceiling as u128 {
                return Err(self.in_range(index, &rows, self.over_budget(&rows, tokens, tokens, self.budget.ceiling)));
            }
            pinned_tokens += tokens;
        }
        self.results.tokens.pinned = clamp(pinned_tokens as i128);
        Ok(())
    }

    /// What concerns a range names it, if it is not the whole batch.
    fn in_range(&self, group: usize, rows: &Range<usize>, error: Error) -> Error {
        if self.groups.is_none() || matches!(error, Error::OutOfMemory(_)) {
            return error;
        }
        match try_box(error) {
            Ok(error) => Error::InGroup { group, start: rows.start, end: rows.end, error },
            Err(error) => error.into(),
        }
    }

    fn over_budget(&self, rows: &Range<usize>, pinned_tokens: u128, tokens: u128, limit: i64) -> Error {
        let mut pinned = PinnedRows::default();
        if pinned_tokens > limit as u128 {
            for row in rows.clone() {
                let reason = self.results.reasons[row];
                if reason == Reason::Pinned as u8 || reason == Reason::Group as u8 {
                    pinned.push(row as u32);
                }
            }
        }
        Error::OverBudget { tokens: i64::try_from(tokens).unwrap_or(i64::MAX), limit, pinned }
    }

    fn score(&mut self, scores: Option<&[f64]>) -> Result<(), Error> {
        let units = &mut self.scratch.units;
        let Results { scores: own, reasons, .. } = &mut *self.results;
        match (scores, &self.policy.scorer) {
            (Some(scores), _) => own.copy_from_slice(scores),
            (None, Some(scorer)) if !units.candidates.is_empty() => {
                let input = ScoreInput::new(self.batch, units.peers(), self.groups);
                scorer.score_input(input, &mut ClockReadings::new(), own)?;
            }
            _ => {}
        }
        if units.peers().is_some() {
            for (score, &reason) in own.iter_mut().zip(&*reasons) {
                if reason != 0 {
                    *score = if reason == Reason::NegativeTokens as u8 { 0.0 } else { PINNED_SCORE };
                }
            }
        }
        units.sum_scores(own);
        Ok(())
    }

    /// Takes the stable path, if it is open.
    fn keep_front(&mut self, previous: &Results) -> Result<bool, Error> {
        let Scratch { units, duplicates, .. } = &mut *self.scratch;
        keep_front(self.policy, self.batch, &self.budget, previous, self.results, units, duplicates)
    }

    fn slice_and_place(&mut self) -> Result<(), Error> {
        let Scratch { units, duplicates, slice, .. } = &mut *self.scratch;
        if !self.policy.keep_duplicates {
            duplicates.begin(self.batch, self.policy.duplicate_key.as_deref())?;
        }
        slice.begin(self.policy, self.batch)?;
        // Moved out, so that they can be read while the other results are written.
        let mut candidates = std::mem::take(&mut units.candidates);
        let scores = std::mem::take(&mut self.results.scores);
        let result = self.slice_ranges(&mut candidates, &scores);
        self.scratch.units.candidates = candidates;
        self.results.scores = scores;
        result
    }

    fn slice_ranges(&mut self, candidates: &mut [u32], scores: &[f64]) -> Result<(), Error> {
        let mut sums = Sums::default();
        let (mut own, mut pinned) = (0..0, 0..0);
        for (index, rows) in self.ranges.iter().enumerate() {
            own = units_in(candidates, own.end, &rows);
            pinned = units_in(&self.scratch.units.pinned, pinned.end, &rows);
            self.slice_range(&rows, &mut candidates[own.clone()], pinned.clone(), scores, &mut sums)
                .map_err(|error| self.in_range(index, &rows, error))?;
            self.results.end_range();
        }
        let tokens = &mut self.results.tokens;
        tokens.kept = clamp(sums.kept);
        tokens.effective_target = clamp(sums.effective_target);
        tokens.available = clamp(sums.available);
        tokens.overflow = clamp(sums.overflow);
        Ok(())
    }

    /// Selects a range of rows: slices, merges, handles overflow, places, and reports. `candidates` are those of the range, and
    /// `pinned` is where its pinned units are.
    fn slice_range(
        &mut self,
        range: &Range<usize>,
        mut candidates: &mut [u32],
        pinned: Range<usize>,
        scores: &[f64],
        sums: &mut Sums,
    ) -> Result<(), Error> {
        let Scratch { units, duplicates, slice, places, .. } = &mut *self.scratch;
        let Results { reasons, causes, shortfalls, rows, .. } = &mut *self.results;
        let view = units.view(self.batch, scores);
        let pinned = &units.pinned[pinned];
        if !self.policy.keep_duplicates {
            let staying = duplicates.remove(self.batch, range.clone(), view, candidates, reasons, causes)?;
            candidates = &mut candidates[..staying];
        }
        let pinned_tokens = view.sum(pinned);
        let room = self.budget.room(pinned_tokens as i64);
        let pinned_rows = pinned.iter().map(|&unit| u64::from(view.len(unit))).sum();
        let mut slicing = Slicing {
            policy: self.policy,
            batch: self.batch,
            units: view,
            reasons,
            shortfalls,
            rows_left: self.budget.max_rows.saturating_sub(pinned_rows),
        };
        slicing.run(candidates, room.target, slice)?;
        let kept = &mut slice.kept;
        let sliced = view.sum(kept);
        let merged = pinned_tokens + sliced;
        let limit = self.budget.limit();
        let mut kept_tokens = merged;
        if merged > limit as u128 {
            match self.policy.overflow {
                Overflow::Fail => return Err(self.over_budget(range, pinned_tokens, merged, limit)),
                Overflow::Proceed if merged > self.budget.ceiling as u128 => {
                    return Err(self.over_budget(range, pinned_tokens, merged, self.budget.ceiling));
                }
                Overflow::Proceed => {}
                Overflow::Truncate => {
                    places.sort_by_score(kept, view)?;
                    kept_tokens = pinned_tokens;
                    kept.retain(|&unit| {
                        let tokens = kept_tokens + view.exact_tokens(unit);
                        let fits = tokens <= limit as u128;
                        if fits {
                            kept_tokens = tokens;
                        } else {
                            reasons[unit as usize] = Reason::Budget as u8;
                        }
                        fits
                    });
                }
            }
        }
        sums.kept += kept_tokens as i128;
        sums.effective_target += i128::from(room.target);
        sums.available += i128::from(room.target) - sliced as i128;
        sums.overflow += (merged as i128 - i128::from(self.budget.target)).max(0);
        let mut pinned_rows = range.clone().filter(|&row| reasons[row] == Reason::Pinned as u8);
        let first_pinned = if pinned_tokens > 0 { pinned_rows.next().map(|row| row as u32) } else { None };
        let rule = DropRule { policy: self.policy, batch: self.batch, budget: self.budget, room, first_pinned };
        // From here on in ascending order, which is nearly that of most placers.
        kept.clear();
        let is_simple = rule.is_simple() && !view.has_groups();
        for &unit in &*candidates {
            if is_simple {
                let reason = &mut reasons[unit as usize];
                if *reason == Reason::Scored as u8 {
                    if view.tokens(unit) == 0 {
                        *reason = Reason::ZeroTokens as u8;
                    }
                    kept.push(unit);
                } else if *reason != Reason::RowLimit as u8 {
                    *reason = Reason::Budget as u8;
                }
                continue;
            }
            let (reason, cause) = rule.reason(unit, view, &slice.caps, reasons[unit as usize]);
            if reason.is_kept() {
                kept.push(unit);
            }
            for row in view.rows(unit) {
                (reasons[row as usize], causes[row as usize]) = (reason as u8, cause);
            }
        }
        let kept_rows = pinned.iter().chain(&*kept).map(|&unit| view.len(unit) as usize).sum();
        try_reserve(rows, kept_rows)?;
        let merged = Merged::new(view, pinned);
        places.place(self.policy.placer, self.policy.pinned_first, self.batch, merged, kept, rows)?;
        Ok(())
    }
}

/// Sums of tokens over ranges of rows.
#[derive(Default)]
struct Sums {
    kept: i128,
    effective_target: i128,
    available: i128,
    overflow: i128,
}

/// Where the units of a range of rows are: from `start` on. Units ascend, and none before `start` is of the range.
fn units_in(units: &[u32], start: usize, rows: &Range<usize>) -> Range<usize> {
    let most = units.len().min(start + rows.len());
    start..start + units[start..most].partition_point(|&unit| (unit as usize) < rows.end)
}

/// Why units were kept or dropped.
struct DropRule<'a> {
    policy: &'a CheckedPolicy,
    batch: &'a Batch,
    budget: Budget,
    room: Room,
    /// The lowest pinned row of the range, if its pinned rows have tokens.
    first_pinned: Option<u32>,
}

impl DropRule<'_> {
    /// Whether what the slicer noted decides, without regard to tokens and kinds, and nothing has a cause.
    fn is_simple(&self) -> bool {
        self.first_pinned.is_none() && self.policy.count_quotas.entries().is_empty()
    }

    /// The reason and the cause of a candidate, from what the slicer and truncation noted.
    fn reason(&self, unit: u32, units: UnitView<'_>, caps: &Caps, noted: u8) -> (Reason, u32) {
        let tokens = units.tokens(unit);
        if noted == Reason::Scored as u8 {
            return (if tokens == 0 { Reason::ZeroTokens } else { Reason::Scored }, NO_CAUSE);
        }
        if noted == Reason::RowLimit as u8 {
            return (Reason::RowLimit, NO_CAUSE);
        }
        let fits = tokens <= self.room.target as u64;
        if !fits
            && let Some(first) = self.first_pinned
            && u64::try_from(self.budget.unpinned_target()).is_ok_and(|most| tokens <= most)
        {
            return (Reason::PinnedOverride, first);
        }
        if noted == 0 && fits && caps.is_full(self.policy, self.batch, unit) {
            return (Reason::CountCap, NO_CAUSE);
        }
        (Reason::Budget, NO_CAUSE)
    }
}
