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
    write_row(&mut json, None, item)?;
    json.finish()
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
    for row in rows {
        // A row that is there has no invalid field.
        let item = batch.item(row).map_err(|_| OutOfMemory)?;
        write_row(&mut json, Some(row), &item)?;
        json.end_line();
    }
    json.finish()
}

/// Writes an item. `row` is its number in the batch, for messages.
fn write_row(json: &mut JsonWriter, row: Option<usize>, item: &Item) -> Result<(), JsonError> {
    let unwritable =
        |field, key: Option<&str>, rule| Err(JsonError::Unwritable { row, field, key: key.map(Excerpt::new), rule });
    if item.content().is_empty() {
        return unwritable("content", None, "is empty: the JSON of an item needs content");
    }
    json.begin('{');
    json.name("content").string(item.content());
    json.name("tokens").literal(item.tokens());
    json.name("kind").string(item.kind());
    json.name("source").string(item.source());
    if let Some(priority) = item.priority() {
        json.name("priority").literal(priority);
    }
    if item.tags().len() > 0 {
        json.name("tags").begin('[');
        item.tags().for_each(|tag| json.string(tag));
        json.end(']');
    }
    if item.metadata().len() > 0 {
        json.name("metadata").begin('{');
        for (key, value) in item.metadata() {
            json.name(key);
            match value {
                MetadataValue::Double(number) => match not_finite(number) {
                    Some(rule) => return unwritable("metadata", Some(key), rule),
                    None => json.number(number),
                },
                MetadataValue::Other(text) if reads_as_other(text)? => json.literal(text),
                // Trust is read from a string as well, and not from any other value.
                MetadataValue::Other(text)
                    if key == TRUST_KEY && text.parse().is_ok_and(|number: f64| !number.is_nan()) =>
                {
                    let rule = "is neither text nor number, and its text would read back as a number";
                    return unwritable("metadata", Some(key), rule);
                }
                MetadataValue::String(text) | MetadataValue::Other(text) => json.string(text),
            }
        }
        json.end('}');
    }
    if let Some(timestamp) = item.timestamp() {
        json.name("timestamp").plain(Rfc3339(timestamp));
    }
    if let Some(hint) = item.future_relevance_hint() {
        if let Some(rule) = not_finite(hint) {
            return unwritable("futureRelevanceHint", None, rule);
        }
        json.name("futureRelevanceHint").number(hint);
    }
    if item.pinned() {
        json.name("pinned").literal(true);
    }
    if let Some(tokens) = item.original_tokens() {
        json.name("originalTokens").literal(tokens);
    }
    json.end('}');
    Ok(())
}

/// The rule that a number breaks, if JSON has no such number.
fn not_finite(number: f64) -> Option<&'static str> {
    match number {
        f64::INFINITY => Some("is infinite: JSON has no such number"),
        f64::NEG_INFINITY => Some("is negative infinite: JSON has no such number"),
        _ if number.is_nan() => Some("is NaN: JSON has no such number"),
        _ => None,
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

    /// The item of a text.
    fn read(json: &str) -> Item {
        let mut batch = Batch::new();
        append_items(&mut batch, json).unwrap();
        batch.item(0).unwrap()
    }

    #[test]
    fn instants_are_written_to_the_nanosecond() {
        for (nanoseconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (1, "1970-01-01T00:00:00.000000001Z"),
            (1_767_323_045_120_000_000, "2026-01-02T03:04:05.12Z"),
            (i64::MIN, "1677-09-21T00:12:43.145224192Z"),
            (i64::MAX, "2262-04-11T23:47:16.854775807Z"),
        ] {
            let json = write_item(&item(|builder| _ = builder.timestamp(nanoseconds).unwrap())).unwrap();
            assert!(json.contains(text), "{json}");
            assert_eq!(read(&json).timestamp(), Some(nanoseconds));
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
            let item = item(|builder| _ = builder.metadata("k", MetadataValue::Other(text)).unwrap());
            let expected = if is_other { MetadataValue::Other(text) } else { MetadataValue::String(text) };
            assert_eq!(read(&write_item(&item).unwrap()).metadata().collect::<Vec<_>>(), [("k", expected)]);
        }
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let deepest = MAX_DEPTH as usize - 2;
        assert!(reads_as_other(&nested(deepest)).unwrap());
        assert!(!reads_as_other(&nested(deepest + 1)).unwrap());
    }

    #[test]
    fn what_json_cannot_say_is_refused_by_row_and_field() {
        let hint = |hint: f64| item(|builder| _ = builder.future_relevance_hint(hint).unwrap());
        let metadata = |key, value| item(|builder| _ = builder.metadata(key, value).unwrap());
        let trust = "metadata[\"cupel:trust\"] is neither text nor number, and its text would read back as a number";
        for (refused, message) in [
            (hint(f64::NAN), "futureRelevanceHint is NaN: JSON has no such number"),
            (hint(f64::INFINITY), "futureRelevanceHint is infinite: JSON has no such number"),
            (
                metadata("a key", MetadataValue::Double(f64::NEG_INFINITY)),
                "metadata[\"a key\"] is negative infinite: JSON has no such number",
            ),
            (metadata(TRUST_KEY, MetadataValue::Other("9e3")), trust),
            (metadata(TRUST_KEY, MetadataValue::Other("inf")), trust),
            (
                ItemBuilder::without_content(1).unwrap().build().unwrap(),
                "content is empty: the JSON of an item needs content",
            ),
        ] {
            assert_eq!(write_item(&refused).unwrap_err().to_string(), message);
            let mut batch = Batch::new();
            batch.push(&item(|_| ())).unwrap();
            batch.push(&refused).unwrap();
            assert_eq!(write_rows(&batch, 0..2).unwrap_err().to_string(), format!("row 1: {message}"));
            assert!(write_rows(&batch, 0..1).is_ok());
        }
    }

    #[test]
    fn rows_are_lines() {
        let mut batch = Batch::new();
        let lines = [
            r#"{"content":"a\n\u2028","tokens":0,"kind":"Message","source":"Chat","tags":["t",""]}"#,
            r#"{"content":"b","tokens":1,"kind":"Message","source":"Chat","metadata":{"k":1e300,"cupel:trust":-0.0}}"#,
        ]
        .map(|line| line.replace(r"\u2028", "\u{2028}"));
        append_items(&mut batch, &format!("{}{}", lines[0], lines[1])).unwrap();
        assert_eq!(write_rows(&batch, 0..2).unwrap(), format!("{}\n{}\n", lines[0], lines[1]));
        assert_eq!(
            (write_rows(&batch, 1..2).unwrap(), write_rows(&batch, 2..2).unwrap()),
            (format!("{}\n", lines[1]), String::new())
        );
    }
}
