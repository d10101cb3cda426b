//! The values of a JSON text, in the order in which they stand there.

use std::fmt;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::error::{Error, Excerpt};
use crate::json::error::JsonError;
use crate::json::node::Node;
use crate::json::scan::{self, Flaw};
use crate::json::{MOST_BYTES, MOST_DEPTH};
use crate::memory::{OutOfMemory, TryWriter, try_box, try_display, try_push};

/// A text and the values that were found in it: all of it, or one value after another.
///
/// The values are a flat list, so that neither depth nor number can use up the stack. A container comes before what is in
/// it, a name before what it names.
#[derive(Debug)]
pub struct Document<'a> {
    text: &'a str,
    entries: Vec<Entry>,
    /// The row that the values belong to, when the text is rows.
    row: Option<usize>,
    names: Names,
}

#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub kind: Kind,
    /// The first byte.
    pub start: u32,
    /// The byte after the last; [`OPEN`] until that was found.
    end: u32,
    /// The entry after this one and all in it; of an open container, the container that it is in.
    pub next: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Null,
    True,
    False,
    Integer,
    Real,
    String,
    /// A string with escapes in it.
    Escaped,
    Array,
    Object,
}

/// The end of a container whose end was not found yet.
const OPEN: u32 = 0;

/// In place of the container that the outermost value is in.
const NOWHERE: u32 = u32::MAX;

impl<'a> Document<'a> {
    /// A text in which nothing was read yet.
    pub fn new(text: &'a str) -> Result<Self, Error> {
        let document = Self { text, entries: Vec::new(), row: None, names: Names::default() };
        if text.len() > MOST_BYTES {
            let rule = format_args!("the text has {} bytes: at most {MOST_BYTES} are read", text.len());
            return Err(json_error("$".into(), (1, 1), rule));
        }
        Ok(document)
    }

    /// A text that is one value.
    pub fn parse(text: &'a str) -> Result<Self, Error> {
        let mut document = Self::new(text)?;
        let end = document.read(0)?;
        document.finish(end)?;
        Ok(document)
    }

    /// The first byte from `at` on that is not white space, and where it is.
    pub fn peek(&self, at: usize) -> (Option<u8>, usize) {
        let at = scan::skip_space(self.text.as_bytes(), at);
        (self.text.as_bytes().get(at).copied(), at)
    }

    /// Checks that nothing but white space comes from `at` on.
    pub fn finish(&self, at: usize) -> Result<(), Error> {
        match self.peek(at) {
            (None, _) => Ok(()),
            (Some(_), at) => Err(self.outside(at, "the end of the text")),
        }
    }

    /// Names the row that the value read last or next is; none for a text that is no list of rows.
    pub fn set_row(&mut self, row: Option<usize>) {
        self.row = row;
    }

