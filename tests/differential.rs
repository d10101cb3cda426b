//! Random batches and random scorer trees, against the reference crate and against themselves, through the C ABI.
//!
//! `CUPEL_DIFFERENTIAL_CASES` sets how many cases are compared with the reference: 100,000 without it,
//! which takes an optimised build.

#[path = "support/capi.rs"]
mod capi;
#[path = "differential/columns.rs"]
mod columns;
#[path = "differential/exact.rs"]
mod exact;
#[path = "differential/rows.rs"]
mod rows;
#[path = "support/columns.rs"]
mod support_columns;
#[path = "differential/tree.rs"]
mod tree;

use std::env;
use std::sync::{Mutex, PoisonError};

use capi::{Batch, Clock, Scorer, fields};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};
use rows::Row;
use tree::Tree;

/// How many cases a test runs that compares `share` percent of the whole with the reference.
fn cases(share: u32) -> u32 {
    let all: u32 = match env::var("CUPEL_DIFFERENTIAL_CASES") {
        Ok(cases) => cases.parse().expect("CUPEL_DIFFERENTIAL_CASES is a number"),
        Err(_) => 100_000,
    };
    (u64::from(all) * u64::from(share) / 100).try_into().expect("fewer than 2^32 cases")
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("tests/differential/regressions.txt"))),
        max_shrink_iters: 2_000,
        ..Config::default()
    })
}

#[derive(Debug, Clone)]
struct Case {
    rows: Vec<Row>,
    tree: Tree,
}

fn case(rows: impl Strategy<Value = Vec<Row>>) -> impl Strategy<Value = Case> {
    (rows, tree::tree()).prop_map(|(mut rows, mut tree)| {
        if tree.has_exponential() {
            for timestamp in rows.iter_mut().filter_map(|row| row.timestamp.as_mut()) {
                *timestamp = rows::whole_milliseconds(*timestamp);
            }
            tree = tree.in_whole_milliseconds();
        }
        Case { rows, tree }
    })
}

fn small() -> impl Strategy<Value = Vec<Row>> {
    prop_oneof![
        4 => rows::rows(0..8),
        4 => rows::rows(0..40),
        1 => rows::rows(60..140),
    ]
}

/// The scores, from both of the paths that a kernel can take.
fn score(scorer: &Scorer, batch: &Batch) -> Vec<f64> {
    // Which path is taken is a property of the process.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    cupel::kernel::force_portable(true);
    let portable = scorer.score_batch(batch).unwrap();
    cupel::kernel::force_portable(false);
    let chosen = scorer.score_batch(batch).unwrap();
    same(&portable, &chosen, "the portable path and the processor's own");
    portable
}

#[track_caller]
fn same(left: &[f64], right: &[f64], what: &str) {
    assert_eq!(left.len(), right.len(), "{what}");
    for (row, (left, right)) in left.iter().zip(right).enumerate() {
        assert_eq!(left.to_bits(), right.to_bits(), "row {row}: {left:e} and {right:e}: {what}");
    }
}

fn compare(Case { rows, tree }: &Case) {
    let batch = rows::by_item(rows);
    let scorer = tree.to_ours();
    let ours = score(&scorer, &batch);
    let items: Vec<_> = rows.iter().map(Row::to_reference).collect();
    let reference = tree.to_reference(rows, &batch);
    let theirs: Vec<f64> = items.iter().map(|item| reference.score(item, &items)).collect();
    assert!(ours.iter().all(|score| !score.is_nan()), "{ours:?}");
    same(&ours, &theirs, "the library and the reference");
    if let Some(row) = rows.len().checked_sub(1) {
        assert_eq!(scorer.score_row(&batch, row).unwrap().to_bits(), ours[row].to_bits(), "one row and the batch");
    }
}

