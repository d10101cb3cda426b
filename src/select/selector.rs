//! One call: from scores to a selection.

use crate::batch::{Batch, Workspace};
use crate::error::{Error, Parameter, PinnedRows};
use crate::memory::Shared;
use crate::select::place::{Merged, PINNED_SCORE};
use crate::select::policy::CheckedPolicy;
use crate::select::request::{Budget, Room};
use crate::select::scratch::{Scratch, of_workspace};
use crate::select::selection::Results;
use crate::select::slice::{Caps, Slicing};
use crate::select::stable::keep_front;
use crate::select::units::UnitView;
use crate::select::{NO_CAUSE, Overflow, Policy, Previous, Reason, Request, Selection};

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

    /// Chooses the rows of `batch` to keep.
    ///
    /// # Errors
    ///
    /// The first of: a field of the request that breaks a rule; scores that are missing or of another length than the batch; an
    /// earlier selection over more rows than the batch has; pinned rows that exceed the window; the scorer's failure; a count
    /// quota that cannot be met; a knapsack table that is too large; kept rows that exceed the target. The selection is
    /// unchanged then.
    pub fn select(&self, batch: &Batch, request: &Request<'_>, selection: &mut Selection) -> Result<(), Error> {
        let Selection { front, back } = selection;
        let previous = match request.previous {
            Previous::None => None,
            Previous::Own => Some(&*front),
            Previous::Selection(selection) => Some(&selection.front),
        };
        let mut workspace = batch.workspace().take();
        let result = self.select_in(batch, request, previous, back, &mut workspace);
        batch.workspace().put(workspace);
        result?;
        std::mem::swap(front, back);
        // For the next call. It is had now, when the arrays of the old result are no longer lent.
        back.reserve_as(front);
        Ok(())
    }

    fn select_in(
        &self,
        batch: &Batch,
        request: &Request<'_>,
        previous: Option<&Results>,
        results: &mut Results,
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let budget = request.budget(self.0.takes_max_rows())?;
        self.check_scores(batch, request)?;
        let previous = check_previous(batch, previous)?;
        let mut later = workspace.later.take();
        let result = of_workspace(&mut later).map_err(Error::from).and_then(|scratch| {
            let mut call = Selecting { policy: &self.0, batch, budget, results, scratch };
            call.classify()?;
            call.score(request.scores, workspace)?;
            match previous {
                Some(previous) if call.keep_front(previous)? => Ok(()),
                _ => call.slice_and_place(),
            }
        });
        workspace.later = later;
        result
    }

    fn check_scores(&self, batch: &Batch, request: &Request<'_>) -> Result<(), Error> {
        match request.scores {
            Some(scores) if scores.len() != batch.len() => Err(Error::LengthMismatch {
                parameter: Parameter::RequestScores,
                actual: scores.len(),
                expected: batch.len(),
            }),
            None if self.0.scorer.is_none() && !batch.is_empty() => Err(Error::NoScores),
            _ => Ok(()),
        }
    }
}

/// A result over no row counts as none.
fn check_previous<'a>(batch: &Batch, previous: Option<&'a Results>) -> Result<Option<&'a Results>, Error> {
    match previous {
        Some(previous) if previous.reasons.len() > batch.len() => {
            Err(Error::PreviousTooLong { rows: previous.reasons.len(), len: batch.len() })
        }
        previous => Ok(previous.filter(|previous| !previous.reasons.is_empty())),
    }
}

