//! Scores of a table, part by part.

use crate::arrow::node::at_row;
use crate::arrow::table::{ReadError, Table};
use crate::batch::Batch;
use crate::error::{Error, Parameter};
use crate::memory::{try_pad, try_push};
use crate::scorer::{ClockReadings, Groups, ScoreInput, SharedScorer};

/// The rows of a part, which stay in the caches while they are appended and scored.
pub const PART_ROWS: usize = 65_536;

impl Table<'_> {
    /// Scores every row, as [`score_tables`] does.
    pub fn score(&self, scorer: &SharedScorer, part_rows: usize, out: &mut [f64]) -> Result<(), ReadError> {
        score_tables(std::slice::from_ref(self), scorer, part_rows, out)
    }
}

/// Scores every row of tables with one schema, which follow each other, among the rows of its group, to the same bits as a batch
/// for each group. A group may go on from one table to the next. The tables were found with the
/// [columns](SharedScorer::columns) that the scorer reads.
///
/// Whole groups are taken together until they have `part_rows` rows; a longer group is a part of its own. The parts go
/// through one batch, and a clock is read once for all of them. `out` has a score for each row. On an error nothing has
/// been written to it. A scorer of the host is refused, in a tree too.
pub fn score_tables(
    tables: &[Table<'_>],
    scorer: &SharedScorer,
    part_rows: usize,
    out: &mut [f64],
) -> Result<(), ReadError> {
    let rows = tables.iter().map(Table::rows).sum();
    if out.len() != rows {
        let (actual, expected) = (out.len(), rows);
        return Err(Error::LengthMismatch { parameter: Parameter::TableScores, actual, expected }.into());
    }
    if scorer.is_custom() {
        return Err(Error::CustomInGroups.into());
    }
    let groups = Table::groups_of(tables)?;
    let offsets = groups.offsets();
    let mut scores = Vec::new();
    try_pad(&mut scores, out.len(), 0.0).map_err(Error::from)?;
    let (mut batch, mut part_offsets, mut readings) = (Batch::new(), Vec::new(), ClockReadings::new());
    let (mut rest, mut group) = (Rest { tables, first: 0 }, 0);
    // Once at least, so that the columns of empty tables are checked too.
    loop {
        let first = offsets[group];
        part_offsets.clear();
        try_push(&mut part_offsets, 0).map_err(Error::from)?;
        while let Some(&end) = offsets.get(group + 1)
            && (part_offsets.len() == 1 || (end - first) as usize <= part_rows)
        {
            try_push(&mut part_offsets, end - first).map_err(Error::from)?;
            group += 1;
        }
        let (first, end) = (first as usize, offsets[group] as usize);
        batch.clear();
        rest.append(&mut batch, first, end)?;
        let part = Groups::new(&part_offsets, batch.len())?;
        let input = ScoreInput::new(&batch, None, Some(part));
        scorer.score_input(input, &mut readings, &mut scores[first..end])?;
        if group + 1 >= offsets.len() {
            break;
        }
    }
    out.copy_from_slice(&scores);
    Ok(())
}

/// The tables whose rows are not all read yet.
struct Rest<'a, 'b> {
    tables: &'b [Table<'a>],
    /// The first row of the first of them.
    first: usize,
}

impl Rest<'_, '_> {
    /// Appends the rows from `first` to `end` of all tables, which follow those appended before.
    fn append(&mut self, batch: &mut Batch, first: usize, end: usize) -> Result<(), ReadError> {
        while let [table, others @ ..] = self.tables {
            let (start, stop) = (first.max(self.first), end.min(self.first + table.rows()));
            if start < stop || table.rows() == 0 {
                let read = table.read(start - self.first, stop - start, |columns| batch.append_columns(columns));
                read.map_err(|error| match error {
                    ReadError::Table(error) => ReadError::Table(at_row(error, self.first)),
                    other => other,
                })?;
            }
            if end < self.first + table.rows() {
                break;
            }
            self.first += table.rows();
            self.tables = others;
        }
        Ok(())
    }
}
