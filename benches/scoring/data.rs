//! The batches that are measured, as plain values from which every library builds its own.

use std::borrow::Cow;

use crate::random::Random;

/// One item of any library.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub kind: Option<&'static str>,
    pub tags: Vec<String>,
    pub priority: Option<i64>,
    pub timestamp: Option<i64>,
    pub hint: Option<f64>,
    pub trust: Option<f64>,
    pub topic: Option<&'static str>,
    /// The content.
    pub content: Cow<'static, str>,
    /// Metadata besides trust and topic.
    pub more: Vec<(String, String)>,
    pub tokens: i64,
}

const KINDS: [&str; 5] = ["Message", "Document", "ToolOutput", "Memory", "SystemPrompt"];
const TOPICS: [&str; 4] = ["build", "test", "deploy", "review"];

/// The instant that decay takes for now: the end of the month in which the timestamps lie.
pub const NOW: i64 = 1_772_323_200_000_000_000;
const MONTH_MILLISECONDS: u64 = 30 * 24 * 3600 * 1000;

/// What the rows of a batch look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Five kinds, up to three of fifty tags, priorities 0 to 9, random milliseconds of a month, trust and another key.
    Typical,
    /// The same with a tenth of every field missing.
    Missing,
    /// Ranks: all keys equal.
    Equal,
    /// Ranks: keys in order.
    Sorted,
    /// Ranks: keys in reverse order.
    Reversed,
    /// Ranks: two distinct keys.
    TwoValues,
    /// Ranks: keys that crowd together exponentially.
    Skewed,
    /// Tags: three that no other row has.
    DistinctTags,
    /// Tags: one that all rows have, and two more.
    SharedTag,
    /// Tags: 64 of 1,000.
    ManyTags,
    /// Tags: 16 of 400.
    SixteenOf400,
    /// Building: contents of 240 bytes, tags and values longer than 16 bytes, none of them ASCII.
    LongTexts,
    /// Building: eight tags and eight metadata entries on every row, more than an item holds inline.
    ManyFields,
    /// JSON: rows of about 350 bytes.
    Messages,
    /// Selecting: a history of texts of 90 bytes, one in twenty a repetition, with 50 to 499 tokens.
    Choices,
}

impl Shape {
    pub const HOSTILE_KEYS: [Self; 5] = [Self::Equal, Self::Sorted, Self::Reversed, Self::TwoValues, Self::Skewed];
    pub const BUILDING: [Self; 2] = [Self::LongTexts, Self::ManyFields];
    pub const HOSTILE_TAGS: [Self; 4] = [Self::DistinctTags, Self::SharedTag, Self::ManyTags, Self::SixteenOf400];

