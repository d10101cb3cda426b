//! Ranks of keys of every shape, against the definition.

use super::super::dispatch::on_every_path;
use super::super::random::Random;
use super::super::sort;
use super::{Key, rank, scratch_words};

/// The definition, with a binary search instead of a count.
fn plain<K: Key>(keys: &[K], present: Option<&[u8]>) -> Vec<f64> {
    let is_present = |row: usize| present.is_none_or(|present| present[row] == 1);
    let mut sorted: Vec<K> = (0..keys.len()).filter(|&row| is_present(row)).map(|row| keys[row]).collect();
    sorted.sort();
    let scores = (0..keys.len()).map(|row| match sorted.len() {
        _ if !is_present(row) => 0.0,
        1 => 1.0,
        peers => sorted.partition_point(|&key| key < keys[row]) as f64 / (peers - 1) as f64,
    });
    scores.collect()
}

fn check<K: Key>(name: &str, keys: &[K], present: Option<&[u8]>) {
    let expected = plain(keys, present);
    on_every_path(|| {
        let mut scratch = vec![0xdead_beef_dead_beef; scratch_words(keys.len())];
        let mut scores = vec![f64::NAN; keys.len()];
        rank(keys, present, &mut scratch, &mut scores);
        for (row, (score, expected)) in scores.iter().zip(&expected).enumerate() {
            assert_eq!(score.to_bits(), expected.to_bits(), "{name}: row {row} of {}", keys.len());
        }
    });
}

/// All rows present; one in ten absent; most absent; one present; none.
fn check_with_gaps<K: Key>(name: &str, keys: &[K], random: &mut Random) {
    check(name, keys, None);
    for absent_of_ten in [1, 9] {
        let present: Vec<u8> = keys.iter().map(|_| u8::from(random.below(10) >= absent_of_ten)).collect();
        check(name, keys, Some(&present));
    }
    let mut present = vec![0; keys.len()];
    check(name, keys, Some(&present));
    if !keys.is_empty() {
        present[random.below(keys.len() as u64) as usize] = 1;
        check(name, keys, Some(&present));
    }
}

type KeyOfRow = Box<dyn FnMut(&mut Random, i64) -> i64>;

const DAY: i64 = 86_400_000_000_000;

/// Keys of every shape.
fn shapes(rows: usize, random: &mut Random) -> Vec<(&'static str, Vec<i64>)> {
    let base = 1_700_000_000_000_000_000;
    let mut fill = |mut key: KeyOfRow| -> Vec<i64> { (0..rows as i64).map(|row| key(random, row)).collect() };
    let month = fill(Box::new(move |random, _| base + random.below(30 * 86_400_000) as i64 * 1_000_000));
    let mut sorted = month.clone();
    sorted.sort();
    let reversed = sorted.iter().rev().copied().collect();
    let mut nearly = sorted.clone();
    if rows > 2 {
        nearly.swap(0, rows / 2);
    }
    vec![
        ("month", month),
        ("sorted", sorted),
        ("reversed", reversed),
        ("nearly sorted", nearly),
        ("equal", vec![base; rows]),
        ("200 values", fill(Box::new(move |random, _| base + random.below(200) as i64 * DAY))),
        ("1000 values", fill(Box::new(move |random, _| base + random.below(1000) as i64 * 1_000_003))),
        ("exponential, both signs", {
            fill(Box::new(|random, _| (random.unit() * 63.0).exp2() as i64 * (1 - 2 * random.below(2) as i64)))
        }),
        ("sawtooth", fill(Box::new(move |_, row| base + row % 1000 * 1_000_000_007))),
        (
            "clusters",
            fill(Box::new(move |random, _| random.below(7) as i64 * 1_000 * DAY + random.below(1_000_000) as i64)),
        ),
        ("full range", fill(Box::new(|random, _| random.next() as i64))),
        ("extremes and others", {
            fill(Box::new(|random, _| {
                [i64::MIN, i64::MAX, random.next() as i64, random.below(9) as i64][random.below(4) as usize]
            }))
        }),
        ("low bits at the far end", {
            fill(Box::new(|random, row| if row == 0 { i64::MIN } else { i64::MAX - random.below(5000) as i64 }))
        }),
        ("small range", fill(Box::new(move |random, _| base + random.below(100) as i64))),
        ("range as large as the batch", fill(Box::new(move |random, _| base + random.below(rows as u64 + 1) as i64))),
    ]
}

#[test]
fn agrees_with_the_definition() {
    let mut random = Random(1);
    for rows in [0, 1, 2, 3, 5, 20, 63, 64, 65, 66, 100, 127, 128, 1000, 2047, 2048, 5000] {
        for (name, keys) in shapes(rows, &mut random) {
            check_with_gaps(name, &keys, &mut random);
        }
    }
    for (name, keys) in shapes(sort::SCATTER_FROM + 1, &mut random) {
        let present: Vec<u8> = keys.iter().map(|_| u8::from(random.below(10) != 0)).collect();
        check(name, &keys, if random.below(2) == 0 { None } else { Some(&present) });
    }
}

#[test]
fn ranks_narrow_keys() {
    let mut random = Random(3);
    for rows in [2, 65, 300, 1021, 3000] {
        let keys: Vec<i8> = (0..rows).map(|_| random.next() as i8).collect();
        check_with_gaps("i8", &keys, &mut random);
        let keys: Vec<i8> = (0..rows).map(|_| [i8::MIN, i8::MAX][random.below(2) as usize]).collect();
        check_with_gaps("extremes of i8", &keys, &mut random);
        let keys: Vec<i16> = (0..rows).map(|_| random.next() as i16).collect();
        check_with_gaps("i16", &keys, &mut random);
        let keys: Vec<i32> = (0..rows).map(|_| [i32::MIN, -1, i32::MAX][random.below(3) as usize]).collect();
        check_with_gaps("extremes of i32", &keys, &mut random);
    }
}

/// The keys of absent rows may be outside the range of the others.
#[test]
fn ignores_the_keys_of_absent_rows() {
    let mut random = Random(6);
    for rows in [100, 300, 1000, 2047, 2048, 5000] {
        let present: Vec<u8> = (0..rows).map(|row| u8::from(row % 10 == 3)).collect();
        let key = |present: u8, random: &mut Random| match present {
            1 => 5000 + random.below(rows * 3 / 2) as i64,
            _ => random.next() as i64,
        };
        let keys: Vec<i64> = present.iter().map(|&present| key(present, &mut random)).collect();
        check("sparse", &keys, Some(&present));
    }
}

#[test]
fn scores_of_a_small_batch() {
    let keys = [30, 10, 20, 10, 99];
    let mut scratch = vec![0; scratch_words(5)];
    let mut scores = [f64::NAN; 5];
    rank(&keys, Some(&[1, 1, 1, 1, 0]), &mut scratch, &mut scores);
    assert_eq!(scores, [1.0, 0.0, 2.0 / 3.0, 0.0, 0.0]);
    rank(&keys, Some(&[0, 0, 0, 0, 1]), &mut scratch, &mut scores);
    assert_eq!(scores, [0.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
#[should_panic(expected = "scratch")]
fn refuses_short_scratch() {
    rank(&[1; 100], None, &mut [0; 8], &mut [0.0; 100]);
}
