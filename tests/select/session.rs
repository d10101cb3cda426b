//! A batch that grows and is selected again and again, held to the model and to what every selection promises.

use std::collections::{BTreeMap, HashSet};

use cupel::Batch;
use cupel::error::Error;
use cupel::select::{Previous, Selection, Selector};

use super::library;
use super::model::{self, Failure, Overflow, Policy, Request, Row, Selected, Slicer};

pub struct Session {
    pub rows: Vec<Row>,
    batch: Batch,
    selection: Selection,
    /// The last selection, unless none has succeeded.
    last: Option<Selected>,
    /// What groups are selected into.
    of_groups: Selection,
}

impl Session {
    pub fn new() -> Self {
        Self {
            rows: Vec::new(),
            batch: Batch::new(),
            selection: Selection::new(),
            last: None,
            of_groups: Selection::new(),
        }
    }

    pub fn push(&mut self, row: Row) {
        library::push(&mut self.batch, &row);
        self.rows.push(row);
    }

    /// Σ t of the rows, without negative ones, as far as 64 bits go.
    pub fn tokens(&self) -> i64 {
        self.rows.iter().fold(0, |sum, row| sum.saturating_add(row.tokens.max(0)))
    }

    /// Selects, with the last selection as `previous` where `again` is set; `selector` has the policy. Panics where the result
    /// is not the model's, bit for bit.
    pub fn select(&mut self, selector: &Selector, policy: &Policy, request: &Request, scores: &[f64], again: bool) {
        let Self { rows, batch, selection, last, .. } = self;
        let context = |last: &Option<Selected>| {
            format!("{rows:#?}\n{policy:?}\n{request:?}\n{scores:?}\nprevious {last:?} {again}")
        };
        let previous = if again { Previous::Own } else { Previous::None };
        let result = selector.select(batch, &library::request(request, Some(scores), previous), selection);
        let before = last.as_ref().filter(|_| again);
        let expected = model::select(rows, policy, request, scores, before).map_err(shorten);
        let found = match &result {
            Ok(()) => Ok(library::selected(selection)),
            Err(error) => Err(library::failure(error)),
        };
        assert_eq!(found, expected, "{}", context(last));
        let Ok(expected) = expected else {
            let unchanged = last.clone().unwrap_or_else(|| library::selected(&Selection::new()));
            assert_eq!(library::selected(selection), unchanged, "a failed call changes nothing: {}", context(last));
            return;
        };
        check_promises(rows, policy, request, before, &expected);
        if policy.slicer != Slicer::Knapsack && policy.quotas.is_empty() {
            let mut needed = vec![0; rows.len()];
            let answer = selector.needed(batch, selection, &mut needed);
            assert_eq!(answer.is_ok(), policy.count_quotas.is_empty(), "{answer:?}");
            if answer.is_ok() {
                let by_model = model::needed(rows, policy, selection.scores(), &expected);
                assert_eq!(needed, by_model, "{}", context(last));
            }
        }
        *last = Some(expected);
    }

    /// Selects the groups between `offsets`. Panics where the result is not that of the model for each group.
    pub fn select_groups(
        &mut self,
        selector: &Selector,
        policy: &Policy,
        request: &Request,
        scores: &[f64],
        offsets: &[i64],
    ) {
        let Self { rows, batch, of_groups, .. } = self;
        let context = || format!("{rows:#?}\n{policy:?}\n{request:?}\n{scores:?}\n{offsets:?}");
        let before = (library::selected(of_groups), of_groups.offsets().to_vec());
        let asked = library::request(request, Some(scores), Previous::None);
        let result = selector.select_groups(batch, offsets, &asked, of_groups);
        let found = match &result {
            Ok(()) => Ok(()),
            Err(Error::InGroup { group, start, end, error }) => {
                assert_eq!([*start as i64, *end as i64], offsets[*group..][..2], "{}", context());
                Err((Some(*group), library::failure(error)))
            }
            Err(error) => Err((None, library::failure(error))),
        };
        match expected_of_groups(rows, policy, request, scores, offsets) {
            Err(expected) => {
                assert_eq!(found, Err(expected), "{}", context());
                let after = (library::selected(of_groups), of_groups.offsets().to_vec());
                assert_eq!(after, before, "a failed call changes nothing: {}", context());
            }
            Ok(OfGroups { selected: mut expected, row_offsets, shortfall_offsets, is_clamped }) => {
                assert_eq!(found, Ok(()), "{}", context());
                let found = library::selected(of_groups);
                if is_clamped {
                    // The library clamps the sum, and what the model gives of each group is clamped.
                    (expected.available, expected.overflow) = (found.available, found.overflow);
                }
                assert_eq!(found, expected, "{}", context());
                assert_eq!(of_groups.offsets(), row_offsets, "{}", context());
                assert_eq!(of_groups.shortfall_offsets(), shortfall_offsets, "{}", context());
            }
        }
    }
}

struct OfGroups {
    selected: Selected,
    row_offsets: Vec<i64>,
    shortfall_offsets: Vec<i64>,
    /// Whether the tokens left or the overflow of some group were clamped.
    is_clamped: bool,
}

