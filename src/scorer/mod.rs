//! Scorers: the trait, one file for each scorer, and the plans of their trees.

#![allow(clippy::new_ret_no_self, reason = "constructors return shared nodes")]

mod clock;
mod composite;
mod context;
mod custom;
mod decay;
mod frequency;
mod kind;
mod metadata_key;
mod metadata_trust;
mod parameters;
mod plan;
mod priority;
mod recency;
mod reflexive;
mod scaled;
mod shared;
mod tag;
#[cfg(test)]
mod tests;
mod weights;

pub use clock::Clock;
pub use composite::Composite;
pub(crate) use context::ClockReadings;
pub use context::{Groups, ScoreContext, ScoreInput, Scratch};
pub use custom::Custom;
pub use decay::{Curve, Decay, Shape};
pub use frequency::Frequency;
pub use kind::Kind;
pub use metadata_key::MetadataKey;
pub use metadata_trust::MetadataTrust;
pub use parameters::Parameters;
pub use priority::Priority;
pub use recency::Recency;
pub use reflexive::Reflexive;
pub use scaled::Scaled;
pub use shared::SharedScorer;
pub use tag::Tag;
pub use weights::Weights;

use crate::error::{Error, Parameter, Value, check};

/// Gives every row of a batch a score: higher means more worth keeping.
///
/// Implement it for a scorer of your own, and make it ready for use with [`SharedScorer::new`].
pub trait Scorer: Send + Sync {
    /// The name in messages and in JSON.
    fn name(&self) -> &'static str {
        self.parameters().name()
    }

    /// The parameters that the scorer was constructed from.
    fn parameters(&self) -> Parameters<'_> {
        Parameters::Custom
    }

    /// Writes the score of every row to `out`, which has the length of the batch. Its contents before are unspecified,
    /// except in a scorer that combines others: there they are what [`fold`](Self::fold) made of the children's scores.
    ///
    /// Where the call has [peers](ScoreInput::peers), only their scores count, and they must be the same bits that a batch
    /// of the peers alone would give. Where it has [groups](ScoreInput::groups), rows are compared with those of their group.
    fn score(&self, context: &mut ScoreContext<'_>, out: &mut [f64]) -> Result<(), Error>;

    /// Folds the scores of one child into `out`. The children come in order, from 0; before child 0 the contents of `out` are
    /// unspecified. Only scorers that combine others need it.
    fn fold(&self, child: usize, scores: &[f64], out: &mut [f64]) {
        let _ = child;
        out.copy_from_slice(scores);
    }

    /// Whether [`fold`](Self::fold) copies the scores of an only child, so that the child may write to `out` itself.
    fn folds_in_place(&self) -> bool {
        false
    }

    /// The factor of the scores of a child. Only scorers that combine others need it.
    fn child_weight(&self, child: usize) -> f64 {
        let _ = child;
        1.0
    }

    /// The scratch memory that [`ScoreContext::scratch`] must return; `None` when its size overflows or memory runs out.
    fn scratch(&self, input: ScoreInput<'_>) -> Option<Scratch> {
        let _ = input;
        Some(Scratch::default())
    }

    /// Whether scoring may return an error. Memory that [`scratch`](Self::scratch) asked for does not count.
    fn may_fail(&self) -> bool {
        matches!(self.parameters(), Parameters::Custom)
    }
}

/// Checks a default score: it must be from 0 to 1.
fn check_unit(parameter: Parameter, score: f64) -> Result<f64, Error> {
    let rule = "a score that stands in for a missing value must lie from 0 to 1";
    check((0.0..=1.0).contains(&score), parameter, Value::Double(score), rule)?;
    Ok(score)
}
