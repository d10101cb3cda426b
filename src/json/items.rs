//! Rows from JSON, in one pass into the columns of a batch.

use std::fmt::{self, Write};

use crate::batch::{Appender, Batch, MetadataValue, RowFields};
use crate::error::Error;
use crate::json::error::JsonError;
use crate::json::failure::{Failure, Rule};
use crate::json::lexer::{Failed, Lexer, Number, Skip};
use crate::json::{MAX_BYTES, MAX_DEPTH, timestamp};

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

/// A field of an item, in the order of [`FIELDS`].
#[derive(Clone, Copy)]
enum Field {
    Content,
    Tokens,
    Kind,
    Source,
    Priority,
    Tags,
    Metadata,
    Timestamp,
    FutureRelevanceHint,
    Pinned,
    OriginalTokens,
}

impl Field {
    #[inline]
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "content" => Self::Content,
            "tokens" => Self::Tokens,
            "kind" => Self::Kind,
            "source" => Self::Source,
            "priority" => Self::Priority,
            "tags" => Self::Tags,
            "metadata" => Self::Metadata,
            "timestamp" => Self::Timestamp,
            "futureRelevanceHint" => Self::FutureRelevanceHint,
            "pinned" => Self::Pinned,
            "originalTokens" => Self::OriginalTokens,
            _ => return None,
        })
    }

    /// Its bit in a set of fields.
    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Appends the items of a JSON text to a batch: all of them, or none.
///
/// The text is an array of objects, or objects one after another: JSON Lines, or a single object. An empty text has no rows. Besides
/// the batch, memory is needed for the longest text of a row and the names of one object.
///
/// # Errors
///
/// [`JsonError::Invalid`] for what is not JSON, an unknown or missing field, a value that a row cannot have, a duplicate key,
/// nesting more than 64 deep, and a text of 2 GiB or more.
pub fn append_items(batch: &mut Batch, json: &str) -> Result<(), JsonError> {
    if json.len() > MAX_BYTES {
        return Err(Failure { at: 0, rule: Rule::TooLong(MAX_BYTES) }.locate(json));
    }
    let mut reader =
        Reader { lexer: Lexer::new(json, 0), rows: batch.append(), content: String::new(), buffer: String::new() };
    match reader.read() {
        Ok(()) => {
            reader.rows.commit();
            Ok(())
        }
        Err(Failed) => {
            // Gives back the rows before it looks for the place in the text.
            drop(reader.rows);
            Err(reader.lexer.into_failure().locate(json))
        }
    }
}

struct Reader<'t, 'b> {
    lexer: Lexer<'t>,
    rows: Appender<'b>,
    /// The content of the row, when there are escapes in it.
    content: String,
    /// Any other text, until the batch has it.
    buffer: String,
}

impl Reader<'_, '_> {
    fn read(&mut self) -> Result<(), Failed> {
        if self.lexer.is_at_end() {
            return Ok(());
        }
        match self.lexer.peek() {
            b'[' => {
                self.lexer.open(b'[', "an array")?;
                let mut is_first = true;
                while self.lexer.next_entry(is_first)? {
                    self.row()?;
                    is_first = false;
                }
                if self.lexer.is_at_end() { Ok(()) } else { Err(self.lexer.unexpected("the end of the text")) }
            }
            b'{' => {
                while !self.lexer.is_at_end() {
                    if self.lexer.peek() != b'{' {
                        return Err(self.lexer.unexpected("an item or the end of the text"));
                    }
                    self.row()?;
                }
                Ok(())
            }
            _ => Err(self.lexer.unexpected("an array of items or an item")),
        }
    }

    fn row(&mut self) -> Result<(), Failed> {
        let Self { lexer, rows, content: content_buffer, buffer } = self;
        lexer.peek();
        let start = lexer.at();
        lexer.open(b'{', "an object")?;
        rows.begin_row();
        let mut fields = RowFields::default();
        let (mut content, mut kind, mut source) = (None, None, None);
        // The fields that were read, and those of them that are not null.
        let (mut seen, mut present) = (0_u32, 0_u32);
        while let Some(name) = lexer.next_name(seen == 0)? {
            let Some(field) = Field::named(name.text(buffer)?) else {
                return Err(lexer.fail_name(name, Rule::Unknown(&FIELDS)));
            };
            if seen & field.bit() != 0 {
                return Err(lexer.fail_name(name, Rule::Duplicate));
            }
            seen |= field.bit();
            let first = lexer.peek();
            if first == b'n' {
                lexer.literal("null")?;
                continue;
            }
            present |= field.bit();
            let at = lexer.at();
            match field {
                Field::Content => content = Some((at, lexer.string_value()?)),
                Field::Tokens => fields.tokens = integer(lexer)?,
                Field::Kind => {
                    let number = rows.kind(Some(lexer.string_value()?.text(buffer)?));
                    kind = Some(number.map_err(|error| refused(lexer, at, error))?);
                }
                Field::Source => {
                    let number = rows.source(Some(lexer.string_value()?.text(buffer)?));
                    source = Some(number.map_err(|error| refused(lexer, at, error))?);
                }
                Field::Priority => fields.priority = Some(integer(lexer)?),
                Field::Tags => read_tags(lexer, rows, buffer)?,
                Field::Metadata => read_metadata(lexer, rows, buffer)?,
                Field::Timestamp => {
                    let text = lexer.string_value()?.text(buffer)?;
                    fields.timestamp = Some(timestamp::parse(text).map_err(|rule| lexer.fail(at, rule))?);
                }
                Field::FutureRelevanceHint => {
                    let number = lexer.number_value("a number")?;
                    fields.future_relevance_hint = Some(double(lexer, at, number)?);
                }
                Field::Pinned => {
                    fields.pinned = first == b't';
                    match first {
                        b't' => lexer.literal("true")?,
                        b'f' => lexer.literal("false")?,
                        _ => return Err(lexer.mistyped("true or false")),
                    }
                }
                Field::OriginalTokens => fields.original_tokens = Some(integer(lexer)?),
            }
        }
        let Some((content_at, content)) = content else { return Err(lexer.fail(start, Rule::Missing("content"))) };
        if present & Field::Tokens.bit() == 0 {
            return Err(lexer.fail(start, Rule::Missing("tokens")));
        }
        let content = content.text(content_buffer)?;
        if content.is_empty() {
            return Err(lexer.fail(content_at, Rule::Refused(Error::EmptyContent)));
        }
        fields.content = Some(content);
        fields.kind = kind.map_or_else(|| rows.kind(None), Ok).map_err(|error| refused(lexer, start, error))?;
        fields.source = source.map_or_else(|| rows.source(None), Ok).map_err(|error| refused(lexer, start, error))?;
        rows.end_row(fields).map_err(|error| refused(lexer, start, error))
    }
}

