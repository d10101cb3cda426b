//! Items and rows as JSON.

use cupel::json::{append_items, write_item, write_rows};
use cupel::{Batch, Item, ItemBuilder, MetadataValue};

const TRUST_KEY: &str = "cupel:trust";

fn item(set: impl FnOnce(&mut ItemBuilder)) -> Item {
    let mut builder = ItemBuilder::new("a", 1).unwrap();
    set(&mut builder);
    builder.build().unwrap()
}

#[test]
fn an_item_has_every_field_that_is_set() {
    assert_eq!(write_item(&item(|_| ())).unwrap(), r#"{"content":"a","tokens":1,"kind":"Message","source":"Chat"}"#);
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
    // In an item, 62 more levels are read.
    for (depth, is_other) in [(62, true), (63, false)] {
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let item = item(|builder| _ = builder.metadata("k", MetadataValue::Other(&text)).unwrap());
        let json = write_item(&item).unwrap();
        assert_eq!(json.contains("\"["), !is_other);
        assert_eq!(read(&json).metadata().len(), 1);
    }
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
