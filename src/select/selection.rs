//! What was selected.

use crate::memory::{OutOfMemory, try_pad, try_reserve};
use crate::select::NO_CAUSE;

/// Why a row was kept or dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[non_exhaustive]
pub enum Reason {
    /// Kept: it took part and fitted.
    Scored = 1,
    /// Kept: it is pinned.
    Pinned = 2,
    /// Kept: it is not pinned, and its unit has no tokens.
    ZeroTokens = 3,
    /// Kept: its group has a pinned row.
    Group = 4,
    /// Dropped: there was no budget left for it.
    Budget = 16,
    /// Dropped: its content is that of the row that is the cause.
    Duplicate = 17,
    /// Dropped: its tokens are negative.
    NegativeTokens = 18,
    /// Dropped: it would have fitted without pinned rows. The cause is the first of them.
    PinnedOverride = 19,
    /// Dropped: as many units of its kind as its count quota allows were kept.
    CountCap = 20,
    /// Dropped: as many rows as the request allows were kept.
    RowLimit = 21,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 10] = [
        Self::Scored,
        Self::Pinned,
        Self::ZeroTokens,
        Self::Group,
        Self::Budget,
        Self::Duplicate,
        Self::NegativeTokens,
        Self::PinnedOverride,
        Self::CountCap,
        Self::RowLimit,
    ];

    /// The reason with a number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&reason| reason as u8 == number)
    }

    /// Whether the row was kept.
    pub fn is_kept(self) -> bool {
        (self as u8) < Self::Budget as u8
    }
}

/// A count quota that could not be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Shortfall {
    /// The position of the entry in the policy.
    pub entry: usize,
    /// How many units it requires.
    pub required: usize,
    /// How many candidates there were.
    pub found: usize,
}

/// Sums of tokens, over all groups where groups were selected. Each is clamped to 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Of the rows that are kept.
    pub kept: i64,
    /// Of pinned units.
    pub pinned: i64,
    /// Of all rows, negative ones too.
    pub considered: i64,
    /// What the slicer had to fill: the target less what pinned rows and reserves take. On the stable path, the room of the
    /// window.
    pub effective_target: i64,
    /// What the slicer left of it. Count quotas can make it negative.
    pub available: i64,
    /// By how much the kept rows exceeded the target, before any were dropped for that.
    pub overflow: i64,
}

/// The arrays of one result.
#[derive(Debug, Default)]
pub(super) struct Results {
    pub rows: Vec<u32>,
    pub scores: Vec<f64>,
    pub reasons: Vec<u8>,
    pub causes: Vec<u32>,
    pub shortfalls: Vec<Shortfall>,
    /// For each range of rows where its rows in `rows` begin, and after the last where they end.
    pub offsets: Vec<i64>,
    /// The same for `shortfalls`.
    pub shortfall_offsets: Vec<i64>,
    pub tokens: Tokens,
    pub stable: bool,
}

impl Results {
    /// Makes the result that of a batch of `len` rows in `ranges` ranges, in which nothing is decided.
    pub fn begin(&mut self, len: usize, ranges: usize) -> Result<(), OutOfMemory> {
        for offsets in [&mut self.offsets, &mut self.shortfall_offsets] {
            offsets.clear();
            try_reserve(offsets, ranges + 1)?;
            offsets.push(0);
        }
        self.rows.clear();
        self.scores.clear();
        self.reasons.clear();
        self.causes.clear();
        self.shortfalls.clear();
        try_pad(&mut self.scores, len, 0.0)?;
        try_pad(&mut self.reasons, len, 0)?;
        try_pad(&mut self.causes, len, NO_CAUSE)?;
        (self.tokens, self.stable) = (Tokens::default(), false);
        Ok(())
    }

    /// Ends a range of rows: what comes after belongs to the next. There is room for each.
    pub fn end_range(&mut self) {
        self.offsets.push(self.rows.len() as i64);
        self.shortfall_offsets.push(self.shortfalls.len() as i64);
    }

    /// Whether the ranges were selected on their own.
    pub fn is_of_groups(&self) -> bool {
        self.offsets.len() > 2
    }

    /// Makes room for what another result holds, as far as there is memory: a call that needs more asks for it again.
    pub fn reserve_as(&mut self, other: &Self) {
        fn reserve<T>(values: &mut Vec<T>, other: &[T]) {
            values.clear();
            let _ = values.try_reserve(other.len());
        }
        reserve(&mut self.rows, &other.rows);
        reserve(&mut self.scores, &other.scores);
        reserve(&mut self.reasons, &other.reasons);
        reserve(&mut self.causes, &other.causes);
        reserve(&mut self.shortfalls, &other.shortfalls);
        reserve(&mut self.offsets, &other.offsets);
        reserve(&mut self.shortfall_offsets, &other.shortfall_offsets);
    }
}

/// The rows to keep, in order, and for every row of the batch its score and a reason.
///
/// A selection keeps its memory: selecting into it again allocates nothing while the batch does not grow. It has two sets of
/// arrays, so that a call that fails leaves the last result as it was.
#[derive(Debug, Default)]
pub struct Selection {
    /// The last result.
    pub(super) front: Results,
    /// What the next call works in.
    pub(super) back: Results,
}

impl Selection {
    /// An empty selection.
    pub fn new() -> Self {
        Self::default()
    }

    /// The rows that are kept, in order: those of one group after those of another, if groups were selected.
    pub fn rows(&self) -> &[u32] {
        &self.front.rows
    }

    /// For each row of the batch its score: 1 in pinned units, 0 for negative tokens.
    pub fn scores(&self) -> &[f64] {
        &self.front.scores
    }

    /// Why the row was kept or dropped; nothing for a row that the batch did not have.
    pub fn reason(&self, row: usize) -> Option<Reason> {
        self.front.reasons.get(row).copied().and_then(Reason::from_number)
    }

    /// For each row of the batch why it was kept or dropped.
    pub fn reasons(&self) -> impl ExactSizeIterator<Item = Reason> {
        // Every number that is written is a reason's.
        self.front.reasons.iter().map(|&number| Reason::from_number(number).unwrap_or(Reason::Budget))
    }

    /// For each row of the batch the number of its reason.
    pub fn reason_numbers(&self) -> &[u8] {
        &self.front.reasons
    }

    /// For each row of the batch the row that caused its reason, or [`NO_CAUSE`].
    pub fn causes(&self) -> &[u32] {
        &self.front.causes
    }

    /// The count quotas that could not be met.
    pub fn shortfalls(&self) -> &[Shortfall] {
        &self.front.shortfalls
    }

    /// Where the rows of each group begin in [`rows`](Self::rows), and after the last group where they end: those of group `g`
    /// are from `offsets[g]` to before `offsets[g + 1]`. A selection of a whole batch has one group, a new selection no offset.
    pub fn offsets(&self) -> &[i64] {
        &self.front.offsets
    }

    /// The same for [`shortfalls`](Self::shortfalls).
    pub fn shortfall_offsets(&self) -> &[i64] {
        &self.front.shortfall_offsets
    }

    /// Sums of tokens; where groups were selected, over all of them.
    pub fn tokens(&self) -> Tokens {
        self.front.tokens
    }

    /// Whether the rows of an earlier selection were left as they were.
    pub fn is_stable(&self) -> bool {
        self.front.stable
    }

    /// How many rows the batch had.
    pub fn batch_len(&self) -> usize {
        self.front.reasons.len()
    }
}
