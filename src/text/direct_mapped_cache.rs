//! A direct-mapped cache in front of a hash table.

use crate::memory::try_pad;
use crate::text::ShortText;

/// Recently looked-up short texts and their numbers, a few kilobytes that stay in L1. Direct-mapped: colliding keys evict
/// each other, which costs a lookup in the table behind and nothing else.
#[derive(Debug)]
pub struct DirectMappedCache {
    /// Empty, or a power of two of slots.
    slots: Vec<(ShortText, u32)>,
    /// Shift that leaves the slot index of a product.
    shift: u32,
    /// Misses since the cache last grew.
    misses: u32,
}

impl DirectMappedCache {
    /// Misses before slots are allocated: a small batch does without.
    const MISSES_BEFORE_GROWTH: u32 = 32;
    const MIN_SLOTS: usize = 64;
    const MAX_SLOTS: usize = 1024;

    /// An empty cache.
    pub const fn new() -> Self {
        Self { slots: Vec::new(), shift: 63, misses: 0 }
    }

    #[inline(always)]
    fn slot(&self, key: ShortText) -> usize {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        let [low, high] = key.words();
        ((low ^ high.rotate_left(29) ^ key.len() as u64).wrapping_mul(ODD) >> self.shift) as usize
    }

    /// The number of `key`, if it is cached.
    #[inline(always)]
    pub fn get(&self, key: ShortText) -> Option<u32> {
        let &(known, number) = self.slots.get(self.slot(key))?;
        (known == key).then_some(number)
    }

    /// Caches the number of `key`, one of `keys` in the table behind.
    pub fn put(&mut self, key: ShortText, number: u32, keys: usize) {
        // Sparse enough that few keys collide, up to the maximum.
        if self.slots.len() < Self::MAX_SLOTS && keys * 4 > self.slots.len() {
            self.misses += 1;
            if self.misses >= Self::MISSES_BEFORE_GROWTH {
                self.grow(keys);
            }
        }
        let slot = self.slot(key);
        if let Some(entry) = self.slots.get_mut(slot) {
            *entry = (key, number);
        }
    }

    #[cold]
    fn grow(&mut self, keys: usize) {
        let slots = (keys * 8).next_power_of_two().clamp(Self::MIN_SLOTS, Self::MAX_SLOTS);
        self.slots.clear();
        // Without memory there is no cache, and lookups still work.
        self.shift = match try_pad(&mut self.slots, slots, (ShortText::NONE, 0)) {
            Ok(()) => u64::BITS - slots.trailing_zeros(),
            Err(_) => 63,
        };
        self.misses = 0;
    }

    /// Drops all entries and their memory.
    pub fn clear(&mut self) {
        *self = Self::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_gives_the_number_that_was_put() {
        let mut cache = DirectMappedCache::new();
        let mut hits = 0;
        for round in 0..4_000_u32 {
            let number = round.wrapping_mul(round) % 331;
            let key = ShortText::new(&number.to_string()).unwrap();
            match cache.get(key) {
                Some(cached) => {
                    assert_eq!(cached, number);
                    hits += 1;
                }
                None => cache.put(key, number, 331),
            }
        }
        assert!(hits > 3_000, "{hits}");
        cache.clear();
        assert_eq!(cache.get(ShortText::new("4").unwrap()), None);
    }
}
