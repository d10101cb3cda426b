//! The frequency scorer: how many peers share a tag.

use crate::batch::{Batch, TagSetTable};
use crate::column::packed::on_values;
use crate::error::Error;
use crate::kernel::frequency::{TagSets, matching_rows, scratch_words, scratch_words_of_any_rows};
use crate::kernel::lookup::{Code, lookup};
use crate::scorer::{Parameters, ScoreContext, ScoreInput, Scorer, Scratch, SharedScorer};

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
}

/// The distinct sets of tags of a batch, with the number of rows that have each.
fn tag_sets<'a>(batch: &Batch, table: &'a TagSetTable, rows: &'a [u32]) -> TagSets<'a> {
    TagSets {
        offsets: table.sets().offsets(),
        tags: table.sets().entries(),
        rows,
        tag_count: batch.tags().folded_texts().len(),
    }
}

/// Counts the peers that have each set.
fn count_peers(batch: &Batch, table: &TagSetTable, peers: &[u8], rows: &mut [u32]) {
    rows.fill(0);
    on_values!(batch.tags().rows(), lists => {
        for (&list, &peer) in lists.iter().zip(peers) {
            rows[table.of_list()[list.index()] as usize] += u32::from(peer);
        }
    });
}

impl Scorer for Frequency {
    fn name(&self) -> &'static str {
        "frequency"
    }

    fn parameters(&self) -> Parameters<'_> {
        Parameters::Frequency
    }

    fn score(&self, context: &mut ScoreContext<'_>, out: &mut [f64]) -> Result<(), Error> {
        let (batch, peers) = (context.batch(), context.peers());
        let peer_count = context.input().peer_count();
        if peer_count < 2 {
            out.fill(0.0);
            return Ok(());
        }
        let table = batch.tags().sets()?;
        let (words, doubles) = context.scratch();
        let (rows, words) = match peers {
            None => (table.rows_of_set(), words),
            Some(peers) => {
                let (rows, words) = words.split_at_mut(table.sets().len().div_ceil(2));
                let rows: &mut [u32] = &mut bytemuck::cast_slice_mut(rows)[..table.sets().len()];
                count_peers(batch, &table, peers, rows);
                (&*rows, words)
            }
        };
        let sets = tag_sets(batch, &table, rows);
        let (of_set, rest) = doubles.split_at_mut(sets.len());
        matching_rows(&sets, words, of_set);
        let others = (peer_count - 1) as f64;
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

    fn scratch(&self, input: ScoreInput<'_>) -> Option<Scratch> {
        let batch = input.batch();
        if batch.len() < 2 {
            return Some(Scratch::default());
        }
        let table = batch.tags().sets().ok()?;
        let sets = tag_sets(batch, &table, table.rows_of_set());
        let words = match input.peers() {
            None => scratch_words(&sets)?,
            Some(_) => scratch_words_of_any_rows(&sets)?.checked_add(sets.len().div_ceil(2))?,
        };
        Some(Scratch { words, doubles: sets.len() + batch.tags().lists().len() })
    }

    fn may_fail(&self) -> bool {
        false
    }
}
