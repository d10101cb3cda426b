//! Any bytes as the JSON of items, appended to a batch that has rows already.
//!
//! What is accepted has the fields that another reader of JSON finds in it. What is refused leaves the batch as it was.

use cupel::capi as c;
use serde_json::{Deserializer, Value};

use crate::capi::{self, Batch, Metadata, Scorer};
use crate::values::{Row, bits, row};

fn append(batch: &mut Batch, data: &[u8]) -> capi::Result<()> {
    capi::check(|error| {
        // SAFETY: the bytes are lent for the call, and `error` is good for a write.
        unsafe { c::cupel_batch_append_json(batch.as_mut_ptr(), data.as_ptr().cast(), data.len(), error) }
    })
}

/// The rows that another reader finds.
fn rows(data: &[u8]) -> Vec<Value> {
    let mut rows = Vec::new();
    for value in Deserializer::from_slice(data).into_iter::<Value>() {
        match value.expect("what is accepted is JSON") {
            Value::Array(items) => rows.extend(items),
            item => rows.push(item),
        }
    }
    rows
}

/// Compares the fields that read the same in both readers. Timestamps are left out, and so is the text of metadata that is
/// neither text nor number.
fn compare(row: &Row, value: &Value) {
    let text = |field: &str, absent: &str| value[field].as_str().unwrap_or(absent).to_owned();
    assert_eq!(row.content, text("content", ""));
    assert!(!row.content.is_empty());
    assert_eq!(row.kind, text("kind", "Message"));
    assert_eq!(row.source, text("source", "Chat"));
    assert_eq!(row.pinned, value["pinned"].as_bool().unwrap_or(false));
    if let Some(tokens) = value["tokens"].as_i64() {
        assert_eq!(row.tokens, tokens);
    }
    if let Some(priority) = value["priority"].as_i64() {
        assert_eq!(row.priority, Some(priority));
    }
    assert_eq!(row.priority.is_none(), value["priority"].is_null());
    assert_eq!(row.original_tokens.is_none(), value["originalTokens"].is_null());
    assert_eq!(row.timestamp.is_none(), value["timestamp"].is_null());
    let hint = value["futureRelevanceHint"].as_f64();
    assert_eq!(row.hint.map(f64::to_bits), hint.map(f64::to_bits));
    let tags: Vec<_> = value["tags"].as_array().into_iter().flatten().map(|tag| tag.as_str().unwrap()).collect();
    assert_eq!(row.tags, tags);
    let metadata = value["metadata"].as_object();
    assert_eq!(row.metadata.len(), metadata.map_or(0, serde_json::Map::len));
    for (key, stored) in &row.metadata {
        match (stored, &metadata.unwrap()[key]) {
            (Metadata::String(stored), Value::String(text)) => assert_eq!(stored, text),
            (Metadata::Double(stored), Value::Number(number)) => {
                assert_eq!(stored.to_bits(), number.as_f64().unwrap().to_bits());
                assert!(!is_inexact_integer(number.as_str()), "{number}");
            }
            (Metadata::Other(stored), Value::Number(number)) => {
                assert_eq!(stored, number.as_str());
                assert!(is_inexact_integer(stored), "{number}");
            }
            (Metadata::Other(_), Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) => {}
            (stored, value) => panic!("{key}: {stored:?} from {value}"),
        }
    }
}

/// Whether a number is written as an integer that no double holds.
fn is_inexact_integer(number: &str) -> bool {
    let value: f64 = number.parse().unwrap();
    !number.contains(['.', 'e', 'E']) && format!("{value:.0}") != number
}

pub fn run(data: &[u8]) {
    let mut batch = Batch::new(0).unwrap();
    batch
        .append_json(
            r#"[{"content": "a", "tokens": 1, "tags": ["a"], "metadata": {"k": 1}}, {"content": "b", "tokens": 2}]"#,
        )
        .unwrap();
    let frequency = Scorer::frequency().unwrap();
    let before = bits(&frequency.score_batch(&batch).unwrap());
    match append(&mut batch, data) {
        Ok(()) => {
            let values = rows(data);
            assert_eq!(batch.len(), 2 + values.len());
            for (index, value) in values.iter().enumerate() {
                compare(&row(&batch, 2 + index), value);
            }
            frequency.score_batch(&batch).unwrap();
        }
        Err(error) => {
            let documented = [c::CUPEL_STATUS_INVALID_UTF8, c::CUPEL_STATUS_INVALID_JSON];
            assert!(documented.contains(&error.status), "{error}");
            assert_eq!(error.status == c::CUPEL_STATUS_INVALID_UTF8, std::str::from_utf8(data).is_err(), "{error}");
            assert_eq!(batch.len(), 2);
            assert_eq!(bits(&frequency.score_batch(&batch).unwrap()), before);
        }
    }
    assert_eq!(row(&batch, 0).content, "a");
    assert_eq!(row(&batch, 0).tags, ["a"]);
}
