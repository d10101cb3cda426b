//! A dictionary-encoded column of texts.

use std::ops::Range;

use crate::column::packed::{Width, on_values};
use crate::column::{Packed, Storage};
use crate::memory::{OutOfMemory, try_pad};
use crate::text::{Match, TextInterner, TextKey};

/// A code per row into distinct texts; a row without a text has the default.
#[derive(Debug)]
pub struct DictionaryColumn {
    texts: TextInterner,
    codes: Packed,
    default: &'static str,
    /// The code of the default, once a row has needed it.
    default_code: Option<u32>,
}

/// State of a [`DictionaryColumn`] that [`restore`](DictionaryColumn::restore) goes back to.
#[derive(Clone, Copy, Debug)]
pub struct DictionaryMark {
    texts: usize,
    width: Width,
    default_code: Option<u32>,
}

impl DictionaryColumn {
    /// A column without rows.
    pub const fn new(default: &'static str) -> Self {
        Self { texts: TextInterner::new(Match::Exact), codes: Packed::new(), default, default_code: None }
    }

    /// The code of `text`, which is added if it is new, or of the default.
    #[inline(always)]
    pub fn intern(&mut self, text: Option<TextKey<'_>>) -> Result<u32, OutOfMemory> {
        match (text, self.default_code) {
            (Some(text), _) => self.texts.intern(text),
            (None, Some(code)) => Ok(code),
            (None, None) => {
                let code = self.texts.intern(self.default.into())?;
                self.default_code = Some(code);
                Ok(code)
            }
        }
    }

    /// Appends a row.
    #[inline(always)]
    pub fn push(&mut self, code: u32) -> Result<(), OutOfMemory> {
        self.codes.push(code.into())
    }

    /// Appends a row for each code.
    pub fn extend(&mut self, codes: impl ExactSizeIterator<Item = u32> + Clone) -> Result<(), OutOfMemory> {
        self.codes.extend(codes.map(i64::from))
    }

    /// The distinct texts, by code.
    pub fn texts(&self) -> &TextInterner {
        &self.texts
    }

    /// The distinct texts, to add to.
    pub fn texts_mut(&mut self) -> &mut TextInterner {
        &mut self.texts
    }

    /// The code of each row.
    pub fn rows(&self) -> &Packed {
        &self.codes
    }

    /// The text of a row.
    pub fn get(&self, row: usize) -> &str {
        self.texts.text(self.codes.get(row) as u32)
    }

    /// Reserves capacity for `more` rows.
    pub fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        self.codes.reserve(more)
    }

    /// The state to go back to.
    #[inline]
    pub fn mark(&self) -> DictionaryMark {
        DictionaryMark { texts: self.texts.len(), width: self.codes.width(), default_code: self.default_code }
    }

    /// Goes back to the first `len` rows, and to the mark that was made when there were no more.
    pub fn restore(&mut self, len: usize, mark: DictionaryMark, keep: usize) {
        self.texts.truncate(mark.texts);
        self.codes.restore(len, mark.width, keep);
        self.default_code = mark.default_code;
    }

    /// Keeps the rows in `runs`, which ascend. All texts stay; see [`compact`](Self::compact).
    pub fn retain(&mut self, runs: impl Iterator<Item = Range<usize>>) {
        self.codes.retain(runs);
    }

    /// Drops the texts that no row has, and capacity beyond `keep` rows. Without memory for the texts that remain, all stay.
    pub fn compact(&mut self, keep: usize) -> Result<(), OutOfMemory> {
        let mut in_use = Vec::new();
        try_pad(&mut in_use, self.texts.len(), false)?;
        on_values!(&self.codes, codes => codes.iter().for_each(|&code| in_use[code as usize] = true));
        let (texts, codes) = self.texts.compacted(&in_use)?;
        self.codes.recode(&codes);
        self.codes.trim(keep);
        self.default_code = self.default_code.map(|code| codes[code as usize]).filter(|&code| code != u32::MAX);
        self.texts = texts;
        Ok(())
    }

    /// Removes all rows and texts and keeps the memory.
    pub fn clear(&mut self) {
        self.texts.clear();
        self.default_code = None;
        self.codes.truncate(0);
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        self.texts.shrink();
        self.codes.shrink();
    }
}
