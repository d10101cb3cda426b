//! Hashes that are kept beside what they are of.

/// Half of a hash. A table that keeps it with every number can grow, and pass over most of what it is not asked for, without
/// looking at what the numbers stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredHash(u32);

impl StoredHash {
    /// What is kept of a hash.
    #[inline]
    pub fn new(hash: u64) -> Self {
        Self((hash >> 32) as u32)
    }

    /// The hash for the table, which chooses places by more bits than are kept.
    #[inline]
    pub fn spread(self) -> u64 {
        u64::from(self.0).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}
