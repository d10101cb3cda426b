//! A list that is expected to be short.

use std::ops::{Index, IndexMut};

use crate::memory::{OutOfMemory, try_reserve};

/// A list whose first `N` entries need no memory of their own. Those after them do; the first stay where they are.
#[derive(Debug)]
pub struct Few<T, const N: usize> {
    len: usize,
    first: [T; N],
    more: Vec<T>,
}

impl<T: Copy + Default, const N: usize> Few<T, N> {
    /// An empty list.
    #[inline(always)]
    pub fn new() -> Self {
        Self { first: [T::default(); N], more: Vec::new(), len: 0 }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The entry at a position, if the list is so long.
    pub fn get(&self, index: usize) -> Option<&T> {
        (index < self.len).then(|| &self[index])
    }

    /// The entries, if they are so few that they need no memory of their own.
    #[inline(always)]
    pub fn few(&self) -> Option<&[T]> {
        self.first.get(..self.len)
    }

    /// The entries in order.
    #[inline(always)]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        (0..self.len).map(|index| match self.first.get(index) {
            Some(entry) => entry,
            None => self.beyond(index),
        })
    }

    #[cold]
    #[inline(never)]
    fn beyond(&self, index: usize) -> &T {
        &self.more[index - N]
    }

    /// The entries in order, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.first[..self.len.min(N)].iter_mut().chain(&mut self.more)
    }

    /// Appends an entry, if it needs no memory of its own.
    #[inline(always)]
    pub fn push_few(&mut self, entry: T) -> Option<()> {
        *self.first.get_mut(self.len)? = entry;
        self.len += 1;
        Some(())
    }

    /// Makes room for one more entry.
    #[inline(always)]
    pub fn try_reserve(&mut self) -> Result<(), OutOfMemory> {
        if self.len < N { Ok(()) } else { try_reserve(&mut self.more, 1) }
    }

    /// Appends an entry, for which there is room.
    #[inline(always)]
    pub fn push(&mut self, entry: T) {
        match self.first.get_mut(self.len) {
            Some(place) => *place = entry,
            None => self.more.push(entry),
        }
        self.len += 1;
    }

    /// Forgets the entries and keeps the memory.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.more.clear();
        self.len = 0;
    }

    /// A copy that takes no more memory than it needs.
    pub fn try_copy(&self) -> Result<Self, OutOfMemory> {
        let mut more = Vec::new();
        more.try_reserve_exact(self.more.len())?;
        more.extend_from_slice(&self.more);
        Ok(Self { more, ..*self })
    }

    /// How many bytes of memory of its own the list has, and how many it uses.
    pub fn room(&self) -> (usize, usize) {
        (self.more.capacity() * size_of::<T>(), self.more.len() * size_of::<T>())
    }
}

impl<T, const N: usize> Index<usize> for Few<T, N> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        if index < N { &self.first[..self.len.min(N)][index] } else { &self.more[index - N] }
    }
}

impl<T, const N: usize> IndexMut<usize> for Few<T, N> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        if index < N { &mut self.first[..self.len.min(N)][index] } else { &mut self.more[index - N] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_any_length_is_a_list() {
        let mut few = Few::<u32, 3>::new();
        for round in 0..2 {
            let mut plain = Vec::new();
            for number in 0..8 {
                if few.push_few(number + round).is_none() {
                    few.try_reserve().unwrap();
                    few.push(number + round);
                }
                plain.push(number + round);
                few[number as usize / 2] += 10;
                plain[number as usize / 2] += 10;
                few.iter_mut().for_each(|entry| *entry += 100);
                plain.iter_mut().for_each(|entry| *entry += 100);
                let copy = few.try_copy().unwrap();
                for list in [&few, &copy] {
                    assert_eq!((list.len(), list.iter().len()), (plain.len(), plain.len()));
                    assert!(list.iter().eq(&plain), "{list:?} {plain:?}");
                    assert_eq!(list.few(), (plain.len() <= 3).then_some(&*plain));
                    for index in 0..10 {
                        assert_eq!(list.get(index), plain.get(index));
                    }
                }
                let more = plain.len().saturating_sub(3) * 4;
                assert_eq!(copy.room(), (more, more));
            }
            few.clear();
            assert_eq!((few.len(), few.get(0), few.iter().next()), (0, None, None));
        }
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn what_was_forgotten_is_not_there() {
        let mut few = Few::<u32, 3>::new();
        few.push(1);
        few.clear();
        let _ = few[0];
    }
}
