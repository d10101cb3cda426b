//! A column of texts that are not expected to repeat.

use std::ops::Range;

use crate::memory::{
    OutOfMemory, retain_string, shrink, shrink_string, trim, trim_string, try_pad, try_push, try_reserve,
    try_reserve_str,
};

/// Texts, concatenated in one allocation.
#[derive(Debug)]
pub struct TextColumn {
    bytes: String,
    ends: Ends,
}

/// Where each text ends: 4 bytes a row until the texts exceed 4 GiB.
#[derive(Debug)]
enum Ends {
    Narrow(Vec<u32>),
    Wide(Vec<usize>),
}

impl TextColumn {
    /// An empty column.
    pub const fn new() -> Self {
        Self { bytes: String::new(), ends: Ends::Narrow(Vec::new()) }
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        match &self.ends {
            Ends::Narrow(ends) => ends.len(),
            Ends::Wide(ends) => ends.len(),
        }
    }

    fn end(&self, row: usize) -> usize {
        match &self.ends {
            Ends::Narrow(ends) => ends[row] as usize,
            Ends::Wide(ends) => ends[row],
        }
    }

    /// The text at `row`.
    pub fn get(&self, row: usize) -> &str {
        let start = if row == 0 { 0 } else { self.end(row - 1) };
        &self.bytes[start..self.end(row)]
    }

    /// Appends `text`.
    #[inline(always)]
    pub fn push(&mut self, text: &str) -> Result<(), OutOfMemory> {
        let end = self.bytes.len() + text.len();
        if u32::try_from(end).is_err() {
            self.widen(1)?;
        }
        try_reserve_str(&mut self.bytes, text.len())?;
        match &mut self.ends {
            Ends::Narrow(ends) => try_push(ends, end as u32)?,
            Ends::Wide(ends) => try_push(ends, end)?,
        }
        self.bytes.push_str(text);
        Ok(())
    }

    /// Appends concatenated texts, given where each ends in `text`.
    pub fn extend(&mut self, text: &str, ends: impl ExactSizeIterator<Item = usize>) -> Result<(), OutOfMemory> {
        let start = self.bytes.len();
        if u32::try_from(start + text.len()).is_err() {
            self.widen(ends.len())?;
        }
        try_reserve_str(&mut self.bytes, text.len())?;
        match &mut self.ends {
            Ends::Narrow(own) => {
                try_reserve(own, ends.len())?;
                own.extend(ends.map(|end| (start + end) as u32));
            }
            Ends::Wide(own) => {
                try_reserve(own, ends.len())?;
                own.extend(ends.map(|end| start + end));
            }
        }
        self.bytes.push_str(text);
        Ok(())
    }

    /// Switches to wide ends.
    #[cold]
    fn widen(&mut self, more: usize) -> Result<(), OutOfMemory> {
        if let Ends::Narrow(ends) = &self.ends {
            let mut wide = Vec::new();
            try_reserve(&mut wide, ends.len() + more)?;
            wide.extend(ends.iter().map(|&end| end as usize));
            self.ends = Ends::Wide(wide);
        }
        Ok(())
    }

    /// Lengthens the column to `len` rows with empty texts.
    #[inline]
    pub fn pad(&mut self, len: usize) -> Result<(), OutOfMemory> {
        if self.len() < len { self.pad_short(len) } else { Ok(()) }
    }

    #[cold]
    fn pad_short(&mut self, len: usize) -> Result<(), OutOfMemory> {
        let end = self.bytes.len();
        match &mut self.ends {
            Ends::Narrow(ends) => try_pad(ends, len, end as u32),
            Ends::Wide(ends) => try_pad(ends, len, end),
        }
    }

    /// Reserves capacity for `more` texts.
    pub fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        match &mut self.ends {
            Ends::Narrow(ends) => try_reserve(ends, more)?,
            Ends::Wide(ends) => try_reserve(ends, more)?,
        }
        Ok(())
    }

    /// Removes the texts from row `len` on.
    pub fn truncate(&mut self, len: usize) {
        if len >= self.len() {
            return;
        }
        self.bytes.truncate(if len == 0 { 0 } else { self.end(len - 1) });
        match &mut self.ends {
            Ends::Narrow(ends) => ends.truncate(len),
            Ends::Wide(ends) => ends.truncate(len),
        }
    }

    /// Keeps the texts of the rows in `runs`, which ascend.
    pub fn retain(&mut self, runs: impl Iterator<Item = Range<usize>> + Clone) {
        let Self { bytes, ends } = self;
        match ends {
            Ends::Narrow(ends) => retain_texts(bytes, ends, runs, |end| end as usize, |end| end as u32),
            Ends::Wide(ends) => retain_texts(bytes, ends, runs, |end| end, |end| end),
        }
    }

    /// Gives back capacity that a failed call has left.
    pub fn trim(&mut self, keep: usize) {
        trim_string(&mut self.bytes);
        match &mut self.ends {
            Ends::Narrow(ends) => trim(ends, keep),
            Ends::Wide(ends) => trim(ends, keep),
        }
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        shrink_string(&mut self.bytes);
        match &mut self.ends {
            Ends::Narrow(ends) => shrink(ends),
            Ends::Wide(ends) if ends.is_empty() => self.ends = Ends::Narrow(Vec::new()),
            Ends::Wide(ends) => shrink(ends),
        }
    }
}

/// [`TextColumn::retain`] for ends of either width.
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
        let texts = ["", "one", "zwei", "", "tröß", "x"];
        for kept in 0_u32..1 << (texts.len() + 1) {
            for wide in [false, true] {
                let mut column = TextColumn::new();
                texts.iter().for_each(|text| column.push(text).unwrap());
                if wide {
                    column.widen(0).unwrap();
                }
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