fn read_tags(lexer: &mut Lexer<'_>, rows: &mut Appender<'_>, buffer: &mut String) -> Result<(), Failed> {
    lexer.open(b'[', "an array")?;
    let mut is_first = true;
    while lexer.next_entry(is_first)? {
        is_first = false;
        rows.tag(lexer.string_value()?.text(buffer)?.into())?;
    }
    Ok(())
}

fn read_metadata(lexer: &mut Lexer<'_>, rows: &mut Appender<'_>, buffer: &mut String) -> Result<(), Failed> {
    lexer.open(b'{', "an object")?;
    lexer.begin_names()?;
    let mut is_first = true;
    while let Some(name) = lexer.next_name(is_first)? {
        is_first = false;
        lexer.push_name(name)?;
        let key = rows.intern_key(name.text(buffer)?.into())?;
        let first = lexer.peek();
        let start = lexer.at();
        let value = match first {
            b'"' => MetadataValue::String(lexer.string()?.text(buffer)?),
            b'-' | b'0'..=b'9' => {
                let number = lexer.number()?;
                match integral_double(number) {
                    Some(value) => MetadataValue::Double(value),
                    None if number.is_integer => MetadataValue::Other(number.text),
                    None => MetadataValue::Double(double(lexer, start, number)?),
                }
            }
            // It is in the object of the metadata, which is in that of the row.
            _ => {
                lexer.walk(2, MAX_DEPTH, &mut Skip)?;
                MetadataValue::Other(lexer.since(start))
            }
        };
        rows.metadata(key, value.into())?;
    }
    lexer.end_names()
}

/// The refusal of the value at an offset by the batch.
#[cold]
fn refused(lexer: &mut Lexer<'_>, at: usize, error: Error) -> Failed {
    match error {
        Error::OutOfMemory(_) => Failed,
        error => lexer.fail(at, Rule::Refused(error)),
    }
}

fn integer(lexer: &mut Lexer<'_>) -> Result<i64, Failed> {
    let number = lexer.number_value("an integer")?;
    let rule = if !number.is_integer {
        "an integer is written without fraction and exponent"
    } else if let Ok(value) = number.text.parse() {
        return Ok(value);
    } else {
        "an integer lies between -2^63 and 2^63 - 1"
    };
    Err(lexer.fail(lexer.at() - number.text.len(), Rule::Invalid(rule)))
}

/// The nearest double.
fn double(lexer: &mut Lexer<'_>, at: usize, number: Number<'_>) -> Result<f64, Failed> {
    let value = number.to_double();
    if value.is_finite() { Ok(value) } else { Err(lexer.fail(at, Rule::Invalid("lies outside the range of a double"))) }
}

/// The double of a number that is written as an integer, when it is exactly that integer.
fn integral_double(number: Number<'_>) -> Option<f64> {
    /// Every integer of so many digits is a double.
    const EXACT_DIGITS: usize = 15;
    let value = number.to_double();
    let is_exact = number.text.len() <= EXACT_DIGITS || value.is_finite() && is_written(value, number.text);
    (number.is_integer && is_exact).then_some(value)
}

/// Whether `text` is all digits of an integral double.
fn is_written(value: f64, text: &str) -> bool {
    struct Rest<'a>(&'a str);
    impl Write for Rest<'_> {
        fn write_str(&mut self, digits: &str) -> fmt::Result {
            self.0 = self.0.strip_prefix(digits).ok_or(fmt::Error)?;
            Ok(())
        }
    }
    let mut rest = Rest(text);
    write!(rest, "{value:.0}").is_ok() && rest.0.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let most = MAX_DEPTH as usize - 2;
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
}
