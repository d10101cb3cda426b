//! The reflexive scorer: the host's own hint.

use crate::error::Error;
use crate::kernel::unit::clamp_finite;
use crate::scorer::{Parameters, ScoreContext, Scorer, SharedScorer};

/// The row's future relevance hint, clamped to 0.0 to 1.0; 0.0 when there is none or it is not finite.
#[derive(Debug)]
pub struct Reflexive;

impl Reflexive {
    /// The scorer.
    pub fn new() -> Result<SharedScorer, Error> {
        SharedScorer::new(Self)
    }
}

impl Scorer for Reflexive {
    fn parameters(&self) -> Parameters<'_> {
        Parameters::Reflexive
    }

    fn score(&self, context: &mut ScoreContext<'_>, out: &mut [f64]) -> Result<(), Error> {
        match context.batch().future_relevance_hint().parts() {
            // Where a hint is missing the column holds NaN.
            Some((hints, _)) => clamp_finite(hints, 0.0, out),
            None => out.fill(0.0),
        }
        Ok(())
    }
}
