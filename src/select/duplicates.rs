//! Rows with equal texts.

use std::hash::BuildHasher;

use crate::batch::Batch;
use crate::kernel::order::key;
use crate::memory::{OutOfMemory, try_pad, try_reserve};
use crate::select::metadata_text::TextNumbers;
use crate::select::units::Units;
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
    /// For each number of a metadata text its first row.
    first: Vec<u32>,
}

/// Marks a cause as the first row with the text, while duplicates are being found. Rows are fewer.
const FIRST: u32 = 1 << 31;

/// A part has about this many words, so that its table stays in the processor's cache.
const PART: usize = 4096;

impl Duplicates {
    /// Drops candidates of one row whose text another one has: of those that share a text the one with the greatest score
    /// stays, the lowest of several.
    pub fn remove(
        &mut self,
        batch: &Batch,
        metadata_key: Option<&str>,
        units: &mut Units,
        scores: &[f64],
        reasons: &mut [u8],
        causes: &mut [u32],
    ) -> Result<(), OutOfMemory> {
        let view = units.view(batch, scores);
        let rows = units.candidates.iter().copied().filter(|&unit| view.len(unit) == 1);
        let mut found = false;
        self.find(batch, metadata_key, rows, |row, first| {
            found = true;
            let best = if causes[first as usize] == NO_CAUSE { first } else { causes[first as usize] };
            if key(scores[row as usize]) > key(scores[best as usize])
                || key(scores[row as usize]) == key(scores[best as usize]) && row < best
            {
                causes[first as usize] = row;
            }
            causes[row as usize] = first | FIRST;
        })?;
        if !found {
            return Ok(());
        }
        // In ascending order, so that the first row with a text has its cause before the others look at it.
        units.candidates.retain(|&unit| {
            let cause = causes[unit as usize];
            if cause == NO_CAUSE {
                return true;
            }
            if cause & FIRST != 0 {
                let first = cause & !FIRST;
                let best = if causes[first as usize] == NO_CAUSE { first } else { causes[first as usize] };
                if best == unit {
                    causes[unit as usize] = NO_CAUSE;
                    return true;
                }
                causes[unit as usize] = best;
            }
            reasons[unit as usize] = Reason::Duplicate as u8;
            false
        });
        Ok(())
    }

    /// Calls `found` with each of `rows`, which ascend, whose text a lower one has, and the lowest that has it. Rows without a
    /// text are not compared.
    pub fn find(
        &mut self,
        batch: &Batch,
        metadata_key: Option<&str>,
        rows: impl Iterator<Item = u32>,
        mut found: impl FnMut(u32, u32),
    ) -> Result<(), OutOfMemory> {
        let Some(metadata_key) = metadata_key else { return self.find_contents(batch, rows, found) };
        let Self { texts, first, .. } = self;
        texts.read(batch, metadata_key)?;
        first.clear();
        try_pad(first, texts.len(), NO_CAUSE)?;
        for row in rows {
            // No number is that of a text.
            if let Some(first) = first.get_mut(texts.rows()[row as usize] as usize) {
                match *first {
                    NO_CAUSE => *first = row,
                    first => found(row, first),
                }
            }
        }
        Ok(())
    }

    fn find_contents(
        &mut self,
        batch: &Batch,
        rows: impl Iterator<Item = u32>,
        mut found: impl FnMut(u32, u32),
    ) -> Result<(), OutOfMemory> {
        self.words.clear();
        try_reserve(&mut self.words, batch.len())?;
        let hasher = hash_state();
        for row in rows {
            let content = batch.content(row as usize);
            if !content.is_empty() {
                let hash = hasher.hash_one(content.as_bytes());
                self.words.push(hash >> 32 << 32 | u64::from(row));
            }
        }
        let bits = (self.words.len() / PART).checked_ilog2().map_or(0, |log| log + 1);
        // By need of the batch, and not of what remains: the memory is had once.
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
            duplicates.find(&batch, None, 0..rows as u32, |row, first| found.push((row, first))).unwrap();
            found.sort_unstable();
            assert_eq!(found, expected, "{rows} {distinct}");
        }
    }
}
