//! What a scorer has at hand while it scores.

use crate::batch::Batch;
use crate::error::Error;
use crate::scorer::clock::Clock;

/// One scoring call: the batch, scratch memory, and the time.
#[derive(Debug)]
pub struct Call<'a> {
    batch: &'a Batch,
    words: &'a mut [u64],
    doubles: &'a mut [f64],
    readings: &'a mut Vec<(usize, i64)>,
}

/// An amount of scratch memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scratch {
    /// Whole numbers of 64 bits.
    pub words: usize,
    /// Doubles.
    pub doubles: usize,
}

impl<'a> Call<'a> {
    pub(super) fn new(
        batch: &'a Batch,
        words: &'a mut [u64],
        doubles: &'a mut [f64],
        readings: &'a mut Vec<(usize, i64)>,
    ) -> Self {
        Self { batch, words, doubles, readings }
    }

    /// The rows.
    pub fn batch(&self) -> &'a Batch {
        self.batch
    }

    /// As much memory as [`Scorer::scratch`](super::Scorer::scratch) asked for, or more. What is in it is of no account.
    pub fn scratch(&mut self) -> (&mut [u64], &mut [f64]) {
        (self.words, self.doubles)
    }

    /// What `clock` says, in nanoseconds since the Unix epoch. It is read once in a call.
    pub fn now(&mut self, clock: &Clock) -> Result<i64, Error> {
        let identity = clock.identity();
        if let Some(&(_, now)) = self.readings.iter().find(|(known, _)| *known == identity) {
            return Ok(now);
        }
        let now = clock.now()?;
        crate::memory::try_push(self.readings, (identity, now))?;
        Ok(now)
    }
}
