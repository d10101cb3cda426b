//! Keys in ascending or descending order.

use super::super::sort::Rows;
use super::{Key, score};

/// The order of the keys, from the first row to the last. Both may have ties.
#[derive(Clone, Copy)]
pub(super) enum Direction {
    Ascending,
    Descending,
}

/// The direction of the present keys and their number, or `None` when they are unordered, which random keys show after a few
/// rows.
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

/// Ranks ordered rows.
pub(super) fn rank<K: Key>(rows: Rows<K>, direction: Direction, peers: usize, out: &mut [f64]) {
    if peers < 2 {
        // The only present row, if there is one, scores 1.0.
        return rows.each(|row, _, present| out[row] = f64::from(u8::from(present)));
    }
    let (mut last, mut smaller, mut seen) = (None, 0, 0);
    let step = |row: usize| {
        if rows.present.is_some_and(|present| present[row] == 0) {
            out[row] = 0.0;
            return;
        }
        if last != Some(rows.keys[row]) {
            last = Some(rows.keys[row]);
            smaller = seen;
        }
        seen += 1;
        out[row] = score(smaller, peers);
    };
    match direction {
        Direction::Ascending => (0..rows.keys.len()).for_each(step),
        Direction::Descending => (0..rows.keys.len()).rev().for_each(step),
    }
}
