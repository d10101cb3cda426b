//! Items, batches and scorers to try things with.

use crate::capi::{Batch, Clock, Item, ItemBuilder, Metadata, Scorer};
pub use crate::capi::{bits, fields};

pub const NOW: i64 = 1_750_000_000_000_000_000;
const SECOND: i64 = 1_000_000_000;

/// A builder with every field set, texts that are not short, and more tags and metadata than need no memory of their own.
pub fn full_builder() -> ItemBuilder {
    let mut builder = ItemBuilder::new("The content of the item, which is a sentence.", 12).unwrap();
    builder.set_kind("AKindThatNobodyElseHas").unwrap();
    builder.set_source("ASourceThatNobodyElseHas").unwrap();
    for tag in ["a tag of some length", "another tag of some length", "a tag of some length", "short", "", "short"] {
        builder.add_tag(tag).unwrap();
    }
    builder.set_priority(-7).unwrap();
    builder.set_timestamp(NOW - 90 * SECOND).unwrap();
    builder.set_future_relevance_hint(0.75).unwrap();
    builder.set_pinned(true).unwrap();
    builder.set_original_tokens(40).unwrap();
    builder.set_metadata("a key of some length", &Metadata::String("a value of some length".into())).unwrap();
    builder.set_metadata("cupel:trust", &Metadata::Double(0.25)).unwrap();
    builder.set_metadata("another key of some length", &Metadata::Other("{\"a\": [1, 2, 3]}".into())).unwrap();
    builder.set_metadata("short", &Metadata::String("short".into())).unwrap();
    builder.set_metadata("", &Metadata::String("a value of some length".into())).unwrap();
    builder
}

pub fn full_item() -> Item {
    full_builder().build().unwrap()
}

/// Rows that differ in every field, enough of them for the ways that only long batches take.
pub fn batch(rows: i64) -> Batch {
    let mut batch = Batch::new(0).unwrap();
    for row in 0..rows {
        let mut builder = ItemBuilder::new(&format!("content {row}"), row).unwrap();
        builder.set_kind(["Message", "Memory", "OfMyOwn"][row as usize % 3]).unwrap();
        builder.set_source(["Chat", "Rag"][row as usize % 2]).unwrap();
        if row % 4 != 3 {
            builder.set_priority(row * 7919 % 101).unwrap();
            builder.set_timestamp(NOW - row * 7907 % 1009 * SECOND).unwrap();
            builder.set_future_relevance_hint(row as f64 / rows as f64).unwrap();
            builder.add_tag(&format!("tag {}", row % 17)).unwrap();
            builder.add_tag(&format!("TAG {}", row % 5)).unwrap();
            builder.set_metadata("cupel:trust", &Metadata::Double(row as f64 / 100.0)).unwrap();
        }
        if row % 3 == 0 {
            builder.set_original_tokens(row).unwrap();
            builder.set_metadata("key", &Metadata::String(format!("value {}", row % 4))).unwrap();
            builder.set_metadata("other", &Metadata::Other("true".into())).unwrap();
        }
        builder.set_pinned(row % 5 == 0).unwrap();
        batch.push(&builder.build().unwrap()).unwrap();
    }
    batch
}

/// Every scorer, by name; the last ones are trees, in which children are shared.
pub fn scorers() -> Vec<(&'static str, Scorer)> {
    let clock = Clock::fixed(NOW).unwrap();
    let weights = |names: [&str; 3]| names.map(|name| (name.to_owned(), name.len() as f64)).to_vec();
    let steps = [(10 * SECOND, 1.0), (60 * SECOND, 0.5), (600 * SECOND, -2.0)];
    let custom = Scorer::custom(|_, scores| {
        scores.iter_mut().enumerate().for_each(|(row, score)| *score = row as f64);
        Ok(())
    });
    let mut scorers = vec![
        ("recency", Scorer::recency().unwrap()),
        ("priority", Scorer::priority().unwrap()),
        ("frequency", Scorer::frequency().unwrap()),
        ("reflexive", Scorer::reflexive().unwrap()),
        ("kind, defaults", Scorer::kind_default().unwrap()),
        ("kind", Scorer::kind(&weights(["ofmyown", "Memory", "x"])).unwrap()),
        ("tag", Scorer::tag(&weights(["tag 1", "tag 16", "x"]), 0).unwrap()),
        ("tag, any case", Scorer::tag(&weights(["tag 1", "tag 16", "x"]), 1).unwrap()),
        ("metadata trust", Scorer::metadata_trust(0.5).unwrap()),
        ("metadata key", Scorer::metadata_key("key", "value 1", 1.5).unwrap()),
        ("decay, exponential", Scorer::decay_exponential(&clock, 100 * SECOND, 0.5).unwrap()),
        ("decay, window", Scorer::decay_window(&clock, 100 * SECOND, 0.5).unwrap()),
        ("decay, step", Scorer::decay_step(&clock, &steps, 0.5).unwrap()),
        ("custom", custom.unwrap()),
    ];
    let children: Vec<_> = scorers.iter().map(|(_, scorer)| (scorer, 1.5)).collect();
    let composite = Scorer::composite(&children).unwrap();
    let scaled = Scorer::scaled(&scorers[2].1).unwrap();
    let mut tree = Scorer::scaled(&composite).unwrap();
    for _ in 0..12 {
        tree = Scorer::composite(&[(&tree, 1.0), (&scaled, 2.0), (&tree, 3.0), (&composite, 4.0)]).unwrap();
    }
    scorers.extend([("composite", composite), ("scaled", scaled), ("a tree", tree)]);
    scorers
}

/// What can be seen of a batch: its length, the fields of every row, and scores of several kinds, by their bits.
pub type View = (usize, Vec<String>, Vec<Vec<u64>>);

pub fn view(batch: &Batch) -> View {
    let rows = (0..batch.len()).map(|row| fields(&batch.item(row).unwrap())).collect();
    let scores = scorers().iter().map(|(_, scorer)| bits(&scorer.score_batch(batch).unwrap())).collect();
    (batch.len(), rows, scores)
}