    pub fn name(self) -> &'static str {
        match self {
            Self::Typical => "typical",
            Self::Missing => "10% missing",
            Self::Equal => "all keys equal",
            Self::Sorted => "sorted",
            Self::Reversed => "reversed",
            Self::TwoValues => "two values",
            Self::Skewed => "exponentially skewed",
            Self::DistinctTags => "every tag distinct",
            Self::SharedTag => "one tag shared by all",
            Self::ManyTags => "64 of 1000 tags",
            Self::SixteenOf400 => "16 of 400 tags",
            Self::LongTexts => "long, non-ASCII texts",
            Self::ManyFields => "8 tags, 8 keys",
            Self::Messages => "messages",
            Self::Choices => "choices",
        }
    }

    /// The rows of a batch, the same in every run.
    pub fn rows(self, count: usize) -> Vec<Row> {
        let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ count as u64);
        (0..count).map(|row| self.row(row, count, &mut random)).collect()
    }

    fn row(self, index: usize, count: usize, random: &mut Random) -> Row {
        let mut row = Row {
            kind: Some(KINDS[random.below(5) as usize]),
            tags: (0..random.below(4)).map(|_| format!("tag-{}", random.below(50))).collect(),
            priority: Some(random.below(10) as i64),
            timestamp: Some(NOW - random.below(MONTH_MILLISECONDS) as i64 * 1_000_000),
            hint: Some(random.unit()),
            trust: Some((random.unit() * 100.0).round() / 100.0),
            topic: Some(TOPICS[random.below(4) as usize]),
            content: Cow::Borrowed("the content"),
            more: Vec::new(),
            tokens: 120,
        };
        let key = |key: i64| (Some(key), Some(NOW - MONTH_MILLISECONDS as i64 * 1_000_000 + key * 1_000_000));
        match self {
            Self::Typical => {}
            Self::Missing => {
                let mut lost = || random.below(10) == 0;
                row.kind = row.kind.filter(|_| !lost());
                row.priority = row.priority.filter(|_| !lost());
                row.timestamp = row.timestamp.filter(|_| !lost());
                row.hint = row.hint.filter(|_| !lost());
                row.trust = row.trust.filter(|_| !lost());
                row.topic = row.topic.filter(|_| !lost());
            }
            Self::Equal => (row.priority, row.timestamp) = key(7),
            Self::Sorted => (row.priority, row.timestamp) = key(index as i64),
            Self::Reversed => (row.priority, row.timestamp) = key((count - index) as i64),
            Self::TwoValues => (row.priority, row.timestamp) = key(random.below(2) as i64),
            Self::Skewed => (row.priority, row.timestamp) = key((random.unit() * 40.0).exp2() as i64),
            Self::DistinctTags => row.tags = (0..3).map(|tag| format!("tag-{index}-{tag}")).collect(),
            Self::SharedTag => {
                row.tags = vec!["all".to_owned()];
                row.tags.extend((0..2).map(|_| format!("tag-{}", random.below(count as u64))));
            }
            Self::ManyTags => row.tags = (0..64).map(|_| format!("tag-{}", random.below(1000))).collect(),
            Self::SixteenOf400 => row.tags = (0..16).map(|_| format!("tag-{}", random.below(400))).collect(),
            Self::LongTexts => {
                row.content = "Ein längerer Text über Kontext, Größe und Maß. ".repeat(5).into();
                row.tags = (0..3).map(|_| format!("größere Schlagwörter {}", random.below(50))).collect();
                row.more = vec![("Überschrift".to_owned(), format!("Abschnitt über Maße {}", random.below(1000)))];
            }
            Self::ManyFields => {
                row.tags = (0..8).map(|_| format!("tag-{}", random.below(50))).collect();
                row.more = (0..6).map(|key| (format!("key-{key}"), format!("value-{}", random.below(20)))).collect();
            }
            Self::Messages => row.content = "Why does the build fail with an \"unknown symbol\"?\n".repeat(2).into(),
            Self::Choices => {
                let text = if random.below(20) == 0 { random.below(index as u64 + 1) } else { index as u64 };
                row.content = format!("{text:090}").into();
                row.tokens = 50 + random.below(450) as i64;
                row.timestamp = Some(NOW - (count - index) as i64 * 1_000_000_000);
            }
        }
        row
    }
}

/// Rows as JSON Lines.
pub fn json_lines(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let mut metadata = serde_json::Map::new();
        metadata.insert("cupel:trust".into(), row.trust.into());
        metadata.insert("topic".into(), row.topic.into());
        metadata.extend(row.more.iter().map(|(key, value)| (key.clone(), value.as_str().into())));
        let seconds = row.timestamp.unwrap_or_default() / 1_000_000_000;
        let timestamp = chrono::DateTime::from_timestamp(seconds, 0).expect("an instant of our time").to_rfc3339();
        let item = serde_json::json!({
            "content": row.content, "tokens": row.tokens, "kind": row.kind, "tags": row.tags, "priority": row.priority,
            "timestamp": timestamp, "futureRelevanceHint": row.hint, "metadata": metadata,
        });
        text.push_str(&item.to_string());
        text.push('\n');
    }
    text
}
