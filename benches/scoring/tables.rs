//! Rows as Arrow tables, in the layouts that producers send.

use std::ptr::{null, null_mut};

use cupel::capi::*;

use crate::arrow::{Array, Exported};
use crate::data::Row;
use crate::library::{Batch, Scorer};

/// A layout of the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// pyarrow's: offsets of 32 bits.
    Offsets,
    /// Polars': views of texts, lists with offsets of 64 bits.
    Views,
}

impl Layout {
    fn texts(self, name: &'static str, texts: &[&str]) -> Array {
        match self {
            Self::Offsets => Array::utf8(name, texts),
            Self::Views => Array::utf8_view(name, texts),
        }
    }
}

/// How many rows a group has.
pub const GROUP: usize = 20;
/// The rows of a table that is larger than what is scored together.
pub const LARGE: usize = 10_000_000;
/// Scoring group after group in one batch.
pub const LOOP: &str = "a loop of batches of 20";

/// A table of rows, with the group of each row in the column `conversation`.
pub struct Table {
    exported: Exported,
    rows: usize,
    bytes: usize,
}

fn bytes(array: &Array) -> usize {
    let own: usize = array.buffers.iter().flatten().map(Vec::len).sum();
    own + array.children.iter().map(bytes).sum::<usize>()
}

fn nullable<T: Copy>(values: impl Iterator<Item = Option<T>>, make: impl FnOnce(&[T]) -> Array, none: T) -> Array {
    let values: Vec<Option<T>> = values.collect();
    let array = make(&values.iter().map(|value| value.unwrap_or(none)).collect::<Vec<_>>());
    let mut bits = vec![0; values.len().div_ceil(8)];
    values.iter().enumerate().for_each(|(row, value)| bits[row / 8] |= u8::from(value.is_some()) << (row % 8));
    if values.iter().all(Option::is_some) { array } else { array.with_validity(&bits) }
}

fn doubles(name: &'static str, values: &[f64]) -> Array {
    let bits: Vec<i64> = values.iter().map(|value| value.to_bits() as i64).collect();
    Array::int64(name, &bits).of_format("g")
}

impl Table {
    /// A table of `len` rows, which are `rows` again and again.
    pub fn new(rows: &[Row], len: usize, layout: Layout) -> Self {
        let rows = || rows.iter().cycle().take(len);
        let conversations: Vec<i64> = (0..len).map(|row| (row / GROUP) as i64).collect();
        let contents: Vec<&str> = rows().map(|row| &*row.content).collect();
        let tags: Vec<&str> = rows().flat_map(|row| row.tags.iter().map(String::as_str)).collect();
        let mut ends = vec![0_i64];
        rows().for_each(|row| ends.push(ends[ends.len() - 1] + row.tags.len() as i64));
        let trust = nullable(rows().map(|row| row.trust), |trusts| doubles("cupel:trust", trusts), 0.0);
        let topic = nullable(rows().map(|row| row.topic), |topics| layout.texts("topic", topics), "");
        let child = layout.texts("item", &tags);
        let tags = match layout {
            Layout::Offsets => Array::list("tags", &ends.iter().map(|&end| end as i32).collect::<Vec<_>>(), child),
            Layout::Views => Array {
                buffers: vec![None, Some(ends.iter().flat_map(|end| end.to_ne_bytes()).collect())],
                ..Array::list("tags", &vec![0; len + 1], child).of_format("+L")
            },
        };
        let table = Array::table(vec![
            Array::int64("conversation", &conversations),
            layout.texts("content", &contents),
            Array::int64("tokens", &vec![120; len]),
            nullable(rows().map(|row| row.kind), |kinds| layout.texts("kind", kinds), ""),
            nullable(rows().map(|row| row.priority), |values| Array::int64("priority", values), 0),
            nullable(rows().map(|row| row.timestamp), |times| Array::int64("timestamp", times).of_format("tsn:UTC"), 0),
            nullable(rows().map(|row| row.hint), |hints| doubles("future_relevance_hint", hints), 0.0),
            tags,
            Array { name: "metadata", ..Array::table(vec![trust, topic]) },
        ]);
        Self { exported: table.export(), rows: len, bytes: bytes(&table) }
    }

    /// The bytes of all buffers.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// A batch of the rows.
    pub fn batch(&self) -> Batch {
        let batch = Batch::new(self.rows);
        call!(cupel_batch_append_arrow(batch.as_ptr(), self.exported.schema, self.exported.array, null()));
        batch
    }

    /// Scores the rows by conversation.
    pub fn score(&self, scorer: &Scorer, out: &mut [f64]) {
        let group = "conversation";
        let options = cupel_arrow_options {
            struct_size: size_of::<cupel_arrow_options>(),
            flags: 0,
            group: group.as_ptr().cast(),
            group_len: group.len(),
        };
        let (schema, array, scores) = (self.exported.schema, self.exported.array, out.as_mut_ptr());
        call!(cupel_scorer_score_arrow(scorer.as_ptr(), schema, array, &raw const options, scores, out.len()));
    }
}

/// The offsets of groups of so many rows.
pub fn groups(rows: usize) -> Vec<i64> {
    (0..=rows).step_by(GROUP).map(|row| row as i64).collect()
}

/// Scores a batch by groups.
pub fn score_groups(scorer: &Scorer, batch: &Batch, groups: &[i64], out: &mut [f64]) {
    let (groups, groups_len, scores) = (groups.as_ptr(), groups.len() - 1, out.as_mut_ptr());
    call!(cupel_scorer_score_groups(scorer.as_ptr(), batch.as_ptr(), groups, groups_len, scores, out.len()));
}
