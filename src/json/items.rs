//! Rows from JSON.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use crate::batch::{Appender, Batch, MetadataValue, RowFields};
use crate::error::Error;
use crate::json::node::{Member, Node, check_size, unknown_field};
use crate::json::place::{skip_space, syntax_error, trailing_error, unexpected};
use crate::json::timestamp::read_timestamp;

/// The fields of an item.
const FIELDS: [&str; 11] = [
    "content",
    "tokens",
    "kind",
    "source",
    "priority",
    "tags",
    "metadata",
    "timestamp",
    "futureRelevanceHint",
    "pinned",
    "originalTokens",
];

/// Appends the items of a JSON text to a batch: all of them, or none.
///
/// The text is an array of objects, or objects one after another: JSON Lines, or a single object. An empty text is JSON
/// Lines without a line. Rows are read one at a time, so what is kept besides the batch is no more than the largest of them
/// asks for.
///
/// # Errors
///
/// [`Error::Json`], with the path, the line and the column, for what is no JSON, an unknown or missing field, a value that
/// a row cannot have, a name that stands twice in an object, nesting more than 64 deep, and a text of 2 GiB or more.
pub fn append_items(batch: &mut Batch, json: &str) -> Result<(), Error> {
    check_size(json)?;
    let mut rows = Reader { rows: batch.append(), content: String::new(), buffer: String::new() };
    let start = skip_space(json, 0);
    match json[start..].bytes().next() {
        Some(b'[') => read_array(json, &mut rows)?,
        Some(b'{') | None => read_lines(json, &mut rows)?,
        Some(_) => return Err(unexpected(json, start, "an array of items or an item")),
    }
    rows.rows.commit();
    Ok(())
}

fn read_array(json: &str, rows: &mut Reader<'_>) -> Result<(), Error> {
    let mut array = Array { json, rows, failure: None };
    let mut deserializer = Deserializer::from_str(json);
    let read = deserializer.deserialize_seq(&mut array);
    if let Some(failure) = array.failure {
        return Err(failure);
    }
    read.map_err(|error| syntax_error(json, 0, json, &error))?;
    deserializer.end().map_err(|error| trailing_error(json, &error))
}

/// Takes rows out of an array, until one is refused.
struct Array<'t, 'r, 'b> {
    json: &'t str,
    rows: &'r mut Reader<'b>,
    failure: Option<Error>,
}

impl<'t> Visitor<'t> for &mut Array<'t, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(raw) = entries.next_element()? {
            if let Err(failure) = self.rows.read(Node::new(self.json, raw)) {
                self.failure = Some(failure);
                return Err(A::Error::custom(""));
            }
        }
        Ok(())
    }
}

fn read_lines(json: &str, rows: &mut Reader<'_>) -> Result<(), Error> {
    let mut lines = Deserializer::from_str(json).into_iter::<&RawValue>();
    loop {
        let start = skip_space(json, lines.byte_offset());
        match (json[start..].bytes().next(), lines.next()) {
            (Some(b'{'), Some(Ok(raw))) => rows.read(Node::new(json, raw))?,
            (Some(b'{'), Some(Err(error))) => return Err(syntax_error(json, 0, json, &error)),
            (None, _) | (Some(b'{'), None) => return Ok(()),
            _ => return Err(unexpected(json, start, "an item or the end of the text")),
        }
    }
}

/// Puts rows together.
struct Reader<'a> {
    rows: Appender<'a>,
    /// The content of the row, when there are escapes in it.
    content: String,
    /// Any other text of the row, for a moment.
    buffer: String,
}

impl Reader<'_> {
    fn read(&mut self, item: Node<'_>) -> Result<(), Error> {
        let Self { rows, content, buffer } = self;
        let mut fields = RowFields::default();
        let (mut text, mut tokens, mut kind, mut source) = (None, None, None, None);
        rows.begin_row();
        for Member { key, name, value } in item.members()? {
            let known = &*name;
            if value.is_null() && FIELDS.contains(&known) {
                continue;
            }
            match known {
                "content" => text = Some(value),
                "tokens" => tokens = Some(value.integer()?),
                "kind" => {
                    let number = rows.kind(Some(value.string_in(buffer)?));
                    kind = Some(number.map_err(|error| value.blame(error))?);
                }
                "source" => {
                    let number = rows.source(Some(value.string_in(buffer)?));
                    source = Some(number.map_err(|error| value.blame(error))?);
                }
                "priority" => fields.priority = Some(value.integer()?),
                "tags" => {
                    for tag in value.array()? {
                        rows.tag(tag.string_in(buffer)?.into())?;
                    }
                }
                "metadata" => {
                    for Member { name, value, .. } in value.members()? {
                        let key = rows.intern_key((*name).into())?;
                        rows.metadata(key, metadata_value(value, buffer)?.into())?;
                    }
                }
                "timestamp" => fields.timestamp = Some(read_timestamp(value, buffer)?),
                "futureRelevanceHint" => fields.future_relevance_hint = Some(value.number()?),
                "pinned" => fields.pinned = value.boolean()?,
                "originalTokens" => fields.original_tokens = Some(value.integer()?),
                _ => return Err(unknown_field(key, &FIELDS)),
            }
        }
        let text = text.ok_or_else(|| item.lacks("content"))?;
        let content = text.string_in(content)?;
        if content.is_empty() {
            return Err(text.blame(Error::EmptyContent));
        }
        fields.content = Some(content);
        fields.tokens = tokens.ok_or_else(|| item.lacks("tokens"))?;
        fields.kind = kind.map_or_else(|| rows.kind(None), Ok)?;
        fields.source = source.map_or_else(|| rows.source(None), Ok)?;
        rows.end_row(fields)
    }
}

