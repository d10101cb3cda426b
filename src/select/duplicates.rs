//! Rows with equal texts.

use std::hash::BuildHasher;
use std::ops::Range;

use crate::batch::Batch;
use crate::memory::{OutOfMemory, try_pad, try_reserve};
use crate::select::metadata_text::TextNumbers;
use crate::select::order::key;
use crate::select::units::UnitView;
use crate::select::{NO_CAUSE, Reason};
use crate::text::hash_state;

/// Finds rows with equal texts. Keeps its memory.
#[derive(Debug, Default)]
pub struct Duplicates {
    /// The upper half of a text's hash, and its row.
    words: Vec<u64>,
    /// The words by part.
    parts: Vec<u64>,
    /// Where each part ends.
    ends: Vec<u32>,
    /// The hash table of one part: positions of words, counted from 1.
    slots: Vec<u32>,
    texts: TextNumbers,
    /// Whether the texts are those at a metadata key, else the contents.
    by_key: bool,
    /// For each number of a metadata text its first row.
    first: Vec<u32>,
}

/// Marks a cause as the first row with the text, while duplicates are being found. Rows are fewer.
const FIRST: u32 = 1 << 31;

/// A part has about this many words, so that its table stays in the processor's cache.
const PART: usize = 4096;

impl Duplicates {
    /// Reads the texts that are compared: those at a metadata key, or else the contents.
    pub fn begin(&mut self, batch: &Batch, metadata_key: Option<&str>) -> Result<(), OutOfMemory> {
        self.by_key = metadata_key.is_some();
        if let Some(key) = metadata_key {
            self.texts.read(batch, key)?;
            self.first.clear();
            try_pad(&mut self.first, self.texts.len(), NO_CAUSE)?;
        }
        Ok(())
    }

    /// Drops those of `candidates` of one row whose text another one has: of those that share a text the one with the greatest
    /// score stays, the lowest of several. Moves the candidates that stay to the front and gives their number. All are rows
    /// of `rows`, which come after those of earlier calls.
    pub fn remove(
        &mut self,
        batch: &Batch,
        rows: Range<usize>,
        view: UnitView<'_>,
        candidates: &mut [u32],
        reasons: &mut [u8],
        causes: &mut [u32],
    ) -> Result<usize, OutOfMemory> {
        let compared = candidates.iter().copied().filter(|&unit| view.len(unit) == 1);
        let mut found = false;
        let score = |row: u32| key(view.score(row));
        self.find(batch, rows, compared, |row, first| {
            found = true;
            let best = if causes[first as usize] == NO_CAUSE { first } else { causes[first as usize] };
            if score(row) > score(best) || score(row) == score(best) && row < best {
                causes[first as usize] = row;
            }
            causes[row as usize] = first | FIRST;
        })?;
        if !found {
            return Ok(candidates.len());
        }
        let mut staying = 0;
        // In ascending order, so that the first row with a text has its cause before the others look at it.
        for position in 0..candidates.len() {
            let unit = candidates[position];
            let cause = causes[unit as usize];
            if cause != NO_CAUSE {
                let mut best = cause;
                if cause & FIRST != 0 {
                    let first = cause & !FIRST;
                    best = if causes[first as usize] == NO_CAUSE { first } else { causes[first as usize] };
                }
                if best != unit {
                    causes[unit as usize] = best;
                    reasons[unit as usize] = Reason::Duplicate as u8;
                    continue;
                }
                causes[unit as usize] = NO_CAUSE;
            }
            candidates[staying] = unit;
            staying += 1;
        }
        Ok(staying)
    }

    /// Calls `found` with each of `compared`, which ascend, whose text a lower one has, and the lowest that has it. Rows without
    /// a text are not compared. All are rows of `rows`, which come after those of earlier calls.
    pub fn find(
        &mut self,
        batch: &Batch,
        rows: Range<usize>,
        compared: impl Iterator<Item = u32>,
        mut found: impl FnMut(u32, u32),
    ) -> Result<(), OutOfMemory> {
        if !self.by_key {
            return self.find_contents(batch, rows.len(), compared, found);
        }
        let Self { texts, first, .. } = self;
        for row in compared {
            // NONE is the number of no text.
            if let Some(first) = first.get_mut(texts.rows()[row as usize] as usize) {
                // A first row before the range is that of an earlier call.
                if *first == NO_CAUSE || (*first as usize) < rows.start {
                    *first = row;
                } else {
                    found(row, *first);
                }
            }
        }
        Ok(())
    }

