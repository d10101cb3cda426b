//! A batch that grows and is selected again and again, held to the model and to what every selection promises.

use std::collections::{BTreeMap, HashSet};

use cupel::Batch;
use cupel::select::{Previous, Selection, Selector};

use super::library;
use super::model::{self, Failure, Overflow, Policy, Request, Row, Selected, Slicer};

pub struct Session {
    pub rows: Vec<Row>,
    batch: Batch,
    selection: Selection,
    /// The last selection, unless none has succeeded.
    last: Option<Selected>,
}

impl Session {
    pub fn new() -> Self {
        Self { rows: Vec::new(), batch: Batch::new(), selection: Selection::new(), last: None }
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
        let Self { rows, batch, selection, last } = self;
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
