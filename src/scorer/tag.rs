//! The tag scorer: a weight for each tag.

use crate::column::packed::on_values;
use crate::error::Error;
use crate::kernel::lookup::lookup;
use crate::scorer::weights::Weights;
use crate::scorer::{Parameters, ScoreContext, ScoreInput, Scorer, Scratch, SharedScorer};
use crate::text::Match as TextMatch;

/// The sum of the weights of the row's tags, divided by the sum of all configured weights, at most 1.0.
///
/// Each occurrence of a tag counts. A row without tags scores 0.0, and so does every row when the weights add up to 0.
#[derive(Debug)]
pub struct Tag {
    weights: Weights,
    total: f64,
    rule: TextMatch,
}

impl Tag {
    /// A scorer with a weight for each tag of a list, which may be empty, and a rule for when tags are equal.
    ///
    /// # Errors
    ///
    /// A duplicate tag under the rule, a weight that is negative or not finite, a sum of weights that overflows.
    pub fn new<'a>(weights: impl IntoIterator<Item = (&'a str, f64)>, rule: TextMatch) -> Result<SharedScorer, Error> {
        let weights = Weights::new(weights, rule, |_, _| Ok(()))?;
        let total = weights.total()?;
        SharedScorer::new(Self { weights, total, rule })
    }
}

impl Scorer for Tag {
    fn parameters(&self) -> Parameters<'_> {
        Parameters::Tag(&self.weights, self.rule)
    }

    fn score(&self, context: &mut ScoreContext<'_>, out: &mut [f64]) -> Result<(), Error> {
        if self.total == 0.0 {
            out.fill(0.0);
            return Ok(());
        }
        let tags = context.batch().tags();
        let (_, doubles) = context.scratch();
        let (of_tag, rest) = doubles.split_at_mut(tags.texts().len());
        match self.rule {
            // A configured tag is looked up once, among the tags of the batch.
            TextMatch::Exact => {
                of_tag.fill(0.0);
                for (tag, weight) in self.weights.iter() {
                    if let Some(number) = tags.texts().get(tag) {
                        of_tag[number as usize] = weight;
                    }
                }
            }
            // Several spellings of the batch may be the same tag: each is looked up among the configured ones.
            TextMatch::AsciiCaseInsensitive => {
                for (weight, tag) in of_tag.iter_mut().zip(tags.texts().keys()) {
                    *weight = self.weights.get(tag).unwrap_or(0.0);
                }
            }
        }
        let of_list = &mut rest[..tags.lists().len()];
        for (score, list) in of_list.iter_mut().zip(tags.lists().lists()) {
            let matched = list.iter().fold(0.0, |matched, &tag| matched + of_tag[tag as usize]);
            *score = f64::min(matched / self.total, 1.0);
        }
        on_values!(tags.rows(), codes => lookup(codes, of_list, out));
        Ok(())
    }

    fn scratch(&self, input: ScoreInput<'_>) -> Option<Scratch> {
        let tags = input.batch().tags();
        let doubles = tags.texts().len() + tags.lists().len();
        Some(Scratch { doubles, ..Scratch::default() })
    }
}