fn run(cases: u32, strategy: impl Strategy<Value = Case>, check: impl Fn(&Case)) {
    let result = runner(cases).run(&strategy, |case| {
        check(&case);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

// Two halves, so that two processors share the work.

#[test]
fn agrees_with_the_reference() {
    run(cases(50), case(small()), compare);
}

#[test]
fn agrees_with_the_reference_again() {
    run(cases(50), case(small()), compare);
}

#[test]
fn agrees_with_the_reference_on_large_batches() {
    run(24, case(rows::rows(1_000..2_000)), compare);
    run(4, case(rows::rows(4_000..5_000)), compare);
}

#[test]
fn exponential_decay_is_within_one_unit_of_the_truth() {
    let ages = vec((0_u8..8, any::<i64>()), 1..100);
    let half_life = (0_u8..6, any::<i64>());
    runner(cases(4))
        .run(&(ages, half_life), |(ages, (shape, value))| {
            let positive = (value & i64::MAX).max(1);
            let half_life = match shape {
                0 => positive % 10 + 1,
                1 => positive % 1_000_000 + 1,
                2 => i64::MAX - positive % 10,
                3 => 1 << (positive % 63),
                _ => positive >> (value.rem_euclid(63)),
            }
            .max(1);
            let ages = ages.into_iter().map(|(shape, value)| {
                let positive = value & i64::MAX;
                match shape {
                    0 => positive,
                    // Near a whole number of half-lives, down to where scores have no more digits.
                    1..4 => half_life.saturating_mul(positive % 1080).saturating_add(positive % 7 - 3).max(0),
                    4 => half_life.saturating_mul(1000 + positive % 80).saturating_add(positive % half_life),
                    _ => half_life.saturating_mul(positive % 3).saturating_add(value.rem_euclid(half_life)),
                }
            });
            let now = i64::MAX;
            let rows: Vec<Row> = ages
                .map(|age| Row {
                    kind: 0,
                    priority: None,
                    tags: Vec::new(),
                    metadata: Vec::new(),
                    timestamp: Some(now - age),
                    hint: None,
                    tokens: 0,
                    pinned: false,
                })
                .collect();
            let scorer = Scorer::decay_exponential(&Clock::fixed(now).unwrap(), half_life, 0.5).unwrap();
            for (row, score) in rows.iter().zip(score(&scorer, &rows::by_item(&rows))) {
                exact::check_true(now, row.timestamp.unwrap(), half_life, score);
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn items_columns_and_json_are_the_same_rows() {
    run(cases(3), case(small()), |Case { rows, tree }| {
        let scorer = tree.to_ours();
        let expected = scorer.score_batch(&rows::by_item(rows)).unwrap();
        for (batch, what) in [
            (columns::by_columns(rows, false, usize::MAX), "plain columns"),
            (columns::by_columns(rows, true, usize::MAX), "columns with dictionaries"),
            (columns::by_columns(rows, true, 3), "columns in pieces"),
            (rows::by_json(rows, false), "a JSON array"),
            (rows::by_json(rows, true), "JSON Lines"),
        ] {
            same(&scorer.score_batch(&batch).unwrap(), &expected, what);
        }
    });
}

#[test]
fn the_order_of_the_rows_does_not_matter() {
    run(cases(3), case(small()), |Case { rows, tree }| {
        let scorer = tree.to_ours();
        let expected = scorer.score_batch(&rows::by_item(rows)).unwrap();
        // A permutation that leaves hardly any row in its place.
        let mut order: Vec<usize> = (0..rows.len()).rev().collect();
        order.rotate_left(rows.len() / 3);
        let permuted: Vec<Row> = order.iter().map(|&row| rows[row].clone()).collect();
        let scores = scorer.score_batch(&rows::by_item(&permuted)).unwrap();
        for (&row, score) in order.iter().zip(scores) {
            // Where zeros of both signs tie for the least score, the first one's sign is taken over.
            if tree.has_scaled() {
                assert_eq!(score, expected[row], "row {row}");
            } else {
                assert_eq!(score.to_bits(), expected[row].to_bits(), "row {row}");
            }
        }
    });
}

#[test]
fn json_keeps_every_bit_of_a_scorer() {
    run(cases(3), case(small()), |Case { rows, tree }| {
        if has_clock(tree) {
            return;
        }
        let batch = rows::by_item(rows);
        let scorer = tree.to_ours();
        let again = Scorer::from_json(&scorer.to_json().unwrap(), None).unwrap();
        same(&again.score_batch(&batch).unwrap(), &scorer.score_batch(&batch).unwrap(), "a scorer and its JSON");
    });
}

/// A clock is not part of the JSON of a scorer.
fn has_clock(tree: &Tree) -> bool {
    match tree {
        Tree::Exponential { .. } | Tree::Window { .. } | Tree::Step { .. } => true,
        Tree::Composite(children) => children.iter().any(|(child, _)| has_clock(child)),
        Tree::Scaled(inner) => has_clock(inner),
        _ => false,
    }
}

#[test]
fn a_batch_that_is_used_again_forgets_what_was_in_it() {
    run(cases(1), case(small()), |Case { rows, tree }| {
        let scorer = tree.to_ours();
        let expected = scorer.score_batch(&rows::by_item(rows)).unwrap();
        let mut batch = rows::by_item(&rows.iter().rev().cloned().collect::<Vec<_>>());
        scorer.score_batch(&batch).unwrap();
        batch.clear().unwrap();
        assert!(scorer.score_batch(&batch).unwrap().is_empty());
        batch.append_json("[]").unwrap();
        for row in 0..rows.len() {
            let one = rows::by_item(&rows[row..=row]);
            batch.push(&one.item(0).unwrap()).unwrap();
        }
        same(&scorer.score_batch(&batch).unwrap(), &expected, "a used batch and a new one");
    });
}

#[test]
fn rows_that_are_kept_are_a_batch_of_these_rows() {
    let keep = (any::<u64>(), 0_u8..4, 0_u8..3);
    let result = runner(cases(2)).run(&(case(small()), keep), |(Case { rows, tree }, (bits, share, how))| {
        let scorer = tree.to_ours();
        let mut batch = rows::by_item(&rows);
        // What an earlier call may have left with the batch.
        scorer.score_batch(&batch).unwrap();
        let last = (bits % 50) as usize;
        let kept: Vec<usize> = (0..rows.len())
            .filter(|&row| match how {
                0 => row + last >= rows.len(),
                // From few rows to nearly all.
                _ => bits.rotate_left(row as u32) & 3 >= u64::from(share),
            })
            .collect();
        match how {
            0 => batch.keep_last(last).unwrap(),
            1 => {
                let mask: Vec<u8> = (0..rows.len()).map(|row| kept.contains(&row).into()).collect();
                batch.retain(&mask).unwrap();
            }
            _ => batch.retain_rows(&kept.iter().map(|&row| row as u32).collect::<Vec<_>>()).unwrap(),
        }
        let mut expected: Vec<Row> = kept.iter().map(|&row| rows[row].clone()).collect();
        let fresh = rows::by_item(&expected);
        same(&scorer.score_batch(&batch).unwrap(), &scorer.score_batch(&fresh).unwrap(), "kept rows and a new batch");
        for row in 0..kept.len() {
            let (kept, fresh) = (batch.item(row).unwrap(), fresh.item(row).unwrap());
            prop_assert_eq!(fields(&kept), fields(&fresh), "row {}", row);
        }
        // It takes new rows like any other batch.
        let more = rows::by_item(&rows);
        for row in 0..rows.len() {
            batch.push(&more.item(row).unwrap()).unwrap();
        }
        expected.extend_from_slice(&rows);
        let fresh = rows::by_item(&expected);
        same(&scorer.score_batch(&batch).unwrap(), &scorer.score_batch(&fresh).unwrap(), "with new rows");
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn json_keeps_every_bit_of_a_row() {
    run(cases(3), case(small()), |Case { rows, tree }| {
        let mut rows = rows.clone();
        let batch = rows::by_item(&rows);
        let is_finite = rows.iter().all(Row::is_finite);
        assert_eq!(batch.to_json(0, rows.len()).is_ok(), is_finite);
        rows.iter_mut().for_each(Row::make_finite);
        let batch = rows::by_item(&rows);
        let first = rows.len() / 3;
        let mut again = Batch::new(0).unwrap();
        for row in 0..first {
            again.append_json(&batch.item(row).unwrap().to_json().unwrap()).unwrap();
        }
        again.append_json(&batch.to_json(first, rows.len() - first).unwrap()).unwrap();
        for row in 0..rows.len() {
            let (again, item) = (again.item(row).unwrap(), batch.item(row).unwrap());
            assert_eq!(fields(&again), fields(&item), "row {row}");
        }
        let scorer = tree.to_ours();
        same(&scorer.score_batch(&again).unwrap(), &scorer.score_batch(&batch).unwrap(), "rows and their JSON");
    });
}
