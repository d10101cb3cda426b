//! Items from JSON.

use cupel::json::{JsonError, append_items};
use cupel::{Batch, MetadataValue};

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 64;
/// The longest text that is read, in bytes.
const MAX_BYTES: usize = i32::MAX as usize;

/// The path, line, column and rule of the error, once it is clear that the batch is as it was.
fn refused(json: &str) -> (String, usize, usize, String) {
    let mut batch = Batch::new();
    append_items(&mut batch, r#"{"content": "before", "tokens": 1, "tags": ["t"], "metadata": {"k": 1}}"#).unwrap();
    let error = append_items(&mut batch, json).unwrap_err();
    assert_eq!(batch.len(), 1, "{json}");
    assert_eq!(batch.item(0).unwrap().metadata().len(), 1);
    append_items(&mut batch, r#"{"content": "after", "tokens": 2}"#).unwrap();
    assert_eq!(batch.item(1).unwrap().content(), "after");
    let JsonError::Invalid { path, line, column, rule } = error else { panic!("{error:?} for {json}") };
    (path, line, column, rule)
}

fn assert_refused(json: &str, path: &str, line: usize, column: usize, rule: &str) {
    assert_eq!(refused(json), (path.into(), line, column, rule.into()), "{json}");
}

fn read(json: &str) -> Batch {
    let mut batch = Batch::new();
    append_items(&mut batch, json).unwrap_or_else(|error| panic!("{error} for {json}"));
    batch
}

fn timestamp(text: &str) -> i64 {
    let batch = read(&format!(r#"{{"content": "a", "tokens": 1, "timestamp": "{text}"}}"#));
    batch.item(0).unwrap().timestamp().unwrap()
}

#[test]
fn every_field_is_read() {
    let batch = read(
        r#" [{
            "content": "Line one\nline \"two\" \u00e9\ud83d\ude00", "tokens": -12, "kind": "Tool\u004futput", "source": "Rag",
            "priority": -9223372036854775808, "tags": ["a", "A", "a", "", "\u0061"],
            "metadata": {"s": "1.50", "\u0064": 1.50, "o": [1,  {"x": null}], "t": true, "n": null, "": "", "cupel:trust": 1e-1},
            "timestamp": "2024-02-29T12:00:00.123456789+02:00", "futureRelevanceHint": 0.1, "pinned": true,
            "originalTokens": 9223372036854775807
        }, {"tokens": 0, "content": "b", "kind": null, "source": null, "priority": null, "tags": null, "metadata": null,
            "timestamp": null, "futureRelevanceHint": null, "pinned": null, "originalTokens": null}] "#,
    );
    assert_eq!(batch.len(), 2);
    let item = batch.item(0).unwrap();
    assert_eq!((item.content(), item.tokens()), ("Line one\nline \"two\" \u{e9}\u{1f600}", -12));
    assert_eq!((item.kind(), item.source()), ("ToolOutput", "Rag"));
    assert_eq!((item.priority(), item.original_tokens()), (Some(i64::MIN), Some(i64::MAX)));
    assert_eq!(item.tags().collect::<Vec<_>>(), ["a", "A", "a", "", "a"]);
    let metadata: Vec<_> = item.metadata().collect();
    assert_eq!(
        metadata,
        [
            ("s", MetadataValue::String("1.50")),
            ("d", MetadataValue::Double(1.5)),
            ("o", MetadataValue::Other(r#"[1,  {"x": null}]"#)),
            ("t", MetadataValue::Other("true")),
            ("n", MetadataValue::Other("null")),
            ("", MetadataValue::String("")),
            ("cupel:trust", MetadataValue::Double(0.1)),
        ]
    );
    assert_eq!(item.timestamp(), Some(1_709_200_800_123_456_789));
    assert_eq!((item.future_relevance_hint(), item.pinned()), (Some(0.1), true));
    let plain = batch.item(1).unwrap();
    assert_eq!((plain.kind(), plain.source(), plain.pinned()), ("Message", "Chat", false));
    assert_eq!((plain.priority(), plain.timestamp(), plain.future_relevance_hint()), (None, None, None));
    assert_eq!((plain.original_tokens(), plain.tags().len(), plain.metadata().len()), (None, 0, 0));
}

#[test]
fn rows_come_as_an_array_or_one_after_another() {
    let row = r#"{"content": "a", "tokens": 1}"#;
    for (json, rows) in [
        (String::new(), 0),
        (" \r\n\t".into(), 0),
        ("[]".into(), 0),
        (" [ ] \n".into(), 0),
        (row.into(), 1),
        (format!("[{row}]"), 1),
        (format!("[{row}, {row},\n{row}]"), 3),
        (format!("{row}\n{row}\n"), 2),
        (format!("\n\n{row}\r\n\r\n{row} {row}{row}"), 4),
    ] {
        assert_eq!(read(&json).len(), rows, "{json}");
    }
    let mut batch = read(row);
    append_items(&mut batch, &format!("[{row},{row}]")).unwrap();
    assert_eq!(batch.len(), 3);
}

#[test]
fn instants_are_read_to_the_nanosecond() {
    for (text, nanoseconds) in [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01t00:00:00z", 0),
        ("1970-01-01 00:00:00Z", 0),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T18:30:00-05:30", 0),
        ("1970-01-01T00:00:00.5Z", 500_000_000),
        ("1970-01-01T00:00:00.000000001Z", 1),
        ("1970-01-01T00:00:00.0000000019999999999Z", 1),
        ("1969-12-31T23:59:59.9999999999Z", -1),
        ("2016-12-31T23:59:60Z", 1_483_228_799_999_999_999),
        ("2026-01-02T03:04:05.1234567+00:00", 1_767_323_045_123_456_700),
        ("1677-09-21T00:12:43.145224192Z", i64::MIN),
        ("2262-04-11T23:47:16.854775807Z", i64::MAX),
    ] {
        assert_eq!(timestamp(text), nanoseconds, "{text}");
    }
    let json = |text| format!(r#"{{"content": "a", "tokens": 1, "timestamp": {text}}}"#);
    for text in [
        "",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01x00:00:00Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00Z ",
        "2026-01-01T00:00:00+25:00",
        "2026-01-01T00:00:00+0100",
        "1735689600",
        "2026-01-01T12:30:60Z",
    ] {
        let rule = format!(r#"is "{text}": must be an instant such as "2026-01-31T08:30:00.25Z", by RFC 3339"#);
        assert_refused(&json(format!("\"{text}\"")), "$.timestamp", 1, 44, &rule);
    }
    for text in [
        "1677-09-21T00:12:43.145224191Z",
        "2262-04-11T23:47:16.854775808Z",
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
    ] {
        let rule = format!(
            "is {text:?}: an instant lies between 1677-09-21T00:12:43.145224192Z and 2262-04-11T23:47:16.854775807Z"
        );
        assert_refused(&json(format!("{text:?}")), "$.timestamp", 1, 44, &rule);
    }
    assert_refused(&json("1735689600".into()), "$.timestamp", 1, 44, "is 1735689600: must be a string");
}

#[test]
fn what_is_not_json_is_refused_where_it_shows() {
    let row = r#"{"content": "a", "tokens": 1}"#;
    let expected = |expected: &str, found: &str| format!("is not JSON: expected {expected}, found {found}");
    let end = "the end of the text";
    let (list, object, value, name) = ("',' or ']'", "',' or '}'", "a value", "a name in quotes");
    let (items, more) = ("an array of items or an item", "an item or the end of the text");
    for (json, path, line, column, rule) in [
        ("[", "$[0]", 1, 2, expected(value, end)),
        ("[{}", "$[0]", 1, 2, r#"lacks the required field "content""#.into()),
        (&format!("[{row},\n]"), "$[1]", 2, 1, expected(value, "']'")),
        (&format!("[{row}"), "$", 1, 31, expected(list, end)),
        (&format!("[{row}{row}]"), "$", 1, 31, expected(list, "'{'")),
        (&format!("[{row}]\n x"), "$", 2, 2, expected(end, "'x'")),
        (&format!("[] {row}"), "$", 1, 4, expected(end, "'{'")),
        (&format!("{row},{row}"), "$", 1, 30, expected(more, "','")),
        (&format!("{row}\n[{row}]"), "$[1]", 2, 1, expected(more, "'['")),
        ("null", "$", 1, 1, expected(items, "'n'")),
        ("\u{feff}[]", "$", 1, 1, expected(items, r"'\u{feff}'")),
        ("\0", "$", 1, 1, expected(items, r"'\0'")),
        ("{'content': 1}", "$", 1, 2, expected(name, r"'\''")),
        (r#"{"content" 1}"#, "$", 1, 12, expected("':'", "'1'")),
        (r#"{"content":"#, "$.content", 1, 12, expected(value, end)),
        (r#"{"content": "a","#, "$", 1, 17, expected(name, end)),
        (r#"{"content": "a",}"#, "$", 1, 17, expected(name, "'}'")),
        (r#"{"content": "a" "tokens": 1}"#, "$", 1, 17, expected(object, "'\"'")),
        (r#"{"tags": ["a" "b"]}"#, "$.tags", 1, 15, expected(list, "'\"'")),
        ("{\"tags\": [\"a\",\n  nul]}", "$.tags[1]", 2, 3, expected(value, "'n'")),
        ("{\"content\":\n \"ab}", "$.content", 2, 6, expected("the end of the string", end)),
        (r#"{"tokens": NaN}"#, "$.tokens", 1, 12, expected(value, "'N'")),
        (r#"{"tokens": +1}"#, "$.tokens", 1, 12, expected(value, "'+'")),
    ] {
        assert_refused(json, path, line, column, &rule);
    }
    for (content, column, rule) in [
        ("a\nb", 15, "a control character in a string needs an escape"),
        (r"é\q", 15, "unknown escape"),
        (r"\ud800", 14, "a high surrogate is not followed by a low surrogate"),
        (r"\ud800\u0041", 14, "a high surrogate is not followed by a low surrogate"),
        (r"\ud800\n", 14, "a high surrogate is not followed by a low surrogate"),
        (r"\udc00", 14, "a low surrogate follows no high surrogate"),
        (r"\u00g0", 14, r"\u needs four hexadecimal digits"),
        (r"\u00", 14, r"\u needs four hexadecimal digits"),
    ] {
        let json = format!(r#"{{"content": "{content}"}}"#);
        assert_refused(&json, "$.content", 1, column, &format!("is not JSON: {rule}"));
        // The text may end anywhere.
        for end in (13..json.len()).filter(|&end| json.is_char_boundary(end)) {
            assert_eq!(refused(&json[..end]).0, "$.content");
        }
    }
    for number in ["01", "1.", "-", "1e", "1e+", ".5", "-.5", "00", "-01"] {
        let (path, _, column, rule) = refused(&format!(r#"{{"tokens": {number}}}"#));
        assert_eq!((&*path, column), ("$.tokens", 12), "{rule}");
        assert!(rule.starts_with("is not JSON: "), "{rule}");
    }
}

#[test]
fn what_is_no_item_is_refused_with_path_line_and_column() {
    let missing = |name: &str| format!("lacks the required field {name:?}");
    assert_refused(r#"[{"tokens": 1}]"#, "$[0]", 1, 2, &missing("content"));
    assert_refused("[\n{\"content\": \"a\"}]", "$[0]", 2, 1, &missing("tokens"));
    assert_refused(r#"{"content": null, "tokens": 1}"#, "$", 1, 1, &missing("content"));
    assert_refused(r#"{"content": "a", "tokens": null}"#, "$", 1, 1, &missing("tokens"));
    assert_refused("{\"content\": \"\",\n \"tokens\": 1}", "$.content", 1, 13, "is empty: an item needs content");
    assert_refused("[[]]", "$[0]", 1, 2, "is an array: must be an object");
    assert_refused("[1]", "$[0]", 1, 2, "is 1: must be an object");
    let row = r#"{"content": "a", "tokens": 1}"#;
    let field = |field: &str| format!("[{row},\n {{\"content\": \"b\", \"tokens\": 2,\n\t{field}}}]");
    let blank_kind = "is blank (\" \\t\"): a kind needs a character that is not white space";
    assert_refused(&field(r#""kind": " \t""#), "$[1].kind", 3, 10, blank_kind);
    let blank_source = "is blank (\"\"): a source needs a character that is not white space";
    assert_refused(&field(r#""source": """#), "$[1].source", 3, 12, blank_source);
    assert_refused(&field(r#""kind": 1"#), "$[1].kind", 3, 10, "is 1: must be a string");
    assert_refused(&field(r#""priority": "1""#), "$[1].priority", 3, 14, "is \"1\": must be an integer");
    let fraction = "an integer is written without fraction and exponent";
    assert_refused(&field(r#""priority": 1.0"#), "$[1].priority", 3, 14, &format!("is 1.0: {fraction}"));
    assert_refused(&field(r#""originalTokens": 1e3"#), "$[1].originalTokens", 3, 20, &format!("is 1e3: {fraction}"));
    let range = "is 9223372036854775808: an integer lies between -2^63 and 2^63 - 1";
    assert_refused(&field(r#""priority": 9223372036854775808"#), "$[1].priority", 3, 14, range);
    assert_refused(&field(r#""pinned": 1"#), "$[1].pinned", 3, 12, "is 1: must be true or false");
    let hint = "$[1].futureRelevanceHint";
    assert_refused(&field(r#""futureRelevanceHint": "0.5""#), hint, 3, 25, "is \"0.5\": must be a number");
    assert_refused(
        &field(r#""futureRelevanceHint": 1e309"#),
        hint,
        3,
        25,
        "is 1e309: lies outside the range of a double",
    );
    assert_refused(&field(r#""tags": "a""#), "$[1].tags", 3, 10, "is \"a\": must be an array");
    assert_refused(&field(r#""tags": ["a", null]"#), "$[1].tags[1]", 3, 16, "is null: must be a string");
    assert_refused(&field(r#""metadata": []"#), "$[1].metadata", 3, 14, "is an array: must be an object");
    let trust = r#"$[1].metadata["cupel:trust"]"#;
    assert_refused(
        &field(r#""metadata": {"cupel:trust": -1e400}"#),
        trust,
        3,
        30,
        "is -1e400: lies outside the range of a double",
    );
    let known = "is an unknown field: known here are content, tokens, kind, source, priority, tags, metadata, timestamp, \
                 futureRelevanceHint, pinned, originalTokens";
    assert_refused(&field(r#""Kind": "Memory""#), "$[1].Kind", 3, 2, known);
    assert_refused(&field(r#""no such": null"#), r#"$[1]["no such"]"#, 3, 2, known);
    assert_refused(&field(r#""content": "c""#), "$[1].content", 3, 2, "is a duplicate key");
    assert_refused(&field(r#""\u0074okens": 3"#), "$[1].tokens", 3, 2, "is a duplicate key");
    assert_refused(&field(r#""metadata": {"a": 1, "a": 1}"#), "$[1].metadata.a", 3, 23, "is a duplicate key");
    let deep = "$[1].metadata.a[0].b.c";
    assert_refused(&field(r#""metadata": {"a": [{"b": {"c": 1, "c": 2}}]}"#), deep, 3, 36, "is a duplicate key");
    let lines = format!("{row}\n\n{row}\n  {{\"content\": \"a\", \"tokens\": true}}\n{row}");
    assert_refused(&lines, "$[2].tokens", 4, 30, "is true: must be an integer");
    assert_refused(
        &format!("{{\"content\": \"a\", \"tokens\": true}}\n{row}"),
        "$[0].tokens",
        1,
        28,
        "is true: must be an integer",
    );
    assert_refused("{\"content\": \"a\", \"tokens\": true}\n", "$.tokens", 1, 28, "is true: must be an integer");
}

#[test]
fn long_texts_are_cut_in_messages() {
    let long = "x".repeat(1000);
    let (path, _, _, rule) = refused(&format!(r#"{{"content": "a", "tokens": 1, "{long}": 1}}"#));
    assert_eq!(path, format!("$[\"{}\"...]", "x".repeat(38)));
    assert!(rule.starts_with("is an unknown field"));
    let (_, _, _, rule) = refused(&format!(r#"{{"content": "a", "tokens": "{long}"}}"#));
    assert_eq!(rule, format!("is \"{}...: must be an integer", "x".repeat(37)));
    let (path, _, _, _) = refused(&format!(r#"{{"content": "a", "tokens": 1, "{}": 1}}"#, r"\u00e9".repeat(1000)));
    assert_eq!(path, format!("$[\"{}\"...]", "\u{e9}".repeat(19)));
}

#[test]
fn hostile_texts_are_errors_and_cost_little() {
    let metadata = |value: &str| format!(r#"{{"content": "a", "tokens": 1, "metadata": {{"k": {value}}}}}"#);
    let nested = |depth: usize| metadata(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
    let most = MAX_DEPTH - 2;
    assert_eq!(read(&nested(most)).len(), 1);
    let path = format!("$.metadata.k{}", "[0]".repeat(most));
    assert_refused(&nested(most + 1), &path, 1, 49 + most, "is nested more than 64 deep");
    assert_refused(&"[".repeat(100_000), "$[0]", 1, 2, "is an array: must be an object");
    let objects = r#"{"a":"#.repeat(100_000);
    let (path, line, column, rule) = refused(&objects);
    assert_eq!((&*path, line, column), ("$.a", 1, 2), "{rule}");
    // Many names in an object, all different but for the last.
    let mut many: String = (0..50_000).map(|number| format!(r#""k{number}":{number},"#)).collect();
    assert_eq!(read(&metadata(&format!("{{{many}\"last\":0}}"))).len(), 1);
    many.push_str(r#""\u006b7":0"#);
    let (path, line, column, rule) = refused(&metadata(&format!("{{{many}}}")));
    assert_eq!((&*path, line, &*rule), ("$.metadata.k.k7", 1, "is a duplicate key"));
    assert_eq!(column, 50 + many.len() - 11);
    // What is kept as it is written is held to the rules of JSON all the same.
    let half = r#"["é", {"\ud800": 1}]"#;
    let (path, line, column, rule) = refused(&metadata(half));
    assert_eq!((&*path, line, column), ("$.metadata.k[1]", 1, 57), "{rule}");
    let closed = "]".repeat(100_000);
    let (path, _, column, rule) = refused(&metadata(&format!("{}{closed}", "[".repeat(100_000))));
    assert_eq!(
        (path, column, &*rule),
        (format!("$.metadata.k{}", "[0]".repeat(most)), 49 + most, "is nested more than 64 deep")
    );
    let broken = format!("{}1,{closed}", r#"{"a":["#.repeat(50_000));
    assert_eq!(refused(&metadata(&broken)).3, "is nested more than 64 deep");
    // Many small objects in an object, one in the other.
    let chain = "{\"a\":1,\"b\":".repeat(60);
    assert_eq!(read(&metadata(&format!("{chain}0{}", "}".repeat(60)))).len(), 1);
}

#[test]
fn a_text_beyond_the_limit_is_refused_unread() {
    let zeros = vec![0_u8; MAX_BYTES + 1];
    // SAFETY: zeros are UTF-8. Checking that would read 2 GiB of memory that need not even exist.
    let json = unsafe { String::from_utf8_unchecked(zeros) };
    assert_refused(&json, "$", 1, 1, "the text has 2147483648 bytes: at most 2147483647 are read");
}
