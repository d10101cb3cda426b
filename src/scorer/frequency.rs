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

/// Groups of up to so many rows are counted by masks, which is quadratic in a group, 64 rows per step.
const MASKED_ROWS: usize = 4096;

/// The tags of the rows of a batch, by tag set.
#[derive(Clone, Copy)]
struct RowTags<'a> {
    batch: &'a Batch,
    table: &'a TagSetTable,
    /// See [`ScoreInput::peers`].
    peers: Option<&'a [u8]>,
}

impl<'a> RowTags<'a> {
    fn set(&self, row: usize) -> usize {
        let list = on_values!(self.batch.tags().rows(), lists => lists[row].index());
        self.table.of_list()[list] as usize
    }

    fn tags(&self, row: usize) -> &'a [u32] {
        self.table.sets().list(self.set(row) as u32)
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

    /// Scores a group by a mask for each tag: the rows of a block that have it. `masks` are 0 before and after.
    fn score_by_masks(&self, rows: Range<usize>, peer_count: usize, masks: &mut [u64], out: &mut [f64]) {
        out.fill(0.0);
        let others = (peer_count - 1) as f64;
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
        // A row with tags is among those that match.
        out.iter_mut().for_each(|matches| *matches = f64::max(*matches - 1.0, 0.0) / others);
    }

    /// Scores a group by its sets, as a whole batch is scored.
    fn score_by_sets(
        &self,
        rows: Range<usize>,
        peer_count: usize,
        words: &mut [u64],
        of_set: &mut [f64],
        out: &mut [f64],
    ) {
        let (counts, words) = words.split_at_mut(of_set.len().div_ceil(2));
        let counts: &mut [u32] = &mut bytemuck::cast_slice_mut(counts)[..of_set.len()];
        counts.fill(0);
        rows.clone().filter(|&row| self.is_peer(row)).for_each(|row| counts[self.set(row)] += 1);
        score_sets(&tag_sets(self.batch, self.table, counts), peer_count, words, of_set);
        for (score, row) in out.iter_mut().zip(rows) {
            *score = of_set[self.set(row)];
        }
    }
}

/// Scores each set among so many peers.
fn score_sets(sets: &TagSets<'_>, peers: usize, words: &mut [u64], of_set: &mut [f64]) {
    matching_rows(sets, words, of_set);
    let others = (peers - 1) as f64;
    for (score, &rows) in of_set.iter_mut().zip(sets.rows) {
        // The row itself is among those that match, unless it has no tags and nothing does.
        *score = if rows == 0 { 0.0 } else { f64::max(*score - 1.0, 0.0) / others };
    }
}

impl Scorer for Frequency {
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
        let groups = context.groups();
        let (words, doubles) = context.scratch();
        if groups.is_some() {
            let tags = RowTags { batch, table: &table, peers };
            words[..batch.tags().folded_texts().len()].fill(0);
            each_group(groups, out, |rows, out| {
                let peer_count = tags.peer_count(&rows);
                if peer_count < 2 {
                    out.fill(0.0);
                } else if rows.len() <= MASKED_ROWS {
                    tags.score_by_masks(rows, peer_count, words, out);
                } else {
                    let (masks, words) = words.split_at_mut(batch.tags().folded_texts().len());
                    debug_assert!(masks.iter().all(|&mask| mask == 0));
                    tags.score_by_sets(rows, peer_count, words, &mut doubles[..table.sets().len()], out);
                }
            });
            return Ok(());
        }
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
        score_sets(&sets, peer_count, words, of_set);
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
            _ if input.groups().is_some() => {
                let masks = batch.tags().folded_texts().len();
                let of_sets = if input.longest() > MASKED_ROWS {
                    scratch_words(&sets)?.checked_add(sets.len().div_ceil(2))?
                } else {
                    0
                };
                masks.checked_add(of_sets)?
            }
            None => scratch_words(&sets)?,
            Some(_) => scratch_words(&sets)?.checked_add(sets.len().div_ceil(2))?,
        };
        Some(Scratch { words, doubles: sets.len() + batch.tags().lists().len() })
    }
}
