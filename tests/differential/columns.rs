//! Rows as flat arrays.

use std::collections::HashMap;
use std::ptr;

use cupel::capi::cupel_text_column;

use super::capi::{Batch, Metadata};
use super::rows::{KEYS, KINDS, Row, TAGS, value};
use super::support_columns::{append, columns};

/// The texts of a column, with or without a dictionary.
#[derive(Default)]
struct Texts {
    data: String,
    offsets: Vec<i64>,
    codes: Option<Vec<u32>>,
}

impl Texts {
    fn new<'a>(texts: impl Iterator<Item = &'a str>, dictionary: bool) -> Self {
        let mut column = Self { offsets: vec![0], ..Self::default() };
        let mut numbers = HashMap::new();
        let mut codes = Vec::new();
        for text in texts {
            if dictionary {
                let next = numbers.len() as u32;
                let code = *numbers.entry(text).or_insert(next);
                codes.push(code);
                if code < next {
                    continue;
                }
            }
            column.data.push_str(text);
            column.offsets.push(column.data.len() as i64);
        }
        column.codes = dictionary.then_some(codes);
        column
    }

    fn lend(&self) -> cupel_text_column {
        cupel_text_column {
            data: self.data.as_ptr().cast(),
            data_len: self.data.len(),
            offsets: self.offsets.as_ptr(),
            texts_len: self.offsets.len() - 1,
            codes: self.codes.as_ref().map_or(ptr::null(), |codes| codes.as_ptr()),
        }
    }
}

fn validity<T>(values: &[Option<T>]) -> Vec<u8> {
    values.iter().map(|value| value.is_some().into()).collect()
}

/// Offsets of lists with these lengths.
fn lists(lens: impl Iterator<Item = usize>) -> Vec<i64> {
    let ends = lens.scan(0, |end, len| {
        *end += len as i64;
        Some(*end)
    });
    [0].into_iter().chain(ends).collect()
}

/// A batch from columns, in calls of at most `rows_per_call` rows.
pub fn by_columns(rows: &[Row], dictionary: bool, rows_per_call: usize) -> Batch {
    let mut batch = Batch::new(0).unwrap();
    for rows in rows.chunks(rows_per_call) {
        append_rows(&mut batch, rows, dictionary);
    }
    batch
}

fn append_rows(batch: &mut Batch, rows: &[Row], dictionary: bool) {
    let tokens: Vec<i64> = rows.iter().map(|row| row.tokens).collect();
    let pinned: Vec<u8> = rows.iter().map(|row| row.pinned.into()).collect();
    let kind = Texts::new(rows.iter().map(|row| KINDS[row.kind]), dictionary);
    let priority: Vec<_> = rows.iter().map(|row| row.priority).collect();
    let timestamp: Vec<_> = rows.iter().map(|row| row.timestamp).collect();
    let hint: Vec<_> = rows.iter().map(|row| row.hint).collect();
    let priority_validity = validity(&priority);
    let timestamp_validity = validity(&timestamp);
    let hint_validity = validity(&hint);
    // What stands in a missing slot is of no account.
    let priority: Vec<_> = priority.into_iter().map(|value| value.unwrap_or(i64::MIN)).collect();
    let timestamp: Vec<_> = timestamp.into_iter().map(|value| value.unwrap_or(i64::MAX)).collect();
    let hint: Vec<_> = hint.into_iter().map(|value| value.unwrap_or(f64::INFINITY)).collect();

    let tag_lists = lists(rows.iter().map(|row| row.tags.len()));
    let tags = Texts::new(rows.iter().flat_map(|row| &row.tags).map(|&tag| TAGS[tag]), dictionary);

    let entries: Vec<_> =
        rows.iter().flat_map(|row| &row.metadata).map(|&(key, position)| (KEYS[key], value(position))).collect();
    let metadata_lists = lists(rows.iter().map(|row| row.metadata.len()));
    let metadata_keys = Texts::new(entries.iter().map(|(key, _)| *key), dictionary);
    let mut types = Vec::new();
    let mut texts = Vec::new();
    let mut numbers = Vec::new();
    for (_, value) in &entries {
        let (kind, text, number) = match value {
            Metadata::String(text) => (0, text.as_str(), f64::NAN),
            Metadata::Double(number) => (1, "not read", *number),
            Metadata::Other(text) => (2, text.as_str(), f64::NAN),
        };
        types.push(kind);
        texts.push(text);
        numbers.push(number);
    }
    let metadata_texts = Texts::new(texts.into_iter(), dictionary);

    let mut columns = columns(rows.len());
    columns.tokens = tokens.as_ptr();
    columns.pinned = pinned.as_ptr();
    columns.kind = kind.lend();
    columns.priority = priority.as_ptr();
    columns.priority_validity = priority_validity.as_ptr();
    columns.timestamp = timestamp.as_ptr();
    columns.timestamp_validity = timestamp_validity.as_ptr();
    columns.future_relevance_hint = hint.as_ptr();
    columns.future_relevance_hint_validity = hint_validity.as_ptr();
    columns.tag_lists = tag_lists.as_ptr();
    columns.tags_len = *tag_lists.last().unwrap() as usize;
    columns.tags = tags.lend();
    columns.metadata_lists = metadata_lists.as_ptr();
    columns.metadata_len = entries.len();
    columns.metadata_keys = metadata_keys.lend();
    columns.metadata_types = types.as_ptr();
    columns.metadata_texts = metadata_texts.lend();
    columns.metadata_numbers = numbers.as_ptr();
    append(batch, &columns).unwrap();
}
