//! Scoring the same batch again asks for no memory at all.

use crate::allocator::failing;
use crate::capi::Scorer;
use crate::fixtures::{batch, scorers};

use cupel::capi as c;

/// How many allocations a call makes that scores into `scores`.
fn allocations(scorer: &Scorer, batch: &crate::capi::Batch, scores: &mut [f64]) -> usize {
    let mut error = std::ptr::null_mut();
    // SAFETY: live handles, and as many scores as rows.
    let (status, usage) = failing(None, || unsafe {
        c::cupel_scorer_score_batch(scorer.as_ptr(), batch.as_ptr(), scores.as_mut_ptr(), scores.len(), &mut error)
    });
    assert_eq!(status, c::CUPEL_STATUS_OK);
    usage.asked
}

#[test]
fn scoring_again_allocates_nothing() {
    for rows in [1, 10, 100, 1000] {
        for (name, scorer) in scorers() {
            let batch = batch(rows);
            let mut scores = vec![0.0; rows as usize];
            allocations(&scorer, &batch, &mut scores);
            let first = scores.clone();
            for _ in 0..3 {
                assert_eq!(allocations(&scorer, &batch, &mut scores), 0, "{name}, {rows} rows");
            }
            assert_eq!(scores, first, "{name}, {rows} rows");
        }
    }
}

/// Whatever is scored with first, there is then room for everything that takes no more.
#[test]
fn scorers_share_what_a_batch_keeps() {
    let batch = batch(200);
    let mut scores = vec![0.0; 200];
    let scorers = scorers();
    for (_, scorer) in &scorers {
        allocations(scorer, &batch, &mut scores);
    }
    for (name, scorer) in &scorers {
        assert_eq!(allocations(scorer, &batch, &mut scores), 0, "{name}");
    }
}
