//! Rows as JSON: what [`append_items`](crate::json::append_items) reads.

use std::ops::Range;

use crate::batch::{Batch, Item, MetadataValue, TRUST_KEY};
use crate::error::Excerpt;
use crate::json::error::JsonError;
use crate::json::items::integral_double;
use crate::json::lexer::{Failed, Lexer, Skip};
use crate::json::timestamp::Rfc3339;
use crate::json::writer::{JsonWriter, Limit};
use crate::json::{MAX_BYTES, MAX_DEPTH};
use crate::memory::OutOfMemory;

const LIMIT: Limit =
    Limit { bytes: MAX_BYTES, message: "the JSON is longer than 2147483647 bytes: write fewer rows at a time" };

/// Writes an item as an object of JSON, from which [`append_items`](crate::json::append_items) reads the same fields.
///
/// A metadata value that is neither text nor number is written as it is where it reads back as such a value, and as a string
/// elsewhere; its text is the same in either form.
///
/// # Errors
///
/// [`JsonError::Unwritable`] for an item without content, a double that is not finite, and a trust that would read back as a
/// number.
pub fn write_item(item: &Item) -> Result<String, JsonError> {
    let mut json = JsonWriter::new(LIMIT);
    let row = Row {
        number: None,
        content: item.content(),
        tokens: item.tokens(),
        kind: item.kind(),
        source: item.source(),
        priority: item.priority(),
        timestamp: item.timestamp(),
        future_relevance_hint: item.future_relevance_hint(),
        pinned: item.pinned(),
        original_tokens: item.original_tokens(),
    };
    row.write(&mut json, item.tags(), item.metadata())?;
    Ok(json.finish())
}

/// Writes rows of a batch as JSON Lines: an object as [`write_item`] writes it, and a line feed, for each.
///
/// # Errors
///
/// As for [`write_item`].
///
/// # Panics
///
/// When the batch does not have the rows.
pub fn write_rows(batch: &Batch, rows: Range<usize>) -> Result<String, JsonError> {
    assert!(rows.end <= batch.len(), "the batch has {} rows", batch.len());
    let mut json = JsonWriter::new(LIMIT);
    for number in rows {
        let row = Row {
            number: Some(number),
            content: batch.content(number),
            tokens: batch.tokens().get(number),
            kind: batch.kinds().get(number),
            source: batch.sources().get(number),
            priority: batch.priority().get(number),
            timestamp: batch.timestamp().get(number),
            future_relevance_hint: batch.future_relevance_hint().get(number),
            pinned: batch.pinned().get(number) == Some(&1),
            original_tokens: batch.original_tokens().get(number),
        };
        row.write(&mut json, batch.tags().row(number), batch.metadata().row(number))?;
        json.end_line()?;
    }
    Ok(json.finish())
}

/// The fields of a row other than its tags and metadata.
#[derive(Clone, Copy)]
struct Row<'a> {
    /// Its number in the batch, for messages.
    number: Option<usize>,
    content: &'a str,
    tokens: i64,
    kind: &'a str,
    source: &'a str,
    priority: Option<i64>,
    timestamp: Option<i64>,
    future_relevance_hint: Option<f64>,
    pinned: bool,
    original_tokens: Option<i64>,
}

impl Row<'_> {
    fn write<'t>(
        self,
        json: &mut JsonWriter,
        tags: impl Iterator<Item = &'t str>,
        metadata: impl Iterator<Item = (&'t str, MetadataValue<'t>)>,
    ) -> Result<(), JsonError> {
        if self.content.is_empty() {
            return Err(self.unwritable("content", None, "is empty: the JSON of an item needs content"));
        }
        json.begin_object()?;
        json.name("content")?;
        json.string(self.content)?;
        json.name("tokens")?;
        json.literal(self.tokens)?;
        json.name("kind")?;
        json.string(self.kind)?;
        json.name("source")?;
        json.string(self.source)?;
        if let Some(priority) = self.priority {
            json.name("priority")?;
            json.literal(priority)?;
        }
        let mut tags = tags.peekable();
        if tags.peek().is_some() {
            json.name("tags")?;
            json.begin_array()?;
            tags.try_for_each(|tag| json.string(tag))?;
            json.end_array()?;
        }
        let mut metadata = metadata.peekable();
        if metadata.peek().is_some() {
            json.name("metadata")?;
            json.begin_object()?;
            metadata.try_for_each(|(key, value)| self.write_metadata(json, key, value))?;
            json.end_object()?;
        }
        if let Some(timestamp) = self.timestamp {
            json.name("timestamp")?;
            json.plain(Rfc3339(timestamp))?;
        }
        if let Some(hint) = self.future_relevance_hint {
            json.name("futureRelevanceHint")?;
            self.write_number(json, hint, "futureRelevanceHint", None)?;
        }
        if self.pinned {
            json.name("pinned")?;
            json.literal(true)?;
        }
        if let Some(tokens) = self.original_tokens {
            json.name("originalTokens")?;
            json.literal(tokens)?;
        }
        json.end_object()
    }

    fn write_metadata(self, json: &mut JsonWriter, key: &str, value: MetadataValue<'_>) -> Result<(), JsonError> {
        json.name(key)?;
        match value {
            MetadataValue::String(text) => json.string(text),
            MetadataValue::Double(number) => self.write_number(json, number, "metadata", Some(key)),
            MetadataValue::Other(text) if reads_as_other(text)? => json.literal(text),
            // Trust is read from a string as well, and not from any other value.
            MetadataValue::Other(text)
                if key == TRUST_KEY && text.parse().is_ok_and(|number: f64| !number.is_nan()) =>
            {
                let rule = "is neither text nor number, and its text would read back as a number";
                Err(self.unwritable("metadata", Some(key), rule))
            }
            MetadataValue::Other(text) => json.string(text),
        }
    }

    fn write_number(
        self,
        json: &mut JsonWriter,
        number: f64,
        field: &'static str,
        key: Option<&str>,
    ) -> Result<(), JsonError> {
        if number.is_finite() {
            return json.number(number);
        }
        let rule = if number.is_nan() {
            "is NaN: JSON has no such number"
        } else if number > 0.0 {
            "is infinite: JSON has no such number"
        } else {
            "is negative infinite: JSON has no such number"
        };
        Err(self.unwritable(field, key, rule))
    }

    #[cold]
    fn unwritable(self, field: &'static str, key: Option<&str>, rule: &'static str) -> JsonError {
        JsonError::Unwritable { row: self.number, field, key: key.map(Excerpt::new), rule }
    }
}

