//! What a scorer is given: the rows, scratch memory, and the time.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::batch::Batch;
use crate::error::Error;
use crate::scorer::clock::Clock;

/// The rows of one scoring call, and which of them are peers of each other.
#[derive(Clone, Copy, Debug)]
pub struct ScoreInput<'a> {
    batch: &'a Batch,
    peers: Option<&'a [u8]>,
}

impl<'a> ScoreInput<'a> {
    /// All rows of a batch, each a peer of all others.
    pub(super) fn all(batch: &'a Batch) -> Self {
        Self { batch, peers: None }
    }

    /// The rows of a batch whose byte in `peers` is 1; the other bytes are 0. There is a byte for each row.
    pub(super) fn peers_of(batch: &'a Batch, peers: Option<&'a [u8]>) -> Self {
        assert!(peers.is_none_or(|peers| peers.len() == batch.len()), "one byte per row");
        Self { batch, peers }
    }

    /// The rows.
    pub fn batch(&self) -> &'a Batch {
        self.batch
    }

    /// Which rows take part: a byte for each row, 1 for a peer and 0 for another row; `None` when all rows are peers.
    ///
    /// A scorer that compares rows compares peers with peers, as if the batch held no other rows. The scores of the other
    /// rows are ignored.
    pub fn peers(&self) -> Option<&'a [u8]> {
        self.peers
    }

    /// How many rows are peers.
    pub(super) fn peer_count(&self) -> usize {
        match self.peers {
            None => self.batch.len(),
            Some(peers) => peers.iter().map(|&peer| usize::from(peer)).sum(),
        }
    }
}

/// One scoring call: the rows, scratch memory, and the time.
#[derive(Debug)]
pub struct ScoreContext<'a> {
    input: ScoreInput<'a>,
    words: &'a mut [u64],
    doubles: &'a mut [f64],
    validity: &'a mut [u8],
    readings: &'a mut HashTable<(usize, i64)>,
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
    /// `validity` has a byte for each row if the input has peers.
    pub(super) fn new(
        input: ScoreInput<'a>,
        words: &'a mut [u64],
        doubles: &'a mut [f64],
        validity: &'a mut [u8],
        readings: &'a mut HashTable<(usize, i64)>,
    ) -> Self {
        Self { input, words, doubles, validity, readings }
    }

    /// The rows and which of them are peers.
    pub fn input(&self) -> ScoreInput<'a> {
        self.input
    }

    /// The rows.
    pub fn batch(&self) -> &'a Batch {
        self.input.batch
    }

    /// Which rows take part; see [`ScoreInput::peers`].
    pub fn peers(&self) -> Option<&'a [u8]> {
        self.input.peers
    }

    /// At least as much memory as [`Scorer::scratch`](super::Scorer::scratch) asked for. Its contents are unspecified.
    pub fn scratch(&mut self) -> (&mut [u64], &mut [f64]) {
        (self.words, self.doubles)
    }

    /// Scratch words, and the validity bytes of a column restricted to the peers: 1 for a peer whose value is present.
    pub(super) fn words_and_validity<'b>(
        &'b mut self,
        validity: Option<&'b [u8]>,
    ) -> (&'b mut [u64], Option<&'b [u8]>) {
        let joined = match (self.input.peers, validity) {
            (None, validity) => validity,
            (peers, None) => peers,
            (Some(peers), Some(validity)) => {
                let joined = &mut self.validity[..peers.len()];
                for ((joined, &peer), &present) in joined.iter_mut().zip(peers).zip(validity) {
                    *joined = peer & present;
                }
                Some(&*joined)
            }
        };
        (self.words, joined)
    }

    /// The reading of `clock`, in nanoseconds since the Unix epoch. A clock is read once per call.
    pub fn now(&mut self, clock: &Clock) -> Result<i64, Error> {
        let identity = clock.identity();
        let hash = |identity: usize| FixedState::default().hash_one(identity);
        if let Some(&(_, now)) = self.readings.find(hash(identity), |(known, _)| *known == identity) {
            return Ok(now);
        }
        let now = clock.now()?;
        self.readings.try_reserve(1, |&(known, _)| hash(known))?;
        self.readings.insert_unique(hash(identity), (identity, now), |&(known, _)| hash(known));
        Ok(now)
    }
}
