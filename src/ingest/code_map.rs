//! Maps the texts of a column to their numbers in an interner.

use std::ops::Range;

use smallvec::SmallVec;

use crate::ingest::CheckedTexts;
use crate::memory::{OutOfMemory, try_pad};
use crate::text::TextInterner;

/// The numbers of slots, on the stack while they are few.
pub(crate) type Numbers = SmallVec<[u32; 128]>;

/// Makes `numbers` as long as `len`, and gives them to be written.
#[inline]
pub(crate) fn set_len(numbers: &mut Numbers, len: usize) -> Result<&mut [u32], OutOfMemory> {
    numbers.clear();
    numbers.try_reserve(len).map_err(|_| OutOfMemory)?;
    numbers.resize(len, 0);
    Ok(numbers)
}

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
    pub fn number(
        &mut self,
        interner: &mut TextInterner,
        slots: Range<usize>,
        numbers: &mut Numbers,
    ) -> Result<(), OutOfMemory> {
        let numbers = set_len(numbers, slots.len())?;
        self.number_by(interner, slots.start, 1, numbers.iter_mut())
    }

    /// Writes the numbers of the texts of every `step`th slot from `first` on to `numbers`.
    #[inline(never)]
    pub fn number_by<'b>(
        &mut self,
        interner: &mut TextInterner,
        first: usize,
        step: usize,
        numbers: impl Iterator<Item = &'b mut u32>,
    ) -> Result<(), OutOfMemory> {
        let slots = (first..).step_by(step).zip(numbers);
        if self.texts.codes().is_none() {
            for (slot, number) in slots {
                *number = interner.intern(self.texts.key(slot))?;
            }
        } else {
            for (slot, number) in slots {
                *number = self.get(interner, slot)?;
            }
        }
        Ok(())
    }
}
