//! The kind scorer: a weight for each kind.

use crate::column::packed::on_values;
use crate::error::{Error, Excerpt};
use crate::kernel::lookup::lookup;
use crate::scorer::weights::Weights;
use crate::scorer::{Parameters, ScoreContext, ScoreInput, Scorer, Scratch, SharedScorer};
use crate::text::{Match as TextMatch, is_blank};

/// The weight that was configured for the row's kind, else 0.0. Kinds are compared under ASCII case folding.
#[derive(Debug)]
pub struct Kind {
    weights: Weights,
    /// Whether the weights are the defaults, which JSON writes as the absence of weights.
    default: bool,
}

/// The weights of [`Kind::with_default_weights`].
pub const DEFAULT_WEIGHTS: [(&str, f64); 5] =
    [("SystemPrompt", 1.0), ("Memory", 0.8), ("ToolOutput", 0.6), ("Document", 0.4), ("Message", 0.2)];

impl Kind {
    /// A scorer with a weight for each kind of a list, which may be empty.
    ///
    /// # Errors
    ///
    /// A blank or duplicate kind, a weight that is negative or not finite.
    pub fn new<'a>(weights: impl IntoIterator<Item = (&'a str, f64)>) -> Result<SharedScorer, Error> {
        Self::build(weights, false)
    }

    /// A scorer with the weights SystemPrompt 1.0, Memory 0.8, ToolOutput 0.6, Document 0.4 and Message 0.2.
    pub fn with_default_weights() -> Result<SharedScorer, Error> {
        Self::build(DEFAULT_WEIGHTS, true)
    }

    fn build<'a>(weights: impl IntoIterator<Item = (&'a str, f64)>, default: bool) -> Result<SharedScorer, Error> {
        let weights = Weights::new(weights, TextMatch::AsciiCaseInsensitive, |kind, parameter| {
            if is_blank(kind) {
                return Err(Error::EmptyKind { parameter, text: Excerpt::new(kind) });
            }
            Ok(())
        })?;
        SharedScorer::new(Self { weights, default })
    }
}

impl Scorer for Kind {
    fn parameters(&self) -> Parameters<'_> {
        Parameters::Kind((!self.default).then_some(&self.weights))
    }

    fn score(&self, context: &mut ScoreContext<'_>, out: &mut [f64]) -> Result<(), Error> {
        let kinds = context.batch().kinds();
        // Each distinct spelling has a code, so its weight is looked up once.
        let table = &mut context.scratch().1[..kinds.texts().len()];
        for (weight, kind) in table.iter_mut().zip(kinds.texts().keys()) {
            *weight = self.weights.get(kind).unwrap_or(0.0);
        }
        on_values!(kinds.rows(), codes => lookup(codes, table, out));
        Ok(())
    }

    fn scratch(&self, input: ScoreInput<'_>) -> Option<Scratch> {
        Some(Scratch { doubles: input.batch().kinds().texts().len(), ..Scratch::default() })
    }
}
