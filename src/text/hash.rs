//! Seeded hashing, and hints in front of a search.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

use foldhash::SharedSeed;
use foldhash::fast::SeedableRandomState;

/// The hasher of every table whose keys a caller chooses.
pub type HashState = SeedableRandomState;

/// A hasher with the seed of this process, so that nobody can prepare keys that collide.
///
/// foldhash's own seed boxes a byte for entropy, and an allocation that fails there aborts the process. The standard
/// library's seed comes from the system and does not allocate.
pub fn hash_state() -> HashState {
    static SEED: OnceLock<(u64, SharedSeed)> = OnceLock::new();
    let (hasher_seed, shared) = SEED.get_or_init(|| {
        let entropy = RandomState::new();
        (entropy.hash_one(0_u8), SharedSeed::from_u64(entropy.hash_one(1_u8)))
    });
    SeedableRandomState::with_seed(*hasher_seed, shared)
}

/// The upper half of a hash.
///
/// A table that stores it with every entry can grow, and reject most other entries, without reading the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredHash(u32);

impl StoredHash {
    /// Takes the upper half of a hash.
    #[inline]
    pub fn new(hash: u64) -> Self {
        Self((hash >> 32) as u32)
    }

    /// A full-width hash for the table, which uses more bits than are stored.
    #[inline]
    pub fn spread(self) -> u64 {
        u64::from(self.0).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

/// A hash of few instructions. Anybody can prepare words that collide: it is for hints alone.
#[inline(always)]
pub fn small_hash(word: u64) -> u64 {
    // Texts often differ in their last bytes alone. Folded first, these change the upper bits of the product too.
    (word ^ word >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// For each value of a small hash the number of the value, one of few, that was noted last.
///
/// A hint that is out of date costs a search and nothing else. A value whose hint is unset was never noted.
#[derive(Debug)]
pub struct FewHints([u8; 1 << Self::BITS]);

impl FewHints {
    const BITS: u32 = 6;
    /// What an unset hint reads as: no number, as few values are fewer.
    pub const UNSET: usize = u8::MAX as usize;

    /// Hints of which none is set.
    pub const fn new() -> Self {
        Self([u8::MAX; 1 << Self::BITS])
    }

    /// The number that a value with this hash may have.
    #[inline(always)]
    pub fn get(&self, hash: u64) -> usize {
        self.0[(hash >> (u64::BITS - Self::BITS)) as usize].into()
    }

    /// Notes the number of a value with this hash.
    #[inline(always)]
    pub fn put(&mut self, hash: u64, number: u32) {
        self.0[(hash >> (u64::BITS - Self::BITS)) as usize] = number as u8 & i8::MAX as u8;
    }
}
