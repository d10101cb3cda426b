//! Scorers from JSON and back.

use proptest::prelude::*;

use cupel::json::{JsonError, append_items, read_scorer, write_scorer};
use cupel::scorer::{
    Clock, Composite, Curve, Custom, Decay, Kind, MetadataKey, MetadataTrust, Recency, Reflexive, Scaled, SharedScorer,
    Tag,
};
use cupel::{Batch, Error, TextMatch};

fn clock() -> Clock {
    // 2026-01-01T00:00:00Z
    Clock::fixed(1_767_225_600_000_000_000).unwrap()
}

fn read(json: &str) -> SharedScorer {
    read_scorer(json, &clock()).unwrap_or_else(|error| panic!("{error} for {json}"))
}

#[track_caller]
fn assert_refused(json: &str, path: &str, line: usize, column: usize, rule: &str) {
    let error = read_scorer(json, &clock()).unwrap_err();
    let JsonError::Invalid { path: found_path, line: found_line, column: found_column, rule: found_rule } = error
    else {
        panic!("{error:?} for {json}")
    };
    let found = (&*found_path, found_line, found_column, &*found_rule);
    assert_eq!(found, (path, line, column, rule), "{json}");
}

fn batch() -> Batch {
    let mut batch = Batch::new();
    let rows = r#"
        {"content": "a", "tokens": 1}
        {"content": "b", "tokens": 1, "kind": "Memory", "priority": 3, "tags": ["a", "B"], "timestamp": "2025-12-31T23:00:00Z"}
        {"content": "c", "tokens": 1, "kind": "document", "priority": 1, "tags": ["b"], "timestamp": "2025-12-01T00:00:00Z",
         "futureRelevanceHint": 0.7, "metadata": {"cupel:trust": "0.9", "k": "v"}}
        {"content": "d", "tokens": 1, "kind": "x\"y", "tags": ["c", "A"], "timestamp": "2025-12-31T23:59:00.5Z",
         "futureRelevanceHint": 2, "metadata": {"cupel:trust": 0.3, "k": true}}
    "#;
    append_items(&mut batch, rows).unwrap();
    batch
}

fn scores(scorer: &SharedScorer) -> Vec<u64> {
    let batch = batch();
    let mut scores = vec![0.0; batch.len()];
    scorer.score_batch(&batch, &mut scores).unwrap();
    scores.into_iter().map(f64::to_bits).collect()
}

/// Checks that a text stands for a scorer and that the scorer is written as `written`.
#[track_caller]
fn assert_reads(json: &str, expected: &SharedScorer, written: &str) {
    let scorer = read(json);
    assert_eq!(scores(&scorer), scores(expected), "{json}");
    assert_eq!(write_scorer(&scorer).unwrap(), written);
    assert_eq!(write_scorer(expected).unwrap(), written);
    assert_eq!(write_scorer(&read(written)).unwrap(), written);
}

