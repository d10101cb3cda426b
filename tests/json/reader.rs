//! What is read from JSON, against `serde_json`.

use std::fmt::Write as _;

use proptest::prelude::*;

use cupel::json::{JsonError, append_items};
use cupel::{Batch, MetadataValue};

/// Checks that a metadata value is what `serde_json` makes of the same text.
fn same(value: MetadataValue<'_>, expected: &serde_json::Value) {
    match (value, expected) {
        (MetadataValue::String(value), serde_json::Value::String(text)) => assert_eq!(value, text),
        (MetadataValue::Double(value), serde_json::Value::Number(number)) => {
            assert_eq!(value.to_bits(), number.as_f64().unwrap().to_bits());
        }
        (MetadataValue::Other(value), expected) => {
            assert_eq!(serde_json::from_str::<serde_json::Value>(value).unwrap(), *expected);
            let is_integer = value.bytes().all(|byte| matches!(byte, b'-' | b'0'..=b'9'));
            assert!(!expected.is_string() && (!expected.is_number() || is_integer), "{value}");
        }
        (value, expected) => panic!("{value:?} and {expected}"),
    }
}

/// Checks that a text, as metadata and as a value in it, is read as `serde_json` reads it, or refused at a position in it.
fn agrees(text: &str) {
    for metadata in [text, &format!(r#"{{"k": {text}}}"#)] {
        let json = format!(r#"{{"content": "a", "tokens": 1, "metadata": {metadata}}}"#);
        let mut batch = Batch::new();
        match (append_items(&mut batch, &json), serde_json::from_str::<serde_json::Value>(&json)) {
            (Ok(()), Ok(expected)) => {
                let item = batch.item(0).unwrap();
                let members = expected["metadata"].as_object();
                assert_eq!(item.metadata().len(), members.map_or(0, |members| members.len()), "{text}");
                item.metadata().for_each(|(key, value)| same(value, &members.unwrap()[key]));
            }
            // A number in a value that is kept as text.
            (Ok(()), Err(error)) => assert!(error.to_string().starts_with("number out of range"), "{error} for {text}"),
            (Err(JsonError::Invalid { path, line, column, rule }), expected) => {
                assert!(path.starts_with('$'));
                let line = json.split('\n').nth(line - 1).unwrap();
                assert!((1..=line.chars().count() + 1).contains(&column), "{column}: {rule} for {text}");
                assert!(expected.is_err() || !rule.starts_with("is not JSON"), "{rule} for {text}");
            }
            (Err(error), _) => panic!("{error} for {text}"),
        }
    }
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    let text = prop_oneof![any::<String>(), "[a-c]{0,2}", r#"[\x00-\x2f"\\é😀]{0,24}"#];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-1e6..1e6).prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 24, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::hash_map(text.clone(), inner, 0..24)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn values_are_those_of_another_reader(value in json(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        agrees(&text);
        // The other spelling of what is not ASCII.
        let escaped = text.encode_utf16().fold(String::new(), |mut escaped, unit| {
            match u8::try_from(unit) {
                Ok(byte) if byte.is_ascii() => escaped.push(char::from(byte)),
                _ => write!(escaped, "\\u{unit:04X}").unwrap(),
            }
            escaped
        });
        agrees(&escaped);
    }

    #[test]
    fn a_broken_text_is_refused_at_a_place_in_it(
        value in json(),
        edits in prop::collection::vec(
            (any::<prop::sample::Index>(), r#"[\[\]{}:,"\\0-9eE.+\-untflsr \n]{0,2}"#, 0..3_usize),
            1..4,
        ),
    ) {
        let mut text: Vec<char> = serde_json::to_string(&value).unwrap().chars().collect();
        for (at, put, take) in edits {
            let at = at.index(text.len() + 1);
            let end = (at + take).min(text.len());
            text.splice(at..end, put.chars());
        }
        agrees(&text.into_iter().collect::<String>());
    }

    #[test]
    fn whatever_a_text_is_reading_it_ends(text in r#"[\[\]{}:,"\\u0-9aeE.+\-ntflsé \n]{0,40}"#) {
        agrees(&text);
    }
}

#[test]
fn numbers_are_rounded_to_the_nearest_double() {
    for text in [
        "0.1",
        "1e23",
        "2.2250738585072011e-308",
        "4.9e-324",
        "1e-400",
        "-0",
        "-0.0",
        "1.7976931348623157e308",
        "9007199254740993",
        "123456789012345678901234567890",
        "1.7976931348623159e308",
    ] {
        agrees(text);
    }
}

#[test]
fn duplicate_keys_are_found_among_few_and_many() {
    for count in [1, 11, 12, 13, 100] {
        let names: String = (0..count).map(|number| format!(r#""n{number}":{{}},"#)).collect();
        let row = |last: &str| format!(r#"{{"content":"a","tokens":1,"metadata":{{{names}"{last}":0}}}}"#);
        append_items(&mut Batch::new(), &row("x")).unwrap();
        for duplicate in ["n0".to_owned(), format!("n{}", count - 1), r"\u006e0".to_owned()] {
            let error = append_items(&mut Batch::new(), &row(&duplicate)).unwrap_err();
            let (name, column) = (duplicate.replace(r"\u006e", "n"), names.len() + 39);
            assert_eq!(error.to_string(), format!("$.metadata.{name} (line 1, column {column}): is a duplicate key"));
        }
    }
}
