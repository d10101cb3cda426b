//! Selecting, against a naive model and against the reference crate.
//!
//! `CUPEL_SELECT_CASES` sets how many random cases are compared with each.

mod cases;
mod library;
mod model;
mod properties;
#[path = "../../src/kernel/random.rs"]
mod random;
mod reference;
mod session;

use std::env;

use cupel::select::{Previous, Selection};
use random::Random;
use session::{Session, shorten};

fn case_count() -> u64 {
    env::var("CUPEL_SELECT_CASES").map_or(20_000, |cases| cases.parse().expect("CUPEL_SELECT_CASES is a number"))
}

/// A batch that grows, selected again and again: every result is the model's, bit for bit.
fn run_case(seed: u64, most_rows: u64) {
    let random = &mut Random(seed);
    let shape = cases::shape(random);
    let policy = cases::policy(random);
    let selector = library::selector(&policy, None);
    let mut session = Session::new();
    for _ in 0..3 {
        for _ in 0..random.below(most_rows) {
            session.push(cases::row(random, shape));
        }
        let request = cases::request(random, &policy, session.tokens());
        let scores: Vec<f64> = session.rows.iter().map(|_| cases::score(random)).collect();
        session.select(&selector, &policy, &request, &scores, random.below(2) == 0);
    }
}

#[test]
fn every_result_is_the_models() {
    let base = env::var("CUPEL_SELECT_SEED").map_or(1, |seed| seed.parse().expect("CUPEL_SELECT_SEED is a number"));
    for seed in base..base + case_count() {
        run_case(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, 12);
    }
}

#[test]
fn large_batches_are_as_small_ones() {
    for seed in 1..=case_count() / 500 {
        run_case(seed.wrapping_mul(0xD1B5_4A32_D192_ED03) | 1, 600);
    }
}

/// The path is that of the process: other tests that run meanwhile take it too, and their results are the same.
#[test]
fn the_portable_kernels_select_the_same() {
    cupel::kernel::force_portable(true);
    for seed in 1..=case_count() / 10 {
        run_case(seed.wrapping_mul(0xE703_7ED1_A0B4_28DB) | 1, 40);
    }
    cupel::kernel::force_portable(false);
}

/// The scores of a selection are those of a batch of its peers alone, to the bit, and the rest follows from them.
#[test]
fn scores_are_over_peers() {
    use cupel::scorer::{Composite, Frequency, Recency, Scaled};

    let recency = Recency::new().unwrap();
    let scaled = Scaled::new(&recency).unwrap();
    let scorer = Composite::new([(&recency, 2.0), (&scaled, 0.5), (&Frequency::new().unwrap(), 1.0)]).unwrap();
    for seed in 1..=case_count() / 10 {
        let random = &mut Random(seed.wrapping_mul(0xA076_1D64_78BD_642F) | 1);
        let shape = cases::shape(random);
        let policy = cases::policy(random);
        let rows: Vec<_> = (0..random.below(30)).map(|_| cases::row(random, shape)).collect();
        let (mut batch, mut peers) = (cupel::Batch::new(), cupel::Batch::new());
        rows.iter().for_each(|row| library::push(&mut batch, row));
        let is_pinned = |group: &Option<String>| {
            let same = |row: &&model::Row| row.tokens >= 0 && row.pinned && policy.groups && row.group == *group;
            group.is_some() && rows.iter().any(|row| same(&row))
        };
        let is_peer = |row: &model::Row| row.tokens >= 0 && !row.pinned && !is_pinned(&row.group);
        rows.iter().filter(|row| is_peer(row)).for_each(|row| library::push(&mut peers, row));
        let mut of_peers = vec![0.0; peers.len()];
        scorer.score_batch(&peers, &mut of_peers).unwrap();
        let mut of_peers = of_peers.into_iter();
        let scores: Vec<f64> =
            rows.iter().map(|row| if is_peer(row) { of_peers.next().unwrap() } else { 0.0 }).collect();

        let tokens = rows.iter().fold(0_i64, |sum, row| sum.saturating_add(row.tokens.max(0)));
        let request = cases::request(random, &policy, tokens);
        let mut selection = Selection::new();
        let selector = library::selector(&policy, Some(scorer.clone()));
        let result = selector.select(&batch, &library::request(&request, None, Previous::None), &mut selection);
        let found = result.map(|()| library::selected(&selection)).map_err(|error| library::failure(&error));
        let expected = model::select(&rows, &policy, &request, &scores, None).map_err(shorten);
        assert_eq!(found, expected, "seed {seed} {rows:#?} {policy:?} {request:?}");
    }
}
