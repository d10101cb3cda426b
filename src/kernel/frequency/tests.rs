//! Every path against the plain comparison of all pairs of sets.

use super::super::dispatch::on_every_path;
use super::super::random::Random;
use super::{TagSets, blocks, matching_rows, postings, scratch_words};
use std::collections::BTreeSet;

/// The definition: compare all pairs.
fn oracle(sets: &TagSets<'_>) -> Vec<f64> {
    let shares_tag = |i: usize, j: usize| sets.tags(i).iter().any(|tag| sets.tags(j).binary_search(tag).is_ok());
    let rows = |i: usize, j: usize| if sets.rows[i] != 0 && shares_tag(i, j) { f64::from(sets.rows[j]) } else { 0.0 };
    (0..sets.len()).map(|i| (0..sets.len()).map(|j| rows(i, j)).sum()).collect()
}

/// A batch that owns its columns.
#[derive(Default, Debug)]
struct Batch {
    offsets: Vec<u32>,
    tags: Vec<u32>,
    rows: Vec<u32>,
    tag_count: usize,
}

impl Batch {
    /// The distinct sets of `rows`, in the order of their first row.
    fn of(rows: impl IntoIterator<Item = BTreeSet<u32>>) -> Self {
        let mut batch = Self { offsets: vec![0], ..Self::default() };
        let mut known = std::collections::HashMap::new();
        for set in rows {
            let next = batch.rows.len();
            let index = *known.entry(set.clone()).or_insert(next);
            if index == next {
                batch.tags.extend(&set);
                batch.offsets.push(batch.tags.len() as u32);
                batch.rows.push(0);
            }
            batch.rows[index] += 1;
        }
        batch.tag_count = batch.tags.iter().max().map_or(0, |&tag| tag as usize + 1);
        batch
    }

    fn sets(&self) -> TagSets<'_> {
        TagSets { offsets: &self.offsets, tags: &self.tags, rows: &self.rows, tag_count: self.tag_count }
    }

    /// Compares every path that the batch can take with the oracle. Scratch and output start as rubbish.
    fn check(&self) {
        let sets = self.sets();
        let expected = oracle(&sets);
        let words = scratch_words(&sets).unwrap();
        on_every_path(|| {
            let mut out = vec![f64::NAN; sets.len()];
            matching_rows(&sets, &mut vec![u64::MAX; words], &mut out);
            assert_eq!(out, expected);
        });
        // Both ways of counting large sets, whatever the batch would choose, with other numbers of large sets too.
        let ids: Vec<u32> = (0..self.tag_count as u32).collect();
        let (mut offsets, mut tags) = (vec![7; sets.len() + 1], vec![7; self.tags.len()]);
        let sets = super::reduce(&sets, &ids, self.tag_count, |_| true, &mut offsets, &mut tags);
        let mut scratch = vec![u64::MAX; 20 * self.tag_count + 4 * (self.tags.len() + self.rows.len()) + 10_000];
        let mut order: Vec<u64> = sets.iter().map(|(set, _, rows)| u64::from(!rows) << 32 | set as u64).collect();
        order.sort_unstable();
        for large_sets in [order.len(), order.len() / 2, order.len().min(1)] {
            let mut by_postings = vec![0.0; sets.len()];
            postings::count(&sets, &order, large_sets, &mut scratch, &mut by_postings);
            on_every_path(|| {
                let mut by_blocks = vec![0.0; sets.len()];
                blocks::count(&sets, &order, large_sets, &mut scratch, &mut by_blocks);
                assert_eq!(by_blocks, by_postings);
            });
            assert!(large_sets != order.len() || by_postings == expected);
        }
        // Both ways of counting pairs.
        if sets.iter().all(|(_, tags, _)| tags.len() <= 3) && self.tag_count < 300 {
            scratch.resize(scratch.len().max(self.tag_count * self.tag_count), 7);
            let (mut by_table, mut by_tag) = (vec![f64::NAN; sets.len()], vec![f64::NAN; sets.len()]);
            super::pairs::count_by_table(&sets, &mut scratch, &mut by_table);
            super::pairs::count_by_tag(&sets, self.tags.len(), &mut scratch, &mut by_tag);
            assert_eq!((by_table, by_tag), (expected.clone(), expected));
        }
    }
}

