//! A set of columns.

/// A set of columns, as bits: what a scorer reads, or what a table has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnSet(u32);

#[allow(missing_docs, reason = "each constant is named after its column")]
impl ColumnSet {
    pub const NONE: Self = Self(0);
    pub const CONTENT: Self = Self(1);
    pub const TOKENS: Self = Self(1 << 1);
    pub const KIND: Self = Self(1 << 2);
    pub const SOURCE: Self = Self(1 << 3);
    pub const PRIORITY: Self = Self(1 << 4);
    pub const TAGS: Self = Self(1 << 5);
    pub const METADATA: Self = Self(1 << 6);
    pub const TIMESTAMP: Self = Self(1 << 7);
    pub const FUTURE_RELEVANCE_HINT: Self = Self(1 << 8);
    pub const PINNED: Self = Self(1 << 9);
    pub const ORIGINAL_TOKENS: Self = Self(1 << 10);
    pub const ALL: Self = Self((1 << 11) - 1);

    /// The columns of both sets.
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all columns of `other` are in the set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The bits, as the constants have them.
    pub const fn bits(self) -> u32 {
        self.0
    }
}