/// What the model makes of each group, put together; the number of the group where one fails.
fn expected_of_groups(
    rows: &[Row],
    policy: &Policy,
    request: &Request,
    scores: &[f64],
    offsets: &[i64],
) -> Result<OfGroups, (Option<usize>, Failure)> {
    if let Err(failure @ Failure::Invalid(_)) = model::select(&[], policy, request, &[], None) {
        return Err((None, failure));
    }
    let ranges: Vec<_> = offsets.windows(2).map(|ends| ends[0] as usize..ends[1] as usize).collect();
    let select = |group: usize, policy: &Policy| {
        let range = ranges[group].clone();
        let start = range.start as u32;
        model::select(&rows[range.clone()], policy, request, &scores[range], None).map_err(|mut failure| {
            if let Failure::OverBudget { pinned, .. } = &mut failure {
                pinned.iter_mut().for_each(|row| *row += start);
            }
            (Some(group), shorten(failure))
        })
    };
    // Pinned rows that exceed the window come before all other failures.
    let pinned_alone =
        Policy { overflow: Overflow::Proceed, quotas: Vec::new(), count_quotas: Vec::new(), ..policy.clone() };
    for group in 0..ranges.len() {
        select(group, &pinned_alone)?;
    }
    let mut all = library::selected(&Selection::new());
    let (mut row_offsets, mut shortfall_offsets) = (vec![0], vec![0]);
    let mut sums = [0_i128; 5];
    let mut is_clamped = false;
    for (group, range) in ranges.iter().enumerate() {
        let one = select(group, policy)?;
        let shift = |row: &u32| if *row == model::NO_CAUSE { *row } else { row + range.start as u32 };
        all.rows.extend(one.rows.iter().map(shift));
        all.causes.extend(one.causes.iter().map(shift));
        all.scores.extend(one.scores);
        all.reasons.extend(one.reasons);
        all.shortfalls.extend(one.shortfalls);
        row_offsets.push(all.rows.len() as i64);
        shortfall_offsets.push(all.shortfalls.len() as i64);
        is_clamped |= one.available == i64::MIN || one.overflow == i64::MAX;
        let own = [one.kept, one.pinned, one.effective_target, one.available, one.overflow];
        sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += i128::from(own));
    }
    let clamp = |sum: i128| sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    [all.kept, all.pinned, all.effective_target, all.available, all.overflow] = sums.map(clamp);
    all.considered = clamp(rows.iter().map(|row| i128::from(row.tokens)).sum());
    Ok(OfGroups { selected: all, row_offsets, shortfall_offsets, is_clamped })
}

/// The pinned rows of a message are the lowest few.
pub fn shorten(mut failure: Failure) -> Failure {
    if let Failure::OverBudget { pinned, .. } = &mut failure {
        pinned.truncate(8);
    }
    failure
}

/// Checks what holds for every selection, whatever the policy.
fn check_promises(rows: &[Row], policy: &Policy, request: &Request, before: Option<&Selected>, selected: &Selected) {
    let context = || format!("{rows:#?}\n{policy:?}\n{request:?}\n{selected:?}");
    let kept: HashSet<u32> = selected.rows.iter().copied().collect();
    assert_eq!(kept.len(), selected.rows.len(), "rows are distinct: {}", context());
    for (row, &reason) in selected.reasons.iter().enumerate() {
        assert_eq!(reason < 16, kept.contains(&(row as u32)), "reasons tell which rows are kept: {}", context());
    }
    assert_eq!(selected.reasons.len(), rows.len(), "{}", context());
    assert!(kept.iter().all(|&row| (row as usize) < rows.len()), "rows are in range: {}", context());
    let is_kept = |row: usize| kept.contains(&(row as u32));
    for (row, fields) in rows.iter().enumerate() {
        assert!(is_kept(row) || !fields.pinned || fields.tokens < 0, "pinned rows are kept: {}", context());
    }

    let sum = |rows_of_sum: &mut dyn Iterator<Item = usize>| {
        rows_of_sum.map(|row| i128::from(rows[row].tokens)).sum::<i128>()
    };
    let tokens = sum(&mut kept.iter().map(|&row| row as usize));
    let ceiling = i128::from(request.max_tokens) - i128::from(request.output_reserve);
    assert!(tokens <= ceiling, "the kept rows fit the window: {}", context());
    if selected.stable {
        let before = before.expect("an earlier selection");
        assert!(selected.rows.starts_with(&before.rows), "the front is as it was: {}", context());
        return;
    }

    let target = if request.target_tokens == 0 { ceiling } else { ceiling.min(request.target_tokens.into()) };
    let pinned = sum(&mut (0..rows.len()).filter(|&row| matches!(selected.reasons[row], 2 | 4)));
    if policy.overflow != Overflow::Proceed {
        assert!(tokens <= target.max(pinned), "the kept rows fit the target: {}", context());
    }
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (row, fields) in rows.iter().enumerate().filter(|(_, fields)| policy.groups && fields.tokens >= 0) {
        if let Some(text) = &fields.group {
            groups.entry(text).or_default().push(row);
        }
    }
    for members in groups.values() {
        let expected: Vec<u32> =
            if is_kept(members[0]) { members.iter().map(|&row| row as u32).collect() } else { Vec::new() };
        let found = selected
            .rows
            .iter()
            .position(|&row| row as usize == members[0])
            .map_or(&[][..], |start| &selected.rows[start..selected.rows.len().min(start + members.len())]);
        assert_eq!(found, expected, "groups are whole and contiguous: {}", context());
        assert!(members.iter().all(|&row| is_kept(row) == is_kept(members[0])), "groups are whole: {}", context());
    }
    if !policy.keep_duplicates {
        let mut texts = HashSet::new();
        for (row, fields) in rows.iter().enumerate().filter(|&(row, _)| matches!(selected.reasons[row], 1 | 3)) {
            let in_group =
                fields.group.as_deref().is_some_and(|text| groups.get(text).is_some_and(|rows| rows.len() > 1));
            let text = if policy.duplicate_key { fields.duplicate.as_deref() } else { Some(fields.content.as_str()) };
            if let Some(text) = text.filter(|_| !in_group) {
                assert!(texts.insert(text), "row {row} is not a duplicate of a kept one: {}", context());
            }
        }
    }
}
