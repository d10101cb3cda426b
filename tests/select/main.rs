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
        let groups = cases::groups(random, session.rows.len());
        let request = cases::request(random, &policy, session.tokens() / groups.len() as i64);
        session.select_groups(&selector, &policy, &request, &scores, &groups);
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

/// The scores of a group are those of a batch of its own, to the bit, and the rest follows from them.
#[test]
fn groups_are_scored_among_themselves() {
    let scorer = scorer_of_peers();
    for seed in 1..=case_count() / 10 {
        let random = &mut Random(seed.wrapping_mul(0x8CB9_2BA7_2F3D_8DD7) | 1);
        let shape = cases::shape(random);
        let policy = cases::policy(random);
        let rows: Vec<_> = (0..random.below(60)).map(|_| cases::row(random, shape)).collect();
        let mut batch = cupel::Batch::new();
        rows.iter().for_each(|row| library::push(&mut batch, row));
        let groups = cases::groups(random, rows.len());
        let tokens = rows.iter().fold(0_i64, |sum, row| sum.saturating_add(row.tokens.max(0)));
        let request = cases::request(random, &policy, tokens);
        let request = library::request(&request, None, Previous::None);
        let selector = library::selector(&policy, Some(scorer.clone()));
        let mut selection = Selection::new();
        let result = selector.select_groups(&batch, &groups, &request, &mut selection);
        let (mut kept, mut scores) = (Vec::new(), Vec::new());
        let of_each = groups.windows(2).try_for_each(|ends| {
            let mut one = cupel::Batch::new();
            rows[ends[0] as usize..ends[1] as usize].iter().for_each(|row| library::push(&mut one, row));
            let mut selection = Selection::new();
            selector.select(&one, &request, &mut selection)?;
            kept.extend(selection.rows().iter().map(|row| row + ends[0] as u32));
            scores.extend(selection.scores().iter().map(|score| score.to_bits()));
            Ok::<_, cupel::error::Error>(())
        });
        let Ok(()) = result else {
            // A batch without rows may hide a request that is refused.
            assert!(of_each.is_err() || rows.is_empty(), "seed {seed}: {result:?} {policy:?} {request:?}");
            continue;
        };
        of_each.unwrap();
        assert_eq!(selection.rows(), kept, "seed {seed} {rows:#?} {policy:?} {request:?} {groups:?}");
        let found: Vec<u64> = selection.scores().iter().map(|score| score.to_bits()).collect();
        assert_eq!(found, scores, "seed {seed} {rows:#?} {policy:?} {request:?} {groups:?}");
    }
}

fn scorer_of_peers() -> cupel::scorer::SharedScorer {
    use cupel::scorer::{Composite, Frequency, Recency, Scaled};

    let recency = Recency::new().unwrap();
    let scaled = Scaled::new(&recency).unwrap();
    Composite::new([(&recency, 2.0), (&scaled, 0.5), (&Frequency::new().unwrap(), 1.0)]).unwrap()
}

/// The scores of a selection are those of a batch of its peers alone, to the bit, and the rest follows from them.
#[test]
fn scores_are_over_peers() {
    let scorer = scorer_of_peers();
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
