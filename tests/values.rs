//! The metadata values and texts of `tests/conformance/values.json`, which are the same in every language: through JSON, and as a
//! host of the C functions says them.

#[path = "support/capi.rs"]
mod capi;

use capi::{Batch, ItemBuilder, Metadata, Scorer};
use serde_json::Value;

struct Case {
    name: String,
    json: Option<String>,
    /// The value that the item must have.
    metadata: Metadata,
    /// The text that the metadata key scorer must find equal.
    text: String,
}

fn cases() -> Vec<Case> {
    let file: Value = serde_json::from_str(include_str!("conformance/values.json")).unwrap();
    let cases = file["cases"].as_array().unwrap().iter();
    let cases = cases.map(|case| {
        let text = case["text"].as_str().unwrap().to_owned();
        let metadata = match case["type"].as_str().unwrap() {
            "string" => Metadata::String(text.clone()),
            "other" => Metadata::Other(text.clone()),
            "double" => Metadata::Double(case["bits"].as_str().map_or(f64::NAN, |bits| {
                f64::from_bits(u64::from_str_radix(bits.strip_prefix("0x").unwrap(), 16).unwrap())
            })),
            other => panic!("an unknown type: {other}"),
        };
        Case {
            name: case["name"].as_str().unwrap().to_owned(),
            json: case["json"].as_str().map(str::to_owned),
            metadata,
            text,
        }
    });
    cases.collect()
}

#[track_caller]
fn check(batch: &Batch, case: &Case) {
    let metadata = batch.item(0).unwrap().metadata().unwrap();
    match (&metadata[..], &case.metadata) {
        ([(_, Metadata::Double(value))], Metadata::Double(expected)) if expected.is_nan() => assert!(value.is_nan()),
        ([(_, Metadata::Double(value))], Metadata::Double(expected)) => {
            assert_eq!(value.to_bits(), expected.to_bits(), "{}: {value:?}", case.name);
        }
        ([(_, value)], expected) => assert_eq!(value, expected, "{}", case.name),
        _ => panic!("{}: {metadata:?}", case.name),
    }
    let score = |text: &str| Scorer::metadata_key("k", text, 7.0).unwrap().score_batch(batch).unwrap()[0];
    assert_eq!(score(&case.text), 7.0, "{}: the text is not {:?}", case.name, case.text);
    assert_eq!(score(&format!("{} ", case.text)), 1.0, "{}: any text matches", case.name);
}

#[test]
fn json_values_have_the_type_and_the_text_of_every_language() {
    let mut checked = 0;
    for case in cases() {
        let Some(json) = &case.json else { continue };
        let mut batch = Batch::new(1).unwrap();
        batch.append_json(&format!(r#"{{"content": "a", "tokens": 1, "metadata": {{"k": {json}}}}}"#)).unwrap();
        check(&batch, &case);
        checked += 1;
    }
    assert!(checked > 30, "{checked} cases have JSON");
}

#[test]
fn values_of_a_host_keep_their_type_and_their_text() {
    for case in cases() {
        let mut builder = ItemBuilder::new("a", 1).unwrap();
        builder.set_metadata("k", &case.metadata).unwrap();
        let mut batch = Batch::new(1).unwrap();
        batch.push(&builder.build().unwrap()).unwrap();
        check(&batch, &case);
    }
}
