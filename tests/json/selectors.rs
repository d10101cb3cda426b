//! Selectors from JSON and back.

use cupel::json::{JsonError, read_selector, write_selector};
use cupel::scorer::{Clock, Custom, Recency};
use cupel::select::{Policy, Selector};

fn read(json: &str) -> Selector {
    read_selector(json, &Clock::system()).unwrap_or_else(|error| panic!("{error} for {json}"))
}

#[track_caller]
fn assert_written(json: &str, written: &str) {
    assert_eq!(write_selector(&read(json)).unwrap(), written);
    assert_eq!(write_selector(&read(written)).unwrap(), written);
}

#[track_caller]
fn assert_refused(json: &str, message: &str) {
    match read_selector(json, &Clock::system()) {
        Ok(selector) => panic!("{selector:?} for {json}"),
        Err(error) => assert_eq!(error.to_string(), message, "{json}"),
    }
}

#[test]
fn a_policy_of_the_dotnet_library_is_read() {
    let policy = r#"{
        "$schema": "cupel.json", "name": "n", "description": "d", "unknown": [1],
        "scorers": [{"type": "recency", "weight": 2, "kindWeights": null}, {"type": "kind", "weight": 1}],
        "slicerType": "knapsack", "placerType": "uShaped", "deduplicationEnabled": true, "overflowStrategy": "throw",
        "knapsackBucketSize": 50, "streamBatchSize": null,
        "quotas": [{"kind": "Message", "minPercent": 10}, {"kind": "Memory", "maxPercent": 20.5}]
    }"#;
    assert_written(
        policy,
        concat!(
            r#"{"scorer":{"type":"composite","scorers":[{"type":"recency","weight":2.0},{"type":"kind","weight":1.0}]},"#,
            r#""slicerType":"knapsack","placerType":"uShaped","knapsackBucketSize":50,"#,
            r#""quotas":[{"kind":"Message","minPercent":10.0,"maxPercent":100.0},"#,
            r#"{"kind":"Memory","minPercent":0.0,"maxPercent":20.5}]}"#,
        ),
    );
    assert_written(
        r#"{"scorer": {"type": "recency"}, "slicerType": "stream", "streamBatchSize": 32}"#,
        r#"{"scorer":{"type":"recency"}}"#,
    );
}

#[test]
fn every_field_is_read_and_written() {
    let json = concat!(
        r#"{"scorer":{"type":"recency"},"slicerType":"prefix","placerType":"batchOrder","overflowStrategy":"truncate","#,
        r#""scarcity":"throw","deduplicationEnabled":false,"#,
        r#""countQuotas":[{"kind":"a","minCount":1},{"kind":"b","minCount":0,"maxCount":3}],"#,
        r#""groupKey":"cupel:group","duplicateKey":"","pinnedFirst":true}"#,
    );
    assert_written(json, json);
    for slicer in ["ranked", "knapsack"] {
        let json = format!(r#"{{"slicerType":"{slicer}","placerType":"ranked","overflowStrategy":"proceed"}}"#);
        assert_written(&json, &json);
    }
    assert_written("{}", "{}");
    assert_written(r#"{"slicerType": "greedy", "scarcity": "degrade", "countQuotas": []}"#, "{}");
}

#[test]
fn what_breaks_a_rule_is_refused_at_its_place() {
    assert_refused("[]", "$ (line 1, column 1): is an array: must be an object");
    assert_refused(
        r#"{"type": "recency"}"#,
        r#"$.type (line 1, column 10): is "recency": the scorer of a policy is the value of its field "scorer""#,
    );
    assert_refused(
        r#"{"slicerType": "best"}"#,
        r#"$.slicerType (line 1, column 16): is "best": must be one of greedy, knapsack, ranked, prefix, stream"#,
    );
    assert_refused(
        r#"{"knapsackBucketSize": 5}"#,
        "$.knapsackBucketSize (line 1, column 24): is 5: only the slicer knapsack has a bucket size",
    );
    assert_refused(
        r#"{"slicerType": "knapsack", "knapsackBucketSize": 0.5}"#,
        "$.knapsackBucketSize (line 1, column 50): is 0.5: must be a whole number, 1 or more",
    );
    assert_refused(
        r#"{"streamBatchSize": 5}"#,
        "$.streamBatchSize (line 1, column 21): is 5: only the slicer stream has a batch size",
    );
    assert_refused(
        r#"{"slicerType": "stream", "quotas": []}"#,
        "$.quotas (line 1, column 36): is an array: the slicer stream takes no quotas",
    );
    assert_refused(
        r#"{"quotas": [{"kind": "a", "minPercent": 1}, {"kind": "A", "maxPercent": 2}]}"#,
        r#"$.quotas[1].kind (line 1, column 54): is "A", a duplicate of position 0: a kind may occur once"#,
    );
    assert_refused(
        r#"{"quotas": [{"kind": "a"}]}"#,
        r#"$.quotas[0] (line 1, column 13): lacks the required field "minPercent""#,
    );
    assert_refused(
        r#"{"quotas": [{"kind": "a", "maxPercent": 101}]}"#,
        "$.quotas[0].maxPercent (line 1, column 41): is 101.0: a percentage must lie from 0 to 100",
    );
    assert_refused(
        r#"{"countQuotas": [{"kind": "a", "minCount": 4, "maxCount": 3}]}"#,
        "$.countQuotas[0].minCount (line 1, column 44): is 4: the least count must not exceed the greatest",
    );
    assert_refused(r#"{"pinnedFirst": 1}"#, "$.pinnedFirst (line 1, column 17): is 1: must be true or false");
    assert_refused(
        r#"{"scorer": {"type": "recency"}, "scorers": []}"#,
        r#"$.scorer (line 1, column 12): is an object: a policy has either "scorer" or "scorers""#,
    );
}

#[test]
fn a_custom_scorer_has_no_json() {
    let custom = Custom::new(|_, _| Ok(())).unwrap();
    let selector = Selector::new(Policy::of(&custom)).unwrap();
    assert!(matches!(write_selector(&selector), Err(JsonError::NoJsonForm(_))));
    let recency = Selector::new(Policy::of(&Recency::new().unwrap())).unwrap();
    assert!(write_selector(&recency).is_ok());
}
