//! The metadata trust scorer: the value at `cupel:trust`.

use crate::error::{Error, Parameter};
use crate::kernel::unit::clamp_finite;
use crate::scorer::{Parameters, ScoreContext, Scorer, SharedScorer, check_unit};

/// The value at `cupel:trust`, clamped to 0.0 to 1.0.
///
/// A double is used as it is; a string is parsed as Rust's `str::parse::<f64>` does. A value that is absent, of another type, not a
/// number, or not finite counts as the default score.
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
        // Trust is parsed when a row is appended. NaN marks absent and unparsable values.
        let trust = context.batch().metadata().trust_numbers();
        if trust.is_empty() {
            out.fill(self.default_score);
        } else {
            clamp_finite(trust, self.default_score, out);
        }
        Ok(())
    }
}
