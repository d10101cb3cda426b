//! What was looked up last, in front of a hash table.

use crate::memory::try_pad;

/// Numbers by key for the keys that were looked up last: a few kilobytes that stay in the nearest cache. Keys that share a place
/// take turns; nothing comes of it but a look-up in the table behind.
#[derive(Debug)]
pub struct DirectMappedCache<K> {
    /// Empty, or a power of two of places.
    places: Vec<(K, u32)>,
    /// What is left of a product is the place.
    shift: u32,
    /// So many keys went by before there were places.
    passed: u32,
}

impl<K: Copy + Eq> DirectMappedCache<K> {
    /// So many keys are looked up before places are made: a small batch does without.
    const BEFORE: u32 = 32;
    const FEWEST: usize = 64;
    const MOST: usize = 1024;

    /// No keys.
    pub const fn new() -> Self {
        Self { places: Vec::new(), shift: 63, passed: 0 }
    }

    #[inline(always)]
    fn place(&self, mix: u64) -> usize {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        (mix.wrapping_mul(ODD) >> self.shift) as usize
    }

    /// The number of `key`, if it was looked up lately. `mix` is any function of the key.
    #[inline(always)]
    pub fn get(&self, key: K, mix: u64) -> Option<u32> {
        let &(known, number) = self.places.get(self.place(mix))?;
        (known == key).then_some(number)
    }

    /// Remembers the number of `key`, one of `keys` that the table has. `none` is no key.
    pub fn put(&mut self, key: K, mix: u64, number: u32, keys: usize, none: K) {
        // Room enough that few of the keys share a place, as long as the places are few.
        if self.places.len() < Self::MOST && keys * 4 > self.places.len() {
            self.passed += 1;
            if self.passed >= Self::BEFORE {
                self.grow(keys, none);
            }
        }
        let place = self.place(mix);
        if let Some(recent) = self.places.get_mut(place) {
            *recent = (key, number);
        }
    }

    #[cold]
    fn grow(&mut self, keys: usize, none: K) {
        let places = (keys * 8).next_power_of_two().clamp(Self::FEWEST, Self::MOST);
        self.places.clear();
        // Without room for more places there are none, and all else is the same.
        self.shift = match try_pad(&mut self.places, places, (none, 0)) {
            Ok(()) => u64::BITS - places.trailing_zeros(),
            Err(_) => 63,
        };
        self.passed = 0;
    }

    /// Forgets all keys.
    pub fn clear(&mut self) {
        *self = Self::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_what_was_put() {
        let mut recent = DirectMappedCache::new();
        let mut found = 0;
        for round in 0..4_000_u64 {
            let key = round * round % 331;
            match recent.get(key, key) {
                Some(number) => {
                    assert_eq!(u64::from(number), key + 1);
                    found += 1;
                }
                None => recent.put(key, key, key as u32 + 1, 331, u64::MAX),
            }
        }
        assert!(found > 3_000, "{found}");
        recent.clear();
        assert_eq!(recent.get(4, 4), None);
    }
}
