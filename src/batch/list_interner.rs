//! Lists of numbers, numbered in the order in which they are first seen.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::HashTable;

use crate::column::Packed;
use crate::column::packed::on_values;
use crate::ingest::BLOCK_ROWS;
use crate::memory::{OutOfMemory, shrink, shrink_table, trim, trim_table, try_extend, try_pad, try_reserve};
use crate::text::{FewHints, hash_state, small_hash};

/// A set of lists. Number 0 is always the empty list.
///
/// Rows repeat whole lists of tags, so a scorer works on each distinct list once and looks the result up for every row.
#[derive(Debug)]
pub struct ListInterner {
    entries: Vec<u32>,
    /// List `n` is `entries[offsets[n]..offsets[n + 1]]`. Empty until the first list that is not.
    offsets: Vec<u32>,
    /// The keys of the first lists that are not empty. While there are no more, they need no table, which is an allocation more.
    few: [ListKey; Self::FEW],
    hints: FewHints,
    /// All lists but the empty one; not in use while there are few.
    table: HashTable<Entry>,
}

/// Offsets of the empty list alone.
const EMPTY: [u32; 2] = [0, 0];

/// A list of one to three small numbers, packed into an integer with its length; of any other list, half of a seeded hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ListKey(u64);

impl ListKey {
    const BITS: u32 = 20;

    #[inline(always)]
    fn new(list: &[u32]) -> Self {
        let (a, b, c) = match *list {
            [a] => (a, 0, 0),
            [a, b] => (a, b, 0),
            [a, b, c] => (a, b, c),
            _ => return Self::of_long(list),
        };
        if (a | b | c) >> Self::BITS != 0 {
            return Self::of_long(list);
        }
        let high = u64::from(c) | (list.len() as u64) << Self::BITS;
        Self(u64::from(a) | u64::from(b) << Self::BITS | high << (2 * Self::BITS))
    }

    #[inline(never)]
    fn of_long(list: &[u32]) -> Self {
        Self(hash_state().hash_one(list) >> 32)
    }

    /// Whether lists with this key are the same.
    #[inline(always)]
    fn is_packed(self) -> bool {
        self.0 >> (3 * Self::BITS) != 0
    }

    #[inline(always)]
    fn hash(self) -> u64 {
        hash_state().hash_one(self.0)
    }
}

/// The halves of a list's key, and the number of the list. Lookups of packed lists read nothing else.
#[derive(Clone, Copy, Debug)]
struct Entry([u32; 3]);

impl Entry {
    #[inline(always)]
    fn new(key: ListKey, number: u32) -> Self {
        Self([key.0 as u32, (key.0 >> 32) as u32, number])
    }

    #[inline(always)]
    fn key(&self) -> ListKey {
        ListKey(u64::from(self.0[1]) << 32 | u64::from(self.0[0]))
    }

    #[inline(always)]
    fn hash(&self) -> u64 {
        self.key().hash()
    }
}

impl ListInterner {
    /// The most lists without a table, besides the empty one.
    const FEW: usize = 16;
    /// The capacity that the table begins with, one that hashbrown allocates exactly.
    const FIRST_CAPACITY: usize = 56;

    /// The set of the empty list alone.
    pub const fn new() -> Self {
        Self {
            entries: Vec::new(),
            offsets: Vec::new(),
            few: [ListKey(0); Self::FEW],
            hints: FewHints::new(),
            table: HashTable::new(),
        }
    }

    /// How many lists there are, with the empty one.
    pub fn len(&self) -> usize {
        self.offsets().len() - 1
    }

    /// The list of a number.
    pub fn list(&self, number: u32) -> &[u32] {
        let offsets = self.offsets();
        &self.entries[offsets[number as usize] as usize..offsets[number as usize + 1] as usize]
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
        let key = ListKey::new(list);
        let added = self.offsets.len().saturating_sub(EMPTY.len());
        if let Some(few) = self.few.get(..added) {
            let hint = self.hints.get(small_hash(key.0));
            if few.get(hint) == Some(&key) && key.is_packed() {
                return Ok(hint as u32 + 1);
            }
            return self.search_few_or_add(list, key);
        }
        let is_it = |known: &Entry| known.key() == key && (key.is_packed() || self.list(known.0[2]) == list);
        match self.table.find(key.hash(), is_it) {
            Some(&Entry([.., number])) => Ok(number),
            None => self.add(list, key),
        }
    }

