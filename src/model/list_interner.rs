//! Lists of numbers, numbered in the order in which they are first seen.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::memory::{OutOfMemory, try_extend};

/// A set of lists. Number 0 is the empty list, always.
///
/// Rows repeat whole lists of tags, so that a scorer can work on each distinct list once and look the result up
/// for every row.
#[derive(Debug)]
pub struct ListInterner {
    entries: Vec<u32>,
    /// List `n` is `entries[offsets[n]..offsets[n + 1]]`. Empty until the first list that is not.
    offsets: Vec<u32>,
    numbers: HashTable<u32>,
    hasher: RandomState,
}

/// The offsets of the empty list alone.
const EMPTY: [u32; 2] = [0, 0];

impl ListInterner {
    /// The set of the empty list alone.
    pub fn new() -> Self {
        Self { entries: Vec::new(), offsets: Vec::new(), numbers: HashTable::new(), hasher: RandomState::default() }
    }

    /// How many lists there are, with the empty one.
    pub fn len(&self) -> usize {
        self.offsets().len() - 1
    }

    /// The list of a number that [`intern`](Self::intern) gave.
    pub fn list(&self, number: u32) -> &[u32] {
        list_of(&self.entries, self.offsets(), number)
    }

    /// All lists, by number.
    pub fn lists(&self) -> impl Iterator<Item = &[u32]> {
        self.offsets().windows(2).map(|span| &self.entries[span[0] as usize..span[1] as usize])
    }

    /// The entries of all lists, one after another.
    pub fn entries(&self) -> &[u32] {
        &self.entries
    }

    /// Where each list begins in the entries, and at last where the last one ends.
    pub fn offsets(&self) -> &[u32] {
        if self.offsets.is_empty() { &EMPTY } else { &self.offsets }
    }

    /// The number of `list`, and whether it is new.
    pub fn intern(&mut self, list: &[u32]) -> Result<(u32, bool), OutOfMemory> {
        if list.is_empty() {
            return Ok((0, false));
        }
        if self.offsets.is_empty() {
            try_extend(&mut self.offsets, &EMPTY)?;
        }
        let Self { entries, offsets, numbers, hasher } = self;
        let hash = hasher.hash_one(list);
        if let Some(&number) = numbers.find(hash, |&number| list_of(entries, offsets, number) == list) {
            return Ok((number, false));
        }
        // All that can fail comes before anything that can be seen.
        numbers.try_reserve(1, |&number| hasher.hash_one(list_of(entries, offsets, number)))?;
        let number = u32::try_from(offsets.len() - 1).map_err(|_| OutOfMemory)?;
        let end = u32::try_from(entries.len() + list.len()).map_err(|_| OutOfMemory)?;
        offsets.try_reserve(1)?;
        try_extend(entries, list)?;
        offsets.push(end);
        numbers.insert_unique(hash, number, |&number| hasher.hash_one(list_of(entries, offsets, number)));
        Ok((number, true))
    }

    /// Takes the last list that was new back, for a caller that could not finish what it was for.
    pub fn remove_last(&mut self) {
        let Some(number) = self.len().checked_sub(1).filter(|&number| number > 0) else { return };
        let hash = self.hasher.hash_one(self.list(number as u32));
        if let Ok(entry) = self.numbers.find_entry(hash, |&other| other as usize == number) {
            entry.remove();
        }
        self.offsets.pop();
        self.entries.truncate(self.offsets[number] as usize);
    }

    /// Forgets all lists and keeps the memory.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.offsets.clear();
        self.numbers.clear();
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        self.entries.shrink_to_fit();
        self.offsets.shrink_to_fit();
    }
}

fn list_of<'a>(entries: &'a [u32], offsets: &[u32], number: u32) -> &'a [u32] {
    &entries[offsets[number as usize] as usize..offsets[number as usize + 1] as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lists_share_a_number() {
        let mut lists = ListInterner::new();
        assert_eq!(lists.intern(&[]), Ok((0, false)));
        assert_eq!(lists.intern(&[3, 1]), Ok((1, true)));
        assert_eq!(lists.intern(&[1, 3]), Ok((2, true)));
        assert_eq!(lists.intern(&[3, 1]), Ok((1, false)));
        assert_eq!(lists.list(2), [1, 3]);
        assert_eq!(lists.lists().collect::<Vec<_>>(), [&[][..], &[3, 1], &[1, 3]]);
        lists.remove_last();
        assert_eq!(lists.len(), 2);
        assert_eq!(lists.intern(&[1, 3]), Ok((2, true)));
    }
}
