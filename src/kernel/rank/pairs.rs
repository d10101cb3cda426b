//! Few rows: all pairs of keys are compared, in vector registers.

use super::super::dispatch::multiversion;
use super::super::sort::Rows;
use super::{Key, score};

/// Up to this number of rows, comparing pairs is faster than any other way.
pub(super) const MOST: usize = 64;

/// Keys per vector.
const LANES: usize = 8;

pub(super) fn rank<K: Key>(rows: Rows<K>, out: &mut [f64]) {
    // Absent rows and padding hold the greatest key, so they are smaller than no row.
    let mut wide = [i64::MAX; MOST];
    for (wide, &key) in wide.iter_mut().zip(rows.keys) {
        *wide = key.into();
    }
    let mut peers = rows.keys.len();
    for (wide, &present) in wide.iter_mut().zip(rows.present.unwrap_or_default()) {
        if present == 0 {
            *wide = i64::MAX;
            peers -= 1;
        }
    }
    match peers {
        0 => out.fill(0.0),
        1 => out.fill(1.0),
        _ => compare(&wide, peers, out),
    }
    for (out, &present) in out.iter_mut().zip(rows.present.unwrap_or_default()) {
        if present == 0 {
            *out = 0.0;
        }
    }
}

multiversion! {
    fn compare(keys: &[i64; MOST], peers: usize, out: &mut [f64]) {
        let (chunks, _) = keys.as_chunks::<LANES>();
        let others = &keys[..out.len()];
        for (out, chunk) in out.chunks_mut(LANES).zip(chunks) {
            let mut smaller = [0_i64; LANES];
            for &other in others {
                for (smaller, &key) in smaller.iter_mut().zip(chunk) {
                    *smaller += i64::from(other < key);
                }
            }
            for (out, smaller) in out.iter_mut().zip(smaller) {
                *out = score(smaller as usize, peers);
            }
        }
    }
}
