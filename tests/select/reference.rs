//! The same batches and policies in the library and in the reference crate: the same rows, reasons and scores.
//!
//! The cases stay where the two mean to agree: no reserved tokens and no margin, targets within the window less the output
//! reserve, scores that are neither NaN nor -0.0 and whose sums are small, a kind once in a list, and a candidate for every
//! kind that is required. Contents repeat only under deduplication, because the crate tells rows apart by them. Orders are
//! compared where the placer has no ties: the crate breaks ties by the order of its slicer.

use std::collections::{HashMap, HashSet};

use chrono::DateTime;
use cupel::error::Error;
use cupel::select::{Previous, Reason, Selection};
use cupel_reference as reference;

use crate::model::{NO_CAUSE, Overflow, Placer, Policy, Request, Row, Slicer};
use crate::random::Random;
use crate::{cases, library};

/// The metadata key that names the row of an item.
const ROW_KEY: &str = "row";

struct Case {
    rows: Vec<Row>,
    scores: Vec<f64>,
    policy: Policy,
    request: Request,
    distinct_scores: bool,
}

impl Case {
    fn new(random: &mut Random) -> Self {
        let mut policy = cases::policy(random);
        policy.slicer = if random.below(2) == 0 { Slicer::Greedy } else { Slicer::Knapsack };
        policy.placer = if random.below(2) == 0 { Placer::Chronological } else { Placer::UShaped };
        (policy.groups, policy.duplicate_key, policy.pinned_first) = (false, false, false);
        if policy.slicer == Slicer::Knapsack && !policy.quotas.is_empty() {
            policy.count_quotas.clear();
        }
        let distinct_scores = random.below(2) == 0;
        if !distinct_scores && policy.overflow == Overflow::Truncate {
            policy.overflow = Overflow::Fail;
        }

        let shape = cases::shape(random);
        let mut rows: Vec<Row> = (0..random.below(24)).map(|_| cases::row(random, shape)).collect();
        for (index, row) in rows.iter_mut().enumerate() {
            if policy.keep_duplicates {
                row.content = format!("content {index}");
            }
            row.tokens %= 61;
            // The crate gives another reason to what truncation drops because of pinned rows.
            row.pinned &= policy.overflow != Overflow::Truncate || policy.count_quotas.is_empty();
            // Mostly no ties.
            if random.below(4) > 0 {
                row.timestamp = row.timestamp.map(|timestamp| timestamp * 1_000 + index as i64);
            }
        }
        let scores: Vec<f64> = rows.iter().map(|_| score(random, distinct_scores)).collect();
        let is_candidate = |row: usize| !rows[row].pinned && rows[row].tokens >= 0;
        // Deduplication may leave a required kind without a candidate.
        let is_best = |row: usize| {
            let ahead = |other: usize| scores[other] > scores[row] || (scores[other] == scores[row] && other < row);
            let equal = |other: usize| is_candidate(other) && rows[other].content == rows[row].content;
            !(0..rows.len()).any(|other| equal(other) && ahead(other))
        };
        for (kind, min, _) in &mut policy.count_quotas {
            let of_kind = |row: usize| is_candidate(row) && rows[row].kind.eq_ignore_ascii_case(kind);
            if !(0..rows.len()).any(|row| of_kind(row) && is_best(row)) {
                *min = 0;
            }
        }

        let tokens = rows.iter().map(|row| row.tokens.max(0)).sum::<i64>().max(1) as u64;
        let max_tokens = random.below(tokens * 3 / 2) as i64;
        let output_reserve = if random.below(3) == 0 { random.below(max_tokens as u64 / 2 + 1) as i64 } else { 0 };
        let ceiling = max_tokens - output_reserve;
        let target_tokens =
            if random.below(2) == 0 { ceiling } else { ceiling - random.below(ceiling as u64 / 2 + 1) as i64 };
        let request =
            Request { max_tokens, target_tokens, output_reserve, reserved_tokens: 0, margin: 0.0, max_rows: 0 };
        Self { rows, scores, policy, request, distinct_scores }
    }

