//! Selecting: the library on a batch that is already built, beside the pipeline of the reference crate.

use std::collections::HashMap;
use std::hint::black_box;
use std::ptr::null_mut;

use criterion::{BenchmarkId, Criterion};
use cupel::capi::*;
use cupel_reference::{
    ChronologicalPlacer, CompositeScorer, ContextBudget, ContextItem, GreedySlice, KindScorer, Pipeline, RecencyScorer,
    ReflexiveScorer,
};

use crate::data::{Row, Shape};
use crate::library::{Batch, Columns, Scorer};
use crate::{MAIN_SIZES, reference, tables};

/// The group of the benchmarks.
pub const GROUP: &str = "selecting";
/// The sizes at which the pipeline of the reference is measured.
pub const REFERENCE_SIZES: [usize; 2] = [1_000, 4_000];
/// A window that a small part of the rows fits.
const WINDOW: i64 = 128_000;

pub const GREEDY_WINDOW: &str = "greedy, 128k tokens";
pub const GREEDY_HALF: &str = "greedy, half of the tokens";
pub const GREEDY_GROUPS: &str = "greedy, groups of 20, half of the tokens of each";
pub const DEDUPLICATED: &str = "greedy, 128k tokens, without duplicates";
pub const KNAPSACK: &str = "knapsack, 128k tokens, buckets of 100";
pub const REFLEXIVE: &str = "reflexive, greedy, without duplicates";
pub const CHAT: &str = "3 recency + 1 kind, scoring too";

const REFLEXIVE_SCORER: &str = r#"{"type": "reflexive"}"#;
const CHAT_SCORER: &str =
    r#"{"type": "composite", "scorers": [{"type": "recency", "weight": 3}, {"type": "kind", "weight": 1}]}"#;

struct Selector(*mut cupel_selector);
struct Selection(*mut cupel_selection);

impl Selector {
    fn new(json: &str) -> Self {
        let mut selector = null_mut();
        call!(cupel_selector_from_json(json.as_ptr().cast(), json.len(), std::ptr::null(), &raw mut selector));
        Self(selector)
    }

    /// Selects with these scores, or with those of the selector's scorer.
    fn select(&self, batch: &Batch, target_tokens: i64, scores: Option<&[f64]>, selection: &Selection) {
        let request = request(target_tokens, scores);
        call!(cupel_selector_select(self.0, batch.as_ptr(), black_box(&raw const request), selection.0));
    }

    /// The same for each group.
    fn select_groups(&self, batch: &Batch, groups: &[i64], target_tokens: i64, scores: &[f64], selection: &Selection) {
        let request = request(target_tokens, Some(scores));
        let (offsets, len) = (groups.as_ptr(), groups.len() - 1);
        let request = black_box(&raw const request);
        call!(cupel_selector_select_groups(self.0, batch.as_ptr(), offsets, len, request, selection.0));
    }
}

fn request(target_tokens: i64, scores: Option<&[f64]>) -> cupel_request {
    // SAFETY: zero everywhere is an empty request.
    let mut request: cupel_request = unsafe { std::mem::zeroed() };
    request.struct_size = size_of::<cupel_request>();
    request.max_tokens = target_tokens;
    if let Some(scores) = scores {
        (request.scores, request.scores_len) = (scores.as_ptr(), scores.len());
    }
    request
}

impl Selection {
    fn new() -> Self {
        let mut selection = null_mut();
        call!(cupel_selection_new(&raw mut selection));
        Self(selection)
    }
}

impl Drop for Selector {
    fn drop(&mut self) {
        // SAFETY: a live handle that is not used again.
        unsafe { cupel_selector_free(self.0) };
    }
}

impl Drop for Selection {
    fn drop(&mut self) {
        // SAFETY: a live handle that is not used again.
        unsafe { cupel_selection_free(self.0) };
    }
}

/// Measures everything; `reference_sizes` are those at which the reference is measured too.
pub fn measure(criterion: &mut Criterion, reference_sizes: &[usize]) {
    let mut group = criterion.benchmark_group(GROUP);
    for size in MAIN_SIZES {
        let rows = Shape::Choices.rows(size);
        let batch = Batch::by_columns(&Columns::new(&rows));
        let tokens: i64 = rows.iter().map(|row| row.tokens).sum();
        drop(rows);
        let mut scores = vec![0.0; size];
        Scorer::new(REFLEXIVE_SCORER).score(&batch, &mut scores);
        for (name, slicer, deduplication, target) in [
            (GREEDY_WINDOW, "greedy", false, WINDOW),
            (GREEDY_HALF, "greedy", false, tokens / 2),
            (DEDUPLICATED, "greedy", true, WINDOW),
            (KNAPSACK, "knapsack", false, WINDOW),
        ] {
            let selector = Selector::new(&format!(
                r#"{{"scorer": {REFLEXIVE_SCORER}, "slicerType": "{slicer}", "deduplicationEnabled": {deduplication}}}"#
            ));
            let selection = Selection::new();
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter(|| selector.select(&batch, target, Some(&scores), &selection));
            });
        }
        let selector = Selector::new(&format!(r#"{{"scorer": {REFLEXIVE_SCORER}, "deduplicationEnabled": false}}"#));
        let (selection, groups) = (Selection::new(), tables::groups(size));
        let target = tokens / 2 / (groups.len() as i64 - 1);
        group.bench_function(BenchmarkId::new(GREEDY_GROUPS, size), |bencher| {
            bencher.iter(|| selector.select_groups(&batch, &groups, target, &scores, &selection));
        });
    }
    for &size in reference_sizes {
        beside_the_reference(&mut group, size);
    }
}

type Group<'a> = criterion::BenchmarkGroup<'a, criterion::measurement::WallTime>;

/// A whole pipeline, scoring too, in both; half of the tokens fit.
fn beside_the_reference(group: &mut Group<'_>, size: usize) {
    let rows: Vec<Row> = Shape::Choices.rows(size);
    let half = rows.iter().map(|row| row.tokens).sum::<i64>() / 2;
    let items: Vec<ContextItem> = reference::items(&rows);
    let batch = Batch::by_columns(&Columns::new(&rows));
    let budget = ContextBudget::new(half, half, 0, HashMap::new(), 0.0).expect("a budget");
    let chat: [(Box<dyn cupel_reference::Scorer>, f64); 2] =
        [(Box::new(RecencyScorer), 3.0), (Box::new(KindScorer::with_default_weights()), 1.0)];
    let chat = CompositeScorer::new(chat.into()).expect("a scorer");
    let pairs: [(&str, &str, Box<dyn cupel_reference::Scorer>); 2] =
        [(REFLEXIVE, REFLEXIVE_SCORER, Box::new(ReflexiveScorer)), (CHAT, CHAT_SCORER, Box::new(chat))];
    for (name, json, scorer) in pairs {
        let selector = Selector::new(&format!(r#"{{"scorer": {json}}}"#));
        let selection = Selection::new();
        group.bench_function(BenchmarkId::new(name, size), |bencher| {
            bencher.iter(|| selector.select(&batch, half, None, &selection));
        });
        let pipeline = Pipeline::builder()
            .scorer(scorer)
            .slicer(Box::new(GreedySlice))
            .placer(Box::new(ChronologicalPlacer))
            .build()
            .expect("a pipeline");
        group.bench_function(BenchmarkId::new(format!("reference {name}"), size), |bencher| {
            bencher.iter(|| pipeline.run(black_box(&items), &budget).expect("a selection"));
        });
    }
}
