//! The priority scorer: how important a row is among its peers.

use crate::column::packed::on_values;
use crate::error::Error;
use crate::kernel::rank::scratch_words;
use crate::scorer::{Parameters, ScoreContext, ScoreInput, Scorer, Scratch, SharedScorer};

/// The rank of the row's priority among the rows that have one: the number of strictly lower ones, divided by the number of the
/// others. Ties share a score. A row without a priority scores 0.0; the only one that has one scores 1.0.
#[derive(Debug)]
pub struct Priority;

impl Priority {
    /// The scorer.
    pub fn new() -> Result<SharedScorer, Error> {
        SharedScorer::new(Self)
    }
}

impl Scorer for Priority {
    fn parameters(&self) -> Parameters<'_> {
        Parameters::Priority
    }

    fn score(&self, context: &mut ScoreContext<'_>, out: &mut [f64]) -> Result<(), Error> {
        match context.batch().priority().parts() {
            Some((priorities, validity)) => on_values!(priorities, values => context.rank(values, validity, out)),
            None => out.fill(0.0),
        }
        Ok(())
    }

    fn scratch(&self, input: ScoreInput<'_>) -> Option<Scratch> {
        Some(Scratch { words: scratch_words(input.longest()), ..Scratch::default() })
    }
}