    /// The value that was read last.
    pub fn root(&self) -> Node<'_> {
        Node::new(self, 0)
    }

    pub fn text(&self, entry: Entry) -> &str {
        &self.text[entry.start as usize..entry.end as usize]
    }

    #[inline]
    pub fn entry(&self, index: u32) -> Entry {
        self.entries[index as usize]
    }

    /// Reads one value, in place of the one that was read before, and finds where it ends.
    ///
    /// Nothing is looked at twice but the names in an object, to find one that stands there twice.
    pub fn read(&mut self, start: usize) -> Result<usize, Error> {
        let bytes = self.text.as_bytes();
        self.entries.clear();
        let mut at = start;
        let mut container = NOWHERE;
        let mut depth = 0;
        loop {
            at = scan::skip_space(bytes, at);
            let index = self.entries.len() as u32;
            match bytes.get(at) {
                Some(&byte @ (b'{' | b'[')) => {
                    if depth == MOST_DEPTH {
                        return Err(self.error(index, at, format_args!("is nested more than {MOST_DEPTH} deep")));
                    }
                    depth += 1;
                    let kind = if byte == b'{' { Kind::Object } else { Kind::Array };
                    self.push(Entry { kind, start: at as u32, end: OPEN, next: container })?;
                    container = index;
                    at = scan::skip_space(bytes, at + 1);
                    match (kind, bytes.get(at)) {
                        // The end is seen to below.
                        (Kind::Object, Some(b'}')) | (Kind::Array, Some(b']')) => {}
                        (Kind::Object, _) => {
                            at = self.read_name(at, container)?;
                            continue;
                        }
                        _ => continue,
                    }
                }
                Some(b'"') => at = self.read_string(at)?,
                Some(b'-' | b'0'..=b'9') => {
                    let (end, integer) = scan::number(bytes, at).map_err(|flaw| self.flawed(index, flaw))?;
                    self.push_scalar(if integer { Kind::Integer } else { Kind::Real }, at, end)?;
                    at = end;
                }
                _ => {
                    let rest = &bytes[at..];
                    let literals = [("null", Kind::Null), ("true", Kind::True), ("false", Kind::False)];
                    let literal = literals.iter().find(|(literal, _)| rest.starts_with(literal.as_bytes()));
                    let Some(&(literal, kind)) = literal else { return Err(self.expected(index, at, "a value")) };
                    self.push_scalar(kind, at, at + literal.len())?;
                    at += literal.len();
                }
            }
            loop {
                if container == NOWHERE {
                    return Ok(at);
                }
                at = scan::skip_space(bytes, at);
                let kind = self.entry(container).kind;
                match (kind, bytes.get(at)) {
                    (Kind::Array, Some(b',')) => {
                        at += 1;
                        break;
                    }
                    (Kind::Object, Some(b',')) => {
                        at = self.read_name(scan::skip_space(bytes, at + 1), container)?;
                        break;
                    }
                    (Kind::Array, Some(b']')) | (Kind::Object, Some(b'}')) => {
                        at += 1;
                        depth -= 1;
                        container = self.close(container, at)?;
                    }
                    (Kind::Array, _) => return Err(self.expected(container, at, "',' or ']'")),
                    (_, _) => return Err(self.expected(container, at, "',' or '}'")),
                }
            }
        }
    }

    fn push(&mut self, entry: Entry) -> Result<(), Error> {
        Ok(try_push(&mut self.entries, entry)?)
    }

    fn push_scalar(&mut self, kind: Kind, start: usize, end: usize) -> Result<(), Error> {
        let next = self.entries.len() as u32 + 1;
        self.push(Entry { kind, start: start as u32, end: end as u32, next })
    }

    fn read_string(&mut self, start: usize) -> Result<usize, Error> {
        let found = scan::string(self.text.as_bytes(), start);
        let (end, escaped) = found.map_err(|flaw| self.flawed(self.entries.len() as u32, flaw))?;
        self.push_scalar(if escaped { Kind::Escaped } else { Kind::String }, start, end)?;
        Ok(end)
    }

    /// Reads a name and its colon.
    fn read_name(&mut self, start: usize, container: u32) -> Result<usize, Error> {
        let bytes = self.text.as_bytes();
        if bytes.get(start) != Some(&b'"') {
            return Err(self.expected(container, start, "a name in double quotes"));
        }
        let found = scan::string(bytes, start);
        let (end, escaped) = found.map_err(|flaw| self.flawed(container, flaw))?;
        self.push_scalar(if escaped { Kind::Escaped } else { Kind::String }, start, end)?;
        let colon = scan::skip_space(bytes, end);
        if bytes.get(colon) != Some(&b':') {
            return Err(self.expected(self.entries.len() as u32 - 1, colon, "':'"));
        }
        Ok(colon + 1)
    }

    /// Ends the container `index`, and gives the one that it is in.
    fn close(&mut self, index: u32, end: usize) -> Result<u32, Error> {
        let next = self.entries.len() as u32;
        let entry = &mut self.entries[index as usize];
        let outer = std::mem::replace(&mut entry.next, next);
        entry.end = end as u32;
        if entry.kind == Kind::Object {
            let mut names = std::mem::take(&mut self.names);
            let twice = names.twice(self, index)?;
            self.names = names;
            if let Some(name) = twice {
                return Err(self.error(name, self.entry(name).start as usize, "stands twice in the object"));
            }
        }
        Ok(outer)
    }

    /// The names in the object `index`.
    fn names(&self, index: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.entry(index).next;
        let mut name = index + 1;
        std::iter::from_fn(move || {
            let found = (name < end).then_some(name)?;
            name = self.entry(name + 1).next;
            Some(found)
        })
    }

    /// What stands between the quotes of a string, escapes and all.
    pub fn inner(&self, index: u32) -> &str {
        let entry = self.entry(index);
        &self.text[entry.start as usize + 1..entry.end as usize - 1]
    }

    fn same(&self, a: u32, b: u32, buffers: &mut [String; 2]) -> Result<bool, OutOfMemory> {
        if self.entry(a).kind == Kind::String && self.entry(b).kind == Kind::String {
            return Ok(self.inner(a) == self.inner(b));
        }
        let [first, second] = buffers;
        Ok(self.string_in(a, first)? == self.string_in(b, second)?)
    }

    /// What a string stands for: its own text, or `buffer` when there are escapes in it.
    pub fn string_in<'b>(&'b self, index: u32, buffer: &'b mut String) -> Result<&'b str, OutOfMemory> {
        if self.entry(index).kind == Kind::String {
            return Ok(self.inner(index));
        }
        buffer.clear();
        scan::unescape(self.inner(index), buffer)?;
        Ok(buffer)
    }

    /// An error at the byte `at`, outside of every value.
    pub fn outside(&self, at: usize, expected: &str) -> Error {
        self.build_error(None, at, &format_args!("expected {expected}, found {}", self.found(at)))
    }

    fn expected(&self, index: u32, at: usize, expected: &str) -> Error {
        self.error(index, at, format_args!("expected {expected}, found {}", self.found(at)))
    }

    fn flawed(&self, index: u32, flaw: Flaw) -> Error {
        self.error(index, flaw.at, flaw.rule)
    }

    fn found(&self, at: usize) -> impl fmt::Display {
        struct Found(Option<char>);
        impl fmt::Display for Found {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.0 {
                    Some(character) => write!(f, "{character:?}"),
                    None => f.write_str("the end of the text"),
                }
            }
        }
        Found(self.text[at..].chars().next())
    }

    /// An error at the entry `index`, which may be one that comes next, and at the byte `at`.
    pub fn error(&self, index: u32, at: usize, rule: impl fmt::Display) -> Error {
        self.build_error(Some(index), at, &rule)
    }

    #[cold]
    fn build_error(&self, index: Option<u32>, at: usize, rule: &dyn fmt::Display) -> Error {
        let mut path = TryWriter::default();
        match self.write_path(index, &mut path) {
            Ok(()) => json_error(path.0, self.line_and_column(at), rule),
            Err(fmt::Error) => OutOfMemory.into(),
        }
    }

    fn line_and_column(&self, at: usize) -> (usize, usize) {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let newlines = before.bytes().filter(|&byte| byte == b'\n').count();
        (newlines + 1, before[line_start..].chars().count() + 1)
    }

    /// Goes down from the root to the entry `target`, which may be one that comes next.
    fn write_path(&self, target: Option<u32>, path: &mut impl fmt::Write) -> fmt::Result {
        path.write_char('$')?;
        let Some(target) = target else { return Ok(()) };
        if let Some(row) = self.row {
            write!(path, "[{row}]")?;
        }
        let mut container = 0;
        while container != target {
            let object = self.entry(container).kind == Kind::Object;
            let mut child = container + 1;
            let mut position = 0;
            loop {
                let value = child + u32::from(object);
                let entry = self.entries.get(value as usize);
                // What is open reaches to the end of what was read so far.
                let past = entry.filter(|entry| entry.end != OPEN).map_or(NOWHERE, |entry| entry.next);
                if target < past {
                    if object {
                        self.write_name(child, path)?;
                    } else {
                        write!(path, "[{position}]")?;
                    }
                    if target <= value {
                        return Ok(());
                    }
                    container = value;
                    break;
                }
                child = past;
                position += 1;
            }
        }
        Ok(())
    }

    fn write_name(&self, index: u32, path: &mut impl fmt::Write) -> fmt::Result {
        // All that a path shows of a name is its beginning.
        let inner = self.inner(index);
        let mut buffer = String::new();
        let name = if self.entry(index).kind == Kind::String {
            inner
        } else {
            // A message quotes fewer characters than this, and an escape is 12 bytes at most.
            let mut length = inner.len().min(1024);
            while !inner.is_char_boundary(length) {
                length -= 1;
            }
            scan::unescape(&inner[..length], &mut buffer).map_err(|OutOfMemory| fmt::Error)?;
            &buffer
        };
        let plain = name.len() <= Excerpt::new(name).as_str().len()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && name.bytes().next().is_some_and(|first| !first.is_ascii_digit());
        if plain { write!(path, ".{name}") } else { write!(path, "[{}]", Excerpt::new(name)) }
    }
}

