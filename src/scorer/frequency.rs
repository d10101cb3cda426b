//! The frequency scorer: how many peers share a tag.

use std::ops::Range;

use crate::batch::{Batch, TagSetTable};
use crate::column::packed::on_values;
use crate::error::Error;
use crate::kernel::frequency::{TagSets, matching_rows, scratch_words};
use crate::kernel::lookup::{Code, lookup};
use crate::scorer::context::each_group;
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

/// Groups of up to this many rows are scored by masks, which is quadratic in a group, 64 rows per step.
const MASKED_ROWS: usize = 4096;

/// The distinct sets of tags of a batch, with the number of rows that have each.
fn tag_sets<'a>(batch: &Batch, table: &'a TagSetTable, rows: &'a [u32]) -> TagSets<'a> {
    TagSets {
        offsets: table.sets().offsets(),
        tags: table.sets().entries(),
        rows,
        tag_count: batch.tags().folded_texts().len(),
    }
}

/// The score of a row that shares a tag with `matches` of `peers` rows, itself included; 0 matches for a row without tags.
fn score(matches: f64, peers: usize) -> f64 {
    f64::max(matches - 1.0, 0.0) / (peers - 1) as f64
}

/// The tags of the rows of a call.
struct RowTags<'a> {
    batch: &'a Batch,
    table: &'a TagSetTable,
    /// See [`ScoreInput::peers`].
    peers: Option<&'a [u8]>,
}

impl<'a> RowTags<'a> {
    fn tags(&self, row: usize) -> &'a [u32] {
        let list = on_values!(self.batch.tags().rows(), lists => lists[row].index());
        self.table.sets().list(self.table.of_list()[list])
    }

    fn is_peer(&self, row: usize) -> bool {
        self.peers.is_none_or(|peers| peers[row] == 1)
    }

    /// The number of peers among `rows`.
    fn peer_count(&self, rows: &Range<usize>) -> usize {
        match self.peers {
            None => rows.len(),
            Some(peers) => peers[rows.clone()].iter().map(|&peer| usize::from(peer)).sum(),
        }
    }

    /// Scores rows by a mask for each tag: the rows of a block that have it. `masks` are 0 before and after.
    fn score_by_masks(&self, rows: Range<usize>, peer_count: usize, masks: &mut [u64], out: &mut [f64]) {
        out.fill(0.0);
        for first in rows.clone().step_by(64) {
            let block = first..rows.end.min(first + 64);
            for row in block.clone().filter(|&row| self.is_peer(row)) {
                self.tags(row).iter().for_each(|&tag| masks[tag as usize] |= 1 << (row - first));
            }
            for (row, matches) in rows.clone().zip(&mut *out) {
                let mask = self.tags(row).iter().fold(0, |mask, &tag| mask | masks[tag as usize]);
                // Counts below 2^53 are exact.
                *matches += f64::from(mask.count_ones());
            }
            block.for_each(|row| self.tags(row).iter().for_each(|&tag| masks[tag as usize] = 0));
        }
        out.iter_mut().for_each(|matches| *matches = score(*matches, peer_count));
    }

    /// Scores rows by the number of rows that have each set of tags.
    fn score_by_sets(
        &self,
        rows: Range<usize>,
        peer_count: usize,
        words: &mut [u64],
        doubles: &mut [f64],
        out: &mut [f64],
    ) {
        let set_count = self.table.sets().len();
        let (counts, words) = words.split_at_mut(set_count.div_ceil(2));
        let (of_set, of_list) = doubles.split_at_mut(set_count);
        let counts: &[u32] = if peer_count == self.batch.len() {
            self.table.rows_of_set()
        } else {
            let counts = &mut bytemuck::cast_slice_mut(counts)[..set_count];
            counts.fill(0);
            on_values!(self.batch.tags().rows(), lists => {
                for (row, list) in rows.clone().zip(&lists[rows.clone()]) {
                    counts[self.table.of_list()[list.index()] as usize] += u32::from(self.is_peer(row));
                }
            });
            counts
        };
        matching_rows(&tag_sets(self.batch, self.table, counts), words, of_set);
        for (score_of_list, &set) in of_list.iter_mut().zip(self.table.of_list()) {
            *score_of_list = score(of_set[set as usize], peer_count);
        }
        on_values!(self.batch.tags().rows(), lists => lookup(&lists[rows], of_list, out));
    }
}

/// The words of the masks of [`RowTags::score_by_masks`].
fn mask_words(input: &ScoreInput<'_>) -> usize {
    input.groups().map_or(0, |_| input.batch().tags().folded_texts().len())
}

impl Scorer for Frequency {
    fn parameters(&self) -> Parameters<'_> {
        Parameters::Frequency
    }

    fn score(&self, context: &mut ScoreContext<'_>, out: &mut [f64]) -> Result<(), Error> {
        let input = context.input();
        if out.len() < 2 {
            out.fill(0.0);
            return Ok(());
        }
        let table = input.batch().tags().sets()?;
        let tags = RowTags { batch: input.batch(), table: &table, peers: input.peers() };
        let (words, doubles) = context.scratch();
        let (masks, words) = words.split_at_mut(mask_words(&input));
        masks.fill(0);
        each_group(input.groups(), out, |rows, out| {
            let peer_count = tags.peer_count(&rows);
            if peer_count < 2 {
                out.fill(0.0);
            } else if input.groups().is_some() && rows.len() <= MASKED_ROWS {
                tags.score_by_masks(rows, peer_count, masks, out);
            } else {
                tags.score_by_sets(rows, peer_count, words, doubles, out);
            }
        });
        Ok(())
    }

    fn scratch(&self, input: ScoreInput<'_>) -> Option<Scratch> {
        let batch = input.batch();
        if batch.len() < 2 {
            return Some(Scratch::default());
        }
        let table = batch.tags().sets().ok()?;
        let sets = tag_sets(batch, &table, table.rows_of_set());
        let mut words = mask_words(&input);
        if input.groups().is_none() || input.longest() > MASKED_ROWS {
            words = words.checked_add(sets.len().div_ceil(2))?.checked_add(scratch_words(&sets)?)?;
        }
        Some(Scratch { words, doubles: sets.len() + batch.tags().lists().len() })
    }
}