/// One call on its way.
struct Selecting<'a> {
    policy: &'a CheckedPolicy,
    batch: &'a Batch,
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
        let Scratch { units, .. } = &mut *self.scratch;
        self.results.begin(self.batch.len())?;
        units.classify(self.batch, self.policy.group_key.as_deref(), &mut self.results.reasons)?;
        if units.pinned_tokens > self.budget.ceiling as u128 {
            let tokens = units.pinned_tokens;
            return Err(self.over_budget(tokens, self.budget.ceiling));
        }
        let tokens = &mut self.results.tokens;
        tokens.pinned = units.pinned_tokens as i64;
        tokens.considered = clamp(units.considered_tokens);
        Ok(())
    }

    fn over_budget(&self, tokens: u128, limit: i64) -> Error {
        let mut pinned = PinnedRows::default();
        if self.scratch.units.pinned_tokens > limit as u128 {
            for (row, &reason) in self.results.reasons.iter().enumerate() {
                if reason == Reason::Pinned as u8 || reason == Reason::Group as u8 {
                    pinned.push(row as u32);
                }
            }
        }
        Error::OverBudget { tokens: i64::try_from(tokens).unwrap_or(i64::MAX), limit, pinned }
    }

    fn score(&mut self, scores: Option<&[f64]>, workspace: &mut Workspace) -> Result<(), Error> {
        let units = &mut self.scratch.units;
        let Results { scores: own, reasons, .. } = &mut *self.results;
        match (scores, &self.policy.scorer) {
            (Some(scores), _) => own.copy_from_slice(scores),
            (None, Some(scorer)) if !units.candidates.is_empty() => {
                scorer.score_peers(self.batch, units.peers(), workspace, own)?;
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
        let Results { scores, reasons, causes, shortfalls, .. } = &mut *self.results;
        if !self.policy.keep_duplicates {
            let key = self.policy.duplicate_key.as_deref();
            duplicates.remove(self.batch, key, units, scores, reasons, causes)?;
        }
        let room = self.budget.room(units.pinned_tokens as i64);
        let mut pinned_rows = 0;
        let view = units.view(self.batch, scores);
        units.pinned.iter().for_each(|&unit| pinned_rows += u64::from(view.len(unit)));
        let mut slicing = Slicing {
            policy: self.policy,
            batch: self.batch,
            units: view,
            reasons,
            shortfalls,
            rows_left: self.budget.max_rows.saturating_sub(pinned_rows),
        };
        slicing.run(&units.candidates, room.target, slice)?;
        self.finish(room)
    }

    /// Merges, handles overflow, places, and reports.
    fn finish(&mut self, room: Room) -> Result<(), Error> {
        let Scratch { units, slice, places, .. } = &mut *self.scratch;
        let view = units.view(self.batch, &self.results.scores);
        let kept = &mut slice.kept;
        let sliced: u128 = kept.iter().map(|&unit| view.exact_tokens(unit)).sum();
        let merged = units.pinned_tokens + sliced;
        let limit = self.budget.limit();
        let mut kept_tokens = merged;
        if merged > limit as u128 {
            match self.policy.overflow {
                Overflow::Fail => return Err(self.over_budget(merged, limit)),
                Overflow::Proceed if merged > self.budget.ceiling as u128 => {
                    return Err(self.over_budget(merged, self.budget.ceiling));
                }
                Overflow::Proceed => {}
                Overflow::Truncate => {
                    places.sort_by_score(kept, view)?;
                    kept_tokens = units.pinned_tokens;
                    let reasons = &mut self.results.reasons;
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
        let tokens = &mut self.results.tokens;
        tokens.kept = i64::try_from(kept_tokens).unwrap_or(i64::MAX);
        tokens.effective_target = room.target;
        tokens.available = clamp(i128::from(room.target) - sliced as i128);
        tokens.overflow = clamp((merged as i128 - i128::from(self.budget.target)).max(0));
        let Results { scores, reasons, causes, rows, .. } = &mut *self.results;
        let view = units.view(self.batch, scores);
        let rule = DropRule {
            policy: self.policy,
            batch: self.batch,
            budget: self.budget,
            room,
            first_pinned: units.first_pinned.filter(|_| units.pinned_tokens > 0),
        };
        // From here on in ascending order, which is nearly that of most placers.
        kept.clear();
        let is_simple = rule.is_simple() && !view.has_groups();
        for &unit in &units.candidates {
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
            if view.has_groups() {
                for row in view.rows(unit) {
                    (reasons[row as usize], causes[row as usize]) = (reason as u8, cause);
                }
            } else {
                (reasons[unit as usize], causes[unit as usize]) = (reason as u8, cause);
            }
        }
        let kept_rows = units.pinned.iter().chain(&*kept).map(|&unit| view.len(unit) as usize).sum();
        crate::memory::try_reserve(rows, kept_rows)?;
        let merged = Merged::new(view, &units.pinned);
        places.place(self.policy.placer, self.policy.pinned_first, self.batch, merged, kept, rows)?;
        Ok(())
    }
}

/// Why units were kept or dropped.
struct DropRule<'a> {
    policy: &'a CheckedPolicy,
    batch: &'a Batch,
    budget: Budget,
    room: Room,
    /// The lowest pinned row, if pinned rows have tokens.
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