/// Up to `most` tags below `tags`, the low ones far more often where `skew` is set.
fn random_set(random: &mut Random, most: u64, tags: u64, skew: bool) -> BTreeSet<u32> {
    let tag = |random: &mut Random| {
        let bound = if skew { 1 + random.below(tags) } else { tags };
        let bound = if skew { 1 + random.below(bound) } else { bound };
        random.below(bound) as u32
    };
    (0..random.below(most + 1)).map(|_| tag(random)).collect()
}

#[test]
fn by_hand() {
    let batch = Batch::of([vec![], vec![1], vec![1, 2], vec![2, 3, 4, 5], vec![9], vec![1]].map(BTreeSet::from_iter));
    batch.check();
    let mut out = [0.0; 5];
    matching_rows(&batch.sets(), &mut [0; 100], &mut out);
    assert_eq!(out, [0.0, 3.0, 4.0, 2.0, 1.0]);
}

#[test]
fn random_batches_agree_with_the_definition() {
    Batch::of([]).check();
    let mut random = Random(1);
    for rows in [1, 2, 20, 64, 65, 130, 600] {
        for most in [0, 1, 2, 3, 4, 5, 8, 20] {
            for tags in [1, 3, 50, 400, 5000] {
                for skew in [false, true] {
                    Batch::of((0..rows).map(|_| random_set(&mut random, most, tags, skew))).check();
                }
            }
        }
    }
}

#[test]
fn special_batches_agree_with_the_definition() {
    let mut random = Random(2);
    // Around the size of a block. A tag of its own makes every set distinct; two more keep it large.
    for rows in [511, 512, 513, 1023, 1024, 1025] {
        let of_row = |row: u32| {
            &random_set(&mut random, 6, 40, false) | &[100, 101 + row % 2, 200 + row / 2, 2000 + row / 3].into()
        };
        Batch::of((0..rows).map(of_row)).check();
    }
    // One tag in all sets, and others in one set each.
    for len in [1, 2, 3, 4, 10] {
        Batch::of((0..200).map(|row| (0..len).map(|k| if k == 0 { 0 } else { 1 + row * len + k }).collect())).check();
    }
    // A few tags in several sets, and others in one set each.
    for shared in [2, 3, 4] {
        let of_row = |row: u32| {
            let shared: BTreeSet<u32> = (0..shared).map(|_| random.below(9) as u32).collect();
            &shared | &(0..row % 4).map(|k| 100 + 4 * row + k).collect()
        };
        Batch::of((0..300).map(of_row)).check();
    }
    // Nested sets, and one set of many tags.
    Batch::of((0..150).map(|row| (0..row).collect())).check();
    Batch::of((0..150).map(|row| (row..150).collect())).check();
    let of_row = |row| if row == 7 { (0..50_000).collect() } else { [row, 2 * row, 3 * row, 5 * row + 1].into() };
    Batch::of((0..100).map(of_row)).check();
}

#[test]
fn rows_of_every_size_and_none() {
    let mut random = Random(4);
    for (rows, most) in [(40, 5), (90, 3), (700, 7)] {
        let mut batch = Batch::of((0..rows).map(|_| random_set(&mut random, most, 30, false)));
        for case in 0..6 {
            for rows in &mut batch.rows {
                *rows = match case {
                    0 => 0,
                    1 => 3,
                    2 => random.below(2) as u32,
                    3 => u32::MAX,
                    4 => 1 << random.below(32),
                    _ => random.next() as u32 >> random.below(33).min(31),
                };
            }
            batch.check();
        }
    }
}

#[test]
fn the_choices_are_both_made() {
    // The same number of sets: tags that most sets share, and tags that few do.
    let mut random = Random(5);
    for (tags, walked) in [(20, false), (3000, true)] {
        let batch = Batch::of((0..900).map(|_| random_set(&mut random, 12, tags, false)));
        let sets = batch.sets();
        let order: Vec<u64> = (0..sets.len() as u64).collect();
        let mut room = vec![0; 4096];
        assert_eq!(postings::is_cheaper(&sets, &order, order.len(), &mut room), walked);
        batch.check();
    }
}

#[test]
#[should_panic(expected = "one count per set")]
fn lengths_must_agree() {
    matching_rows(&Batch::of([BTreeSet::new()]).sets(), &mut [], &mut []);
}
