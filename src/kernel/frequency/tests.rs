//! Every path against the plain comparison of all pairs of sets.

use super::super::dispatch::on_every_path;
use super::super::random::Random;
use super::{TagSets, blocks, matching_rows, postings, scratch_words};
use std::collections::BTreeSet;

/// The definition: compare all pairs.
fn oracle(sets: &TagSets<'_>) -> Vec<f64> {
    let meets = |a: &[u32], b: &[u32]| {
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            match a[i].cmp(&b[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => return true,
            }
        }
        false
    };
    (0..sets.len())
        .map(|i| {
            let taking_part = |j: &usize| sets.rows[i] != 0 && meets(sets.tags(i), sets.tags(*j));
            (0..sets.len()).filter(taking_part).map(|j| f64::from(sets.rows[j])).sum()
        })
        .collect()
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
        // The paths that this batch would not take of its own accord. They are given sets that take part alone.
        let ids: Vec<u32> = (0..self.tag_count as u32).collect();
        let (mut offsets, mut tags) = (vec![7; sets.len() + 1], vec![7; self.tags.len()]);
        let sets = super::reduce(&sets, &ids, self.tag_count, |_| true, &mut offsets, &mut tags);
        let mut room = vec![u64::MAX; 20 * self.tag_count + 4 * (self.tags.len() + self.rows.len()) + 10_000];
        let order: Vec<u64> = {
            let mut order: Vec<u64> = sets.iter().map(|(set, _, rows)| u64::from(!rows) << 32 | set as u64).collect();
            order.sort_unstable();
            order
        };
        for large_sets in [order.len(), order.len() / 2, order.len().min(1)] {
            let mut by_blocks = vec![0.0; sets.len()];
            on_every_path(|| {
                by_blocks.fill(0.0);
                blocks::count(&sets, &order, large_sets, &mut room, &mut by_blocks);
            });
            let mut by_postings = vec![0.0; sets.len()];
            postings::count(&sets, &order, large_sets, &mut room, &mut by_postings);
            assert_eq!(by_blocks, by_postings);
            if large_sets == order.len() {
                assert_eq!(by_blocks, expected);
            }
        }
        if sets.iter().all(|(_, tags, _)| tags.len() <= 3) {
            let pairs = super::Shape::of(&sets).unwrap().pairs;
            let (mut dense, mut sparse) = (vec![f64::NAN; sets.len()], vec![f64::NAN; sets.len()]);
            if self.tag_count < 300 {
                room.resize(room.len().max(self.tag_count * self.tag_count), 7);
                super::pairs::dense(&sets, &mut room, &mut dense);
                assert_eq!(dense, expected);
            }
            super::pairs::sparse(&sets, pairs, &mut room, &mut sparse);
            assert_eq!(sparse, expected);
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
fn random_batches_of_every_shape() {
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
fn around_the_edges_of_blocks() {
    let mut random = Random(2);
    for rows in [511, 512, 513, 1023, 1024, 1025] {
        // A tag of its own makes every set distinct; two more keep it large.
        Batch::of((0..rows).map(|i| {
            let mut set = random_set(&mut random, 6, 40, false);
            set.extend([100, 101 + i % 2, 200 + i / 2, 2000 + i / 3]);
            set
        }))
        .check();
    }
}

#[test]
fn one_tag_shared_by_all_and_others_used_once() {
    for len in [1, 2, 3, 4, 10] {
        Batch::of((0..200).map(|i| (0..len).map(|k| if k == 0 { 0 } else { 1 + i * len + k }).collect())).check();
    }
}

#[test]
fn two_shared_tags_and_three() {
    let mut random = Random(3);
    for shared in [2, 3, 4] {
        Batch::of((0..300).map(|i| {
            let mut set: BTreeSet<u32> = (0..shared).map(|_| random.below(9) as u32).collect();
            set.extend((0..i % 4).map(|k| 100 + 4 * i + k));
            set
        }))
        .check();
    }
}

#[test]
fn nested_sets_and_one_of_many_tags() {
    Batch::of((0..150).map(|i| (0..i).collect())).check();
    Batch::of((0..150).map(|i| (i..150).collect())).check();
    Batch::of((0..100).map(|i| if i == 7 { (0..50_000).collect() } else { [i, 2 * i, 3 * i, 5 * i + 1].into() }))
        .check();
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
