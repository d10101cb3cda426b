//! The stable prefix: while the window holds them, the rows of an earlier selection stay as they are.

use crate::batch::Batch;
use crate::error::Error;
use crate::memory::try_reserve;
use crate::select::duplicates::Duplicates;
use crate::select::policy::CheckedPolicy;
use crate::select::request::Budget;
use crate::select::selection::Results;
use crate::select::selector::clamp;
use crate::select::units::Units;
use crate::select::{NO_CAUSE, Reason};

/// Keeps the rows of `previous`, in their order, and after them all rows that were appended since, if that is possible; says
/// whether it was. Otherwise `results` is as it was: classified and scored.
pub fn keep_front(
    policy: &CheckedPolicy,
    batch: &Batch,
    budget: &Budget,
    previous: &Results,
    results: &mut Results,
    units: &Units,
    duplicates: &mut Duplicates,
) -> Result<bool, Error> {
    let old = previous.reasons.len();
    let view = units.view(batch, &results.scores);
    let in_group = |row: u32| view.unit_of(row).is_some_and(|unit| view.len(unit) > 1);
    if view.has_groups() {
        let was_dropped = |row: u32| {
            let reason = previous.reasons[row as usize];
            reason >= Reason::Budget as u8 && reason != Reason::NegativeTokens as u8
        };
        for &unit in units.pinned.iter().chain(&units.candidates) {
            let grew = view.rows(unit).any(|row| row as usize >= old);
            if grew && view.rows(unit).any(|row| (row as usize) < old && was_dropped(row)) {
                return Ok(false);
            }
        }
    }
    let Results { rows, reasons, causes, .. } = results;
    if !policy.keep_duplicates {
        let compared = (0..batch.len() as u32).filter(|&row| {
            let takes_part = match previous.reasons.get(row as usize) {
                Some(&reason) => reason < Reason::Budget as u8,
                None => reasons[row as usize] != Reason::NegativeTokens as u8,
            };
            takes_part && batch.pinned().get(row as usize) != Some(&1) && !in_group(row)
        });
        let key = policy.duplicate_key.as_deref();
        duplicates.begin(batch, key)?;
        duplicates.find(batch, 0..batch.len(), compared, |row, first| causes[row as usize] = first)?;
    }
    let appended = old as u32..batch.len() as u32;
    let kept = |row: &u32, reasons: &[u8], causes: &[u32]| {
        reasons[*row as usize] != Reason::NegativeTokens as u8 && causes[*row as usize] == NO_CAUSE
    };
    let mut tokens = 0_i128;
    let mut count = 0_u64;
    for row in previous.rows.iter().copied().chain(appended.clone().filter(|row| kept(row, reasons, causes))) {
        tokens += i128::from(batch.tokens().get(row as usize));
        count += 1;
    }
    let room = budget.room(0).max;
    if tokens > room.into() || count > budget.max_rows {
        causes.fill(NO_CAUSE);
        return Ok(false);
    }
    try_reserve(rows, count as usize)?;
    rows.extend_from_slice(&previous.rows);
    rows.extend(appended.clone().filter(|row| kept(row, reasons, causes)));
    for row in appended {
        let (reason, cause) = (&mut reasons[row as usize], causes[row as usize]);
        if cause != NO_CAUSE {
            *reason = Reason::Duplicate as u8;
        } else if *reason == 0 {
            let empty = view.unit_of(row).is_some_and(|unit| view.tokens(unit) == 0);
            *reason = if empty { Reason::ZeroTokens } else { Reason::Scored } as u8;
        }
    }
    reasons[..old].copy_from_slice(&previous.reasons);
    causes[..old].copy_from_slice(&previous.causes);
    let sums = &mut results.tokens;
    sums.kept = clamp(tokens);
    sums.effective_target = room;
    sums.available = clamp(i128::from(room) - tokens);
    sums.overflow = clamp((tokens - i128::from(budget.target)).max(0));
    results.stable = true;
    Ok(true)
}
