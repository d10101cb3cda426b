//! Lists of two or three small numbers, by all that is in them.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use crate::memory::{OutOfMemory, prefetch, try_pad};

/// All of a list of two or three small numbers. Halves of a word, so that a number after it takes no padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortList([u32; 2]);

impl ShortList {
    const BITS: u32 = 21;

    /// The list, if it is one.
    #[inline(always)]
    pub fn new(list: &[u32]) -> Option<Self> {
        let (a, b, c) = match *list {
            [a, b] => (a, b, 0),
            // One more, as nothing is not number 0.
            [a, b, c] => (a, b, c.checked_add(1)?),
            _ => return None,
        };
        if (a | b | c) >> Self::BITS != 0 {
            return None;
        }
        let word = u64::from(a) | u64::from(b) << Self::BITS | u64::from(c) << (2 * Self::BITS);
        Some(Self([word as u32, (word >> 32) as u32]))
    }

    #[inline(always)]
    fn word(self) -> u64 {
        u64::from(self.0[1]) << 32 | u64::from(self.0[0])
    }
}

/// Numbers by short list, from 1 up.
///
/// A batch has tens of thousands of lists where most rows bring their own. A look-up then waits for memory, and here it waits for
/// one line of the cache, where the tables of the libraries wait for one and then for another.
#[derive(Debug)]
pub struct ShortLists {
    /// Empty, or a power of two.
    lines: Vec<Line>,
    len: usize,
    /// What is left of a hash is the line.
    shift: u32,
    hasher: RandomState,
}

/// A line of the cache with places for lists, which are taken from the first on. One that is full goes on in the next.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line {
    lists: [ShortList; PLACES],
    /// 0: nobody has the place.
    numbers: [u32; PLACES],
}

const PLACES: usize = 5;

impl Line {
    const EMPTY: Self = Self { lists: [ShortList([0, 0]); PLACES], numbers: [0; PLACES] };

    /// The place of `list`, if it is here.
    #[inline(always)]
    fn find(&self, list: ShortList) -> Option<usize> {
        // All places every time: to stop at the right one would cost a branch that nobody can predict.
        let here =
            self.lists.iter().enumerate().fold(0_u32, |here, (place, &known)| here | u32::from(known == list) << place);
        (here != 0).then(|| here.trailing_zeros() as usize)
    }

    /// The first place that nobody has.
    #[inline(always)]
    fn free(&self) -> Option<usize> {
        let taken = self.numbers.iter().map(|&number| usize::from(number != 0)).sum();
        (taken < PLACES).then_some(taken)
    }
}

/// Where a list is, or would be.
pub enum Place {
    /// The number of the list.
    Taken(u32),
    /// The list is not there, and would be at this line and place.
    Free(usize, usize),
}

impl ShortLists {
    const FEWEST: usize = 4;
    /// Below so many lists the table grows by more than twice: most of what growing costs is to place again what is there.
    const GROWS_FAST: usize = 1 << 10;

    /// No lists.
    pub fn new() -> Self {
        Self { lines: Vec::new(), len: 0, shift: 0, hasher: RandomState::default() }
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Looks for `list`, and makes room for it.
    #[inline(always)]
    pub fn find(&mut self, list: ShortList) -> Result<Place, OutOfMemory> {
        if !self.has_room_for(1) {
            self.grow(if self.len < Self::GROWS_FAST { 3 * self.len + 1 } else { 1 })?;
        }
        let mut at = self.line_of(list);
        loop {
            let line = &self.lines[at];
            // A place that nobody has looks like the list [0, 0], which may be asked for.
            if let Some(place) = line.find(list)
                && line.numbers[place] != 0
            {
                return Ok(Place::Taken(line.numbers[place]));
            }
            if let Some(place) = line.free() {
                return Ok(Place::Free(at, place));
            }
            at = (at + 1) & (self.lines.len() - 1);
        }
    }

    /// Has the line brought near in which `list` is looked for first.
    #[inline(always)]
    pub fn fetch(&self, list: ShortList) {
        if let Some(line) = self.lines.get(self.line_of(list)) {
            prefetch(line);
        }
    }

    /// The line in which `list` is looked for first.
    #[inline(always)]
    fn line_of(&self, list: ShortList) -> usize {
        (self.hasher.hash_one(list.word()) >> self.shift) as usize
    }

    /// Gives `list` a number in the place that [`find`](Self::find) has just found for it.
    #[inline(always)]
    pub fn put(&mut self, line: usize, place: usize, list: ShortList, number: u32) {
        self.lines[line].lists[place] = list;
        self.lines[line].numbers[place] = number;
        self.len += 1;
    }

    /// Makes room for `more` lists.
    pub fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        if self.has_room_for(more) { Ok(()) } else { self.grow(more) }
    }

    /// Whether four in five places are enough for `more` lists, so that few lines are full.
    #[inline(always)]
    fn has_room_for(&self, more: usize) -> bool {
        self.len + more <= self.lines.len() * 4
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) -> Result<(), OutOfMemory> {
        let lists = self.len.checked_add(more).ok_or(OutOfMemory)?;
        let lines = lists.div_ceil(4).checked_next_power_of_two().ok_or(OutOfMemory)?.max(Self::FEWEST);
        let mut grown = Vec::new();
        try_pad(&mut grown, lines, Line::EMPTY)?;
        let before = std::mem::replace(&mut self.lines, grown);
        (self.shift, self.len) = (u64::BITS - lines.trailing_zeros(), 0);
        for line in &before {
            for (&list, &number) in line.lists.iter().zip(&line.numbers).take_while(|&(_, &number)| number != 0) {
                let mut at = self.line_of(list);
                loop {
                    if let Some(place) = self.lines[at].free() {
                        self.put(at, place, list, number);
                        break;
                    }
                    at = (at + 1) & (lines - 1);
                }
            }
        }
        Ok(())
    }

    /// Forgets all lists and keeps the memory.
    pub fn clear(&mut self) {
        self.lines.fill(Line::EMPTY);
        self.len = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn numbers_are_those_of_a_map() {
        let (mut lists, mut map) = (ShortLists::new(), HashMap::new());
        for round in 0..2 {
            for word in 0..5_000_u32 {
                let (a, b, c) = (word * word % 97, word % 13, word % 7);
                let list = if c == 0 { vec![a, b] } else { vec![a, b, c] };
                let next = map.len() as u32 + 1;
                let expected = *map.entry(list.clone()).or_insert(next);
                let list = ShortList::new(&list).unwrap();
                match lists.find(list).unwrap() {
                    Place::Taken(number) => assert_eq!(number, expected),
                    Place::Free(line, place) => {
                        assert_eq!((round, expected), (0, next));
                        lists.put(line, place, list, next);
                    }
                }
                assert_eq!(lists.len(), map.len());
            }
        }
        assert!(map.len() > 1 << 10, "{}", map.len());
        lists.clear();
        assert!(matches!(lists.find(ShortList::new(&[0, 0]).unwrap()), Ok(Place::Free(..))));
        lists.reserve(10_000).unwrap();
        let lines = lists.lines.len();
        lists.reserve(10_000).unwrap();
        assert_eq!((lists.len(), lists.lines.len()), (0, lines));
    }

    #[test]
    fn what_is_not_short_is_none() {
        for list in [&[][..], &[1], &[1, 2, 3, 4], &[1 << 21, 0], &[0, 0, (1 << 21) - 1], &[0, 0, u32::MAX]] {
            assert_eq!(ShortList::new(list), None, "{list:?}");
        }
        assert_ne!(ShortList::new(&[1, 2]), ShortList::new(&[1, 2, 0]));
    }
}