/// A JSON string is a string, a JSON number a double, and anything else is kept as it is written.
fn metadata_value<'b>(value: Node<'b>, buffer: &'b mut String) -> Result<MetadataValue<'b>, Error> {
    Ok(if value.is_string() {
        MetadataValue::String(value.string_in(buffer)?)
    } else if value.is_number() {
        MetadataValue::Double(value.number()?)
    } else {
        // It stands in an object in an object.
        value.check(2)?;
        MetadataValue::Other(value.json())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{MOST_BYTES, MOST_DEPTH, TOO_DEEP};

    /// The path, line, column and rule of the error, once it is clear that the batch is as it was.
    fn refused(json: &str) -> (String, usize, usize, String) {
        let mut batch = Batch::new();
        append_items(&mut batch, r#"{"content": "before", "tokens": 1, "tags": ["t"], "metadata": {"k": 1}}"#).unwrap();
        let error = append_items(&mut batch, json).unwrap_err();
        assert_eq!(batch.len(), 1, "{json}");
        assert_eq!(batch.item(0).unwrap().metadata().len(), 1);
        append_items(&mut batch, r#"{"content": "after", "tokens": 2}"#).unwrap();
        assert_eq!(batch.item(1).unwrap().content(), "after");
        let Error::Json(error) = error else { panic!("{error:?} for {json}") };
        let whole = format!("{} (line {}, column {}): {}", error.path(), error.line(), error.column(), error.rule());
        assert_eq!(error.to_string(), whole);
        (error.path().into(), error.line(), error.column(), error.rule().into())
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
        assert_refused("[", "$[0]", 1, 2, "is not JSON: EOF while parsing a list");
        assert_refused("[{}", "$[0]", 1, 2, r#"lacks the field "content", which is required"#);
        let row = r#"{"content": "a", "tokens": 1}"#;
        assert_refused(&format!("[{row},\n]"), "$[1]", 2, 1, "is not JSON: trailing comma");
        assert_refused(&format!("[{row}"), "$", 1, 31, "is not JSON: EOF while parsing a list");
        assert_refused(&format!("[{row}{row}]"), "$", 1, 31, "is not JSON: expected `,` or `]`");
        assert_refused(&format!("[{row}]\n x"), "$", 2, 2, "is not JSON: trailing characters");
        assert_refused(&format!("[] {row}"), "$", 1, 4, "is not JSON: trailing characters");
        assert_refused(&format!("{row},{row}"), "$", 1, 30, "expected an item or the end of the text, found ','");
        assert_refused(&format!("{row}\n[{row}]"), "$", 2, 1, "expected an item or the end of the text, found '['");
        assert_refused("null", "$", 1, 1, "expected an array of items or an item, found 'n'");
        assert_refused("\u{feff}[]", "$", 1, 1, r"expected an array of items or an item, found '\u{feff}'");
        assert_refused("{'content': 1}", "$", 1, 2, "is not JSON: key must be a string");
        assert_refused(r#"{"content" 1}"#, "$", 1, 12, "is not JSON: expected `:`");
        assert_refused(r#"{"content":"#, "$.content", 1, 12, "is not JSON: EOF while parsing a value");
        assert_refused(r#"{"content": "a","#, "$", 1, 17, "is not JSON: EOF while parsing an object");
        assert_refused(r#"{"content": "a",}"#, "$", 1, 17, "is not JSON: key must be a string");
        assert_refused(r#"{"content": "a" "tokens": 1}"#, "$", 1, 17, "is not JSON: expected `,` or `}`");
        assert_refused(r#"{"tags": ["a" "b"]}"#, "$.tags", 1, 15, "is not JSON: expected `,` or `]`");
        assert_refused("{\"tags\": [\"a\",\n  nul]}", "$.tags[1]", 2, 6, "is not JSON: expected ident");
        assert_refused(
            "{\"content\": \"a\nb\"}",
            "$.content",
            1,
            14,
            r"is not JSON: control character (\u0000-\u001F) found while parsing a string",
        );
        assert_refused("{\"content\":\n \"ab}", "$.content", 2, 6, "is not JSON: EOF while parsing a string");
        assert_refused(r#"{"content": "é\q"}"#, "$.content", 1, 16, "is not JSON: invalid escape");
        assert_refused(r#"{"content": "\ud800"}"#, "$.content", 1, 20, "is not JSON: unexpected end of hex escape");
        assert_refused(r#"{"tokens": 01}"#, "$.tokens", 1, 13, "is not JSON: invalid number");
        assert_refused(r#"{"tokens": 1.}"#, "$.tokens", 1, 14, "is not JSON: invalid number");
        assert_refused(r#"{"tokens": NaN}"#, "$.tokens", 1, 12, "is not JSON: expected value");
        assert_refused(r#"{"tokens": +1}"#, "$.tokens", 1, 12, "is not JSON: expected value");
    }

    #[test]
    fn what_is_no_item_is_refused_with_path_line_and_column() {
        let missing = |name: &str| format!("lacks the field {name:?}, which is required");
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
        assert_refused(
            &field(r#""originalTokens": 1e3"#),
            "$[1].originalTokens",
            3,
            20,
            &format!("is 1e3: {fraction}"),
        );
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
        assert_refused(&field(r#""content": "c""#), "$[1].content", 3, 2, "stands twice in the object");
        assert_refused(&field(r#""\u0074okens": 3"#), "$[1].tokens", 3, 2, "stands twice in the object");
        assert_refused(
            &field(r#""metadata": {"a": 1, "a": 1}"#),
            "$[1].metadata.a",
            3,
            23,
            "stands twice in the object",
        );
        let deep = "$[1].metadata.a[0].b.c";
        assert_refused(
            &field(r#""metadata": {"a": [{"b": {"c": 1, "c": 2}}]}"#),
            deep,
            3,
            36,
            "stands twice in the object",
        );
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
        let most = MOST_DEPTH as usize - 2;
        assert_eq!(read(&nested(most)).len(), 1);
        let path = format!("$.metadata.k{}", "[0]".repeat(most));
        assert_refused(&nested(most + 1), &path, 1, 49 + most, "is nested more than 64 deep");
        assert_refused(
            &"[".repeat(100_000),
            &format!("$[0]{}", "[0]".repeat(64)),
            1,
            66,
            "is nested more than 64 deep",
        );
        let objects = r#"{"a":"#.repeat(100_000);
        assert_refused(&objects, &format!("${}", ".a".repeat(64)), 1, 321, "is nested more than 64 deep");
        // Many names in an object, all different but for the last.
        let mut many: String = (0..50_000).map(|number| format!(r#""k{number}":{number},"#)).collect();
        assert_eq!(read(&metadata(&format!("{{{many}\"last\":0}}"))).len(), 1);
        many.push_str(r#""\u006b7":0"#);
        let (path, line, column, rule) = refused(&metadata(&format!("{{{many}}}")));
        assert_eq!((&*path, line, &*rule), ("$.metadata.k.k7", 1, "stands twice in the object"));
        assert_eq!(column, 50 + many.len() - 11);
        // What is kept as it is written is held to the rules of JSON all the same.
        let half = r#"["é", {"\ud800": 1}]"#;
        let (path, line, column, rule) = refused(&metadata(half));
        assert_eq!((&*path, line, column), (r#"$.metadata.k[1]["\"\\ud800\""]"#, 1, 63), "{rule}");
        let closed = "]".repeat(100_000);
        let (path, _, column, rule) = refused(&metadata(&format!("{}{closed}", "[".repeat(100_000))));
        assert_eq!((path, column, &*rule), (format!("$.metadata.k{}", "[0]".repeat(most)), 49 + most, TOO_DEEP));
        let broken = format!("{}1,{closed}", r#"{"a":["#.repeat(50_000));
        assert_eq!(refused(&metadata(&broken)).3, TOO_DEEP);
        // Many small objects in an object, one in the other.
        let chain = "{\"a\":1,\"b\":".repeat(60);
        assert_eq!(read(&metadata(&format!("{chain}0{}", "}".repeat(60)))).len(), 1);
    }

    #[test]
    fn a_text_beyond_the_limit_is_refused_unread() {
        let zeros = vec![0_u8; MOST_BYTES + 1];
        // SAFETY: zeros are UTF-8. Checking that would read 2 GiB of memory that need not even exist.
        let json = unsafe { String::from_utf8_unchecked(zeros) };
        assert_refused(&json, "$", 1, 1, "the text has 2147483648 bytes: at most 2147483647 are read");
    }
}