    /// [`find`](Self::find) by content. There are at most `most` rows.
    fn find_contents(
        &mut self,
        batch: &Batch,
        most: usize,
        compared: impl Iterator<Item = u32>,
        mut found: impl FnMut(u32, u32),
    ) -> Result<(), OutOfMemory> {
        self.words.clear();
        try_reserve(&mut self.words, most)?;
        let hasher = hash_state();
        for row in compared {
            let content = batch.content(row as usize);
            if !content.is_empty() {
                let hash = hasher.hash_one(content.as_bytes());
                self.words.push(hash >> 32 << 32 | u64::from(row));
            }
        }
        let bits = (self.words.len() / PART).checked_ilog2().map_or(0, |log| log + 1);
        // Sized by the rows, not by a part, so that later parts need no more memory.
        try_pad(&mut self.slots, (2 * PART.min(self.words.len())).next_power_of_two(), 0)?;
        if bits == 0 {
            let Self { words, slots, .. } = self;
            return find_in_part(batch, words, slots, &mut found);
        }
        self.scatter(bits)?;
        let Self { parts, ends, slots, .. } = self;
        let mut start = 0;
        for &end in &*ends {
            find_in_part(batch, &parts[start..end as usize], slots, &mut found)?;
            start = end as usize;
        }
        Ok(())
    }

    /// Puts the words in parts by the leading bits of their hashes, and leaves them in order in each.
    fn scatter(&mut self, bits: u32) -> Result<(), OutOfMemory> {
        let Self { words, parts, ends, .. } = self;
        ends.clear();
        try_pad(ends, 1 << bits, 0)?;
        try_pad(parts, words.len(), 0)?;
        let part = |word: u64| (word >> (64 - bits)) as usize;
        for &word in &*words {
            ends[part(word)] += 1;
        }
        let mut start = 0;
        for end in &mut *ends {
            start += std::mem::replace(end, start);
        }
        for &word in &*words {
            let end = &mut ends[part(word)];
            parts[*end as usize] = word;
            *end += 1;
        }
        Ok(())
    }
}

/// Finds the rows of a part, which ascend, whose content a lower one has.
fn find_in_part(
    batch: &Batch,
    words: &[u64],
    slots: &mut Vec<u32>,
    found: &mut impl FnMut(u32, u32),
) -> Result<(), OutOfMemory> {
    let len = (2 * words.len()).next_power_of_two();
    try_pad(slots, len, 0)?;
    let slots = &mut slots[..len];
    slots.fill(0);
    let shift = 32 - len.ilog2().min(31);
    for (position, &word) in words.iter().enumerate() {
        let (hash, row) = ((word >> 32) as u32, word as u32);
        // The leading bits of the hashes are alike in a part.
        let mut slot = (hash.wrapping_mul(0x9E37_79B1) >> shift) as usize & (len - 1);
        loop {
            let Some(known) = (slots[slot] as usize).checked_sub(1) else {
                slots[slot] = position as u32 + 1;
                break;
            };
            let first = words[known] as u32;
            if words[known] >> 32 == u64::from(hash) && batch.content(first as usize) == batch.content(row as usize) {
                found(row, first);
                break;
            }
            slot = (slot + 1) & (len - 1);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::ItemBuilder;

    #[test]
    fn every_later_row_with_a_text_finds_the_first() {
        for (rows, distinct) in [(10, 3), (5_000, 5_000), (20_000, 7), (20_000, 9_000)] {
            let mut batch = Batch::new();
            let mut first = vec![None; distinct];
            let mut expected = Vec::new();
            for row in 0..rows as u32 {
                let text = (row as usize * 7_919) % distinct;
                batch.push(&ItemBuilder::new(&format!("text {text}"), 1).unwrap().build().unwrap()).unwrap();
                match first[text] {
                    None => first[text] = Some(row),
                    Some(first) => expected.push((row, first)),
                }
            }
            let mut found = Vec::new();
            let mut duplicates = Duplicates::default();
            duplicates.begin(&batch, None).unwrap();
            duplicates.find(&batch, 0..rows, 0..rows as u32, |row, first| found.push((row, first))).unwrap();
            found.sort_unstable();
            assert_eq!(found, expected, "{rows} {distinct}");
        }
    }
}
