//! Up to 64 sets: every tag is one word with a bit per set.

use super::TagSets;

/// The most sets that this path takes.
pub(super) const SETS: usize = 64;

pub(super) fn count(sets: &TagSets<'_>, scratch: &mut [u64], out: &mut [f64]) {
    let lines = &mut scratch[..sets.tag_count];
    lines.fill(0);
    let mut any_rows = 0;
    for (set, tags, rows) in sets.iter() {
        any_rows |= if tags.is_empty() { 0 } else { rows };
        for &tag in tags {
            lines[tag as usize] |= 1 << set;
        }
    }
    // The rows of all sets, bit by bit: the weight of a union of lines is then
    // a population count per bit.
    let planes = (u32::BITS - any_rows.leading_zeros()) as usize;
    let mut weights = [0_u64; u32::BITS as usize];
    if planes > 1 {
        for (set, &rows) in sets.rows.iter().enumerate() {
            for (bit, weight) in weights[..planes].iter_mut().enumerate() {
                *weight |= u64::from(rows >> bit & 1) << set;
            }
        }
    } else {
        weights[0] = u64::MAX;
    }
    for (set, out) in out.iter_mut().enumerate() {
        let mut meets = 0;
        if sets.rows[set] != 0 {
            for &tag in sets.tags(set) {
                meets |= lines[tag as usize];
            }
        }
        let mut rows = 0_u64;
        for (bit, weight) in weights[..planes].iter().enumerate() {
            rows += u64::from((meets & weight).count_ones()) << bit;
        }
        *out = rows as f64;
    }
}
