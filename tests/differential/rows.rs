//! Random rows, and the three ways to hand them to the library.

use std::collections::HashMap;
use std::ops::Range;

use chrono::{DateTime, SecondsFormat, Utc};
use cupel_reference::{ContextItem, ContextItemBuilder, ContextKind};
use proptest::collection::vec;
use proptest::prelude::*;

use super::capi::{Batch, ItemBuilder, Metadata};

/// Kinds with case variants. Folding stops at ASCII: the last four are four kinds.
pub const KINDS: [&str; 14] = [
    "Message",
    "message",
    "MESSAGE",
    "Document",
    "dOCUMENT",
    "ToolOutput",
    "Memory",
    "SystemPrompt",
    "systemprompt",
    " Memory",
    "Café",
    "CAFÉ",
    "K",
    "\u{212a}",
];

/// Tags with case variants, the empty tag, and one with a NUL byte inside.
pub const TAGS: [&str; 16] =
    ["a", "A", "b", "B", "rust", "Rust", "RUST", "", " ", "ß", "SS", "é", "É", "k", "\u{212a}", "nul\0inside"];

pub const KEYS: [&str; 5] = ["cupel:trust", "cupel:priority", "", "Cupel:Trust", "cupel:source-type"];

/// Texts of metadata values: numbers in the many spellings that a parser may take or refuse, and plain texts.
pub const TEXTS: [&str; 24] = [
    "high",
    "High",
    "",
    "0.85",
    "1",
    "1.0",
    "1e-1",
    ".5",
    "5.",
    "+0.25",
    "-0.0",
    "-3",
    "2",
    "NaN",
    "inf",
    "-Infinity",
    " 0.5",
    "0.5 ",
    "0x1p-1",
    "1e400",
    "4.9e-324",
    "0.1000000000000000055511151231257827",
    "1_0",
    "true",
];

