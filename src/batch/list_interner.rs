//! Lists of numbers, numbered in the order in which they are first seen.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use crate::memory::{Mark, OutOfMemory, shrink, shrink_table, try_extend, try_reserve};
use crate::text::{HashState, StoredHash, hash_state};

/// A set of lists. Number 0 is always the empty list.
///
/// Rows repeat whole lists of tags, so a scorer works on each distinct list once and looks the result up for every row.
#[derive(Debug)]
pub struct ListInterner {
    entries: Vec<u32>,
    /// List `n` is `entries[offsets[n]..offsets[n + 1]]`. Empty until the first list that is not.
    offsets: Vec<u32>,
    /// The numbers of lists that pack into an integer.
    packed: HashTable<(PackedList, u32)>,
    /// The numbers of all other lists, with the hash of each.
    long: HashTable<(StoredHash, u32)>,
    hasher: HashState,
}

/// State of a [`ListInterner`] that [`restore`](ListInterner::restore) goes back to.
#[derive(Clone, Copy, Debug)]
pub struct ListInternerMark {
    entries: Mark,
    offsets: Mark,
    packed: usize,
    long: usize,
}

/// Offsets of the empty list alone.
const EMPTY: [u32; 2] = [0, 0];

/// A list of one to three small numbers, packed into an integer. Two halves, so that a table entry needs no padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PackedList([u32; 2]);

impl PackedList {
    const BITS: u32 = 21;

    /// The list, if it packs. Numbers are biased by one, so that "absent" differs from number 0.
    #[inline(always)]
    fn new(list: &[u32]) -> Option<Self> {
        let (a, b, c) = match *list {
            [a] => (a.checked_add(1)?, 0, 0),
            [a, b] => (a.checked_add(1)?, b.checked_add(1)?, 0),
            [a, b, c] => (a.checked_add(1)?, b.checked_add(1)?, c.checked_add(1)?),
            _ => return None,
        };
        if (a | b | c) >> Self::BITS != 0 {
            return None;
        }
        let bits = u64::from(a) | u64::from(b) << Self::BITS | u64::from(c) << (2 * Self::BITS);
        Some(Self([bits as u32, (bits >> 32) as u32]))
    }

    #[inline(always)]
    fn hash(self, hasher: &HashState) -> u64 {
        hasher.hash_one(u64::from(self.0[1]) << 32 | u64::from(self.0[0]))
    }
}

impl ListInterner {
    /// The set of the empty list alone.
    pub fn new() -> Self {
        Self {
            entries: Vec::new(),
            offsets: Vec::new(),
            packed: HashTable::new(),
            long: HashTable::new(),
            hasher: hash_state(),
        }
    }

    /// How many lists there are, with the empty one.
    pub fn len(&self) -> usize {
        self.offsets().len() - 1
    }

    /// The list of a number.
    pub fn list(&self, number: u32) -> &[u32] {
        list_of(&self.entries, self.offsets(), number)
    }

    /// All lists, by number.
    pub fn lists(&self) -> impl Iterator<Item = &[u32]> {
        self.offsets().windows(2).map(|span| &self.entries[span[0] as usize..span[1] as usize])
    }

    /// The entries of all lists, concatenated.
    pub fn entries(&self) -> &[u32] {
        &self.entries
    }

    /// Where each list starts in the entries, and where the last one ends.
    pub fn offsets(&self) -> &[u32] {
        if self.offsets.is_empty() { &EMPTY } else { &self.offsets }
    }

    /// The number of `list`, which is added if it is new.
    #[inline(always)]
    pub fn intern(&mut self, list: &[u32]) -> Result<u32, OutOfMemory> {
        if list.is_empty() {
            return Ok(0);
        }
        let Some(key) = PackedList::new(list) else { return self.intern_long(list) };
        let Self { entries, offsets, packed, hasher, .. } = self;
        let hash = key.hash(hasher);
        if let Some(&(_, number)) = packed.find(hash, |&(known, _)| known == key) {
            return Ok(number);
        }
        packed.try_reserve(1, |&(key, _)| key.hash(hasher))?;
        let number = append(entries, offsets, list)?;
        packed.insert_unique(hash, (key, number), |&(key, _)| key.hash(hasher));
        Ok(number)
    }

    fn intern_long(&mut self, list: &[u32]) -> Result<u32, OutOfMemory> {
        let Self { entries, offsets, long, hasher, .. } = self;
        let hash = StoredHash::new(hasher.hash_one(list));
        let known = |&(known, number): &(StoredHash, u32)| known == hash && list_of(entries, offsets, number) == list;
        if let Some(&(_, number)) = long.find(hash.spread(), known) {
            return Ok(number);
        }
        long.try_reserve(1, |&(hash, _)| hash.spread())?;
        let number = append(entries, offsets, list)?;
        long.insert_unique(hash.spread(), (hash, number), |&(hash, _)| hash.spread());
        Ok(number)
    }

