//! A dictionary-encoded column of texts.

use crate::column::Packed;
use crate::memory::OutOfMemory;
use crate::text::{Match, TextInterner, TextKey};

/// Kinds or sources: few texts, one a row.
#[derive(Debug)]
pub struct DictionaryColumn {
    /// The distinct texts.
    pub texts: TextInterner,
    /// The code of each row.
    pub rows: Packed,
    default: &'static str,
    /// The default's number, once it has one.
    default_number: Option<u32>,
}

impl DictionaryColumn {
    pub fn new(default: &'static str) -> Self {
        Self { texts: TextInterner::new(Match::Exact), rows: Packed::new(), default, default_number: None }
    }

    /// The number of a text that is not blank, or of the default.
    #[inline(always)]
    pub fn intern(&mut self, text: Option<TextKey<'_>>) -> Result<u32, OutOfMemory> {
        match (text, self.default_number) {
            (Some(text), _) => self.texts.intern(text),
            (None, Some(number)) => Ok(number),
            (None, None) => {
                let number = self.texts.intern(self.default.into())?;
                self.default_number = Some(number);
                Ok(number)
            }
        }
    }

    /// The distinct texts, in every spelling.
    pub fn texts(&self) -> &TextInterner {
        &self.texts
    }

    /// The number of each row's text.
    pub fn rows(&self) -> &Packed {
        &self.rows
    }

    pub fn get(&self, row: usize) -> &str {
        self.texts.text(self.rows.get(row) as u32)
    }

    pub fn clear(&mut self) {
        self.texts.clear();
        self.default_number = None;
        self.rows.truncate(0);
    }

    pub fn shrink(&mut self) {
        self.texts.shrink();
        self.rows.shrink();
    }
}