#[cold]
fn json_error(path: String, position: (usize, usize), rule: impl fmt::Display) -> Error {
    let boxed = try_display(&rule).and_then(|rule| try_box(JsonError::new(path, position, rule)));
    boxed.map_or_else(Error::from, Error::Json)
}

/// Finds a name that stands twice in an object.
#[derive(Debug, Default)]
struct Names {
    /// Names with their hashes.
    table: HashTable<(u64, u32)>,
    hasher: RandomState,
    buffers: [String; 2],
}

impl Names {
    /// So many names are compared with each other rather than put into the table.
    const FEW: usize = 16;

    fn twice(&mut self, document: &Document<'_>, object: u32) -> Result<Option<u32>, OutOfMemory> {
        let mut few = [0; Self::FEW];
        for (count, name) in document.names(object).enumerate() {
            if count == Self::FEW {
                return self.twice_of_many(document, object);
            }
            for &earlier in &few[..count] {
                if document.same(earlier, name, &mut self.buffers)? {
                    return Ok(Some(name));
                }
            }
            few[count] = name;
        }
        Ok(None)
    }

    fn twice_of_many(&mut self, document: &Document<'_>, object: u32) -> Result<Option<u32>, OutOfMemory> {
        let Self { table, hasher, buffers } = self;
        table.clear();
        for name in document.names(object) {
            let hash = hasher.hash_one(document.string_in(name, &mut buffers[0])?.as_bytes());
            let mut failure = None;
            let found = table.find(hash, |&(_, earlier)| {
                document.same(earlier, name, buffers).unwrap_or_else(|error| {
                    failure = Some(error);
                    false
                })
            });
            if found.is_some() {
                return Ok(Some(name));
            }
            if let Some(error) = failure {
                return Err(error);
            }
            table.try_reserve(1, |&(hash, _)| hash)?;
            table.insert_unique(hash, (hash, name), |&(hash, _)| hash);
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    /// Whether a node is what another reader made of the same text.
    fn is_same(node: Node<'_>, value: &Value) -> bool {
        match value {
            Value::Null => node.is_null(),
            Value::Bool(value) => node.boolean().unwrap() == *value,
            Value::Number(number) => {
                node.number().unwrap().to_bits() == number.as_f64().unwrap().to_bits()
                    && number.as_i64().is_none_or(|integer| node.integer().ok() == Some(integer))
            }
            Value::String(text) => node.string().unwrap() == *text,
            Value::Array(values) => {
                let nodes: Vec<_> = node.array().unwrap().collect();
                nodes.len() == values.len() && nodes.iter().zip(values).all(|(node, value)| is_same(*node, value))
            }
            Value::Object(values) => {
                let nodes: Vec<_> = node.members().unwrap().collect();
                nodes.len() == values.len()
                    && nodes.iter().all(|(name, node)| is_same(*node, &values[&*name.string().unwrap()]))
            }
        }
    }

    /// Checks a text against `serde_json`, which lets names stand twice and takes a number that is too great for an error.
    fn agrees(text: &str) {
        match (Document::parse(text), serde_json::from_str::<Value>(text)) {
            (Ok(document), Ok(value)) => assert!(is_same(document.root(), &value), "{text}"),
            (Err(_), Err(_)) => {}
            (Ok(_), Err(error)) => assert!(error.to_string().starts_with("number out of range"), "{error} for {text}"),
            (Err(error), Ok(_)) => {
                assert!(error.to_string().ends_with("stands twice in the object"), "{error} for {text}")
            }
        }
    }

    fn json() -> impl Strategy<Value = Value> {
        let text = prop_oneof![any::<String>(), "[a-c]{0,2}", r#"[\x00-\x2f"\\é😀]{0,12}"#];
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
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn values_are_read_as_serde_json_reads_them(value in json(), pretty: bool) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
            agrees(&text);
            // The other spelling of what is not ASCII.
            let escaped = text.encode_utf16().fold(String::new(), |mut escaped, unit| {
                use fmt::Write as _;
                match u8::try_from(unit) {
                    Ok(byte) if byte.is_ascii() => escaped.push(char::from(byte)),
                    _ => write!(escaped, "\\u{unit:04X}").unwrap(),
                }
                escaped
            });
            agrees(&escaped);
        }

        #[test]
        fn broken_texts_are_refused_when_serde_json_refuses_them(
            value in json(),
            edits in prop::collection::vec((any::<prop::sample::Index>(), r#"[\[\]{}:,"\\0-9eE.+\-untflsr \n]{0,2}"#, 0..3_usize), 1..4),
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
        fn whatever_a_text_is_reading_it_ends(text in r#"[\[\]{}:,"\\u0-9aeE.+\-ntfls \n]{0,40}"#) {
            agrees(&text);
        }
    }

    #[test]
    fn numbers_are_rounded_to_the_nearest_double() {
        for text in [
            "0.1",
            "1e23",
            "9007199254740993",
            "2.2250738585072011e-308",
            "4.9e-324",
            "1e-400",
            "-0",
            "-0.0",
            "1.7976931348623157e308",
        ] {
            agrees(text);
            let expected: f64 = text.parse().unwrap();
            assert_eq!(Document::parse(text).unwrap().root().number().unwrap().to_bits(), expected.to_bits());
        }
        assert!(Document::parse("1.7976931348623159e308").unwrap().root().number().is_err());
    }

    #[test]
    fn names_with_the_same_meaning_are_found_among_few_and_many() {
        for count in [1, 15, 16, 17, 100] {
            let names: String = (0..count).map(|number| format!(r#""n{number}":0,"#)).collect();
            assert!(Document::parse(&format!("{{{names}\"x\":0}}")).is_ok());
            for twice in ["n0".to_owned(), format!("n{}", count - 1), r"\u006e0".to_owned()] {
                let error = Document::parse(&format!("{{{names}\"{twice}\":0}}")).unwrap_err();
                let name = twice.replace(r"\u006e", "n");
                let column = names.len() + 2;
                assert_eq!(
                    error.to_string(),
                    format!("$.{name} (line 1, column {column}): stands twice in the object")
                );
            }
        }
    }
}
