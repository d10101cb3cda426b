//! Maps the texts of a column to their numbers in an interner.

use std::ops::Range;

use crate::ingest::CheckedTexts;
use crate::memory::{OutOfMemory, try_pad};
use crate::text::TextInterner;

/// Interns the texts of slots, each text of a dictionary once.
pub(crate) struct CodeMap<'a> {
    texts: CheckedTexts<'a>,
    /// The number of each code's text, if it was interned.
    numbers: Vec<u32>,
}

impl<'a> CodeMap<'a> {
    const UNKNOWN: u32 = u32::MAX;

    /// A map in which nothing is interned yet.
    pub fn new(texts: CheckedTexts<'a>) -> Result<Self, OutOfMemory> {
        let mut numbers = Vec::new();
        if texts.codes().is_some() {
            try_pad(&mut numbers, texts.texts_len(), Self::UNKNOWN)?;
        }
        Ok(Self { texts, numbers })
    }

    /// The number of a slot's text.
    #[inline(always)]
    pub fn get(&mut self, interner: &mut TextInterner, slot: usize) -> Result<u32, OutOfMemory> {
        let Some(codes) = self.texts.codes() else { return interner.intern(self.texts.key(slot)) };
        let code = codes.get(slot);
        if self.numbers[code] == Self::UNKNOWN {
            self.numbers[code] = interner.intern(self.texts.key(code))?;
        }
        Ok(self.numbers[code])
    }

    /// Replaces `numbers` by those of the texts of `slots`.
    #[inline]
    pub fn number(
        &mut self,
        interner: &mut TextInterner,
        slots: Range<usize>,
        numbers: &mut Vec<u32>,
    ) -> Result<(), OutOfMemory> {
        numbers.clear();
        try_pad(numbers, slots.len(), 0)?;
        if self.texts.codes().is_some() {
            for (slot, number) in slots.zip(numbers) {
                *number = self.get(interner, slot)?;
            }
            return Ok(());
        }
        let mut numbers = numbers.iter_mut();
        self.texts.keys(slots, |key| {
            let number = interner.intern(key)?;
            if let Some(next) = numbers.next() {
                *next = number;
            }
            Ok(())
        })
    }
}
