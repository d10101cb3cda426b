//! Lists of numbers, numbered in the order in which they are first seen.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::memory::{OutOfMemory, try_extend, try_pad};

/// A set of lists. Number 0 is the empty list, always.
///
/// Rows repeat whole lists of tags, so that a scorer can work on each distinct list once and look the result up
/// for every row.
#[derive(Debug)]
pub struct ListInterner {
    entries: Vec<u32>,
    /// List `n` is `entries[offsets[n]..offsets[n + 1]]`. Empty until the first list that is not.
    offsets: Vec<u32>,
    /// The numbers of lists of one, by the one; 0 where there is none.
    single: Vec<u32>,
    /// The numbers of short lists, by all that is in them.
    short: HashTable<(u64, u32)>,
    /// The numbers of the others.
    numbers: HashTable<u32>,
    hasher: RandomState,
}

/// All of a list of up to three small numbers in one word, so that it is found without looking at the lists.
#[inline]
fn short_key(list: &[u32]) -> Option<u64> {
    const BITS: u32 = 21;
    let fits = |entry: u32| (entry < (1 << BITS) - 1).then(|| u64::from(entry) + 1);
    match *list {
        [a] => fits(a),
        [a, b] => Some(fits(a)? | fits(b)? << BITS),
        [a, b, c] => Some(fits(a)? | fits(b)? << BITS | fits(c)? << (2 * BITS)),
        _ => None,
    }
}

/// The offsets of the empty list alone.
const EMPTY: [u32; 2] = [0, 0];

impl ListInterner {
    /// The set of the empty list alone.
    pub fn new() -> Self {
        Self {
            entries: Vec::new(),
            offsets: Vec::new(),
            single: Vec::new(),
            short: HashTable::new(),
            numbers: HashTable::new(),
            hasher: RandomState::default(),
        }
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
    #[inline]
    pub fn intern(&mut self, list: &[u32]) -> Result<(u32, bool), OutOfMemory> {
        if list.is_empty() {
            return Ok((0, false));
        }
        if let [only] = *list
            && let Some(&number) = self.single.get(only as usize)
            && number != 0
        {
            return Ok((number, false));
        }
        let Some(key) = short_key(list) else { return self.intern_long(list) };
        let hash = self.hasher.hash_one(key);
        if let Some(&(_, number)) = self.short.find(hash, |&(known, _)| known == key) {
            return Ok((number, false));
        }
        self.short.try_reserve(1, |&(key, _)| self.hasher.hash_one(key))?;
        if let [only] = *list {
            try_pad(&mut self.single, only as usize + 1, 0)?;
        }
        let number = self.append(list)?;
        if let [only] = *list {
            self.single[only as usize] = number;
        }
        self.short.insert_unique(hash, (key, number), |&(key, _)| self.hasher.hash_one(key));
        Ok((number, true))
    }

    fn intern_long(&mut self, list: &[u32]) -> Result<(u32, bool), OutOfMemory> {
        let Self { entries, offsets, numbers, hasher, .. } = self;
        let hash = hasher.hash_one(list);
        if let Some(&number) = numbers.find(hash, |&number| list_of(entries, offsets, number) == list) {
            return Ok((number, false));
        }
        numbers.try_reserve(1, |&number| hasher.hash_one(list_of(entries, offsets, number)))?;
        let number = self.append(list)?;
        let Self { entries, offsets, numbers, hasher, .. } = self;
        numbers.insert_unique(hash, number, |&number| hasher.hash_one(list_of(entries, offsets, number)));
        Ok((number, true))
    }

    /// Appends a list that is not there, or changes nothing.
    fn append(&mut self, list: &[u32]) -> Result<u32, OutOfMemory> {
        if self.offsets.is_empty() {
            try_extend(&mut self.offsets, &EMPTY)?;
        }
        let number = u32::try_from(self.offsets.len() - 1).map_err(|_| OutOfMemory)?;
        let end = u32::try_from(self.entries.len() + list.len()).map_err(|_| OutOfMemory)?;
        self.offsets.try_reserve(1)?;
        try_extend(&mut self.entries, list)?;
        self.offsets.push(end);
        Ok(number)
    }

    /// Takes the last list that was new back, for a caller that could not finish what it was for.
    pub fn remove_last(&mut self) {
        let Some(number) = self.len().checked_sub(1).filter(|&number| number > 0) else { return };
        let list = list_of(&self.entries, &self.offsets, number as u32);
        match short_key(list) {
            Some(key) => {
                if let [only] = *list {
                    self.single[only as usize] = 0;
                }
                if let Ok(entry) = self.short.find_entry(self.hasher.hash_one(key), |&(known, _)| known == key) {
                    entry.remove();
                }
            }
            None => {
                let hash = self.hasher.hash_one(list);
                if let Ok(entry) = self.numbers.find_entry(hash, |&other| other as usize == number) {
                    entry.remove();
                }
            }
        }
        self.offsets.pop();
        self.entries.truncate(self.offsets[number] as usize);
    }

    /// Forgets all lists and keeps the memory.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.offsets.clear();
        self.single.clear();
        self.short.clear();
        self.numbers.clear();
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        crate::memory::shrink(&mut self.entries);
        crate::memory::shrink(&mut self.offsets);
        crate::memory::shrink(&mut self.single);
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

    #[test]
    fn lists_of_every_length_are_told_apart() {
        let mut lists = ListInterner::new();
        let large = [1 << 21, u32::MAX, (1 << 21) - 2, (1 << 21) - 1];
        let all: Vec<Vec<u32>> = (1..6)
            .flat_map(|len| (0..4).map(move |first| (first..first + len).collect()))
            .chain((1..=4).map(|len| large[..len].to_vec()))
            .collect();
        for (index, list) in all.iter().enumerate() {
            assert_eq!(lists.intern(list), Ok((index as u32 + 1, true)), "{list:?}");
        }
        for (index, list) in all.iter().enumerate() {
            assert_eq!(lists.intern(list), Ok((index as u32 + 1, false)), "{list:?}");
        }
        for index in (0..all.len()).rev() {
            lists.remove_last();
            assert_eq!(lists.len(), index + 1);
        }
        assert_eq!(lists.intern(&all[7]), Ok((1, true)));
    }
}