    /// [`intern`](Self::intern) while there are few lists.
    #[inline(never)]
    fn search_few_or_add(&mut self, list: &[u32], key: ListKey) -> Result<u32, OutOfMemory> {
        let hash = small_hash(key.0);
        let is_known = self.hints.get(hash) != FewHints::UNSET;
        let is_it = |&at: &usize| self.few[at] == key && (key.is_packed() || self.list(at as u32 + 1) == list);
        let known = (0..self.len() - 1).find(|at| is_known && is_it(at));
        let number = match known {
            Some(position) => position as u32 + 1,
            None if self.len() <= Self::FEW => self.append(list, key)?,
            None => {
                self.table.clear();
                self.table.try_reserve(Self::FIRST_CAPACITY, Entry::hash)?;
                for (number, &known) in (1..).zip(&self.few) {
                    self.table.insert_unique(known.hash(), Entry::new(known, number), Entry::hash);
                }
                return self.add(list, key);
            }
        };
        self.hints.put(hash, number - 1);
        Ok(number)
    }

    /// Adds a list to those in the table.
    fn add(&mut self, list: &[u32], key: ListKey) -> Result<u32, OutOfMemory> {
        if self.table.len() == self.table.capacity() {
            // By a factor of four while the table is small: rehashing is most of what growth costs.
            let more = if self.table.len() < 1 << 12 { 2 * self.table.len() } else { 1 };
            self.table.try_reserve(more.max(1), Entry::hash)?;
        }
        let number = self.append(list, key)?;
        self.table.insert_unique(key.hash(), Entry::new(key, number), Entry::hash);
        Ok(number)
    }

    /// Appends a list, or changes nothing; gives its number.
    #[inline]
    fn append(&mut self, list: &[u32], key: ListKey) -> Result<u32, OutOfMemory> {
        let Self { entries, offsets, few, .. } = self;
        let end = u32::try_from(entries.len() + list.len()).map_err(|_| OutOfMemory)?;
        if offsets.capacity() == 0 {
            try_reserve(offsets, Self::FEW + EMPTY.len())?;
            try_reserve(entries, 2 * Self::FEW)?;
        }
        try_reserve(offsets, EMPTY.len() + 1)?;
        try_extend(entries, list)?;
        if offsets.is_empty() {
            offsets.extend(EMPTY);
        }
        if let Some(few) = few.get_mut(offsets.len() - EMPTY.len()) {
            *few = key;
        }
        offsets.push(end);
        Ok((offsets.len() - EMPTY.len()) as u32)
    }

    /// Interns a block of lists: `list` gives the range in `entries` of each. There are at most [`BLOCK_ROWS`].
    ///
    /// Lists of the same length are taken together. The lengths of tag lists are as good as random, and a mispredicted branch on
    /// each costs as much as the lookup.
    pub fn intern_block(
        &mut self,
        entries: &[u32],
        list: impl Fn(usize) -> Range<usize>,
        numbers: &mut [u32],
    ) -> Result<(), OutOfMemory> {
        const LONG: usize = 4;
        const FEW: usize = 64;
        if numbers.len() <= FEW {
            for (index, number) in numbers.iter_mut().enumerate() {
                *number = self.intern(&entries[list(index)])?;
            }
            return Ok(());
        }
        let mut ends = [0; LONG + 2];
        (0..numbers.len()).for_each(|index| ends[list(index).len().min(LONG) + 1] += 1);
        (1..ends.len()).for_each(|len| ends[len] += ends[len - 1]);
        let mut order = [0_u16; BLOCK_ROWS];
        for index in 0..numbers.len() {
            let end = &mut ends[list(index).len().min(LONG)];
            order[*end] = index as u16;
            *end += 1;
        }
        for &index in &order[..numbers.len()] {
            let index = usize::from(index);
            numbers[index] = self.intern(&entries[list(index)])?;
        }
        Ok(())
    }

