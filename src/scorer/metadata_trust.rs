//! The metadata trust scorer: the trust that the host computed.

use crate::error::{Error, Parameter};
use crate::kernel::unit::clamp_finite;
use crate::scorer::{Parameters, ScoreContext, Scorer, SharedScorer, check_unit};

/// The value at `cupel:trust`, clamped to 0.0 to 1.0.
///
/// A double is used as it is, a string is read as Rust's `str::parse::<f64>` reads it. The default score stands in for a
/// value that is absent, of another kind, not readable as a number, or not finite.
#[derive(Debug)]
pub struct MetadataTrust {
    default_score: f64,
}

impl MetadataTrust {
    /// A scorer with a score from 0 to 1 for rows without a usable trust.
    pub fn new(default_score: f64) -> Result<SharedScorer, Error> {
        SharedScorer::new(Self { default_score: check_unit(Parameter::DefaultScore, default_score)? })
    }
}

impl Scorer for MetadataTrust {
    fn parameters(&self) -> Parameters<'_> {
        Parameters::MetadataTrust(self.default_score)
    }

    fn score(&self, context: &mut ScoreContext<'_>, out: &mut [f64]) -> Result<(), Error> {
        // Trust was read when the row came in; NaN stands where it is absent or no number.
        let trust = context.batch().metadata().trust_numbers();
        if trust.is_empty() {
            out.fill(self.default_score);
        } else {
            clamp_finite(trust, self.default_score, out);
        }
        Ok(())
    }
}
