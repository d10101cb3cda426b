//! Removing rows, so that a batch can last as long as a conversation.

use std::iter::FusedIterator;
use std::ops::Range;

use crate::batch::rows::Batch;
use crate::column::Storage;
use crate::error::{Error, Parameter, Value};
use crate::memory::{OutOfMemory, retain, trim};

/// The rows of an ascending list, as runs of consecutive rows.
#[derive(Clone, Debug)]
struct RowRuns<'a>(&'a [u32]);

impl Iterator for RowRuns<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = *self.0.first()? as usize;
        let len = (start..).zip(self.0).take_while(|&(row, &other)| row == other as usize).count();
        self.0 = &self.0[len..];
        Some(start..start + len)
    }
}

impl FusedIterator for RowRuns<'_> {}

/// The rows whose byte is not 0, as runs of consecutive rows.
#[derive(Clone, Debug)]
struct MaskRuns<'a> {
    mask: &'a [u8],
    row: usize,
}

impl Iterator for MaskRuns<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let rest = &self.mask[self.row..];
        let start = self.row + rest.iter().position(|&byte| byte != 0)?;
        let rest = &self.mask[start..];
        self.row = start + rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
        Some(start..self.row)
    }
}

impl Batch {
    /// Keeps the rows whose byte is 1, and removes those whose byte is 0. `keep` has a byte for each row.
    ///
    /// The rows that remain keep their order and are numbered anew. The memory of the others is used for later rows, and given back
    /// once more rows were removed than remain.
    pub fn retain(&mut self, keep: &[u8]) -> Result<(), Error> {
        if keep.len() != self.len() {
            let (actual, expected) = (keep.len(), self.len());
            return Err(Error::LengthMismatch { parameter: Parameter::Keep, actual, expected });
        }
        if let Some(row) = keep.iter().position(|&byte| byte > 1) {
            let value = Value::Size(keep[row].into());
            return Err(Error::Invalid { parameter: Parameter::KeepByte(row), value, rule: "it must be 0 or 1" });
        }
        self.retain_runs(MaskRuns { mask: keep, row: 0 });
        Ok(())
    }

    /// Keeps `rows`, which ascend, and removes all others; see [`retain`](Self::retain).
    pub fn retain_rows(&mut self, rows: &[u32]) -> Result<(), Error> {
        let ascends = |at: usize| at == 0 || rows[at - 1] < rows[at];
        if let Some(at) = (0..rows.len()).find(|&at| !ascends(at) || rows[at] as usize >= self.len()) {
            let (parameter, row) = (Parameter::Rows(at), rows[at] as usize);
            return Err(if row >= self.len() {
                Error::OutOfRange { parameter, index: row, len: self.len() }
            } else {
                let rule = "it must be greater than the row before it";
                Error::Invalid { parameter, value: Value::Size(row), rule }
            });
        }
        self.retain_runs(RowRuns(rows));
        Ok(())
    }

    /// Keeps the last `rows` rows, or all if there are no more; see [`retain`](Self::retain).
    pub fn keep_last(&mut self, rows: usize) {
        self.retain_runs(std::iter::once(self.len().saturating_sub(rows)..self.len()));
    }

    /// Keeps the rows in `runs`, which ascend. This needs no memory, and cannot fail.
    fn retain_runs(&mut self, runs: impl Iterator<Item = Range<usize>> + Clone) {
        let kept = runs.clone().map(|run| run.len()).sum();
        if kept == self.len() {
            return;
        }
        self.content.retain(runs.clone());
        self.tokens.retain(runs.clone());
        self.kinds.retain(runs.clone());
        self.sources.retain(runs.clone());
        self.priority.retain(runs.clone());
        self.timestamp.retain(runs.clone());
        self.future_relevance_hint.retain(runs.clone());
        retain(&mut self.pinned, runs.clone());
        let last_pinned = self.pinned.iter().rposition(|&byte| byte == 1);
        self.pinned.truncate(last_pinned.map_or(0, |row| row + 1));
        self.original_tokens.retain(runs.clone());
        self.tags.retain(runs.clone());
        self.metadata.retain(runs);
        self.removed += self.len - kept;
        self.len = kept;
        // Every row pays for one that is removed: compacting takes time in proportion to the rows since it was last done, and
        // these are the rows that were removed since, and at most as many again.
        if self.removed >= kept && self.compact().is_ok() {
            self.removed = 0;
        }
    }

    /// Drops the texts, lists and entries that no row has, and gives back memory. Without memory to do it in, some or all stay.
    fn compact(&mut self) -> Result<(), OutOfMemory> {
        // A window that moves on fills the same memory again.
        let keep = self.expected.max(2 * self.len);
        self.kinds.compact(keep)?;
        self.sources.compact(keep)?;
        self.tags.compact(keep)?;
        self.metadata.compact(keep)?;
        self.content.trim(keep);
        self.tokens.trim(keep);
        self.priority.trim(keep);
        self.timestamp.trim(keep);
        self.future_relevance_hint.trim(keep);
        trim(&mut self.pinned, keep);
        self.original_tokens.trim(keep);
        self.clear_workspace();
        Ok(())
    }
}
