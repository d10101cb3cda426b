//! The composite scorer: a weighted mean of other scorers.

use crate::error::{Error, Parameter, Value, check};
use crate::kernel::combine::{UNDEFINED, accumulate};
use crate::memory::{try_collect, try_push};
use crate::scorer::weights::TOTAL_OVERFLOWS;
use crate::scorer::{Parameters, ScoreContext, Scorer, SharedScorer};

/// ((0.0 + s0 * w0) + s1 * w1) + ..., over the children in order, where each w is the child's weight divided by the sum of
/// all weights.
///
/// An undefined sum is 0.0: infinity minus infinity, or infinity times a weight that underflows to zero. A sum is NaN only where
/// the score of a child is.
#[derive(Debug)]
pub struct Composite {
    weights: Vec<f64>,
    normalized: Vec<f64>,
}

impl Composite {
    /// A scorer over at least one child. Each weight is finite and more than zero.
    ///
    /// # Errors
    ///
    /// No child, a weight that is not finite or not more than zero, a sum of weights that overflows.
    pub fn new<'a>(children: impl IntoIterator<Item = (&'a SharedScorer, f64)>) -> Result<SharedScorer, Error> {
        let mut scorers: Vec<SharedScorer> = Vec::new();
        let mut weights = Vec::new();
        let mut total = 0.0;
        for (index, (child, weight)) in children.into_iter().enumerate() {
            let (parameter, value) = (Parameter::ChildWeight(index), Value::Double(weight));
            let is_valid = weight > 0.0 && weight.is_finite();
            check(is_valid, parameter, value, "the weight of a child must be more than zero and finite")?;
            total += weight;
            check(total.is_finite(), parameter, value, TOTAL_OVERFLOWS)?;
            try_push(&mut scorers, child.clone())?;
            try_push(&mut weights, weight)?;
        }
        check(!scorers.is_empty(), Parameter::Children, Value::Size(0), "a composite needs at least one child")?;
        let normalized = try_collect(weights.iter().map(|weight| weight / total))?;
        SharedScorer::with_children(Self { weights, normalized }, scorers)
    }
}

impl Scorer for Composite {
    fn parameters(&self) -> Parameters<'_> {
        Parameters::Composite(&self.weights)
    }

    fn score(&self, _: &mut ScoreContext<'_>, _: &mut [f64]) -> Result<(), Error> {
        Ok(())
    }

    fn fold(&self, child: usize, scores: &[f64], out: &mut [f64]) {
        let weight = self.normalized[child];
        let undefined = if child + 1 == self.normalized.len() { 0.0 } else { UNDEFINED };
        if child == 0 {
            out.fill(0.0);
        }
        accumulate(scores, weight, undefined, out);
    }

    fn child_weight(&self, child: usize) -> f64 {
        self.normalized[child]
    }
}
