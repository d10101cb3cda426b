//! The scaled scorer: the scores of another scorer, scaled to the range from 0.0 to 1.0.

use crate::error::Error;
use crate::kernel::scale::scale_in_place;
use crate::memory::try_push;
use crate::scorer::context::each_group;
use crate::scorer::{Parameters, ScoreContext, Scorer, SharedScorer};

/// The inner score minus the minimum of the batch, divided by the maximum minus the minimum.
///
/// Minimum and maximum are those of the finite scores. A row whose score is not finite gets 0.5, and so does every row when they
/// are equal. When the difference overflows, all three terms are halved first.
#[derive(Debug)]
pub struct Scaled;

impl Scaled {
    /// A scorer over another one.
    pub fn new(inner: &SharedScorer) -> Result<SharedScorer, Error> {
        let mut children = Vec::new();
        try_push(&mut children, inner.clone())?;
        SharedScorer::with_children(Self, children)
    }
}

impl Scorer for Scaled {
    fn parameters(&self) -> Parameters<'_> {
        Parameters::Scaled
    }

    fn score(&self, context: &mut ScoreContext<'_>, out: &mut [f64]) -> Result<(), Error> {
        if let Some(peers) = context.input().peers() {
            // Scores that are not finite do not count for minimum and maximum.
            for (score, &peer) in out.iter_mut().zip(peers) {
                *score = if peer == 0 { f64::NAN } else { *score };
            }
        }
        each_group(context.input().groups(), out, |_, out| scale_in_place(out));
        Ok(())
    }

    fn folds_in_place(&self) -> bool {
        true
    }
}
