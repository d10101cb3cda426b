//! Sets of up to three tags, by inclusion and exclusion.
//!
//! The rows that share a tag with {a, b, c} are |a| + |b| + |c| - |ab| - |ac| - |bc| + |abc|, where |ab| is the number of rows
//! with both tags. Sets are distinct and have at most three tags, so |abc| is the number of the set's own rows, and it
//! suffices to count tags and pairs of tags.

use super::{TagSets, as_u32, half, take};

/// Whether a table of all pairs of tags is small, in itself or relative to the number of pairs that occur.
pub(super) fn is_dense(tag_count: usize, pairs: usize) -> bool {
    tag_count <= DENSE_TAGS && tag_count * tag_count <= pairs.saturating_mul(4).saturating_add(4096)
}

/// The most tags of a table of pairs: 8 MiB.
const DENSE_TAGS: usize = 1024;

/// The words of scratch for up to `tag_count` tags, by a table or by groups.
pub(super) fn scratch_words(tag_count: usize, pairs: usize) -> Option<usize> {
    let sparse = half(tag_count.checked_add(1)?).checked_add(tag_count.checked_mul(2)?)?.checked_add(pairs)?;
    // Fewer tags may make a table where `tag_count` tags do not, up to the limits of `is_dense`.
    let dense = pairs.saturating_mul(4).saturating_add(4096);
    let dense = dense.min(tag_count.min(DENSE_TAGS).pow(2));
    Some(sparse.max(dense))
}

/// Counts sets of at most three tags; a set without tags gets 0.
pub(super) fn count(sets: &TagSets<'_>, pairs: usize, scratch: &mut [u64], out: &mut [f64]) {
    if is_dense(sets.tag_count, pairs) {
        dense(sets, scratch, out);
    } else {
        sparse(sets, pairs, scratch, out);
    }
}

/// Counts in a square table of pairs. The diagonal holds the single tags.
pub(super) fn dense(sets: &TagSets<'_>, scratch: &mut [u64], out: &mut [f64]) {
    let width = sets.tag_count;
    let table = &mut scratch[..width * width];
    table.fill(0);
    for (_, tags, rows) in sets.iter() {
        let rows = u64::from(rows);
        for (i, &a) in tags.iter().enumerate() {
            for &b in &tags[i..] {
                table[a as usize * width + b as usize] += rows;
            }
        }
    }
    out.fill(0.0);
    for (set, tags, rows) in sets.iter() {
        let at = |i: usize, j: usize| table[tags[i] as usize * width + tags[j] as usize];
        out[set] = match tags.len() {
            0 => 0,
            1 => at(0, 0),
            2 => at(0, 0) + at(1, 1) - at(0, 1),
            _ => at(0, 0) + at(1, 1) + at(2, 2) + u64::from(rows) - at(0, 1) - at(0, 2) - at(1, 2),
        } as f64;
    }
}

/// Counts pairs grouped by their first tag, so that one line of the table suffices. Without hashing, tags cannot be chosen to
/// collide.
pub(super) fn sparse(sets: &TagSets<'_>, pairs: usize, mut scratch: &mut [u64], out: &mut [f64]) {
    let rest = &mut scratch;
    let width = sets.tag_count;
    let ends = &mut as_u32(take(rest, half(width + 1)))[..=width];
    let singles = take(rest, width);
    let line = take(rest, width);
    let grouped = take(rest, pairs);

    ends.fill(0);
    singles.fill(0);
    for (_, tags, rows) in sets.iter() {
        for (i, &a) in tags.iter().enumerate() {
            singles[a as usize] += u64::from(rows);
            ends[a as usize + 1] += (tags.len() - 1 - i) as u32;
        }
    }
    // `ends[a]` is the start of group `a` and moves to its end while the group is filled.
    for a in 0..width {
        ends[a + 1] += ends[a];
    }
    out.fill(0.0);
    for (set, tags, rows) in sets.iter() {
        let mut sum = 0;
        for (i, &a) in tags.iter().enumerate() {
            sum += singles[a as usize];
            for &b in &tags[i + 1..] {
                let end = &mut ends[a as usize];
                grouped[*end as usize] = u64::from(b) << 32 | set as u64;
                *end += 1;
            }
        }
        out[set] = (sum + if tags.len() == 3 { u64::from(rows) } else { 0 }) as f64;
    }
    line.fill(0);
    let mut start = 0;
    for &end in &ends[..width] {
        let group = &grouped[start as usize..end as usize];
        start = end;
        for &pair in group {
            line[(pair >> 32) as usize] += u64::from(sets.rows[pair as u32 as usize]);
        }
        for &pair in group {
            out[pair as u32 as usize] -= line[(pair >> 32) as usize] as f64;
        }
        for &pair in group {
            line[(pair >> 32) as usize] = 0;
        }
    }
}
