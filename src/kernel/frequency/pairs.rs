//! Sets of up to three tags, by inclusion and exclusion.
//!
//! The rows that share a tag with {a, b, c} are |a| + |b| + |c| - |ab| - |ac| - |bc| + |abc|, where |ab| is the number of rows
//! with both tags. Sets are distinct and have at most three tags, so |abc| is the number of the set's own rows, and it
//! suffices to count tags and pairs of tags.
//!
//! Few tags make a table of all pairs. With more tags, pairs are grouped by their first tag, so that one line of the table
//! suffices. There is no hash table, hence no tags that collide.

use super::{TagSets, half, take, take_u32};

/// The words of a table of all pairs of tags, if it is small, in itself or relative to the number of pairs that occur.
pub(super) fn table_words(tag_count: usize, pairs: usize) -> Option<usize> {
    tag_count
        .checked_mul(tag_count)
        .filter(|&words| words <= pairs.saturating_mul(4).saturating_add(4096).min(MAX_TABLE_WORDS))
}

/// 8 MiB.
const MAX_TABLE_WORDS: usize = 1 << 20;

/// Counts sets of at most three tags in a table of pairs, whose diagonal holds the single tags. Tags need not be shared.
pub(super) fn count_by_table(sets: &TagSets<'_>, scratch: &mut [u64], out: &mut [f64]) {
    let width = sets.tag_count;
    let table = &mut scratch[..width * width];
    table.fill(0);
    for (_, tags, rows) in sets.iter() {
        for (i, &a) in tags.iter().enumerate() {
            for &b in &tags[i..] {
                table[a as usize * width + b as usize] += u64::from(rows);
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

/// The words of scratch of [`count_by_tag`] for up to this many tags and pairs of tags.
pub(super) fn scratch_words(tag_count: usize, pairs: usize) -> Option<usize> {
    half(tag_count.checked_add(1)?).checked_add(tag_count.checked_mul(2)?)?.checked_add(pairs)
}

/// Counts sets of at most three tags, pairs grouped by their first tag; a set without tags gets 0.
pub(super) fn count_by_tag(sets: &TagSets<'_>, pairs: usize, mut scratch: &mut [u64], out: &mut [f64]) {
    let rest = &mut scratch;
    let width = sets.tag_count;
    let ends = take_u32(rest, width + 1);
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
