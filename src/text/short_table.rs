//! The numbers of short texts.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;

use crate::memory::{OutOfMemory, shrink, shrink_table, trim_table, try_push, try_reserve};
use crate::text::ShortText;
use crate::text::hash::HashState;

/// A map from short texts to numbers: a list that is searched from its start while it is short, and a hash table after that.
///
/// Most batches have a handful of kinds, sources and keys. A table for them takes several allocations, and hashing a text takes longer
/// than comparing it with a few.
#[derive(Debug)]
pub struct ShortTable {
    /// All entries, while there is no table.
    few: Vec<(ShortText, u32)>,
    table: HashTable<(ShortText, u32)>,
}

#[inline]
fn hash(hasher: &HashState, key: ShortText) -> u64 {
    let mut state = hasher.build_hasher();
    let [low, high] = key.words();
    state.write_u64(low);
    state.write_u64(high);
    state.write_u32(key.len() as u32);
    state.finish()
}

impl ShortTable {
    /// The most entries without a table.
    const FEW: usize = 8;
    /// The capacity that a table begins with, one that hashbrown allocates exactly.
    const FIRST_CAPACITY: usize = 28;

    /// An empty map.
    pub const fn new() -> Self {
        Self { few: Vec::new(), table: HashTable::new() }
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.few.len() + self.table.len()
    }

    /// How many texts there is room for.
    #[cfg(test)]
    pub fn capacity(&self) -> usize {
        self.few.capacity() + self.table.capacity()
    }

    /// Whether there is a hash table.
    #[inline]
    pub fn is_hashed(&self) -> bool {
        !self.table.is_empty()
    }

    /// The number of a text.
    #[inline]
    pub fn find(&self, hasher: &HashState, key: ShortText) -> Option<u32> {
        let entry = if self.table.is_empty() {
            self.few.iter().find(|(known, _)| *known == key)
        } else {
            self.table.find(hash(hasher, key), |(known, _)| *known == key)
        };
        entry.map(|&(_, number)| number)
    }

    /// Makes room for one more text.
    pub fn reserve_one(&mut self, hasher: &HashState) -> Result<(), OutOfMemory> {
        if !self.table.is_empty() {
            return Ok(self.table.try_reserve(1, |&(key, _)| hash(hasher, key))?);
        }
        if self.few.len() < Self::FEW {
            let room = Self::FEW - self.few.len();
            return try_reserve(&mut self.few, room);
        }
        self.table.try_reserve(Self::FIRST_CAPACITY, |&(key, _)| hash(hasher, key))?;
        for entry in std::mem::take(&mut self.few) {
            self.table.insert_unique(hash(hasher, entry.0), entry, |&(key, _)| hash(hasher, key));
        }
        Ok(())
    }

    /// Adds a text that is not in the map, for which there is room.
    pub fn insert(&mut self, hasher: &HashState, key: ShortText, number: u32) -> Result<(), OutOfMemory> {
        if self.table.is_empty() {
            return try_push(&mut self.few, (key, number));
        }
        self.table.insert_unique(hash(hasher, key), (key, number), |&(key, _)| hash(hasher, key));
        Ok(())
    }

    /// Removes the entry of a text with a number. The map stays a table until it is empty.
    pub fn remove(&mut self, hasher: &HashState, key: ShortText, number: u32) {
        if self.table.is_empty() {
            self.few.retain(|&(_, known)| known != number);
        } else if let Ok(entry) = self.table.find_entry(hash(hasher, key), |&(_, known)| known == number) {
            entry.remove();
        }
    }

    /// Gives back memory that a failed call has left.
    pub fn trim(&mut self, hasher: &HashState) {
        trim_table(&mut self.table, |&(key, _)| hash(hasher, key));
    }

    /// Removes all texts and keeps the memory.
    pub fn clear(&mut self) {
        self.few.clear();
        self.table.clear();
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self, hasher: &HashState) {
        shrink(&mut self.few);
        shrink_table(&mut self.table, |&(key, _)| hash(hasher, key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::hash_state;

    #[test]
    fn texts_are_found_and_removed_at_every_size() {
        let (hasher, key) = (hash_state(), |number: u32| ShortText::new(&format!("text {number}")).unwrap());
        for count in 0..100 {
            let mut map = ShortTable::new();
            for round in 0..2 {
                for number in 0..count {
                    assert_eq!(map.find(&hasher, key(number)), None);
                    map.reserve_one(&hasher).unwrap();
                    map.insert(&hasher, key(number), number).unwrap();
                }
                assert_eq!(map.len(), count as usize);
                assert!((0..count).all(|number| map.find(&hasher, key(number)) == Some(number)));
                assert_eq!(map.find(&hasher, key(count)), None);
                map.shrink(&hasher);
                let kept = count / 2;
                (kept..count).for_each(|number| map.remove(&hasher, key(number), number));
                assert!((0..count).all(|number| map.find(&hasher, key(number)).is_some() == (number < kept)));
                map.trim(&hasher);
                if round == 0 {
                    map.clear();
                }
            }
        }
    }
}
