//! Ranks: for each row, how many of its peers have a smaller key.
//!
//! The cost of a rank is that of a sort, and most of a sort is spent on distinctions that the shape
//! of the keys makes unnecessary. So the shape is looked at first, cheapest test first:
//!
//! 1. few rows: every pair is compared;
//! 2. rows in order, or in reverse order: one pass (a chat history is in order);
//! 3. keys in a small range: counted in a table;
//! 4. anything else: sorted, see `sort`.

mod count;
mod pairs;
mod sequence;
#[cfg(test)]
mod tests;

use core::hint::select_unpredictable;
use core::ops::ControlFlow;

use super::dispatch::multiversion;
use super::sort::{self, Rows, Ties, Visit};

/// Words of scratch that ranking so many rows needs.
pub fn scratch_words(rows: usize) -> usize {
    if rows <= pairs::MOST {
        return 0;
    }
    sort::scratch_words(rows)
}

/// A signed integer that rows are ranked by.
pub trait Key: Copy + Ord + Into<i64> {
    /// The least value of the type.
    const LEAST: Self;
    /// The greatest value of the type.
    const GREATEST: Self;
}

macro_rules! keys {
    ($($int:ty),+) => {
        $(impl Key for $int {
            const LEAST: Self = <$int>::MIN;
            const GREATEST: Self = <$int>::MAX;
        })+
    };
}
keys!(i8, i16, i32, i64);

/// Writes the rank of every row: 0.0 for an absent one; 1.0 for one that is present alone; else how
/// many present keys are strictly smaller, divided by the number of other present rows.
///
/// `present` holds 1 for a row that has a key and 0 for one that has none; `None` means that every
/// row has one. The contents of `scratch` do not matter, before or after.
///
/// # Panics
///
/// When the slices differ in length, or `scratch` is shorter than [`scratch_words`] of it.
pub fn rank<K: Key>(keys: &[K], present: Option<&[u8]>, scratch: &mut [u64], out: &mut [f64]) {
    assert_eq!(keys.len(), out.len());
    assert!(present.is_none_or(|present| present.len() == out.len()));
    assert!(scratch.len() >= scratch_words(out.len()), "scratch is too short");
    let rows = Rows { keys, present };
    if keys.len() <= pairs::MOST {
        return pairs::rank(rows, out);
    }
    if let Some((direction, peers)) = sequence::direction(rows) {
        return sequence::rank(rows, direction, peers, out);
    }
    // Rows out of order are at least two, and their keys are not all equal.
    let (min, max, peers) = range(keys, present);
    let (min, max): (i64, i64) = (min.into(), max.into());
    let span = max.wrapping_sub(min) as u64;
    if span < count::span_limit(keys.len()) {
        return count::rank(rows, min, span as usize, peers, scratch, out);
    }
    if present.is_some() {
        out.fill(0.0);
    }
    let distance = |key: K| key.into().wrapping_sub(min) as u64;
    let _ = sort::visit_by_key(rows, distance, span, peers, keys.len(), scratch, &mut ByRank::new(peers, out));
}

/// Scores rows in ascending order of their keys.
struct ByRank<'a> {
    smaller: usize,
    /// How many peers a row has. A double, as the processor would else read it together with the number before it, which
    /// was just written, and wait.
    others: f64,
    out: &'a mut [f64],
}

impl<'a> ByRank<'a> {
    fn new(peers: usize, out: &'a mut [f64]) -> Self {
        Self { smaller: 0, others: (peers - 1) as f64, out }
    }
}

impl Visit for ByRank<'_> {
    #[inline(always)]
    fn ties(&mut self, ties: Ties<'_>) -> ControlFlow<()> {
        let score = self.smaller as f64 / self.others;
        for row in ties.rows() {
            self.out[row] = score;
        }
        self.smaller += ties.len();
        ControlFlow::Continue(())
    }
}

/// The score of a row with so many smaller peers.
#[inline(always)]
fn score(smaller: usize, peers: usize) -> f64 {
    smaller as f64 / (peers - 1) as f64
}

multiversion! {
    /// The least key, the greatest key, and the number of the rows that are present.
    fn range<K: Key>(keys: &[K], present: Option<&[u8]>) -> (K, K, usize) {
        let mut least = K::GREATEST;
        let mut greatest = K::LEAST;
        match present {
            None => {
                for &key in keys {
                    least = least.min(key);
                    greatest = greatest.max(key);
                }
                (least, greatest, keys.len())
            }
            Some(present) => {
                for (&key, &present) in keys.iter().zip(present) {
                    least = least.min(select_unpredictable(present == 0, K::GREATEST, key));
                    greatest = greatest.max(select_unpredictable(present == 0, K::LEAST, key));
                }
                // In bytes, as many as cannot overflow one.
                let count = |present: &[u8]| {
                    present.iter().map(|&present| u8::from(present != 0)).sum::<u8>()
                };
                let peers = present.chunks(255).map(|present| usize::from(count(present))).sum();
                (least, greatest, peers)
            }
        }
    }
}
