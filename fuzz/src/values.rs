//! Values that are worth trying, made from the fuzzer's bytes.

use arbitrary::{Result, Unstructured};

use crate::capi::{Batch, Item, ItemBuilder, Metadata};

/// A length below or equal to `most`.
pub fn len(u: &mut Unstructured<'_>, most: usize) -> Result<usize> {
    u.int_in_range(0..=most)
}

/// A text from a small alphabet, so that texts meet again, or any text.
pub fn text(u: &mut Unstructured<'_>) -> Result<String> {
    const KNOWN: [&str; 14] = [
        "a",
        "A",
        "b",
        "urgent",
        "URGENT",
        "Message",
        "systemprompt",
        "cupel:trust",
        "cupel:priority",
        "0.5",
        "é",
        "x\0y",
        "",
        " ",
    ];
    if u.ratio(7, 8)? {
        return Ok((*u.choose(&KNOWN)?).to_owned());
    }
    let most = len(u, 40)?;
    let bytes = u.bytes(most.min(u.len()))?;
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// A text that an item takes as its kind, its source or its content.
pub fn name(u: &mut Unstructured<'_>) -> Result<String> {
    let text = text(u)?;
    Ok(if text.trim().is_empty() { "Document".to_owned() } else { text })
}

/// Any double, with the awkward ones more often than chance would have them.
pub fn double(u: &mut Unstructured<'_>) -> Result<f64> {
    const AWKWARD: [f64; 14] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        5e-324,
        f64::EPSILON,
        1e300,
    ];
    if u.ratio(2, 3)? { Ok(*u.choose(&AWKWARD)?) } else { u.arbitrary() }
}

/// A weight that a composite takes.
pub fn weight(u: &mut Unstructured<'_>) -> Result<f64> {
    Ok(f64::from(u.int_in_range(1_u16..=1000)?) / 8.0)
}

/// Any whole number, with small ones and the ends of the range more often.
pub fn integer(u: &mut Unstructured<'_>) -> Result<i64> {
    match u.int_in_range(0..=3_u8)? {
        0 => u.int_in_range(-3..=3),
        1 => Ok(*u.choose(&[i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX])?),
        _ => u.arbitrary(),
    }
}

pub fn metadata(u: &mut Unstructured<'_>) -> Result<Metadata> {
    Ok(match u.int_in_range(0..=2_u8)? {
        0 => Metadata::String(text(u)?),
        1 => Metadata::Double(double(u)?),
        _ => Metadata::Other(text(u)?),
    })
}

/// The fields of an item, as plain values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    pub content: String,
    pub tokens: i64,
    pub kind: String,
    pub source: String,
    pub priority: Option<i64>,
    pub tags: Vec<String>,
    pub metadata: Vec<(String, Metadata)>,
    pub timestamp: Option<i64>,
    pub hint: Option<f64>,
    pub pinned: bool,
    pub original_tokens: Option<i64>,
}

impl Row {
    pub fn generate(u: &mut Unstructured<'_>) -> Result<Self> {
        let mut row = Self {
            content: name(u)?,
            tokens: integer(u)?,
            kind: "Message".to_owned(),
            source: "Chat".to_owned(),
            ..Self::default()
        };
        let fields: u16 = u.arbitrary()?;
        let has = |bit: u16| fields & (1 << bit) != 0;
        if has(0) {
            row.kind = name(u)?;
        }
        if has(1) {
            row.source = name(u)?;
        }
        if has(2) {
            row.priority = Some(integer(u)?);
        }
        if has(3) {
            for _ in 0..len(u, 6)? {
                row.tags.push(text(u)?);
            }
        }
        if has(4) {
            for _ in 0..len(u, 4)? {
                let (key, value) = (text(u)?, metadata(u)?);
                row.set_metadata(key, value);
            }
        }
        if has(5) {
            row.timestamp = Some(integer(u)?);
        }
        if has(6) {
            row.hint = Some(double(u)?);
        }
        row.pinned = has(7);
        if has(8) {
            row.original_tokens = Some(integer(u)?);
        }
        Ok(row)
    }

    pub fn set_metadata(&mut self, key: String, value: Metadata) {
        match self.metadata.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = value,
            None => self.metadata.push((key, value)),
        }
    }

    pub fn item(&self) -> Item {
        let mut builder = ItemBuilder::new(&self.content, self.tokens).unwrap();
        builder.set_kind(&self.kind).unwrap();
        builder.set_source(&self.source).unwrap();
        if let Some(priority) = self.priority {
            builder.set_priority(priority).unwrap();
        }
        for tag in &self.tags {
            builder.add_tag(tag).unwrap();
        }
        for (key, value) in &self.metadata {
            builder.set_metadata(key, value).unwrap();
        }
        if let Some(timestamp) = self.timestamp {
            builder.set_timestamp(timestamp).unwrap();
        }
        if let Some(hint) = self.hint {
            builder.set_future_relevance_hint(hint).unwrap();
        }
        builder.set_pinned(self.pinned).unwrap();
        if let Some(tokens) = self.original_tokens {
            builder.set_original_tokens(tokens).unwrap();
        }
        builder.build().unwrap()
    }

    /// Reads every field of an item.
    pub fn read(item: &Item) -> Self {
        Self {
            content: item.content().unwrap(),
            tokens: item.tokens().unwrap(),
            kind: item.kind().unwrap(),
            source: item.source().unwrap(),
            priority: item.priority().unwrap(),
            tags: item.tags().unwrap(),
            metadata: item.metadata().unwrap(),
            timestamp: item.timestamp().unwrap(),
            hint: item.future_relevance_hint().unwrap(),
            pinned: item.pinned().unwrap(),
            original_tokens: item.original_tokens().unwrap(),
        }
    }

    /// Compares two rows: doubles by their bits, metadata in any order.
    pub fn assert_same(&self, other: &Self) {
        let plain = |row: &Self| {
            let hint = row.hint.map(f64::to_bits);
            let mut metadata: Vec<_> = row
                .metadata
                .iter()
                .map(|(key, value)| match value {
                    Metadata::String(text) => (key.clone(), 0, text.clone(), 0),
                    Metadata::Double(number) => (key.clone(), 1, String::new(), number.to_bits()),
                    Metadata::Other(text) => (key.clone(), 2, text.clone(), 0),
                })
                .collect();
            metadata.sort();
            (Self { hint: None, metadata: Vec::new(), ..row.clone() }, hint, metadata)
        };
        assert_eq!(plain(self), plain(other));
    }
}

/// A row of a batch, as plain values.
pub fn row(batch: &Batch, index: usize) -> Row {
    Row::read(&batch.item(index).unwrap())
}

/// The bits of scores, which compare as scores do not.
pub fn bits(scores: &[f64]) -> Vec<u64> {
    scores.iter().map(|score| score.to_bits()).collect()
}
