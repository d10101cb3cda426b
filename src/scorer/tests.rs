//! Scoring over peers against scoring a batch that holds the peers alone.

use crate::batch::{Batch, Item, ItemBuilder, MetadataValue, Workspace};
use crate::kernel::Random;
use crate::memory::try_push;
use crate::scorer::{
    Clock, Composite, Curve, Custom, Decay, Frequency, Kind, MetadataKey, MetadataTrust, Priority, Recency, Reflexive,
    Scaled, SharedScorer, Tag,
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

#[test]
fn peers_score_as_a_batch_of_the_peers_alone() {
    let mut random = Random(17);
    let mut workspace = Workspace::default();
    for round in 0..400 {
        let rows = [0, 1, 2, 3, 10, 70, 300][round % 7];
        let sparse = random.below(2) == 0;
        let items: Vec<Item> = (0..rows).map(|_| item(&mut random, sparse)).collect();
        let of_ten = [0, 1, 5, 9, 10][random.below(5) as usize];
        let peers: Vec<u8> = (0..rows).map(|_| u8::from(random.below(10) < of_ten)).collect();
        let is_peer = |&(row, _): &(usize, &Item)| peers[row] == 1;
        let alone = batch_of(items.iter().enumerate().filter(is_peer).map(|(_, item)| item));
        let scorer = tree(&mut random, 3);

        let mut scores = vec![9.0; rows];
        scorer.score_peers(&batch_of(&items), Some(&peers), None, &mut workspace, &mut scores).unwrap();
        let mut expected = vec![9.0; alone.len()];
        scorer.score_batch(&alone, &mut expected).unwrap();
        let of_peers = scores.iter().zip(&peers).filter(|(_, peer)| **peer == 1).map(|(&score, _)| bits(score));
        assert_eq!(
            of_peers.collect::<Vec<_>>(),
            expected.into_iter().map(bits).collect::<Vec<_>>(),
            "round {round}: {scorer:?}"
        );
    }
}

/// Frequency takes one of several ways, by the shape of the tag sets; that of the peers may be another than that of all.
#[test]
fn frequency_over_peers_takes_the_way_of_the_peers() {
    let mut random = Random(19);
    let mut workspace = Workspace::default();
    for (long_of_hundred, tags) in [(0, 2000), (1, 60), (1, 2000), (50, 60), (50, 2000), (100, 3000)] {
        let items: Vec<Item> = (0..600)
            .map(|_| {
                let long = random.below(100) < long_of_hundred;
                let mut item = ItemBuilder::new("text", i64::from(long)).unwrap();
                for _ in 0..if long { 12 } else { random.below(4) } {
                    item.tag(&format!("{}", random.below(tags))).unwrap();
                }
                item.build().unwrap()
            })
            .collect();
        let batch = batch_of(&items);
        let scorer = Frequency::new().unwrap();
        for of_thousand in [3, 40, 500, 1000] {
            for only_short in [false, true] {
                let is_peer = |item: &Item, random: &mut Random| {
                    random.below(1000) < of_thousand && !(only_short && item.tokens() == 1)
                };
                let peers: Vec<u8> = items.iter().map(|item| u8::from(is_peer(item, &mut random))).collect();
                let alone = batch_of(items.iter().zip(&peers).filter(|(_, peer)| **peer == 1).map(|(item, _)| item));
                let mut expected = vec![9.0; alone.len()];
                scorer.score_batch(&alone, &mut expected).unwrap();
                let mut scores = vec![9.0; batch.len()];
                workspace.words.clear();
                workspace.words.shrink_to_fit();
                scorer.score_peers(&batch, Some(&peers), None, &mut workspace, &mut scores).unwrap();
                let scores: Vec<f64> =
                    scores.iter().zip(&peers).filter(|(_, peer)| **peer == 1).map(|(&score, _)| score).collect();
                assert_eq!(scores, expected);
            }
        }
    }
}

/// A tree without a custom scorer.
fn own_tree(random: &mut Random, depth: u64) -> SharedScorer {
    loop {
        let scorer = tree(random, depth);
        if !scorer.is_custom() {
            return scorer;
        }
    }
}

#[test]
fn groups_score_as_a_batch_for_each() {
    let mut random = Random(31);
    let sizes = [0, 1, 2, 3, 20, 63, 64, 65, 127, 128, 129];
    for round in 0..120 {
        let sparse = random.below(2) == 0;
        let groups = random.below(8);
        let lens: Vec<usize> = (0..groups).map(|_| sizes[random.below(sizes.len() as u64) as usize]).collect();
        let mut offsets = vec![0];
        lens.iter().for_each(|&len| offsets.push(offsets.last().unwrap() + len as i64));
        let rows = lens.iter().sum();
        let items: Vec<Item> = (0..rows).map(|_| item(&mut random, sparse)).collect();
        check_groups(&mut random, &items, &offsets, round);
    }
}

#[test]
fn long_groups_score_as_a_batch_for_each() {
    let mut random = Random(37);
    for lens in [[4095, 3], [4096, 64], [4097, 1], [1, 5000]] {
        let items: Vec<Item> = (0..lens[0] + lens[1]).map(|_| item(&mut random, false)).collect();
        let offsets = [0, lens[0] as i64, (lens[0] + lens[1]) as i64];
        check_groups(&mut random, &items, &offsets, lens[0]);
    }
}

fn check_groups(random: &mut Random, items: &[Item], offsets: &[i64], round: usize) {
    let batch = batch_of(items);
    for scorer in [Frequency::new().unwrap(), own_tree(random, 3)] {
        let mut scores = vec![9.0; items.len()];
        scorer.score_groups(&batch, offsets, &mut scores).unwrap();
        for ends in offsets.windows(2) {
            let rows = ends[0] as usize..ends[1] as usize;
            let mut expected = vec![9.0; rows.len()];
            scorer.score_batch(&batch_of(&items[rows.clone()]), &mut expected).unwrap();
            let [scores, expected] =
                [&scores[rows], &expected].map(|list| list.iter().map(|&score| bits(score)).collect::<Vec<_>>());
            assert_eq!(scores, expected, "round {round}, {ends:?}: {scorer:?}");
        }
    }
}

#[test]
fn groups_that_do_not_fit_are_refused() {
    let batch = batch_of(&[item(&mut Random(41), false), item(&mut Random(43), false)]);
    let recency = Recency::new().unwrap();
    let message = |scorer: &SharedScorer, groups: &[i64]| {
        let mut scores = [9.0; 2];
        let error = scorer.score_groups(&batch, groups, &mut scores).unwrap_err().to_string();
        assert_eq!(scores, [9.0; 2]);
        error
    };
    assert_eq!(message(&recency, &[]), "groups[0] is 0: the first offset must be there, and be 0");
    assert_eq!(message(&recency, &[1, 2]), "groups[0] is 1: the first offset must be there, and be 0");
    assert_eq!(message(&recency, &[0, 2, 1, 2]), "groups[2] is 1: offsets must never go down");
    assert_eq!(message(&recency, &[0, 1]), "groups[1] is 1: the last offset must be the length of the batch");
    let custom = Scaled::new(&Custom::new(|_, _| Ok(())).unwrap()).unwrap();
    assert_eq!(message(&custom, &[0, 2]), "a custom scorer cannot score groups: it has no view of a part of a batch");
    assert_eq!(
        Composite::new([(&recency, 1.0), (&Kind::with_default_weights().unwrap(), 1.0)]).unwrap().columns().bits(),
        0x84
    );
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
    scorer.score_peers(&batch_of(&items), Some(&[0, 1, 1, 0]), None, &mut Workspace::default(), &mut scores).unwrap();
    assert_eq!(scores[1..3], [0.0, 1.0]);
    assert_eq!(*calls.lock().unwrap(), [4]);
}

#[test]
fn every_clock_is_read_once() {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    let batch = batch_of([&item(&mut Random(29), false)]);
    let readings = std::sync::Arc::new(AtomicUsize::new(0));
    let children: Vec<SharedScorer> = (0..4_000)
        .flat_map(|_| {
            let readings = readings.clone();
            let clock = Clock::custom(move || Ok(readings.fetch_add(1, Relaxed) as i64)).unwrap();
            [1, 2].map(|max_age| Decay::new(&clock, Curve::window(max_age).unwrap(), 0.5).unwrap())
        })
        .collect();
    let scorer = Composite::new(children.iter().map(|child| (child, 1.0))).unwrap();
    scorer.score_batch(&batch, &mut [0.0]).unwrap();
    assert_eq!(readings.load(Relaxed), 4_000);
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
