//! How many rows share a tag with each tag set of a batch.
//!
//! Comparing every pair of rows is quadratic, and no sub-quadratic algorithm is known for long tag sets (it is
//! orthogonal-vectors counting). The sets are therefore divided by shape:
//!
//! | sets | counted by | cost |
//! |---|---|---|
//! | up to three tags, among themselves | `pairs`: inclusion and exclusion | linear, or the square of a small number of tags |
//! | four tags or more, with all, when few sets share a tag | `postings`: an inverted index | the matching pairs |
//! | four tags or more, with all, otherwise | `blocks`: 512 sets per step | quadratic / 512 |
//!
//! Rows with the same tag set are one set with a number of rows, so the cost depends on the distinct sets. Counts are exact
//! integers, whichever way they are computed.

mod blocks;
mod pairs;
mod postings;

#[cfg(test)]
mod tests;

/// The distinct tag sets of a batch.
#[derive(Clone, Copy, Debug)]
pub struct TagSets<'a> {
    /// Set `i` has the tags `offsets[i]..offsets[i + 1]` of `tags`.
    pub offsets: &'a [u32],
    /// Folded tag ids, strictly ascending within a set. Sets with rows are distinct.
    pub tags: &'a [u32],
    /// The number of rows of each set. Sets without rows are ignored.
    pub rows: &'a [u32],
    /// Every tag id is below this.
    pub tag_count: usize,
}

impl<'a> TagSets<'a> {
    /// The number of sets, with rows or without.
    #[inline]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    #[inline(always)]
    fn tags(&self, set: usize) -> &'a [u32] {
        &self.tags[self.offsets[set] as usize..self.offsets[set + 1] as usize]
    }

    /// The sets that have rows, with their tags and rows.
    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = (usize, &'a [u32], u32)> {
        let (offsets, tags, rows) = (&self.offsets[..=self.len()], self.tags, self.rows);
        rows.iter()
            .zip(offsets.windows(2))
            .enumerate()
            .filter(|&(_, (&rows, _))| rows != 0)
            .map(move |(set, (&rows, span))| (set, &tags[span[0] as usize..span[1] as usize], rows))
    }
}

/// The most tags of a small set. Only a longer set can share three tags with it, hence [`pairs`] counts no triples.
const SMALL: usize = 3;

/// What the lengths of the sets determine.
struct Shape {
    /// Occurrences of tags in sets that have rows.
    occurrences: usize,
    /// Pairs of tags within the sets that may be counted by [`pairs`].
    pairs: usize,
    /// Whether a set is longer than [`SMALL`].
    has_long: bool,
}

impl Shape {
    fn of(sets: &TagSets<'_>) -> Option<Self> {
        let (mut occurrences, mut pairs, mut long) = (0_usize, 0_usize, 0_usize);
        for (_, tags, _) in sets.iter() {
            occurrences = occurrences.checked_add(tags.len())?;
            // A longer set joins only with two tags that others use: one pair.
            pairs = pairs.checked_add([0, 0, 1, 3].get(tags.len()).copied().unwrap_or(1))?;
            long += usize::from(tags.len() > SMALL);
        }
        Some(Self { occurrences, pairs, has_long: long != 0 })
    }

    /// Tags that two sets share: no more than half of the occurrences.
    fn shared_tags(&self, tag_count: usize) -> usize {
        tag_count.min(self.occurrences / 2)
    }
}