    fn items(&self) -> Vec<reference::ContextItem> {
        let item = |(index, row): (usize, &Row)| {
            let mut item = reference::ContextItemBuilder::new(row.content.clone(), row.tokens)
                .kind(reference::ContextKind::new(row.kind.clone()).unwrap())
                .pinned(row.pinned)
                .metadata(HashMap::from([(ROW_KEY.to_owned(), index.to_string())]));
            if let Some(timestamp) = row.timestamp {
                item = item.timestamp(DateTime::from_timestamp_nanos(timestamp));
            }
            item.build().unwrap()
        };
        self.rows.iter().enumerate().map(item).collect()
    }

    fn slicer(&self) -> Box<dyn reference::Slicer> {
        let kind = |kind: &str| reference::ContextKind::new(kind).unwrap();
        let policy = &self.policy;
        let knapsack = reference::KnapsackSlice::new(policy.bucket_size).unwrap();
        let scarcity = if policy.scarcity_fails {
            reference::ScarcityBehavior::Throw
        } else {
            reference::ScarcityBehavior::Degrade
        };
        let entry = |(name, min, max): &(String, usize, usize)| {
            reference::CountQuotaEntry::new(kind(name), *min, *max).unwrap()
        };
        let counts: Vec<_> = policy.count_quotas.iter().map(entry).collect();
        let is_knapsack = policy.slicer == Slicer::Knapsack;
        if is_knapsack && !counts.is_empty() {
            return Box::new(reference::CountConstrainedKnapsackSlice::new(counts, knapsack, scarcity).unwrap());
        }
        let mut slicer: Box<dyn reference::Slicer> =
            if is_knapsack { Box::new(knapsack) } else { Box::new(reference::GreedySlice) };
        if !policy.quotas.is_empty() {
            let entry =
                |(name, min, max): &(String, f64, f64)| reference::QuotaEntry::new(kind(name), *min, *max).unwrap();
            let quotas = policy.quotas.iter().map(entry).collect();
            slicer = Box::new(reference::QuotaSlice::new(quotas, slicer).unwrap());
        }
        if !counts.is_empty() {
            slicer = Box::new(reference::CountQuotaSlice::new(counts, slicer, scarcity).unwrap());
        }
        slicer
    }

    fn pipeline(&self) -> reference::Pipeline {
        let placer: Box<dyn reference::Placer> = match self.policy.placer {
            Placer::UShaped => Box::new(reference::UShapedPlacer),
            _ => Box::new(reference::ChronologicalPlacer),
        };
        reference::Pipeline::builder()
            .scorer(Box::new(Given(self.scores.clone())))
            .slicer(self.slicer())
            .placer(placer)
            .deduplication(!self.policy.keep_duplicates)
            .overflow_strategy(match self.policy.overflow {
                Overflow::Fail => reference::OverflowStrategy::Throw,
                Overflow::Truncate => reference::OverflowStrategy::Truncate,
                Overflow::Proceed => reference::OverflowStrategy::Proceed,
            })
            .build()
            .unwrap()
    }

    fn budget(&self) -> reference::ContextBudget {
        let Request { max_tokens, target_tokens, output_reserve, .. } = self.request;
        reference::ContextBudget::new(max_tokens, target_tokens, output_reserve, HashMap::new(), 0.0).unwrap()
    }

    /// Whether no two of these rows tie in the placer.
    fn has_one_order(&self, rows: &[u32]) -> bool {
        let mut timestamps = HashSet::new();
        match self.policy.placer {
            Placer::UShaped => self.distinct_scores,
            _ => rows.iter().all(|&row| timestamps.insert(self.rows[row as usize].timestamp)),
        }
    }
}

/// Never -0.0, and never above what a knapsack value holds.
fn score(random: &mut Random, distinct: bool) -> f64 {
    let score = match random.below(if distinct { 4 } else { 8 }) {
        0 => -random.unit(),
        1 => random.unit() * 4e5,
        2 | 3 => random.unit(),
        _ => random.below(4) as f64 / 4.0,
    };
    score + 0.0
}

/// Gives every row its score.
struct Given(Vec<f64>);

impl reference::Scorer for Given {
    fn score(&self, item: &reference::ContextItem, _: &[reference::ContextItem]) -> f64 {
        self.0[row_of(item) as usize]
    }
}

fn row_of(item: &reference::ContextItem) -> u32 {
    item.metadata()[ROW_KEY].parse().unwrap()
}

