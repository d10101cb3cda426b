//! Scoring over peers against scoring a batch that holds the peers alone.

use crate::batch::{Batch, Item, ItemBuilder, MetadataValue};
use crate::kernel::Random;
use crate::memory::try_push;
use crate::scorer::{
    Clock, ClockReadings, Composite, Curve, Custom, Decay, Frequency, Groups, Kind, MetadataKey, MetadataTrust,
    Priority, Recency, Reflexive, Scaled, ScoreInput, SharedScorer, Tag,
};
use crate::text::Match as TextMatch;

/// A random item. In a dense batch every optional field is present; in a sparse one most are missing.
fn item(random: &mut Random, sparse: bool) -> Item {
    let missing = |random: &mut Random| sparse && random.below(10) < 7;
    let mut item = ItemBuilder::new("text", 1).unwrap();
    item.kind(["Message", "memory", "TOOLOUTPUT", "Document", "other"][random.below(5) as usize]).unwrap();
    if !missing(random) {
        item.priority([random.below(9) as i64, random.next() as i64][random.below(2) as usize]).unwrap();
    }
    if !missing(random) {
        let bits = random.below(60);
        item.timestamp(1_700_000_000_000_000_000 + random.below(1 << bits) as i64).unwrap();
    }
    if !missing(random) {
        item.future_relevance_hint(random.double()).unwrap();
    }
    if !missing(random) {
        item.metadata("cupel:trust", MetadataValue::Double(random.unit())).unwrap();
        item.metadata("key", MetadataValue::String(["a", "b"][random.below(2) as usize])).unwrap();
    }
    let most = if random.below(9) == 0 { 9 } else { 4 };
    for _ in 0..random.below(most) {
        item.tag(["a", "B", "b", "c", "d", "e", "f", "g", "h", "i"][random.below(10) as usize]).unwrap();
    }
    if random.below(4) == 0 {
        item.tag(&format!("tag {}", random.below(50))).unwrap();
    }
    item.build().unwrap()
}

/// One scorer of each kind, but for those that combine others. The custom one depends on nothing but the row.
fn leaf(random: &mut Random) -> SharedScorer {
    let scorer = match random.below(12) {
        0 => Recency::new(),
        1 => Priority::new(),
        2 | 3 => Frequency::new(),
        4 => Reflexive::new(),
        5 => Kind::with_default_weights(),
        6 => Tag::new([("a", 1.0), ("b", 2.0)], TextMatch::AsciiCaseInsensitive),
        7 => MetadataTrust::new(0.25),
        8 => MetadataKey::new("key", "a", 1e300),
        9 => Decay::new(&Clock::fixed(1_800_000_000_000_000_000).unwrap(), Curve::exponential(1 << 50).unwrap(), 0.5),
        10 => Kind::new([("message", f64::MAX), ("other", 1e-300)]),
        _ => Custom::new(|batch, scores| {
            for (row, score) in scores.iter_mut().enumerate() {
                *score = match batch.item(row)?.priority() {
                    Some(priority) if priority % 5 == 0 => f64::NAN,
                    Some(priority) => (priority as f64).sqrt(),
                    None => f64::NEG_INFINITY,
                };
            }
            Ok(())
        }),
    };
    scorer.unwrap()
}

fn tree(random: &mut Random, depth: u64) -> SharedScorer {
    match random.below(4) {
        _ if depth == 0 => leaf(random),
        0 => leaf(random),
        1 => Scaled::new(&tree(random, depth - 1)).unwrap(),
        _ => {
            let mut children = Vec::new();
            for _ in 0..=random.below(4) {
                let weight = random.unit() + 0.01;
                try_push(&mut children, (tree(random, depth - 1), weight)).unwrap();
            }
            let shared = children[0].0.clone();
            Composite::new(children.iter().map(|(child, weight)| (child, *weight)).chain([(&shared, 0.5)])).unwrap()
        }
    }
}

fn batch_of<'a>(items: impl IntoIterator<Item = &'a Item>) -> Batch {
    let mut batch = Batch::new();
    items.into_iter().for_each(|item| batch.push(item).unwrap());
    batch
}

/// The bits, with all NaNs alike: which of two NaNs a sum takes up is not defined.
fn bits(score: f64) -> u64 {
    if score.is_nan() { f64::NAN.to_bits() } else { score.to_bits() }
}

/// Scores the peers of each group in one call, and in a batch of their own.
fn check(scorer: &SharedScorer, items: &[Item], peers: &[u8], lens: &[usize]) {
    let mut offsets = vec![0];
    lens.iter().for_each(|&len| offsets.push(offsets.last().unwrap() + len as i64));
    let groups = (lens.len() > 1).then(|| Groups::new(&offsets, items.len()).unwrap());
    let mut scores = vec![9.0; items.len()];
    let batch = batch_of(items);
    let input = ScoreInput::new(&batch, Some(peers), groups);
    scorer.score_input(input, &mut ClockReadings::new(), &mut scores).unwrap();
    for ends in offsets.windows(2) {
        let of_peers: Vec<usize> = (ends[0] as usize..ends[1] as usize).filter(|&row| peers[row] == 1).collect();
        let mut expected = vec![9.0; of_peers.len()];
        scorer.score_batch(&batch_of(of_peers.iter().map(|&row| &items[row])), &mut expected).unwrap();
        for (&row, expected) in of_peers.iter().zip(expected) {
            assert_eq!(bits(scores[row]), bits(expected), "row {row} of {offsets:?}: {scorer:?}");
        }
    }
}

