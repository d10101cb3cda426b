//! A scorer that calls a function of the host.

use std::fmt;

use crate::batch::Batch;
use crate::error::Error;
use crate::memory::try_box;
use crate::scorer::{ScoreContext, Scorer, SharedScorer};

/// Scores that a function writes for a whole batch in one call. They are not changed. An error fails the scoring call.
pub struct Custom {
    score: Box<ScoreBatch>,
}

type ScoreBatch = dyn Fn(&Batch, &mut [f64]) -> Result<(), Error> + Send + Sync;

impl Custom {
    /// A scorer from a function that writes the scores of all rows. The buffer is zeroed before the call.
    pub fn new(
        score: impl Fn(&Batch, &mut [f64]) -> Result<(), Error> + Send + Sync + 'static,
    ) -> Result<SharedScorer, Error> {
        SharedScorer::new(Self { score: try_box(score)? })
    }
}

impl Scorer for Custom {
    fn score(&self, context: &mut ScoreContext<'_>, out: &mut [f64]) -> Result<(), Error> {
        // Scores of an earlier call must not show where the function writes nothing.
        out.fill(0.0);
        (self.score)(context.batch(), out)
    }
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Custom")
    }
}
