//! The recency scorer: how recent a row is among its peers.

use crate::error::Error;
use crate::kernel::rank::scratch_words;
use crate::scorer::{Parameters, ScoreContext, ScoreInput, Scorer, Scratch, SharedScorer};

/// The rank of the row's timestamp among the rows that have one: the number of strictly earlier ones, divided by the number of the
/// others. Ties share a score. A row without a timestamp scores 0.0; the only one that has one scores 1.0.
#[derive(Debug)]
pub struct Recency;

impl Recency {
    /// The scorer.
    pub fn new() -> Result<SharedScorer, Error> {
        SharedScorer::new(Self)
    }
}

impl Scorer for Recency {
    fn parameters(&self) -> Parameters<'_> {
        Parameters::Recency
    }

    fn score(&self, context: &mut ScoreContext<'_>, out: &mut [f64]) -> Result<(), Error> {
        match context.batch().timestamp().parts() {
            Some((timestamps, validity)) => context.rank(timestamps, validity, out),
            None => out.fill(0.0),
        }
        Ok(())
    }

    fn scratch(&self, input: ScoreInput<'_>) -> Option<Scratch> {
        Some(Scratch { words: scratch_words(input.longest()), ..Scratch::default() })
    }
}
