//! Lists of numbers, numbered in the order in which they are first seen.

use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::batch::short_lists::{Place, ShortList, ShortLists};
use crate::ingest::columns::BLOCK_ROWS;
use crate::memory::{OutOfMemory, try_extend, try_pad, try_reserve};
use crate::text::StoredHash;

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
    /// The numbers of short lists.
    short: ShortLists,
    /// The numbers of the others, each with the hash of its list: the table can grow without looking at the lists.
    long: HashTable<(StoredHash, u32)>,
    hasher: RandomState,
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
            short: ShortLists::new(),
            long: HashTable::new(),
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

    /// Numbers lists that lie one after another in `entries`, each from one offset to the next; the first offset is the beginning
    /// of `entries`. There are at most [`BLOCK_ROWS`].
    ///
    /// Lists of the same length are taken together: a processor that has to guess the length of each is wrong most of the time, and
    /// to be wrong takes it as long as to look a list up.
    pub fn intern_all(&mut self, entries: &[u32], offsets: &[i64], numbers: &mut [u32]) -> Result<(), OutOfMemory> {
        const LONG: usize = 4;
        let mut of_len = [[0_u16; BLOCK_ROWS]; LONG + 1];
        let mut counts = [0; LONG + 1];
        for (index, ends) in offsets.windows(2).enumerate() {
            let len = ((ends[1] - ends[0]) as usize).min(LONG);
            of_len[len][counts[len]] = index as u16;
            counts[len] += 1;
        }
        let indices = |len: usize| of_len[len][..counts[len]].iter().map(|&index| usize::from(index));
        let start = |index: usize| (offsets[index] - offsets[0]) as usize;
        for index in indices(0) {
            numbers[index] = 0;
        }
        for index in indices(1) {
            numbers[index] = self.intern(&entries[start(index)..][..1])?;
        }
        for index in indices(2) {
            numbers[index] = self.intern(&entries[start(index)..][..2])?;
        }
        for index in indices(3) {
            numbers[index] = self.intern(&entries[start(index)..][..3])?;
        }
        for index in indices(LONG) {
            numbers[index] = self.intern_long(&entries[start(index)..start(index + 1)])?;
        }
        Ok(())
    }

    /// The number of `list`, a new one if it was not seen before. Inlined, as there is less to it where the length is known.
    #[inline(always)]
    pub fn intern(&mut self, list: &[u32]) -> Result<u32, OutOfMemory> {
        if list.is_empty() {
            return Ok(0);
        }
        if let [only] = *list {
            if let Some(&number) = self.single.get(only as usize)
                && number != 0
            {
                return Ok(number);
            }
            try_pad(&mut self.single, only as usize + 1, 0)?;
            let number = self.append(list)?;
            self.single[only as usize] = number;
            return Ok(number);
        }
        let Some(short) = ShortList::new(list) else { return self.intern_long(list) };
        match self.short.find(short)? {
            Place::Taken(number) => Ok(number),
            Place::Free(line, place) => {
                let number = self.append(list)?;
                self.short.put(line, place, short, number);
                Ok(number)
            }
        }
    }

    /// Has what [`intern`](Self::intern) will look at brought near, for a list that is known before it is asked for.
    #[inline(always)]
    pub fn fetch(&self, list: &[u32]) {
        if let Some(short) = ShortList::new(list) {
            self.short.fetch(short);
        }
    }

    fn intern_long(&mut self, list: &[u32]) -> Result<u32, OutOfMemory> {
        let hash = StoredHash::new(self.hasher.hash_one(list));
        let Self { entries, offsets, long, .. } = self;
        let known = |&(known, number): &(StoredHash, u32)| known == hash && list_of(entries, offsets, number) == list;
        if let Some(&(_, number)) = long.find(hash.spread(), known) {
            return Ok(number);
        }
        long.try_reserve(1, |&(hash, _)| hash.spread())?;
        let number = self.append(list)?;
        self.long.insert_unique(hash.spread(), (hash, number), |&(hash, _)| hash.spread());
        Ok(number)
    }

    /// Appends a list that is not there, or changes nothing.
    #[inline]
    fn append(&mut self, list: &[u32]) -> Result<u32, OutOfMemory> {
        if self.offsets.is_empty() {
            try_extend(&mut self.offsets, &EMPTY)?;
        }
        let end = self.entries.len() + list.len();
        if end > u32::MAX as usize {
            return Err(OutOfMemory);
        }
        try_reserve(&mut self.entries, list.len())?;
        try_reserve(&mut self.offsets, 1)?;
        // One after another, as a list is short as a rule, and a call to copy it takes longer.
        list.iter().for_each(|&entry| self.entries.push(entry));
        self.offsets.push(end as u32);
        Ok((self.offsets.len() - 2) as u32)
    }

    /// Makes room for some lists of another set, by number.
    pub fn reserve_for(&mut self, other: &Self, lists: Range<usize>) -> Result<(), OutOfMemory> {
        let offsets = &other.offsets()[lists.start..=lists.end];
        if let [first, .., last] = *offsets {
            try_reserve(&mut self.entries, (last - first) as usize)?;
            try_reserve(&mut self.offsets, offsets.len() + 1)?;
            self.short.reserve(other.short.len().min(lists.len()))?;
        }
        Ok(())
    }

    /// Forgets all lists and keeps the memory.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.offsets.clear();
        self.single.clear();
        self.short.clear();
        self.long.clear();
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

    #[test]
    fn lists_of_every_length_are_told_apart() {
        let mut lists = ListInterner::new();
        let large = [1 << 21, u32::MAX, (1 << 21) - 2, (1 << 21) - 1];
        let all: Vec<Vec<u32>> = (1..6)
            .flat_map(|len| (0..4).map(move |first| (first..first + len).collect()))
            .chain((1..=4).map(|len| large[..len].to_vec()))
            .collect();
        for (index, list) in all.iter().enumerate() {
            assert_eq!(lists.intern(list), Ok(index as u32 + 1), "{list:?}");
        }
        for (index, list) in all.iter().enumerate() {
            assert_eq!(lists.intern(list), Ok(index as u32 + 1), "{list:?}");
        }
    }

    #[test]
    fn many_lists_are_numbered_as_one_by_one() {
        let all: Vec<Vec<u32>> = (0..BLOCK_ROWS as u32)
            .map(|index| (0..index * index % 7).map(|place| (index + place * index) % 5).collect())
            .collect();
        // What lies before the first list is not theirs.
        let offsets: Vec<i64> = (0..=all.len()).map(|lists| 9 + all[..lists].concat().len() as i64).collect();
        let (mut many, mut one_by_one) = (ListInterner::new(), ListInterner::new());
        let mut numbers = vec![u32::MAX; all.len()];
        many.intern_all(&all.concat(), &offsets, &mut numbers).unwrap();
        for (list, number) in all.iter().zip(numbers) {
            one_by_one.intern(list).unwrap();
            assert_eq!(many.list(number), list);
        }
        assert_eq!(many.len(), one_by_one.len());
    }
}
