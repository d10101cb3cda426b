//! Ranks: for each row, the number of peers with a smaller key.
//!
//! A rank costs a sort, unless the keys have a shape that makes it cheaper. The shapes are tested in this order:
//!
//! 1. ascending or descending keys: one pass (a chat history is in order);
//! 2. few rows: all pairs are compared;
//! 3. keys in a small range: counted in a table;
//! 4. all others: sorted, see `sort`.

mod count;
mod pairs;
mod sequence;
#[cfg(test)]
mod tests;

use core::hint::select_unpredictable;

use super::dispatch::multiversion;
use super::sort::{self, Rows, Ties};

/// The words of scratch that ranking this number of rows needs.
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

/// Writes the rank of every row: 0.0 for an absent row, 1.0 for the only present row, else the number of strictly smaller
/// present keys, divided by the number of other present rows.
///
/// `present` holds 1 for a row that has a key and 0 for one that has none; `None` means that every row has one. `scratch` may
/// hold anything.
///
/// # Panics
///
/// When the slices differ in length, or `scratch` is shorter than [`scratch_words`].
pub fn rank<K: Key>(keys: &[K], present: Option<&[u8]>, scratch: &mut [u64], out: &mut [f64]) {
    assert_eq!(keys.len(), out.len());
    assert!(present.is_none_or(|present| present.len() == out.len()));
    assert!(scratch.len() >= scratch_words(out.len()), "scratch is too short");
    let rows = Rows { keys, present };
    if let Some((direction, peers)) = sequence::direction(rows) {
        return sequence::rank(rows, direction, peers, out);
    }
    if keys.len() <= pairs::MOST {
        return pairs::rank(rows, out);
    }
    // Unordered keys are at least two, and not all equal.
    let (min, max, peers) = range(keys, present);
    let (min, max): (i64, i64) = (min.into(), max.into());
    let span = max.wrapping_sub(min) as u64;
    // The range of a byte is always small, which spares the library a sort of bytes.
    if size_of::<K>() == 1 || span < count::span_limit(keys.len()) {
        return count::rank(rows, min, span as usize, peers, scratch, out);
    }
    if present.is_some() {
        out.fill(0.0);
    }
    let distance = |key: K| key.into().wrapping_sub(min) as u64;
    let mut smaller = 0;
    // A double: next to an integer it would be loaded together with `smaller`, which was just stored, and the load would wait
    // for the store.
    let others = (peers - 1) as f64;
    let mut visit = move |ties: Ties<'_>| {
        let score = smaller as f64 / others;
        ties.rows().for_each(|row| out[row] = score);
        smaller += ties.len();
    };
    sort::visit_by_key(rows, distance, span, peers, scratch, &mut visit);
}

/// The score of a row with this number of smaller peers.
#[inline(always)]
fn score(smaller: usize, peers: usize) -> f64 {
    smaller as f64 / (peers - 1) as f64
}

multiversion! {
    /// The least and the greatest present key, and the number of present rows.
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
                // Chunks that a byte can count, so that the sum is vectorised.
                let count = |present: &[u8]| {
                    present.iter().map(|&present| u8::from(present != 0)).sum::<u8>()
                };
                let peers = present.chunks(255).map(|present| usize::from(count(present))).sum();
                (least, greatest, peers)
            }
        }
    }
}
