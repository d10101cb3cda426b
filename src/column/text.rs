//! A column of texts that are not expected to repeat.

use std::ops::Range;

use crate::column::packed::on_values;
use crate::column::{Packed, Storage};
use crate::memory::{OutOfMemory, retain_string, shrink_string, trim_string, try_reserve_str};

/// Texts, concatenated in one allocation.
#[derive(Debug)]
pub struct TextColumn {
    bytes: String,
    /// Where each text ends.
    ends: Packed,
}

impl TextColumn {
    /// An empty column.
    pub const fn new() -> Self {
        Self { bytes: String::new(), ends: Packed::new() }
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Where the text at `row` starts, and where the text before it ends.
    fn start(&self, row: usize) -> usize {
        if row == 0 { 0 } else { self.ends.get(row - 1) as usize }
    }

    /// The text at `row`.
    pub fn get(&self, row: usize) -> &str {
        &self.bytes[self.start(row)..self.ends.get(row) as usize]
    }

    /// Appends `text`.
    #[inline(always)]
    pub fn push(&mut self, text: &str) -> Result<(), OutOfMemory> {
        try_reserve_str(&mut self.bytes, text.len())?;
        self.ends.push((self.bytes.len() + text.len()) as i64)?;
        self.bytes.push_str(text);
        Ok(())
    }

    /// Appends concatenated texts, given where each ends in `text`.
    pub fn extend(
        &mut self,
        text: &str,
        ends: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> Result<(), OutOfMemory> {
        try_reserve_str(&mut self.bytes, text.len())?;
        let start = self.bytes.len();
        self.ends.extend(ends.map(|end| (start + end) as i64))?;
        self.bytes.push_str(text);
        Ok(())
    }

    /// Lengthens the column to `len` rows with empty texts.
    #[inline]
    pub fn pad(&mut self, len: usize) -> Result<(), OutOfMemory> {
        let missing = len.saturating_sub(self.len());
        if missing == 0 {
            return Ok(());
        }
        self.ends.extend(std::iter::repeat_n(self.bytes.len() as i64, missing))
    }

    /// Reserves capacity for `more` texts.
    pub fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        self.ends.reserve(more)
    }

    /// Removes the texts from row `len` on.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len() {
            self.bytes.truncate(self.start(len));
            self.ends.truncate(len);
        }
    }

    /// Keeps the texts of the rows in `runs`, which ascend.
    pub fn retain(&mut self, runs: impl Iterator<Item = Range<usize>> + Clone) {
        let Self { bytes, ends } = self;
        on_values!(ends, ends => retain_texts(bytes, ends, runs, |end| end as usize, |end| end as _));
    }

    /// Gives back capacity that a failed call has left.
    pub fn trim(&mut self, keep: usize) {
        trim_string(&mut self.bytes);
        self.ends.trim(keep);
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        shrink_string(&mut self.bytes);
        self.ends.shrink();
    }
}

/// [`TextColumn::retain`] for ends of one width.
fn retain_texts<T: Copy>(
    bytes: &mut String,
    ends: &mut Vec<T>,
    runs: impl Iterator<Item = Range<usize>> + Clone,
    wide: impl Fn(T) -> usize,
    narrow: impl Fn(usize) -> T,
) {
    let rows = ends.len();
    let runs = runs.map(|run| run.start.min(rows)..run.end.min(rows)).filter(|run| !run.is_empty());
    let start = |ends: &[T], row: usize| if row == 0 { 0 } else { wide(ends[row - 1]) };
    retain_string(bytes, runs.clone().map(|run| start(ends, run.start)..wide(ends[run.end - 1])));
    let (mut len, mut end) = (0, 0);
    for run in runs {
        // An end that was overwritten before it is read here has not changed: every text before it was kept.
        let mut before = start(ends, run.start);
        for row in run {
            let own = wide(ends[row]);
            end += own - before;
            before = own;
            ends[len] = narrow(end);
            len += 1;
        }
    }
    ends.truncate(len);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_they_went_in() {
        let mut column = TextColumn::new();
        for text in ["", "one", "zwei", ""] {
            column.push(text).unwrap();
        }
        column.pad(6).unwrap();
        assert_eq!((0..6).map(|row| column.get(row)).collect::<Vec<_>>(), ["", "one", "zwei", "", "", ""]);
        column.truncate(2);
        column.extend("dreivier", [4, 4, 8].into_iter()).unwrap();
        assert_eq!((0..5).map(|row| column.get(row)).collect::<Vec<_>>(), ["", "one", "drei", "", "vier"]);
        column.push("x").unwrap();
        assert_eq!(column.get(5), "x");
    }

    #[test]
    fn any_rows_can_be_kept() {
        let long = "a text of 35 bytes, for wider ends ".repeat(1_000);
        for kept in 0_u32..1 << 7 {
            for last in ["x", &long[..350], &long] {
                let texts = ["", "one", "zwei", "", "tröß", last];
                let mut column = TextColumn::new();
                texts.iter().for_each(|text| column.push(text).unwrap());
                // Rows past the last text have none.
                let rows = (0..=texts.len()).filter(|row| kept >> row & 1 == 1);
                let expected: Vec<&str> = rows.clone().filter_map(|row| texts.get(row).copied()).collect();
                column.retain(rows.map(|row| row..row + 1));
                column.push("new").unwrap();
                let read: Vec<&str> = (0..column.len()).map(|row| column.get(row)).collect();
                assert_eq!(read, [&expected[..], &["new"]].concat(), "{kept:b}");
            }
        }
    }
}