/// Whether a metadata value that is written as this text is read as one that is neither text nor number and has this text. A text
/// with a line break is not, because a row is a line.
fn reads_as_other(text: &str) -> Result<bool, OutOfMemory> {
    let mut lexer = Lexer::new(text, 0);
    let read: Result<bool, Failed> = match text.as_bytes().first() {
        Some(b'-' | b'0'..=b'9') => lexer.number().map(|number| number.is_integer && integral_double(number).is_none()),
        Some(b'{' | b'[' | b't' | b'f' | b'n') => {
            lexer.walk(2, MAX_DEPTH, &mut Skip).map(|()| !text.contains(['\n', '\r']))
        }
        _ => return Ok(false),
    };
    match read {
        Ok(is_other) => Ok(is_other && lexer.at() == text.len()),
        Err(Failed) if lexer.is_out_of_memory() => Err(OutOfMemory),
        Err(Failed) => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::ItemBuilder;
    use crate::json::append_items;

    fn item(set: impl FnOnce(&mut ItemBuilder)) -> Item {
        let mut builder = ItemBuilder::new("a", 1).unwrap();
        set(&mut builder);
        builder.build().unwrap()
    }

    fn fields(item: &Item) -> String {
        format!(
            "{:?} {} {:?} {:?} {:?} {:?} {:?} {} {:?} {:?} {:?}",
            item.content(),
            item.tokens(),
            item.kind(),
            item.source(),
            item.priority(),
            item.timestamp(),
            item.future_relevance_hint().map(f64::to_bits),
            item.pinned(),
            item.original_tokens(),
            item.tags().collect::<Vec<_>>(),
            item.metadata().collect::<Vec<_>>(),
        )
    }

    #[test]
    fn an_item_has_every_field_that_is_set() {
        assert_eq!(
            write_item(&item(|_| ())).unwrap(),
            r#"{"content":"a","tokens":1,"kind":"Message","source":"Chat"}"#
        );
        let full = item(|builder| {
            builder.kind("Memory").unwrap().source("Rag").unwrap().priority(-7).unwrap().pinned(true).unwrap();
            builder.tag("x").unwrap().tag("\"\\\n\u{1}é").unwrap().timestamp(-1).unwrap();
            builder.future_relevance_hint(0.1).unwrap().original_tokens(i64::MIN).unwrap();
            builder.metadata("k", MetadataValue::Double(1.0)).unwrap();
            builder.metadata("o", MetadataValue::Other(r#"{"a": [1, 2]}"#)).unwrap();
            builder.metadata("d", MetadataValue::Other("2026-01-01")).unwrap();
        });
        assert_eq!(
            write_item(&full).unwrap(),
            concat!(
                r#"{"content":"a","tokens":1,"kind":"Memory","source":"Rag","priority":-7,"tags":["x","\"\\\n\u0001é"],"#,
                r#""metadata":{"k":1.0,"o":{"a": [1, 2]},"d":"2026-01-01"},"timestamp":"1969-12-31T23:59:59.999999999Z","#,
                r#""futureRelevanceHint":0.1,"pinned":true,"originalTokens":-9223372036854775808}"#
            )
        );
    }

    #[test]
    fn instants_read_back_to_the_nanosecond() {
        for (nanoseconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (1, "1970-01-01T00:00:00.000000001Z"),
            (1_767_323_045_120_000_000, "2026-01-02T03:04:05.12Z"),
            (i64::MIN, "1677-09-21T00:12:43.145224192Z"),
            (i64::MAX, "2262-04-11T23:47:16.854775807Z"),
        ] {
            let item = item(|builder| {
                builder.timestamp(nanoseconds).unwrap();
            });
            let json = write_item(&item).unwrap();
            assert!(json.contains(text), "{json}");
            let mut batch = Batch::new();
            append_items(&mut batch, &json).unwrap();
            assert_eq!(batch.item(0).unwrap().timestamp(), Some(nanoseconds));
        }
    }

    #[test]
    fn other_values_keep_their_text() {
        for (text, is_other) in [
            ("true", true),
            ("null", true),
            ("[1,  {\"a\": \"\\u0041\"}]", true),
            ("9007199254740993", true),
            ("123456789012345678901234567890", true),
            ("1", false),
            ("1.5", false),
            ("-0", false),
            ("1e400", false),
            ("\"a\"", false),
            ("", false),
            (" true", false),
            ("true ", false),
            ("True", false),
            ("[1,\n2]", false),
            ("[1, 2", false),
            ("{\"a\": 1, \"a\": 2}", false),
            ("2026-01-01T00:00:00Z", false),
        ] {
            let item = item(|builder| {
                builder.metadata("k", MetadataValue::Other(text)).unwrap();
            });
            let mut batch = Batch::new();
            append_items(&mut batch, &write_item(&item).unwrap()).unwrap();
            let expected = if is_other { MetadataValue::Other(text) } else { MetadataValue::String(text) };
            assert_eq!(batch.item(0).unwrap().metadata().collect::<Vec<_>>(), [("k", expected)]);
        }
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let deepest = MAX_DEPTH as usize - 2;
        assert!(reads_as_other(&nested(deepest)).unwrap());
        assert!(!reads_as_other(&nested(deepest + 1)).unwrap());
    }

    #[test]
    fn what_json_cannot_say_is_refused_by_row_and_field() {
        let mut batch = Batch::new();
        batch.push(&item(|_| ())).unwrap();
        let says = |set: &dyn Fn(&mut ItemBuilder), message: &str| {
            let item = item(set);
            let mut batch = Batch::new();
            append_items(&mut batch, r#"{"content": "a", "tokens": 1}"#).unwrap();
            batch.push(&item).unwrap();
            assert_eq!(write_item(&item).unwrap_err().to_string(), message);
            assert_eq!(write_rows(&batch, 0..2).unwrap_err().to_string(), format!("row 1: {message}"));
            assert!(write_rows(&batch, 0..1).is_ok());
        };
        says(
            &|builder| {
                builder.future_relevance_hint(f64::NAN).unwrap();
            },
            "futureRelevanceHint is NaN: JSON has no such number",
        );
        says(
            &|builder| {
                builder.metadata("a key", MetadataValue::Double(f64::NEG_INFINITY)).unwrap();
            },
            "metadata[\"a key\"] is negative infinite: JSON has no such number",
        );
        for text in ["0.5", "9e3", "inf"] {
            says(
                &|builder| {
                    builder.metadata(TRUST_KEY, MetadataValue::Other(text)).unwrap();
                },
                "metadata[\"cupel:trust\"] is neither text nor number, and its text would read back as a number",
            );
        }
        let bare = ItemBuilder::without_content(1).unwrap().build().unwrap();
        assert_eq!(write_item(&bare).unwrap_err().to_string(), "content is empty: the JSON of an item needs content");
    }

    #[test]
    fn rows_are_lines_that_read_back() {
        let mut batch = Batch::new();
        for number in 0..50_i64 {
            batch
                .push(&item(|builder| {
                    builder.reset(&format!("line {number}\n\u{2028}"), number).unwrap();
                    if number % 3 == 0 {
                        builder.priority(number).unwrap().tag("t").unwrap().tag("").unwrap();
                        builder.metadata(TRUST_KEY, MetadataValue::Double(-0.0)).unwrap();
                        builder.metadata("k", MetadataValue::Double(number as f64 * 1e300 / 3.0)).unwrap();
                    }
                    if number % 4 == 1 {
                        builder.timestamp(number << 55).unwrap().metadata("é", MetadataValue::String("[]")).unwrap();
                    }
                }))
                .unwrap();
        }
        let json = write_rows(&batch, 10..50).unwrap();
        assert_eq!((json.lines().count(), json.ends_with('\n')), (40, true));
        let mut again = Batch::new();
        append_items(&mut again, &json).unwrap();
        for row in 0..40 {
            assert_eq!(fields(&again.item(row).unwrap()), fields(&batch.item(row + 10).unwrap()));
        }
        assert_eq!(write_rows(&batch, 3..3).unwrap(), "");
    }
}
