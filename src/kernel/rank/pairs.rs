//! Few rows: every key is compared with every other, several at a time.

use super::super::dispatch::multiversion;
use super::super::sort::Rows;
use super::{Key, score};

/// Up to so many rows this is faster than anything that needs a table.
pub(super) const MOST: usize = 64;

/// Rows that are compared with another one at once.
const LANES: usize = 8;

pub(super) fn rank<K: Key>(rows: Rows<K>, out: &mut [f64]) {
    // No key is greater than the greatest, so rows that are absent (and padding) count for nobody.
    let mut wide = [i64::MAX; MOST];
    for (wide, &key) in wide.iter_mut().zip(rows.keys) {
        *wide = key.into();
    }
    let mut peers = rows.keys.len();
    if let Some(present) = rows.present {
        for (wide, &present) in wide.iter_mut().zip(present) {
            if present == 0 {
                *wide = i64::MAX;
                peers -= 1;
            }
        }
    }
    match peers {
        0 => out.fill(0.0),
        1 => out.fill(1.0),
        _ => compare(&wide, peers, out),
    }
    if let Some(present) = rows.present {
        for (out, &present) in out.iter_mut().zip(present) {
            if present == 0 {
                *out = 0.0;
            }
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
