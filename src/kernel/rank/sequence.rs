//! Rows that are in order already, or in reverse order.

use super::super::sort::Rows;
use super::{Key, score};

/// Which way the keys go from the first row to the last; ties may occur in either.
#[derive(Clone, Copy)]
pub(super) enum Direction {
    Ascending,
    Descending,
}

/// The direction of the rows that are present and their number, or `None` when they are out of
/// order.
///
/// Random rows are found out of order after the first few.
pub(super) fn direction<K: Key>(rows: Rows<K>) -> Option<(Direction, usize)> {
    let mut ascending = true;
    let mut descending = true;
    let mut peers = 0;
    let mut last = None;
    for (row, &key) in rows.keys.iter().enumerate() {
        if rows.present.is_some_and(|present| present[row] == 0) {
            continue;
        }
        let before = last.unwrap_or(key);
        ascending &= before <= key;
        descending &= before >= key;
        if !ascending && !descending {
            return None;
        }
        last = Some(key);
        peers += 1;
    }
    Some((if ascending { Direction::Ascending } else { Direction::Descending }, peers))
}

/// Ranks rows that go in a direction.
pub(super) fn rank<K: Key>(rows: Rows<K>, direction: Direction, peers: usize, out: &mut [f64]) {
    if peers < 2 {
        match rows.present {
            None => out.fill(peers as f64),
            Some(present) => {
                for (out, &present) in out.iter_mut().zip(present) {
                    *out = if present == 0 { 0.0 } else { 1.0 };
                }
            }
        }
        return;
    }
    let mut run = Run { last: None, start: 0, seen: 0 };
    let step = |row: usize| {
        if rows.present.is_some_and(|present| present[row] == 0) {
            out[row] = 0.0;
        } else {
            out[row] = score(run.smaller(rows.keys[row]), peers);
        }
    };
    match direction {
        Direction::Ascending => (0..rows.keys.len()).for_each(step),
        Direction::Descending => (0..rows.keys.len()).rev().for_each(step),
    }
}

/// A walk along ascending keys.
struct Run<K> {
    last: Option<K>,
    start: usize,
    seen: usize,
}

impl<K: Key> Run<K> {
    /// How many keys before this one are smaller than it.
    #[inline(always)]
    fn smaller(&mut self, key: K) -> usize {
        if self.last != Some(key) {
            self.start = self.seen;
            self.last = Some(key);
        }
        self.seen += 1;
        self.start
    }
}