#[test]
fn every_type_is_read_and_written() {
    for name in ["recency", "priority", "frequency", "reflexive", "kind"] {
        let json = format!(r#"{{"type":"{name}"}}"#);
        let scorer = read(&format!(r#" {{ "type" : "{name}" }} "#));
        assert_eq!(scorer.scorer().name(), name);
        assert_eq!(write_scorer(&scorer).unwrap(), json);
    }
    let kind = Kind::new([("memory", 2.0), ("x\"y", 0.1), ("Empty", 0.0)]).unwrap();
    let json = r#"{"type":"kind","kindWeights":{"memory":2.0,"x\"y":0.1,"Empty":0.0}}"#;
    assert_reads(r#"{"kindWeights": {"memory": 2, "x\u0022y": 1e-1, "Empty": -0.0}, "type": "kind"}"#, &kind, json);
    assert_reads(
        r#"{"type": "kind", "kindWeights": {}}"#,
        &Kind::new([]).unwrap(),
        r#"{"type":"kind","kindWeights":{}}"#,
    );
    let default = Kind::with_default_weights().unwrap();
    assert_reads(r#"{"type": "kind", "kindWeights": null}"#, &default, r#"{"type":"kind"}"#);

    let weights = [("a", 1e300), ("B", 0.1), ("", 5e-324)];
    let exact = Tag::new(weights, TextMatch::Exact).unwrap();
    let json = r#"{"type":"tag","tagWeights":{"a":1e300,"B":0.1,"":5e-324}}"#;
    assert_reads(&json.replace("}}", r#"},"match":"exact"}"#), &exact, json);
    let folded = Tag::new(weights, TextMatch::AsciiCaseInsensitive).unwrap();
    let json = json.replace("}}", r#"},"match":"asciiCaseInsensitive"}"#);
    assert_reads(&json, &folded, &json);

    let scaled = Scaled::new(&Reflexive::new().unwrap()).unwrap();
    let json = r#"{"type":"scaled","innerScorer":{"type":"reflexive"}}"#;
    assert_reads(json, &scaled, json);
    let composite = Composite::new([(&scaled, 2.0), (&exact, 0.5)]).unwrap();
    let json = r#"{"type":"composite","scorers":[{"type":"scaled","innerScorer":{"type":"reflexive"},"weight":2.0},{"type":"tag","tagWeights":{"a":1e300,"B":0.1,"":5e-324},"weight":0.5}]}"#;
    assert_reads(json, &composite, json);

    let json = r#"{"type":"metadataTrust","defaultScore":0.5}"#;
    assert_reads(r#"{"type": "metadataTrust"}"#, &MetadataTrust::new(0.5).unwrap(), json);
    let json = r#"{"type":"metadataTrust","defaultScore":0.25}"#;
    assert_reads(json, &MetadataTrust::new(0.25).unwrap(), json);
    let json = r#"{"type":"metadataKey","key":"k","value":"v","boost":1.5}"#;
    assert_reads(json, &MetadataKey::new("k", "v", 1.5).unwrap(), json);
    let json = r#"{"type":"metadataKey","key":"","value":"\u0000\n\t\r\\\"é","boost":1e-7}"#;
    assert_reads(json, &MetadataKey::new("", "\0\n\t\r\\\"\u{e9}", 1e-7).unwrap(), json);

    const HOUR: i64 = 3_600_000_000_000;
    let decay = |curve: Result<Curve, Error>, null| Decay::new(&clock(), curve.unwrap(), null).unwrap();
    let json = r#"{"type":"decay","curve":{"exponential":{"halfLife":"1h"}},"nullTimestampScore":0.5}"#;
    assert_reads(
        r#"{"type": "decay", "curve": {"exponential": {"halfLife": "60m"}}}"#,
        &decay(Curve::exponential(HOUR), 0.5),
        json,
    );
    let json = r#"{"type":"decay","curve":{"window":{"maxAge":"90s"}},"nullTimestampScore":1.0}"#;
    assert_reads(&json.replace("90s", "1m30s"), &decay(Curve::window(90_000_000_000), 1.0), json);
    let json = r#"{"type":"decay","curve":{"step":[{"maxAge":"1h","score":1.0},{"maxAge":"31d","score":-0.5}]},"nullTimestampScore":0.0}"#;
    assert_reads(json, &decay(Curve::step([(HOUR, 1.0), (31 * 24 * HOUR, -0.5)]), 0.0), json);
}

#[test]
fn durations_are_read_and_written_to_the_nanosecond() {
    let json = |text: &str| {
        format!(r#"{{"type":"decay","curve":{{"window":{{"maxAge":"{text}"}}}},"nullTimestampScore":0.5}}"#)
    };
    for (text, written) in [
        ("90s", "90s"),
        ("24h", "1d"),
        ("7d", "7d"),
        ("1h30m", "90m"),
        ("30m1h", "90m"),
        ("2w", "14d"),
        ("1w1d1h1m1s1ms1us1ns", "694861001001001ns"),
        ("0h1s", "1s"),
        ("1h 30m", "90m"),
        ("1ns", "1ns"),
        ("1000us", "1ms"),
        ("1500us", "1500us"),
        ("9223372036854775807ns", "9223372036854775807ns"),
        ("106751d", "106751d"),
    ] {
        assert_eq!(write_scorer(&read(&json(text))).unwrap(), json(written));
    }
    for nanoseconds in [1, 999, 1_000, 60_000_000_000, 86_399_999_999_999, 86_400_000_000_000, i64::MAX] {
        let scorer = Decay::new(&clock(), Curve::window(nanoseconds).unwrap(), 0.5).unwrap();
        let written = write_scorer(&scorer).unwrap();
        assert_eq!(write_scorer(&read(&written)).unwrap(), written);
        assert_eq!(scores(&read(&written)), scores(&scorer));
    }
    let example =
        r#"must be whole numbers with the units ns, us, ms, s, m, h, d or w, such as "90s", "24h", "7d" or "1h30m""#;
    for text in [
        "", "90", "s", "-1s", "1 parsec", "1h-30m", "1M", "1y", "1month", "1.5h", "1h  30m", " 1h", "1h ", "1H", "1 h",
        "1min", "\u{661}s", "1\u{b5}s",
    ] {
        assert_refused(&json(text), "$.curve.window.maxAge", 1, 45, &format!("is {text:?}: {example}"));
    }
    for text in ["0s", "0ns"] {
        assert_refused(
            &json(text),
            "$.curve.window.maxAge",
            1,
            45,
            &format!("is {text:?}: a duration must be more than zero"),
        );
    }
    for text in
        ["9223372036854775808ns", "106752d", "1000000000000s", "18446744073709551616s", "9223372036s 854775808ns"]
    {
        let rule = format!("is {text:?}: a duration must be less than 2^63 nanoseconds, which is 292 years");
        assert_refused(&json(text), "$.curve.window.maxAge", 1, 45, &rule);
    }
    let long = "1s ".repeat(1000);
    let cut = &format!("\"{long}")[..38];
    assert_refused(&json(&long), "$.curve.window.maxAge", 1, 45, &format!("is {cut}...: {example}"));
}

#[test]
fn policies_of_the_dotnet_library_are_read() {
    let policy = r#"{
        "scorers": [
            {"type": "recency", "weight": 2, "kindWeights": null, "tagWeights": null, "innerScorer": null},
            {"type": "scaled", "weight": 0.5, "innerScorer": {"type": "reflexive", "weight": 1}}
        ],
        "slicerType": "greedy", "placerType": "uShaped", "deduplicationEnabled": true, "overflowStrategy": "throw",
        "knapsackBucketSize": null, "quotas": [{"kind": "Message", "minPercent": 10}], "name": "n", "description": "d"
    }"#;
    let scaled = Scaled::new(&Reflexive::new().unwrap()).unwrap();
    let composite = Composite::new([(&Recency::new().unwrap(), 2.0), (&scaled, 0.5)]).unwrap();
    let written = r#"{"type":"composite","scorers":[{"type":"recency","weight":2.0},{"type":"scaled","innerScorer":{"type":"reflexive"},"weight":0.5}]}"#;
    assert_reads(policy, &composite, written);
    assert_reads(
        r#"{"type": null, "scorers": [{"weight": 1, "type": "recency"}]}"#,
        &Composite::new([(&Recency::new().unwrap(), 1.0)]).unwrap(),
        r#"{"type":"composite","scorers":[{"type":"recency","weight":1.0}]}"#,
    );
    // What it does not know of a policy it passes over, as the .NET library does, but only at the top.
    let unknown =
        r#"{"$schema": "s", "streamBatchSize": 8, "x": {"y": [1]}, "scorers": [{"weight": 1, "type": "recency"}]}"#;
    let written = r#"{"type":"composite","scorers":[{"type":"recency","weight":1.0}]}"#;
    assert_reads(unknown, &Composite::new([(&Recency::new().unwrap(), 1.0)]).unwrap(), written);
    assert_refused(
        r#"{"scorers": [{"weight": 1, "scorers": []}]}"#,
        "$.scorers[0]",
        1,
        14,
        "lacks the required field \"type\"",
    );
    assert_refused(
        r#"{"x": {"y": 1, "y": 2}, "scorers": [{"weight": 1, "type": "recency"}]}"#,
        "$.x.y",
        1,
        16,
        "is a duplicate key",
    );
    assert_refused(
        r#"{"type": "recency", "weight": 1}"#,
        "$.weight",
        1,
        31,
        "is 1: only a scorer in another one has a weight",
    );
    assert_refused(
        r#"{"scorers": [{"type": "scaled", "weight": 1, "innerScorer": {"type": "recency", "weight": 0}}]}"#,
        "$.scorers[0].innerScorer.weight",
        1,
        91,
        "is 0: a weight must be more than zero and finite",
    );
}

#[test]
fn what_is_no_scorer_is_refused_with_path_line_and_column() {
    assert_refused("", "$", 1, 1, "is not JSON: expected a value, found the end of the text");
    assert_refused("[]", "$", 1, 1, "is an array: must be an object");
    assert_refused("{}", "$", 1, 1, "lacks the required field \"type\"");
    assert_refused("{\"type\": \"recency\"}\n}", "$", 2, 1, "is not JSON: expected the end of the text, found '}'");
    let types =
        "recency, priority, frequency, reflexive, kind, tag, scaled, composite, metadataTrust, metadataKey, decay";
    for name in ["Recency", "custom", ""] {
        assert_refused(
            &format!(r#"{{"type": "{name}"}}"#),
            "$.type",
            1,
            10,
            &format!("is {name:?}: must be one of {types}"),
        );
    }
    assert_refused(r#"{"type": 1}"#, "$.type", 1, 10, "is 1: must be a string");
    assert_refused(
        "{\"type\": \"kind\",\n \"kindweights\": null}",
        "$.kindweights",
        2,
        2,
        "is an unknown field: known here are type, weight, kindWeights",
    );
    // Weights.
    let weight = "a weight must be zero or more and finite";
    let policy = "{\"scorers\": [\n{\"type\": \"recency\", \"weight\": 1},\n{\"type\": \"frequency\", \"weight\": 1},\n\
                  {\"type\": \"tag\", \"tagWeights\": {\"urgent\": -1.0}, \"weight\": 1}]}";
    assert_refused(policy, "$.scorers[2].tagWeights.urgent", 4, 42, &format!("is -1.0: {weight}"));
    assert_refused(r#"{"type": "tag"}"#, "$", 1, 1, "lacks the required field \"tagWeights\"");
    assert_refused(r#"{"type": "tag", "tagWeights": []}"#, "$.tagWeights", 1, 31, "is an array: must be an object");
    assert_refused(
        r#"{"type": "tag", "tagWeights": {"a b": "1"}}"#,
        r#"$.tagWeights["a b"]"#,
        1,
        39,
        "is \"1\": must be a number",
    );
    assert_refused(r#"{"type": "tag", "tagWeights": {"a": 1, "a": 2}}"#, "$.tagWeights.a", 1, 40, "is a duplicate key");
    let twice = |name: &str| format!("is {name:?}, a duplicate of position 0: each name may occur once");
    assert_refused(
        r#"{"type": "tag", "match": "asciiCaseInsensitive", "tagWeights": {"a": 1, "A": 2}}"#,
        "$.tagWeights.A",
        1,
        73,
        &twice("A"),
    );
    assert_refused(
        r#"{"type": "kind", "kindWeights": {"a": 1, "b": 1, "A": 2}}"#,
        "$.kindWeights.A",
        1,
        50,
        &twice("A"),
    );
    let blank = "is blank (\" \"): a kind needs a character that is not white space";
    assert_refused(r#"{"type": "kind", "kindWeights": {" ": 1}}"#, r#"$.kindWeights[" "]"#, 1, 34, blank);
    let overflow = "with it the sum of the weights overflows to infinity";
    assert_refused(
        r#"{"type": "tag", "tagWeights": {"a": 1e308, "b": 1e308}}"#,
        "$.tagWeights.b",
        1,
        49,
        &format!("is 1e308: {overflow}"),
    );
    assert_refused(
        r#"{"type": "tag", "tagWeights": {}, "match": "Exact"}"#,
        "$.match",
        1,
        44,
        r#"is "Exact": must be one of exact, asciiCaseInsensitive"#,
    );
    // Composite and scaled.
    assert_refused(
        r#"{"type": "composite", "scorers": []}"#,
        "$.scorers",
        1,
        34,
        "has 0 entries: a composite needs at least one child",
    );
    assert_refused(r#"{"type": "composite"}"#, "$", 1, 1, "lacks the required field \"scorers\"");
    assert_refused(
        r#"{"scorers": [{"type": "recency"}]}"#,
        "$.scorers[0]",
        1,
        14,
        "lacks the required field \"weight\"",
    );
    let positive = "the weight of a child must be more than zero and finite";
    assert_refused(
        r#"{"scorers": [{"type": "recency", "weight": 1}, {"type": "recency", "weight": -0.0}]}"#,
        "$.scorers[1].weight",
        1,
        78,
        &format!("is -0.0: {positive}"),
    );
    assert_refused(
        r#"{"scorers": [{"type": "recency", "weight": 1e308}, {"weight": 1e308, "type": "recency"}]}"#,
        "$.scorers[1].weight",
        1,
        63,
        &format!("is 1e308: {overflow}"),
    );
    assert_refused(
        r#"{"scorers": [{"type": "recency", "weight": 1e999}]}"#,
        "$.scorers[0].weight",
        1,
        44,
        "is 1e999: lies outside the range of a double",
    );
    assert_refused(r#"{"scorers": {}}"#, "$.scorers", 1, 13, "is an object: must be an array");
    assert_refused(r#"{"type": "scaled"}"#, "$", 1, 1, "lacks the required field \"innerScorer\"");
    assert_refused(
        r#"{"type": "scaled", "innerScorer": "recency"}"#,
        "$.innerScorer",
        1,
        35,
        "is \"recency\": must be an object",
    );
    // Metadata.
    let stand_in = "a score that stands in for a missing value must lie from 0 to 1";
    assert_refused(
        r#"{"type": "metadataTrust", "defaultScore": 1.5}"#,
        "$.defaultScore",
        1,
        43,
        &format!("is 1.5: {stand_in}"),
    );
    let key = |boost: &str| format!(r#"{{"type": "metadataKey", "key": "k", "value": "v", "boost": {boost}}}"#);
    for boost in ["0.0", "-1.0"] {
        assert_refused(
            &key(boost),
            "$.boost",
            1,
            60,
            &format!("is {boost}: a boost must be more than zero and finite"),
        );
    }
    assert_refused(&key("null"), "$", 1, 1, "lacks the required field \"boost\"");
    assert_refused(
        r#"{"type": "metadataKey", "value": "v", "boost": 1}"#,
        "$",
        1,
        1,
        "lacks the required field \"key\"",
    );
    assert_refused(
        r#"{"type": "metadataKey", "key": "k", "value": 1, "boost": 1}"#,
        "$.value",
        1,
        46,
        "is 1: must be a string",
    );
    // Decay.
    let decay = |curve: &str| format!(r#"{{"type": "decay", "curve": {curve}}}"#);
    let one = "must have exactly one of the fields exponential, window, step";
    assert_refused(&decay("{}"), "$.curve", 1, 28, one);
    assert_refused(&decay(r#"{"window": {"maxAge": "1s"}, "step": []}"#), "$.curve", 1, 28, one);
    assert_refused(
        &decay(r#"{"linear": {}}"#),
        "$.curve.linear",
        1,
        29,
        "is an unknown field: known here are exponential, window, step",
    );
    assert_refused(&decay(r#"{"window": {"maxAge": 90}}"#), "$.curve.window.maxAge", 1, 50, "is 90: must be a string");
    assert_refused(
        &decay(r#"{"exponential": {"maxAge": "1s"}}"#),
        "$.curve.exponential.maxAge",
        1,
        45,
        "is an unknown field: known here are halfLife",
    );
    assert_refused(
        &decay(r#"{"exponential": {}}"#),
        "$.curve.exponential",
        1,
        44,
        "lacks the required field \"halfLife\"",
    );
    assert_refused(
        &decay(r#"{"step": []}"#),
        "$.curve.step",
        1,
        37,
        "has 0 entries: a step curve needs at least one step",
    );
    assert_refused(
        &decay(r#"{"step": [{"maxAge": "2s", "score": 1}, {"score": 0, "maxAge": "2s"}]}"#),
        "$.curve.step[1].maxAge",
        1,
        91,
        "is 2000000000: steps come youngest first: it must be more than that of the step before",
    );
    assert_refused(
        &decay(r#"{"step": [{"maxAge": "1s"}]}"#),
        "$.curve.step[0]",
        1,
        38,
        "lacks the required field \"score\"",
    );
    assert_refused(
        &decay(r#"{"window": {"maxAge": "1s"}}, "nullTimestampScore": -0.5"#),
        "$.nullTimestampScore",
        1,
        80,
        &format!("is -0.5: {stand_in}"),
    );
    assert_refused(r#"{"type": "decay"}"#, "$", 1, 1, "lacks the required field \"curve\"");
}

#[test]
fn depth_is_bounded_alike_in_reading_and_writing() {
    let mut scorer = Recency::new().unwrap();
    for _ in 0..63 {
        scorer = Scaled::new(&scorer).unwrap();
    }
    let json = write_scorer(&scorer).unwrap();
    assert_eq!(write_scorer(&read(&json)).unwrap(), json);
    let deeper = Scaled::new(&scorer).unwrap();
    assert!(matches!(write_scorer(&deeper), Err(JsonError::NoJsonForm(_))));
    let json = format!(r#"{{"type":"scaled","innerScorer":{json}}}"#);
    let path = format!("${}", ".innerScorer".repeat(64));
    assert_refused(&json, &path, 1, 64 * 31 + 1, "is nested more than 64 deep");
    let hostile = r#"{"type":"scaled","innerScorer":"#.repeat(100_000);
    assert!(read_scorer(&hostile, &clock()).is_err());
    let mut deep = Recency::new().unwrap();
    for _ in 0..100_000 {
        deep = Scaled::new(&deep).unwrap();
    }
    assert!(matches!(write_scorer(&deep), Err(JsonError::NoJsonForm(_))));
}

#[test]
fn what_has_no_json_is_not_written() {
    let custom = Custom::new(|_, _| Ok(())).unwrap();
    let composite = Composite::new([(&Recency::new().unwrap(), 1.0), (&custom, 1.0)]).unwrap();
    for scorer in [&custom, &composite, &Scaled::new(&composite).unwrap()] {
        assert!(matches!(write_scorer(scorer), Err(JsonError::NoJsonForm(rule)) if rule.contains("custom")));
    }
    // Shared scorers, which JSON has to repeat: 2 to the power of 20.
    let mut scorer = Recency::new().unwrap();
    for _ in 0..20 {
        scorer = Composite::new([(&scorer, 1.0), (&scorer, 1.0)]).unwrap();
    }
    assert!(matches!(write_scorer(&scorer), Err(JsonError::NoJsonForm(rule)) if rule.contains("100,000")));
}

fn weights() -> impl Strategy<Value = Vec<(String, f64)>> {
    prop::collection::hash_map("[a-cA-C\"\\\\\u{0}-\u{1f}é]{0,3}", 0.0..1e9_f64, 0..6)
        .prop_map(|map| map.into_iter().collect())
}

fn leaf() -> impl Strategy<Value = SharedScorer> {
    fn list(weights: &[(String, f64)]) -> impl Iterator<Item = (&str, f64)> {
        weights.iter().map(|(name, weight)| (&**name, *weight))
    }
    let duration =
        prop_oneof![1..i64::MAX, 1..1_000_000_i64, (1..1000_i64).prop_map(|hours| hours * 3_600_000_000_000)];
    let curve = prop_oneof![
        duration.clone().prop_map(|age| Curve::exponential(age).unwrap()),
        duration.clone().prop_map(|age| Curve::window(age).unwrap()),
        prop::collection::btree_map(duration, -1e3..1e3_f64, 1..5).prop_map(|steps| Curve::step(steps).unwrap()),
    ];
    prop_oneof![
        (0..5_usize).prop_map(|index| read(&format!(
            r#"{{"type":"{}"}}"#,
            ["recency", "priority", "frequency", "reflexive", "kind"][index]
        ))),
        weights().prop_filter_map("kinds", |weights| Kind::new(list(&weights)).ok()),
        weights().prop_map(|weights| Tag::new(list(&weights), TextMatch::Exact).unwrap()),
        weights().prop_filter_map("tags", |weights| Tag::new(list(&weights), TextMatch::AsciiCaseInsensitive).ok()),
        (0.0..=1.0).prop_map(|score| MetadataTrust::new(score).unwrap()),
        (any::<String>(), any::<String>(), 1e-3..1e3_f64)
            .prop_map(|(key, value, boost)| MetadataKey::new(&key, &value, boost).unwrap()),
        (curve, 0.0..=1.0).prop_map(|(curve, null)| Decay::new(&clock(), curve, null).unwrap()),
    ]
}

fn tree() -> impl Strategy<Value = SharedScorer> {
    leaf().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| Scaled::new(&inner).unwrap()),
            prop::collection::vec((inner, 1e-9..1e9_f64), 1..4)
                .prop_map(|children| Composite::new(children.iter().map(|(child, weight)| (child, *weight))).unwrap()),
        ]
    })
}

proptest! {
    #[test]
    fn a_scorer_that_was_written_reads_back_as_the_same(scorer in tree()) {
        let json = write_scorer(&scorer).unwrap();
        prop_assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok());
        let again = read(&json);
        prop_assert_eq!(scores(&again), scores(&scorer), "{}", json);
        prop_assert_eq!(write_scorer(&again).unwrap(), json);
    }
}
