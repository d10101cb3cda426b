//! Seeded hashing.

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