#[test]
fn peers_and_groups_score_as_batches_of_their_own() {
    let mut random = Random(17);
    let lens = [0, 1, 2, 3, 10, 63, 64, 65, 129, 300];
    for round in 0..500 {
        let groups = if round % 2 == 0 { 1 } else { 2 + random.below(6) };
        let lens: Vec<usize> = (0..groups).map(|_| lens[random.below(lens.len() as u64) as usize]).collect();
        let sparse = random.below(2) == 0;
        let items: Vec<Item> = (0..lens.iter().sum()).map(|_| item(&mut random, sparse)).collect();
        let of_ten = [0, 1, 5, 9, 10][random.below(5) as usize];
        let peers: Vec<u8> = items.iter().map(|_| u8::from(random.below(10) < of_ten)).collect();
        let scorer = tree(&mut random, 3);
        if groups == 1 || !scorer.is_custom() {
            check(&scorer, &items, &peers, &lens);
        }
    }
}

/// The way in which frequency counts depends on the shape of the tag sets of the peers and on the length of a group.
#[test]
fn frequency_counts_peers_and_groups_in_every_way() {
    let mut random = Random(19);
    let scorer = Frequency::new().unwrap();
    let mut items = |rows: usize, long_of_hundred: u64, tags: u64| -> Vec<Item> {
        let mut row = || {
            let long = random.below(100) < long_of_hundred;
            let mut item = ItemBuilder::new("text", i64::from(long)).unwrap();
            for _ in 0..if long { 12 } else { random.below(4) } {
                item.tag(&format!("{}", random.below(tags))).unwrap();
            }
            item.build().unwrap()
        };
        (0..rows).map(|_| row()).collect()
    };
    for (long_of_hundred, tags) in [(0, 2000), (1, 60), (1, 2000), (50, 60), (50, 2000), (100, 3000)] {
        let items = items(600, long_of_hundred, tags);
        for one_of in [300, 25, 2, 1] {
            for only_short in [false, true] {
                let is_peer = |(row, item): (usize, &Item)| row % one_of == 0 && !(only_short && item.tokens() == 1);
                let peers: Vec<u8> = items.iter().enumerate().map(|row| u8::from(is_peer(row))).collect();
                check(&scorer, &items, &peers, &[600]);
            }
        }
    }
    for lens in [[4095, 3], [4096, 64], [4097, 1], [1, 5000]] {
        let items = items(lens[0] + lens[1], 10, 60);
        let peers: Vec<u8> = (0..items.len()).map(|row| u8::from(row % 3 > 0)).collect();
        check(&scorer, &items, &peers, &lens);
        check(&scorer, &items, &vec![1; items.len()], &lens);
    }
}

#[test]
fn a_custom_scorer_is_given_the_whole_batch_once() {
    let items: Vec<Item> = (0..4).map(|_| item(&mut Random(23), false)).collect();
    let calls = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = calls.clone();
    let custom = Custom::new(move |batch, scores| {
        seen.lock().unwrap().push(batch.len());
        scores.copy_from_slice(&[f64::NAN, 1.0, 3.0, f64::MAX]);
        Ok(())
    });
    let mut scores = [9.0; 4];
    let scorer = Scaled::new(&custom.unwrap()).unwrap();
    let batch = batch_of(&items);
    let input = ScoreInput::new(&batch, Some(&[0, 1, 1, 0]), None);
    scorer.score_input(input, &mut ClockReadings::new(), &mut scores).unwrap();
    assert_eq!(scores[1..3], [0.0, 1.0]);
    assert_eq!(*calls.lock().unwrap(), [4]);
}

#[test]
fn scoring_needs_little_stack() {
    let mut random = Random(37);
    let mut batch = Batch::new();
    for _ in 0..600 {
        let mut item = ItemBuilder::new("text", 1).unwrap();
        item.timestamp(random.next() as i64).unwrap();
        for _ in 0..8 {
            item.tag(&format!("{}", random.below(40))).unwrap();
        }
        batch.push(&item.build().unwrap()).unwrap();
    }
    let mut scorer = Composite::new([(&Frequency::new().unwrap(), 1.0), (&Recency::new().unwrap(), 1.0)]).unwrap();
    for _ in 0..1000 {
        scorer = Scaled::new(&scorer).unwrap();
    }
    // A build without optimisation needs about four times what one with it does.
    let call = move || {
        scorer.score_batch(&batch, &mut vec![0.0; batch.len()]).unwrap();
        // Freeing them is a part of it.
        drop((scorer, batch));
    };
    std::thread::Builder::new().stack_size(128 << 10).spawn(call).unwrap().join().unwrap();
}
