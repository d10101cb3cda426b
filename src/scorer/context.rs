//! The input of a scorer: rows, scratch memory, and the time.

use std::ops::Range;

use smallvec::SmallVec;

use crate::batch::Batch;
use crate::error::{Error, Parameter, Value, check};
use crate::kernel::rank::{Key, rank};
use crate::memory::OutOfMemory;
use crate::scorer::clock::Clock;

/// The rows of one scoring call, and which of them are peers of each other.
#[derive(Clone, Copy, Debug)]
pub struct ScoreInput<'a> {
    batch: &'a Batch,
    peers: Option<&'a [u8]>,
    groups: Option<Groups<'a>>,
}

/// Groups of consecutive rows: non-decreasing offsets from 0 to the number of rows. A group lies between two offsets.
#[derive(Clone, Copy, Debug)]
pub struct Groups<'a>(&'a [i64]);

impl<'a> Groups<'a> {
    /// Checks offsets into `rows` rows.
    pub fn new(offsets: &'a [i64], rows: usize) -> Result<Self, Error> {
        let check = |is_valid, index: usize, rule| {
            let value = Value::Integer(offsets.get(index).copied().unwrap_or_default());
            check(is_valid, Parameter::Groups(index), value, rule)
        };
        check(offsets.first() == Some(&0), 0, "the first offset must be there, and be 0")?;
        let falling = (1..offsets.len()).find(|&index| offsets[index] < offsets[index - 1]);
        check(falling.is_none(), falling.unwrap_or_default(), "offsets must never go down")?;
        let last = offsets.len() - 1;
        let is_length = usize::try_from(offsets[last]) == Ok(rows);
        check(is_length, last, "the last offset must be the length of the batch")?;
        Ok(Self(offsets))
    }

    /// The number of groups.
    pub fn count(self) -> usize {
        self.0.len() - 1
    }

    /// The rows of each group.
    pub fn iter(self) -> impl Iterator<Item = Range<usize>> + use<'a> {
        // The offsets were checked to fit.
        self.0.windows(2).map(|ends| ends[0] as usize..ends[1] as usize)
    }

    /// The length of the longest group.
    pub fn longest(self) -> usize {
        self.iter().map(|rows| rows.len()).max().unwrap_or(0)
    }
}

impl<'a> ScoreInput<'a> {
    /// The rows of a batch. `peers` has a byte for each: 1 for a row that takes part, else 0; `None` when all do.
    pub(crate) fn new(batch: &'a Batch, peers: Option<&'a [u8]>, groups: Option<Groups<'a>>) -> Self {
        assert!(peers.is_none_or(|peers| peers.len() == batch.len()), "one byte per row");
        Self { batch, peers, groups }
    }

    /// The rows.
    pub fn batch(&self) -> &'a Batch {
        self.batch
    }

    /// The groups whose rows are compared with each other alone; `None` when all rows are one group.
    pub fn groups(&self) -> Option<Groups<'a>> {
        self.groups
    }

    /// The most rows that are compared with each other.
    pub(super) fn longest(&self) -> usize {
        self.groups.map_or(self.batch.len(), Groups::longest)
    }

    /// Which rows take part: a byte for each row, 1 for a peer and 0 for another row; `None` when all rows are peers.
    ///
    /// A scorer that compares rows compares peers with peers, as if the batch held no other rows. The scores of the other
    /// rows are ignored.
    pub fn peers(&self) -> Option<&'a [u8]> {
        self.peers
    }
}

/// The identity and the reading of each clock that was read in a call.
pub(crate) type ClockReadings = SmallVec<[(usize, i64); 8]>;

/// One scoring call: the rows, scratch memory, and the time.
#[derive(Debug)]
pub struct ScoreContext<'a> {
    pub(super) input: ScoreInput<'a>,
    pub(super) words: &'a mut [u64],
    pub(super) doubles: &'a mut [f64],
    /// A byte for each row if the input has peers.
    pub(super) validity: &'a mut [u8],
    pub(super) readings: &'a mut ClockReadings,
}

/// An amount of scratch memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scratch {
    /// Integers of 64 bits.
    pub words: usize,
    /// Doubles.
    pub doubles: usize,
}

impl<'a> ScoreContext<'a> {
    /// The rows and which of them are peers.
    pub fn input(&self) -> ScoreInput<'a> {
        self.input
    }

    /// The rows.
    pub fn batch(&self) -> &'a Batch {
        self.input.batch
    }

    /// At least as much memory as [`Scorer::scratch`](super::Scorer::scratch) asked for. Its contents are unspecified.
    pub fn scratch(&mut self) -> (&mut [u64], &mut [f64]) {
        (self.words, self.doubles)
    }

    /// Writes the rank of each peer of a group by the keys of a column: see [`rank`]. The scratch is that of
    /// [`scratch_words`](crate::kernel::rank::scratch_words) for the longest group.
    pub(super) fn rank<K: Key>(&mut self, keys: &[K], validity: Option<&[u8]>, out: &mut [f64]) {
        let Self { input, words, validity: joined, .. } = self;
        let present = match (input.peers, validity) {
            (None, validity) => validity,
            (peers, None) => peers,
            (Some(peers), Some(validity)) => {
                let joined = &mut joined[..peers.len()];
                for ((joined, &peer), &present) in joined.iter_mut().zip(peers).zip(validity) {
                    *joined = peer & present;
                }
                Some(&*joined)
            }
        };
        each_group(input.groups, out, |rows, out| {
            rank(&keys[rows.clone()], present.map(|present| &present[rows]), words, out);
        });
    }

    /// The reading of `clock`, in nanoseconds since the Unix epoch. A clock is read once per call.
    pub fn now(&mut self, clock: &Clock) -> Result<i64, Error> {
        let identity = clock.identity();
        if let Some(&(_, now)) = self.readings.iter().find(|(known, _)| *known == identity) {
            return Ok(now);
        }
        let now = clock.now()?;
        self.readings.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.readings.push((identity, now));
        Ok(now)
    }
}

/// Calls `score` for the rows of each group with their part of `out`, or once for all rows.
pub(super) fn each_group(groups: Option<Groups<'_>>, out: &mut [f64], mut score: impl FnMut(Range<usize>, &mut [f64])) {
    match groups {
        None => score(0..out.len(), out),
        Some(groups) => groups.iter().for_each(|rows| score(rows.clone(), &mut out[rows])),
    }
}
