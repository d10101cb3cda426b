//! Large sets whose tags are in few other sets, by an inverted index: a list of sets for each tag.

use super::{Member, TagSets, half, rows_of, set_of, take_u32};

/// The words of scratch for up to this many tags, occurrences and sets.
pub(super) fn scratch_words(tag_count: usize, occurrences: usize, sets: usize) -> Option<usize> {
    half(tag_count.checked_add(1)?).checked_add(half(occurrences))?.checked_add(half(sets))
}

/// Whether the index costs less than [`super::blocks`].
pub(super) fn is_cheaper(sets: &TagSets<'_>, order: &[Member], large_sets: usize, mut scratch: &mut [u64]) -> bool {
    let uses = take_u32(&mut scratch, sets.tag_count);
    uses.fill(0);
    for &member in order {
        super::count_uses(sets.tags(set_of(member)), uses);
    }
    let steps = order[..large_sets]
        .iter()
        .flat_map(|&member| sets.tags(set_of(member)))
        .fold(0_u64, |sum, &tag| sum.saturating_add(u64::from(uses[tag as usize])));
    steps <= super::blocks::steps(sets, order, large_sets)
}

/// Adds to each large set the rows of the sets that share a tag with it, and to each small set the rows of the large sets that
/// do. The large sets come first in `order`, which has every set with tags.
pub(super) fn count(sets: &TagSets<'_>, order: &[Member], large_sets: usize, mut scratch: &mut [u64], out: &mut [f64]) {
    let rest = &mut scratch;
    let width = sets.tag_count;
    let ends = take_u32(rest, width + 1);
    let holders = take_u32(rest, sets.tags.len());
    let seen = take_u32(rest, sets.len());

    // The positions of the members in `order`, grouped by tag.
    ends.fill(0);
    for &tag in sets.tags {
        ends[tag as usize + 1] += 1;
    }
    for tag in 0..width {
        ends[tag + 1] += ends[tag];
    }
    for (position, &member) in order.iter().enumerate() {
        for &tag in sets.tags(set_of(member)) {
            let end = &mut ends[tag as usize];
            holders[*end as usize] = position as u32;
            *end += 1;
        }
    }

    seen.fill(0);
    for (position, &member) in order[..large_sets].iter().enumerate() {
        let own_rows = f64::from(rows_of(member));
        let mark = position as u32 + 1;
        let mut sum = 0;
        for &tag in sets.tags(set_of(member)) {
            let tag = tag as usize;
            let start = if tag == 0 { 0 } else { ends[tag - 1] };
            for &holder in &holders[start as usize..ends[tag] as usize] {
                let seen = &mut seen[holder as usize];
                if *seen != mark {
                    *seen = mark;
                    let other = order[holder as usize];
                    sum += u64::from(rows_of(other));
                    if holder as usize >= large_sets {
                        out[set_of(other)] += own_rows;
                    }
                }
            }
        }
        out[set_of(member)] += sum as f64;
    }
}
