//! A scorer that the host computes.

use std::fmt;

use crate::batch::Batch;
use crate::error::Error;
use crate::memory::try_box;
use crate::scorer::{ScoreContext, Scorer, SharedScorer};

/// Scores that a function writes for a whole batch in one call. They pass through untouched; an error fails the scoring
/// call.
pub struct Custom {
    score: Box<ScoreBatch>,
}

type ScoreBatch = dyn Fn(&Batch, &mut [f64]) -> Result<(), Error> + Send + Sync;

impl Custom {
    /// A scorer from a function that fills the scores of all rows. The buffer holds zeros when the function gets it.
    pub fn new(
        score: impl Fn(&Batch, &mut [f64]) -> Result<(), Error> + Send + Sync + 'static,
    ) -> Result<SharedScorer, Error> {
        SharedScorer::new(Self { score: try_box(score)? })
    }
}

impl Scorer for Custom {
    fn score(&self, context: &mut ScoreContext<'_>, out: &mut [f64]) -> Result<(), Error> {
        // A function that writes nothing must not see, or give out, what an earlier call left here.
        out.fill(0.0);
        (self.score)(context.batch(), out)
    }
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Custom")
    }
}