    /// The state to go back to.
    #[inline]
    pub fn mark(&self) -> ListInternerMark {
        ListInternerMark {
            entries: Mark::of(&self.entries),
            offsets: Mark::of(&self.offsets),
            packed: self.packed.capacity(),
            long: self.long.capacity(),
        }
    }

    /// Removes the lists that were added since the mark, and the memory they took.
    pub fn restore(&mut self, mark: ListInternerMark) {
        // Without offsets there is the empty list alone, which is in no table.
        for number in mark.offsets.len().max(2) - 1..self.len() {
            let (list, number) = (list_of(&self.entries, &self.offsets, number as u32), number as u32);
            match PackedList::new(list) {
                Some(key) => {
                    if let Ok(entry) = self.packed.find_entry(key.hash(&self.hasher), |&(_, known)| known == number) {
                        entry.remove();
                    }
                }
                None => {
                    let hash = StoredHash::new(self.hasher.hash_one(list));
                    if let Ok(entry) = self.long.find_entry(hash.spread(), |&(_, known)| known == number) {
                        entry.remove();
                    }
                }
            }
        }
        mark.entries.restore(&mut self.entries);
        mark.offsets.restore(&mut self.offsets);
        self.shrink_tables(mark.packed, mark.long);
    }

    fn shrink_tables(&mut self, packed: usize, long: usize) {
        shrink_table(&mut self.packed, packed, |&(key, _)| key.hash(&self.hasher));
        shrink_table(&mut self.long, long, |&(hash, _)| hash.spread());
    }

    /// Removes all lists and keeps the memory.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.offsets.clear();
        self.packed.clear();
        self.long.clear();
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        shrink(&mut self.entries);
        shrink(&mut self.offsets);
        self.shrink_tables(0, 0);
    }
}

/// Appends a list, or changes nothing; gives its number.
#[inline]
fn append(entries: &mut Vec<u32>, offsets: &mut Vec<u32>, list: &[u32]) -> Result<u32, OutOfMemory> {
    let end = u32::try_from(entries.len() + list.len()).map_err(|_| OutOfMemory)?;
    try_reserve(offsets, EMPTY.len() + 1)?;
    try_extend(entries, list)?;
    if offsets.is_empty() {
        offsets.push(0);
        offsets.push(0);
    }
    offsets.push(end);
    Ok((offsets.len() - 2) as u32)
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
        assert_eq!(lists.intern(&[]), Ok(0));
        assert_eq!(lists.intern(&[3, 1]), Ok(1));
        assert_eq!(lists.intern(&[1, 3]), Ok(2));
        assert_eq!(lists.intern(&[3, 1]), Ok(1));
        assert_eq!(lists.list(2), [1, 3]);
        assert_eq!(lists.lists().collect::<Vec<_>>(), [&[][..], &[3, 1], &[1, 3]]);
        lists.clear();
        assert_eq!(lists.len(), 1);
        assert_eq!(lists.intern(&[1, 3]), Ok(1));
    }

    /// Lists of one to five numbers, small ones and ones that do not pack.
    fn samples() -> Vec<Vec<u32>> {
        let large = [1 << 21, u32::MAX, (1 << 21) - 2, (1 << 21) - 1];
        (1..6)
            .flat_map(|len| (0..4).map(move |first| (first..first + len).collect()))
            .chain((1..=4).map(|len| large[..len].to_vec()))
            .chain([vec![0, 0], vec![0, 0, 0], vec![1, 0]])
            .collect()
    }

    #[test]
    fn lists_of_every_length_are_distinct() {
        let mut lists = ListInterner::new();
        for _ in 0..2 {
            for (index, list) in samples().iter().enumerate() {
                assert_eq!(lists.intern(list), Ok(index as u32 + 1), "{list:?}");
            }
        }
    }

    #[test]
    fn restoring_removes_what_was_added() {
        for kept in 0..4 {
            let mut lists = ListInterner::new();
            let all = samples();
            for list in &all[..kept] {
                lists.intern(list).unwrap();
            }
            let (mark, before) = (lists.mark(), format!("{:?}", lists.mark()));
            for _ in 0..3 {
                for (index, list) in all.iter().enumerate() {
                    assert_eq!(lists.intern(list), Ok(index as u32 + 1));
                }
                lists.restore(mark);
                assert_eq!((format!("{:?}", lists.mark()), lists.len()), (before.clone(), kept + 1));
            }
        }
    }
}