/// The words of scratch that [`matching_rows`] needs for these sets, or for some of them; `None` when their number does not fit
/// in a `usize`.
///
/// At most 64 bytes for each tag that two sets share (hence 32 per occurrence of a tag), 8 per tag, and about 16 per set; or else
/// a table of 32 bytes for each pair of tags in a set, and no more than 8 MiB.
pub fn scratch_words(sets: &TagSets<'_>) -> Option<usize> {
    let shape = Shape::of(sets)?;
    let shared = shape.shared_tags(sets.tag_count);
    let mut counting = pairs::scratch_words(shared, shape.pairs)?;
    if shape.has_long {
        let large = blocks::scratch_words(shared)?.max(postings::scratch_words(shared, shape.occurrences, sets.len())?);
        counting = counting.max(large.checked_add(sets.len())?);
    }
    let words = half(sets.tag_count)
        .checked_add(sets.len().div_ceil(64))?
        .checked_add(half(sets.len().checked_add(1)?))?
        .checked_add(half(shape.occurrences))?
        .checked_add(counting)?;
    // Some of the sets may be small even if not all are.
    Some(words.max(pairs::table_words(sets.tag_count, shape.pairs).unwrap_or(0)))
}

/// Writes, for every set, the number of rows whose set shares a tag with it, its own rows included; 0.0 for a set without tags
/// or rows.
///
/// `scratch` has at least [`scratch_words`] words and may hold anything. The sum of all rows is below 2^53.
///
/// # Panics
///
/// When the lengths disagree, a tag id is out of range or `scratch` is short.
pub fn matching_rows(sets: &TagSets<'_>, mut scratch: &mut [u64], out: &mut [f64]) {
    assert_eq!(sets.offsets.len(), sets.len() + 1, "one offset more than sets");
    assert_eq!(out.len(), sets.len(), "one count per set");
    let shape = &Shape::of(sets).expect("the scratch was sized by the same shape");
    if !shape.has_long && pairs::table_words(sets.tag_count, shape.pairs).is_some() {
        return pairs::count_by_table(sets, scratch, out);
    }
    let rest = &mut scratch;
    let ids = take_u32(rest, sets.tag_count);
    let large = Members(take(rest, sets.len().div_ceil(64)));
    let offsets = take_u32(rest, sets.len() + 1);
    let tags = take_u32(rest, shape.occurrences);

    let large_sets = find_large(sets, shape, ids, large.0);

    // Small sets: only tags that two of them share can join them.
    ids.fill(0);
    for (_, set_tags, _) in sets.iter().filter(|&(set, ..)| !large.has(set)) {
        count_uses(set_tags, ids);
    }
    let shared = number(ids, |uses| uses >= 2);
    let reduced = reduce(sets, ids, shared, |set| !large.has(set), offsets, tags);
    pairs::count_by_tag(&reduced, shape.pairs, rest, out);
    for (set, set_tags, rows) in sets.iter() {
        if reduced.tags(set).is_empty() && !set_tags.is_empty() && !large.has(set) {
            out[set] = f64::from(rows);
        }
    }
    if large_sets == 0 {
        return;
    }

    // Large sets: only tags that one of them has, and another set too.
    ids.fill(0);
    for (set, set_tags, _) in sets.iter() {
        if large.has(set) {
            count_uses(set_tags, ids);
        }
    }
    for (set, set_tags, _) in sets.iter() {
        if !large.has(set) {
            for &tag in set_tags {
                let uses = &mut ids[tag as usize];
                *uses += u32::from(*uses != 0);
            }
        }
    }
    let shared = number(ids, |uses| uses >= 2);
    let reduced = reduce(sets, ids, shared, |_| true, offsets, tags);
    let order = take(rest, sets.len());
    let order = arrange(&reduced, &large, large_sets, order);
    if postings::is_cheaper(&reduced, order, large_sets, rest) {
        postings::count(&reduced, order, large_sets, rest, out);
    } else {
        blocks::count(&reduced, order, large_sets, rest, out);
    }
}

/// Marks the large sets and returns their number. A long set with at most two tags that other sets have is small, since its
/// other tags match nothing. With three such tags it might equal another set, and [`pairs`] needs distinct triples.
fn find_large(sets: &TagSets<'_>, shape: &Shape, uses: &mut [u32], large: &mut [u64]) -> usize {
    large.fill(0);
    if !shape.has_long {
        return 0;
    }
    uses.fill(0);
    for (_, tags, _) in sets.iter() {
        count_uses(tags, uses);
    }
    let mut found = 0;
    for (set, tags, _) in sets.iter().filter(|(_, tags, _)| tags.len() > SMALL) {
        if tags.iter().filter(|&&tag| uses[tag as usize] >= 2).nth(SMALL - 1).is_some() {
            large[set / 64] |= 1 << (set % 64);
            found += 1;
        }
    }
    found
}

