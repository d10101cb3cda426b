//! The metadata key scorer: a boost for rows with a certain value.

use crate::batch::{TRUST_KEY, ValueText};
use crate::column::packed::on_values;
use crate::error::{Error, Parameter, Value, check};
use crate::kernel::lookup::lookup;
use crate::memory::try_string;
use crate::scorer::{Parameters, ScoreContext, ScoreInput, Scorer, Scratch, SharedScorer};

/// The boost when the text of the row's value at a key equals a text byte for byte, else 1.0. Never clamped.
///
/// The text of a double is Rust's shortest round-trip decimal: `1`, `0.85`.
#[derive(Debug)]
pub struct MetadataKey {
    key: String,
    value: String,
    boost: f64,
}

impl MetadataKey {
    /// A scorer for a key and a value, each any text, and a boost that is finite and more than zero.
    pub fn new(key: &str, value: &str, boost: f64) -> Result<SharedScorer, Error> {
        let is_valid = boost > 0.0 && boost.is_finite();
        check(is_valid, Parameter::Boost, Value::Double(boost), "a boost must be more than zero and finite")?;
        SharedScorer::new(Self { key: try_string(key)?, value: try_string(value)?, boost })
    }

    fn score_of(&self, matches: bool) -> f64 {
        if matches { self.boost } else { 1.0 }
    }
}

impl Scorer for MetadataKey {
    fn parameters(&self) -> Parameters<'_> {
        Parameters::MetadataKey { key: &self.key, value: &self.value, boost: self.boost }
    }

    fn score(&self, context: &mut ScoreContext<'_>, out: &mut [f64]) -> Result<(), Error> {
        let metadata = context.batch().metadata();
        let value = ValueText::new(&self.value);
        if self.key == TRUST_KEY {
            // Trust has a column of its own, whose values are not numbered.
            for (row, score) in out.iter_mut().enumerate() {
                *score = self.score_of(metadata.trust(row).is_some_and(|trust| value.matches(trust)));
            }
        } else if let Some(probe) = metadata.probe(&self.key, value) {
            let of_list = &mut context.scratch().1[..metadata.lists().len()];
            for (score, list) in of_list.iter_mut().zip(metadata.lists().lists()) {
                *score = self.score_of(probe.matches(list));
            }
            on_values!(metadata.rows(), codes => lookup(codes, of_list, out));
        } else {
            out.fill(1.0);
        }
        Ok(())
    }

    fn scratch(&self, input: ScoreInput<'_>) -> Option<Scratch> {
        Some(Scratch { doubles: input.batch().metadata().lists().len(), ..Scratch::default() })
    }
}