/// Selects in both; gives whether rows were dropped by the budget.
fn compare(case: &Case, seed: u64) -> bool {
    let mut batch = cupel::Batch::new();
    case.rows.iter().for_each(|row| library::push(&mut batch, row));
    let mut selection = Selection::new();
    let request = library::request(&case.request, Some(&case.scores), Previous::None);
    let result = library::selector(&case.policy, None).select(&batch, &request, &mut selection);
    let expected = case.pipeline().dry_run(&case.items(), &case.budget());

    let Case { rows, policy, request, .. } = case;
    let context = || format!("seed {seed}\n{rows:#?}\n{policy:?}\n{request:?}\n{:?}", case.scores);
    let ceiling = request.max_tokens - request.output_reserve;
    let report = match expected {
        Err(error) => {
            let found = result.expect_err(&context());
            match (&error, &found) {
                (
                    reference::CupelError::PinnedExceedsBudget { pinned_tokens: sum, available: most },
                    Error::OverBudget { tokens, limit, .. },
                )
                | (
                    reference::CupelError::Overflow { merged_tokens: sum, target_tokens: most },
                    Error::OverBudget { tokens, limit, .. },
                ) => assert_eq!((tokens, limit), (sum, most), "{}", context()),
                (reference::CupelError::SlicerConfig(_), Error::Shortfall { .. }) => {}
                _ => panic!("{found} here, {error} there; {}", context()),
            }
            return false;
        }
        Ok(report) => report,
    };
    let kept: i64 = report.included.iter().map(|item| item.item.tokens()).sum();
    if kept > ceiling {
        // The crate does not look at the window again.
        let found = result.expect_err(&context());
        assert!(matches!(found, Error::OverBudget { tokens, limit, .. } if (tokens, limit) == (kept, ceiling)));
        return false;
    }
    result.unwrap_or_else(|error| panic!("{error}; {}", context()));

    let mut expected = vec![None; rows.len()];
    let mut budget_was_short = false;
    for included in &report.included {
        let reason = match included.reason {
            reference::InclusionReason::Scored => Reason::Scored,
            reference::InclusionReason::Pinned => Reason::Pinned,
            reference::InclusionReason::ZeroToken => Reason::ZeroTokens,
            ref reason => panic!("{reason:?}"),
        };
        expected[row_of(&included.item) as usize] = Some((reason, included.score.to_bits()));
    }
    for excluded in &report.excluded {
        let row = row_of(&excluded.item) as usize;
        let cause = selection.causes()[row];
        let content_of_cause = || rows[cause as usize].content.as_str();
        let reason = match &excluded.reason {
            reference::ExclusionReason::BudgetExceeded { .. } => {
                budget_was_short = true;
                assert_eq!(cause, NO_CAUSE, "{}", context());
                Reason::Budget
            }
            reference::ExclusionReason::Deduplicated { deduplicated_against } => {
                assert_eq!(content_of_cause(), deduplicated_against, "{}", context());
                Reason::Duplicate
            }
            reference::ExclusionReason::NegativeTokens { .. } => Reason::NegativeTokens,
            reference::ExclusionReason::PinnedOverride { displaced_by } => {
                assert_eq!(content_of_cause(), displaced_by, "{}", context());
                Reason::PinnedOverride
            }
            reference::ExclusionReason::CountCapExceeded { .. } => Reason::CountCap,
            reason => panic!("{reason:?}"),
        };
        expected[row] = Some((reason, excluded.score.to_bits()));
    }
    let scores = selection.scores().iter().map(|score| score.to_bits());
    let found: Vec<_> = selection.reasons().zip(scores).map(Some).collect();
    assert_eq!(found, expected, "{}", context());

    let mut found = selection.rows().to_vec();
    let mut expected: Vec<u32> = report.included.iter().map(|item| row_of(&item.item)).collect();
    if !case.has_one_order(&found) {
        found.sort_unstable();
        expected.sort_unstable();
    }
    assert_eq!(found, expected, "{}", context());
    assert_eq!(selection.tokens().kept, kept, "{}", context());
    assert_eq!(selection.tokens().considered, report.total_tokens_considered, "{}", context());
    budget_was_short
}

#[test]
fn agrees_with_the_reference_crate() {
    let cases = crate::case_count();
    let mut short = 0;
    for seed in 1..=cases {
        let case = Case::new(&mut Random(seed.wrapping_mul(0xBF58_476D_1CE4_E5B9) | 1));
        short += u64::from(compare(&case, seed));
    }
    assert!(short > cases / 4, "the budget was short in {short} of {cases} cases only");
}