#[inline(always)]
fn count_uses(tags: &[u32], uses: &mut [u32]) {
    for &tag in tags {
        uses[tag as usize] += 1;
    }
}

/// The id of a tag that is left out.
const DROPPED: u32 = u32::MAX;

/// Replaces the uses of each tag by a dense id, or by [`DROPPED`]. Returns the number of ids.
fn number(uses: &mut [u32], keep: impl Fn(u32) -> bool) -> usize {
    let mut next = 0;
    for slot in uses {
        let kept = keep(*slot);
        *slot = if kept { next } else { DROPPED };
        next += u32::from(kept);
    }
    next as usize
}

/// The same sets with the ids of [`number`]. Sets that `keep` rejects, and sets without rows, have no tags.
fn reduce<'a>(
    sets: &TagSets<'a>,
    ids: &[u32],
    tag_count: usize,
    keep: impl Fn(usize) -> bool,
    offsets: &'a mut [u32],
    tags: &'a mut [u32],
) -> TagSets<'a> {
    let mut len = 0;
    offsets[0] = 0;
    for (set, &rows) in sets.rows.iter().enumerate() {
        if rows != 0 && keep(set) {
            for &tag in sets.tags(set) {
                let id = ids[tag as usize];
                if id != DROPPED {
                    tags[len] = id;
                    len += 1;
                }
            }
        }
        // No more occurrences than in `sets`, whose offsets are `u32` too.
        offsets[set + 1] = len as u32;
    }
    TagSets { offsets, tags: &tags[..len], rows: sets.rows, tag_count }
}

/// Lists the large sets and then the small sets that share a tag with a large one, each part in descending order of rows, so
/// that the sets of a block have similar numbers of rows and need few bit planes.
fn arrange<'a>(sets: &TagSets<'_>, large: &Members<'_>, large_sets: usize, order: &'a mut [u64]) -> &'a [Member] {
    let (mut next_large, mut next_small) = (0, large_sets);
    for (set, tags, rows) in sets.iter() {
        let slot = if large.has(set) {
            &mut next_large
        } else if tags.is_empty() {
            continue;
        } else {
            &mut next_small
        };
        order[*slot] = u64::from(!rows) << 32 | set as u64;
        *slot += 1;
    }
    let order = &mut order[..next_small];
    order[..large_sets].sort_unstable();
    order[large_sets..].sort_unstable();
    order
}

/// A set in the order of [`arrange`]: the complement of its rows in the high half of the word, its index in the low half.
type Member = u64;

#[inline(always)]
fn rows_of(member: Member) -> u32 {
    !(member >> 32) as u32
}

#[inline(always)]
fn set_of(member: Member) -> usize {
    member as u32 as usize
}

/// A bit per set.
struct Members<'a>(&'a mut [u64]);

impl Members<'_> {
    #[inline(always)]
    fn has(&self, set: usize) -> bool {
        self.0[set / 64] >> (set % 64) & 1 != 0
    }
}

/// Splits the first `words` off the scratch.
fn take<'a>(scratch: &mut &'a mut [u64], words: usize) -> &'a mut [u64] {
    let (head, tail) = std::mem::take(scratch).split_at_mut(words);
    *scratch = tail;
    head
}

/// The words that hold `len` values of 32 bits.
const fn half(len: usize) -> usize {
    len.div_ceil(2)
}

/// Splits `len` values of 32 bits off the scratch.
fn take_u32<'a>(scratch: &mut &'a mut [u64], len: usize) -> &'a mut [u32] {
    &mut bytemuck::cast_slice_mut(take(scratch, half(len)))[..len]
}
