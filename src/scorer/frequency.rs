//! The frequency scorer: how many peers share a tag.

use crate::batch::{Batch, TagSetTable};
use crate::column::packed::on_values;
use crate::error::Error;
use crate::json::{Object, ScorerReader, ScorerWriter};
use crate::kernel::frequency::{TagSets, matching_rows, scratch_words};
use crate::kernel::lookup::lookup;
use crate::scorer::{Call, Scorer, Scratch, SharedScorer};

/// The share of the other rows that have a tag in common with the row, under ASCII case folding.
///
/// A row without tags scores 0.0, and so does a batch of one. Rows without tags never match, and still count in the
/// denominator.
#[derive(Debug)]
pub struct Frequency;

impl Frequency {
    /// The scorer.
    pub fn new() -> Result<SharedScorer, Error> {
        SharedScorer::new(Self)
    }

    /// Reads what stands beside the type: nothing.
    pub(crate) fn read_json(_: &mut Object<'_>, _: &ScorerReader<'_>) -> Result<SharedScorer, Error> {
        Self::new()
    }
}

/// The distinct sets of tags of a batch that has rows, as the kernel takes them.
fn parts<'a>(batch: &Batch, table: &'a TagSetTable) -> TagSets<'a> {
    TagSets {
        offsets: table.sets().offsets(),
        tags: table.sets().entries(),
        rows: table.rows_of_set(),
        tag_count: batch.tags().folded_texts().len(),
    }
}

impl Scorer for Frequency {
    fn name(&self) -> &'static str {
        "frequency"
    }

    fn score(&self, call: &mut Call<'_>, out: &mut [f64]) -> Result<(), Error> {
        let batch = call.batch();
        if batch.len() < 2 {
            out.fill(0.0);
            return Ok(());
        }
        let table = batch.tags().sets()?;
        let sets = parts(batch, &table);
        let (words, doubles) = call.scratch();
        let (of_set, rest) = doubles.split_at_mut(sets.len());
        matching_rows(&sets, words, of_set);
        let others = (batch.len() - 1) as f64;
        for (score, &rows) in of_set.iter_mut().zip(sets.rows) {
            // The row itself is among those that match, unless it has no tags and nothing does.
            *score = if rows == 0 { 0.0 } else { f64::max(*score - 1.0, 0.0) / others };
        }
        let of_list = &mut rest[..batch.tags().lists().len()];
        for (score, &set) in of_list.iter_mut().zip(table.of_list()) {
            *score = of_set[set as usize];
        }
        on_values!(batch.tags().rows(), codes => lookup(codes, of_list, out));
        Ok(())
    }

    fn scratch(&self, batch: &Batch) -> Option<Scratch> {
        if batch.len() < 2 {
            return Some(Scratch::default());
        }
        let table = batch.tags().sets().ok()?;
        let sets = parts(batch, &table);
        Some(Scratch { words: scratch_words(&sets)?, doubles: sets.len() + batch.tags().lists().len() })
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn is_host_defined(&self) -> bool {
        false
    }

    fn write_json(&self, _: &[SharedScorer], _: &mut ScorerWriter) -> Result<(), Error> {
        Ok(())
    }
}
