//! Rows as JSON: what [`append_items`](crate::json::append_items) reads.

use std::ops::Range;

use crate::batch::{Batch, Item, MetadataValue, TRUST_KEY};
use crate::error::Excerpt;
use crate::json::error::JsonError;
use crate::json::items::integral_double;
use crate::json::lexer::{Failed, Lexer};
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
            lexer.walk(2, MAX_DEPTH, |_| Ok(())).map(|()| !text.contains(['\n', '\r']))
        }
        _ => return Ok(false),
    };
    match read {
        Ok(is_other) => Ok(is_other && lexer.at() == text.len()),
        Err(Failed) if lexer.is_out_of_memory() => Err(OutOfMemory),
        Err(Failed) => Ok(false),
    }
}
