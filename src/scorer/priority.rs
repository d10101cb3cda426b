//! The priority scorer: how important a row is among its peers.

use crate::column::Packed;
use crate::error::Error;
use crate::kernel::rank::{rank, scratch_words};
use crate::scorer::context::each_group;
use crate::scorer::{Parameters, ScoreContext, ScoreInput, Scorer, Scratch, SharedScorer};

/// The rank of the row's priority among the rows that have one: the number of strictly lower ones, divided by the number of the
/// others. Ties share a score. A row without a priority scores 0.0; the only one that has one scores 1.0.
#[derive(Debug)]
pub struct Priority;

impl Priority {
    /// The scorer.
    pub fn new() -> Result<SharedScorer, Error> {
        SharedScorer::new(Self)
    }
}

impl Scorer for Priority {
    fn parameters(&self) -> Parameters<'_> {
        Parameters::Priority
    }

    fn score(&self, context: &mut ScoreContext<'_>, out: &mut [f64]) -> Result<(), Error> {
        match context.batch().priority().parts() {
            Some((priorities, validity)) => {
                let groups = context.groups();
                let (words, present) = context.words_and_validity(validity);
                each_group(groups, out, |rows, out| {
                    let present = present.map(|present| &present[rows.clone()]);
                    match priorities {
                        Packed::I8(values) => rank(&values[rows], present, words, out),
                        Packed::I16(values) => rank(&values[rows], present, words, out),
                        Packed::I32(values) => rank(&values[rows], present, words, out),
                        Packed::I64(values) => rank(&values[rows], present, words, out),
                    }
                });
            }
            None => out.fill(0.0),
        }
        Ok(())
    }

    fn scratch(&self, input: ScoreInput<'_>) -> Option<Scratch> {
        Some(Scratch { words: scratch_words(input.longest()), ..Scratch::default() })
    }
}
