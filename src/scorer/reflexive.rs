//! The reflexive scorer: the host's own hint.

use crate::error::Error;
use crate::json::{Object, ScorerReader, ScorerWriter};
use crate::kernel::unit::clamp_finite;
use crate::scorer::{ScoreContext, Scorer, SharedScorer};

/// The row's future relevance hint, clamped to 0.0 to 1.0; 0.0 when there is none or it is not finite.
#[derive(Debug)]
pub struct Reflexive;

impl Reflexive {
    /// The scorer.
    pub fn new() -> Result<SharedScorer, Error> {
        SharedScorer::new(Self)
    }

    /// Reads what stands beside the type: nothing.
    pub(crate) fn read_json(_: &mut Object<'_>, _: &ScorerReader<'_>) -> Result<SharedScorer, Error> {
        Self::new()
    }
}

impl Scorer for Reflexive {
    fn name(&self) -> &'static str {
        "reflexive"
    }

    fn score(&self, context: &mut ScoreContext<'_>, out: &mut [f64]) -> Result<(), Error> {
        match context.batch().future_relevance_hint().parts() {
            // Where a hint is missing the column holds NaN.
            Some((hints, _)) => clamp_finite(hints, 0.0, out),
            None => out.fill(0.0),
        }
        Ok(())
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn write_json(&self, _: &[SharedScorer], _: &mut ScorerWriter) -> Result<(), Error> {
        Ok(())
    }
}
