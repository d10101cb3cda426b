//! The frequency scorer: how many peers share a tag.

use std::ops::Range;

use crate::batch::{FoldedTags, TagSetTable};
use crate::column::packed::on_values;
use crate::error::Error;
use crate::kernel::frequency::{TagSets, matching_rows, scratch_words};
use crate::kernel::lookup::{Code, lookup};
use crate::scorer::context::each_group;
use crate::scorer::{Parameters, ScoreContext, ScoreInput, Scorer, Scratch, SharedScorer};

/// The fraction of the other rows that share a tag with the row, under ASCII case folding.
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

/// Batches of up to this many rows are scored by masks, without the sets, which take longer to build than to use.
const FEW_ROWS: usize = 64;

/// Up to how many rows that are compared with each other are scored by masks.
fn masked_rows(input: &ScoreInput<'_>) -> usize {
    if input.groups().is_some() { MASKED_ROWS } else { FEW_ROWS }
}

/// The distinct sets of tags of a batch, with the number of rows that have each.
fn tag_sets<'a>(table: &'a TagSetTable, rows: &'a [u32]) -> TagSets<'a> {
    TagSets { offsets: table.sets().offsets(), tags: table.sets().entries(), rows, tag_count: table.tag_count() }
}

/// The score of a row that shares a tag with `matches` of `peers` rows, itself included; 0 matches for a row without tags.
fn score(matches: f64, peers: usize) -> f64 {
    f64::max(matches - 1.0, 0.0) / (peers - 1) as f64
}

/// The words of the masks of [`RowTags::score_by_masks`], one for each tag.
fn mask_words(input: &ScoreInput<'_>, table: &TagSetTable) -> usize {
    if input.groups().is_some() || input.longest() <= FEW_ROWS { table.tag_count() } else { 0 }
}

/// The tags of the rows of a call.
struct RowTags<'a, C> {
    /// For each row of the batch the number of its list.
    lists: &'a [C],
    /// List `n` is `entries[offsets[n]..offsets[n + 1]]`.
    offsets: &'a [u32],
    entries: &'a [u32],
    folded: FoldedTags<'a>,
    table: &'a TagSetTable,
    /// See [`ScoreInput::peers`].
    peers: Option<&'a [u8]>,
}

impl<C: Code> RowTags<'_, C> {
    /// The folded tags of a row, with duplicates.
    #[inline(always)]
    fn tags(&self, row: usize) -> impl Iterator<Item = usize> {
        let list = self.lists[row].index();
        let tags = &self.entries[self.offsets[list] as usize..self.offsets[list + 1] as usize];
        tags.iter().map(|&tag| self.folded.get(tag) as usize)
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
                self.tags(row).for_each(|tag| masks[tag] |= 1 << (row - first));
            }
            for (row, matches) in rows.clone().zip(&mut *out) {
                let mask = self.tags(row).fold(0, |mask, tag| mask | masks[tag]);
                // Counts below 2^53 are exact.
                *matches += f64::from(mask.count_ones());
            }
            if masks.len() <= 2 * block.len() {
                masks.fill(0);
            } else {
                block.for_each(|row| self.tags(row).for_each(|tag| masks[tag] = 0));
            }
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
        let counts: &[u32] = if peer_count == self.lists.len() {
            self.table.rows_of_set()
        } else {
            let counts = &mut bytemuck::cast_slice_mut(counts)[..set_count];
            counts.fill(0);
            for (row, list) in rows.clone().zip(&self.lists[rows.clone()]) {
                counts[self.table.of_list()[list.index()] as usize] += u32::from(self.is_peer(row));
            }
            counts
        };
        matching_rows(&tag_sets(self.table, counts), words, of_set);
        for (score_of_list, &set) in of_list.iter_mut().zip(self.table.of_list()) {
            *score_of_list = score(of_set[set as usize], peer_count);
        }
        lookup(&self.lists[rows], of_list, out);
    }
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
        let batch_tags = input.batch().tags();
        let is_masked = input.longest() <= masked_rows(&input);
        let table = if is_masked { batch_tags.folded()? } else { batch_tags.sets()? };
        let (words, doubles) = context.scratch();
        let (masks, words) = words.split_at_mut(mask_words(&input, &table));
        masks.fill(0);
        on_values!(batch_tags.rows(), lists => {
            let (offsets, entries) = (batch_tags.lists().offsets(), batch_tags.lists().entries());
            let tags = RowTags { lists, offsets, entries, folded: table.folded(), table: &table, peers: input.peers() };
            each_group(input.groups(), out, |rows, out| {
                let peer_count = tags.peer_count(&rows);
                if peer_count < 2 {
                    out.fill(0.0);
                } else if rows.len() <= masked_rows(&input) {
                    tags.score_by_masks(rows, peer_count, masks, out);
                } else {
                    tags.score_by_sets(rows, peer_count, words, doubles, out);
                }
            });
        });
        Ok(())
    }

    fn scratch(&self, input: ScoreInput<'_>) -> Option<Scratch> {
        let batch = input.batch();
        if batch.len() < 2 {
            return Some(Scratch::default());
        }
        if input.longest() <= masked_rows(&input) {
            let table = batch.tags().folded().ok()?;
            return Some(Scratch { words: mask_words(&input, &table), doubles: 0 });
        }
        let table = batch.tags().sets().ok()?;
        let sets = tag_sets(&table, table.rows_of_set());
        let masks = mask_words(&input, &table);
        let words = masks.checked_add(sets.len().div_ceil(2))?.checked_add(scratch_words(&sets)?)?;
        Some(Scratch { words, doubles: sets.len() + batch.tags().lists().len() })
    }
}