pub const NUMBERS: [f64; 12] =
    [0.0, -0.0, 1.0, 0.85, 0.1, 1.5, -2.0, 1e300, 5e-324, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// Texts of values that are neither text nor number. None of them reads as a number, because there the reference, to which
/// all metadata is text, would differ.
pub const OTHERS: [&str; 2] = ["true", "false"];

#[derive(Debug, Clone)]
pub struct Row {
    pub kind: usize,
    pub priority: Option<i64>,
    pub tags: Vec<usize>,
    /// Key and value by position: texts first, then numbers, then others.
    pub metadata: Vec<(usize, usize)>,
    pub timestamp: Option<i64>,
    pub hint: Option<f64>,
    pub tokens: i64,
    pub pinned: bool,
}

/// An instant: often one of a few, so that rows tie; sometimes anything a 64-bit count of nanoseconds can say.
pub fn instant() -> impl Strategy<Value = i64> {
    const BASE: i64 = 1_767_225_600_000_000_000;
    (0_u8..16, any::<i64>()).prop_map(|(shape, value)| match shape {
        0..8 => BASE + value.rem_euclid(6) * 3_600_000_000_000,
        8..12 => BASE + value.rem_euclid(86_400_000) * 1_000_000,
        12 => BASE + value.rem_euclid(5),
        13 => value,
        14 => i64::MAX - value.rem_euclid(3),
        _ => i64::MIN + value.rem_euclid(3),
    })
}

/// The nearest whole millisecond towards the epoch.
pub fn whole_milliseconds(nanoseconds: i64) -> i64 {
    nanoseconds / 1_000_000 * 1_000_000
}

fn priority() -> impl Strategy<Value = Option<i64>> {
    (0_u8..12, any::<i64>()).prop_map(|(shape, value)| match shape {
        0..3 => None,
        3..8 => Some(value.rem_euclid(5)),
        8 => Some(-value.rem_euclid(300)),
        9 => Some(i64::MAX - value.rem_euclid(2)),
        10 => Some(i64::MIN + value.rem_euclid(2)),
        _ => Some(value),
    })
}

fn hint() -> impl Strategy<Value = Option<f64>> {
    const SPECIAL: [f64; 12] = [
        0.0,
        -0.0,
        1.0,
        0.5,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        5e-324,
        -5e-324,
        f64::MAX,
        1.0 + f64::EPSILON,
        -1.0,
    ];
    (0_u8..16, any::<u64>()).prop_map(|(shape, bits)| match shape {
        0..4 => None,
        4..8 => Some(SPECIAL[bits as usize % SPECIAL.len()]),
        8..10 => Some(f64::from_bits(bits)),
        _ => Some((bits >> 11) as f64 / (1_u64 << 53) as f64),
    })
}

fn row() -> impl Strategy<Value = Row> {
    let values = TEXTS.len() + NUMBERS.len() + OTHERS.len();
    (
        0..KINDS.len(),
        priority(),
        vec(0..TAGS.len(), 0..4),
        vec((0..KEYS.len(), 0..values), 0..4),
        (0_u8..5, instant()).prop_map(|(shape, instant)| (shape > 0).then_some(instant)),
        hint(),
        any::<i16>(),
    )
        .prop_map(|(kind, priority, tags, metadata, timestamp, hint, tokens)| Row {
            kind,
            priority,
            tags,
            metadata,
            timestamp,
            hint,
            tokens: tokens.into(),
            pinned: tokens % 2 == 0,
        })
}

/// Rows; a fourth of the time with the same metadata keys each, as rows of a table have.
pub fn rows(len: Range<usize>) -> impl Strategy<Value = Vec<Row>> {
    (vec(row(), len), 0_u8..4).prop_map(|(mut rows, shape)| {
        if shape == 0
            && let Some((first, others)) = rows.split_first_mut()
        {
            for row in others {
                let values: Vec<_> = row.metadata.iter().map(|&(_, value)| value).collect();
                let values = values.into_iter().chain([row.tokens.unsigned_abs() as usize % TEXTS.len()]).cycle();
                row.metadata = first.metadata.iter().map(|&(key, _)| key).zip(values).collect();
            }
        }
        rows
    })
}

/// A value of the metadata by its position.
pub fn value(position: usize) -> Metadata {
    if position < TEXTS.len() {
        return Metadata::String(TEXTS[position].to_owned());
    }
    match NUMBERS.get(position - TEXTS.len()) {
        Some(&number) => Metadata::Double(number),
        None => Metadata::Other(OTHERS[position - TEXTS.len() - NUMBERS.len()].to_owned()),
    }
}

fn is_finite_value(position: usize) -> bool {
    !matches!(value(position), Metadata::Double(number) if !number.is_finite())
}

impl Row {
    pub fn to_reference(&self) -> ContextItem {
        let metadata: HashMap<String, String> = self
            .metadata
            .iter()
            .map(|&(key, position)| {
                let text = match value(position) {
                    Metadata::Double(number) => number.to_string(),
                    Metadata::String(text) | Metadata::Other(text) => text,
                };
                (KEYS[key].to_owned(), text)
            })
            .collect();
        let mut item = ContextItemBuilder::new("content", self.tokens)
            .kind(ContextKind::new(KINDS[self.kind]).expect("no kind is blank"))
            .tags(self.tags.iter().map(|&tag| TAGS[tag].to_owned()).collect())
            .metadata(metadata)
            .pinned(self.pinned);
        if let Some(priority) = self.priority {
            item = item.priority(priority);
        }
        if let Some(timestamp) = self.timestamp {
            item = item.timestamp(instant_of(timestamp));
        }
        if let Some(hint) = self.hint {
            item = item.future_relevance_hint(hint);
        }
        item.build().expect("the content is not empty")
    }

    /// Whether JSON can say all of the row. A value that is set again takes the place of the first.
    pub fn is_finite(&self) -> bool {
        let metadata: HashMap<_, _> = self.metadata.iter().copied().collect();
        self.hint.is_none_or(f64::is_finite) && metadata.values().all(|&position| is_finite_value(position))
    }

    /// Leaves out what JSON cannot say.
    pub fn make_finite(&mut self) {
        self.hint = self.hint.filter(|hint| hint.is_finite());
        self.metadata.retain(|&(_, position)| is_finite_value(position));
    }

    /// The row as an object of JSON. It has no NaN and no infinity: a hint that is one of them scores as no hint does, and a
    /// number of the metadata as the string of its name does.
    fn to_json(&self) -> String {
        let text = |text: &str| serde_json::to_string(text).expect("a text has a JSON form");
        let mut fields = vec![
            format!("\"content\": \"content\", \"tokens\": {}", self.tokens),
            format!("\"kind\": {}, \"pinned\": {}", text(KINDS[self.kind]), self.pinned),
        ];
        if let Some(priority) = self.priority {
            fields.push(format!("\"priority\": {priority}"));
        }
        if let Some(timestamp) = self.timestamp {
            let timestamp = instant_of(timestamp).to_rfc3339_opts(SecondsFormat::Nanos, true);
            fields.push(format!("\"timestamp\": \"{timestamp}\""));
        }
        if let Some(hint) = self.hint.filter(|hint| hint.is_finite()) {
            fields.push(format!("\"futureRelevanceHint\": {hint:?}"));
        }
        let tags: Vec<_> = self.tags.iter().map(|&tag| text(TAGS[tag])).collect();
        fields.push(format!("\"tags\": [{}]", tags.join(", ")));
        let metadata: HashMap<_, _> = self.metadata.iter().copied().collect();
        let metadata = metadata.iter().map(|(&key, &position)| {
            let value = match value(position) {
                Metadata::String(value) => text(&value),
                Metadata::Double(number) if number.is_finite() => format!("{number:?}"),
                Metadata::Double(number) => text(&number.to_string()),
                Metadata::Other(value) => value,
            };
            format!("{}: {value}", text(KEYS[key]))
        });
        fields.push(format!("\"metadata\": {{{}}}", metadata.collect::<Vec<_>>().join(", ")));
        format!("{{{}}}", fields.join(", "))
    }
}

pub fn instant_of(nanoseconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_nanos(nanoseconds)
}

/// A batch of items that were pushed one by one.
pub fn by_item(rows: &[Row]) -> Batch {
    let mut batch = Batch::new(0).unwrap();
    let mut builder = ItemBuilder::new("content", 0).unwrap();
    for row in rows {
        builder.reset("content", row.tokens).unwrap();
        builder.set_kind(KINDS[row.kind]).unwrap();
        builder.set_pinned(row.pinned).unwrap();
        if let Some(priority) = row.priority {
            builder.set_priority(priority).unwrap();
        }
        if let Some(timestamp) = row.timestamp {
            builder.set_timestamp(timestamp).unwrap();
        }
        if let Some(hint) = row.hint {
            builder.set_future_relevance_hint(hint).unwrap();
        }
        for &tag in &row.tags {
            builder.add_tag(TAGS[tag]).unwrap();
        }
        for &(key, position) in &row.metadata {
            builder.set_metadata(KEYS[key], &value(position)).unwrap();
        }
        batch.push(&builder.build().unwrap()).unwrap();
    }
    batch
}

/// A batch from one JSON text, an array or JSON Lines.
pub fn by_json(rows: &[Row], lines: bool) -> Batch {
    let mut batch = Batch::new(rows.len()).unwrap();
    let objects: Vec<_> = rows.iter().map(Row::to_json).collect();
    let json = if lines && !rows.is_empty() { objects.join("\n") } else { format!("[{}]", objects.join(",\n")) };
    batch.append_json(&json).unwrap();
    batch
}