    /// Marks the lists that rows have, and of these the entries.
    pub fn in_use(&self, rows: &Packed, entries: usize) -> Result<(Vec<bool>, Vec<bool>), OutOfMemory> {
        let (mut lists, mut entries_in_use) = (Vec::new(), Vec::new());
        try_pad(&mut lists, self.len(), false)?;
        try_pad(&mut entries_in_use, entries, false)?;
        on_values!(rows, rows => rows.iter().for_each(|&list| lists[list as usize] = true));
        for (list, _) in self.lists().zip(&lists).filter(|(_, in_use)| **in_use) {
            list.iter().for_each(|&entry| entries_in_use[entry as usize] = true);
        }
        Ok((lists, entries_in_use))
    }

    /// The set without the lists that are not in use, and the new number of each of the others, which keep their order.
    /// `entries` has the new number of each entry.
    pub fn compacted(&self, in_use: &[bool], entries: &[u32]) -> Result<(Self, Vec<u32>), OutOfMemory> {
        let (mut compacted, mut numbers, mut renumbered) = (Self::new(), Vec::new(), Vec::new());
        try_pad(&mut numbers, self.len(), 0)?;
        for ((list, number), _) in self.lists().zip(&mut numbers).zip(in_use).filter(|(_, in_use)| **in_use) {
            renumbered.clear();
            try_reserve(&mut renumbered, list.len())?;
            renumbered.extend(list.iter().map(|&entry| entries[entry as usize]));
            *number = compacted.intern(&renumbered)?;
        }
        Ok((compacted, numbers))
    }

    /// Removes the lists from number `len` on, and the memory they took. The empty list stays.
    #[cold]
    pub fn truncate(&mut self, len: usize) {
        if len <= Self::FEW + 1 {
            self.table = HashTable::new();
        }
        for number in len as u32..self.len() as u32 {
            let key = ListKey::new(self.list(number));
            if let Ok(entry) = self.table.find_entry(key.hash(), |known| known.0[2] == number) {
                entry.remove();
            }
        }
        self.offsets.truncate(if len > 1 { len + 1 } else { 0 });
        self.entries.truncate(self.offsets.last().map_or(0, |&end| end as usize));
        trim(&mut self.entries, 0);
        trim(&mut self.offsets, 0);
        trim_table(&mut self.table, Entry::hash);
    }

    /// Removes all lists and keeps the memory.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.offsets.clear();
        self.table.clear();
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        shrink(&mut self.entries);
        shrink(&mut self.offsets);
        shrink_table(&mut self.table, Entry::hash);
    }
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
        let large = [1 << 20, u32::MAX, (1 << 20) - 2, (1 << 20) - 1];
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
    fn a_block_of_lists_is_interned_as_one_by_one() {
        let all: Vec<Vec<u32>> = (0..BLOCK_ROWS as u32)
            .map(|index| (0..index * index % 7).map(|position| (index + position * index) % 5).collect())
            .collect();
        let list = |index: usize| {
            let start = all[..index].concat().len();
            start..start + all[index].len()
        };
        let (mut block, mut one_by_one) = (ListInterner::new(), ListInterner::new());
        let mut numbers = [u32::MAX; BLOCK_ROWS];
        block.intern_block(&all.concat(), list, &mut numbers).unwrap();
        for (list, number) in all.iter().zip(numbers) {
            one_by_one.intern(list).unwrap();
            assert_eq!(block.list(number), list);
        }
        assert_eq!(block.len(), one_by_one.len());
    }

    #[test]
    fn truncating_removes_lists() {
        let all = samples();
        for kept in [0, 1, 2, 3, 16, 17, 25] {
            let mut lists = ListInterner::new();
            for list in &all[..kept] {
                lists.intern(list).unwrap();
            }
            for _ in 0..3 {
                for (index, list) in all.iter().enumerate() {
                    assert_eq!(lists.intern(list), Ok(index as u32 + 1));
                }
                lists.truncate(kept + 1);
                assert_eq!(lists.table.len(), if kept > ListInterner::FEW { kept } else { 0 });
                assert_eq!(lists.len(), kept + 1);
            }
        }
    }
}
