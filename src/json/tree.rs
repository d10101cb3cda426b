//! A JSON text as a tree of values, for texts whose parts are needed in another order than they are written in.
//!
//! The tree is an array of nodes in the order of the text. It is built in one pass, and what a value must be is checked when it is
//! asked for.

use std::borrow::Cow;

use crate::json::MAX_DEPTH;
use crate::json::failure::{Failure, Rule};
use crate::json::lexer::{Failed, Lexer, RawString, Visitor};
use crate::memory::try_push;

/// The values of a text.
#[derive(Debug)]
pub struct Tree<'t> {
    text: &'t str,
    nodes: Vec<Node>,
    /// The node of the value that began last and has not ended yet.
    open: u32,
}

/// A value or a name.
#[derive(Clone, Copy, Debug)]
struct Node {
    start: u32,
    end: u32,
    /// The node after this one and all in it. While the value is open, the node that it is in.
    next: u32,
}

impl<'t> Tree<'t> {
    /// Reads a text of at most `max_bytes` bytes that is one value.
    pub fn parse(text: &'t str, max_bytes: usize) -> Result<Self, Failure> {
        let max_bytes = max_bytes.min(u32::MAX as usize);
        if text.len() > max_bytes {
            return Err(Failure { at: 0, rule: Rule::TooLong(max_bytes) });
        }
        let mut lexer = Lexer::new(text, 0);
        let mut tree = Self { text, nodes: Vec::new(), open: 0 };
        let read = lexer.walk(0, MAX_DEPTH, &mut tree);
        if read.is_ok() && !lexer.is_at_end() {
            lexer.unexpected("the end of the text");
        } else if read.is_ok() {
            return Ok(tree);
        }
        Err(lexer.into_failure())
    }

    /// The value that the text is.
    pub fn root(&self) -> Value<'_> {
        Value { tree: self, index: 0 }
    }
}

impl<'t> Visitor<'t> for Tree<'t> {
    fn begin(&mut self, start: usize) -> Result<(), Failed> {
        // There are no more nodes than bytes.
        let index = self.nodes.len() as u32;
        try_push(&mut self.nodes, Node { start: start as u32, end: 0, next: self.open })?;
        self.open = index;
        Ok(())
    }

    fn name(&mut self, name: RawString<'t>) -> Result<(), Failed> {
        let next = self.nodes.len() as u32 + 1;
        let (start, end) = (name.start_in(self.text) as u32, name.end_in(self.text) as u32);
        Ok(try_push(&mut self.nodes, Node { start, end, next })?)
    }

    fn end(&mut self, end: usize) -> Result<(), Failed> {
        let next = self.nodes.len() as u32;
        let node = &mut self.nodes[self.open as usize];
        self.open = node.next;
        (node.end, node.next) = (end as u32, next);
        Ok(())
    }
}

/// A value of a tree, or a name of an object.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    tree: &'a Tree<'a>,
    index: u32,
}

impl<'a> Value<'a> {
    fn node(self) -> Node {
        self.tree.nodes[self.index as usize]
    }

    /// The text of the value as it is written.
    pub fn json(self) -> &'a str {
        &self.tree.text[self.node().start as usize..self.node().end as usize]
    }

    fn first(self) -> u8 {
        self.json().as_bytes().first().copied().unwrap_or_default()
    }

    /// Whether the value is `null`.
    pub fn is_null(self) -> bool {
        self.first() == b'n'
    }

    /// Whether the value is an object.
    pub fn is_object(self) -> bool {
        self.first() == b'{'
    }

    /// A refusal of this value.
    #[cold]
    pub fn failure(self, rule: Rule) -> Failure {
        Failure { at: self.node().start as usize, rule }
    }

    fn raw(self) -> RawString<'a> {
        let json = self.json();
        RawString::new(&json[1..json.len() - 1])
    }

    /// A string.
    pub fn string(self) -> Result<Cow<'a, str>, Failure> {
        if self.first() != b'"' {
            return Err(self.failure(Rule::Mistyped("a string")));
        }
        if let Some(text) = self.raw().plain() {
            return Ok(Cow::Borrowed(text));
        }
        let mut text = String::new();
        self.raw().text(&mut text)?;
        Ok(Cow::Owned(text))
    }

    /// A number, rounded to the nearest double.
    pub fn number(self) -> Result<f64, Failure> {
        match self.json().parse::<f64>() {
            Ok(number) if matches!(self.first(), b'-' | b'0'..=b'9') => {
                if number.is_finite() {
                    Ok(number)
                } else {
                    Err(self.failure(Rule::Invalid("lies outside the range of a double")))
                }
            }
            _ => Err(self.failure(Rule::Mistyped("a number"))),
        }
    }

    /// The position of a string in a list.
    pub fn choice(self, of: &'static [&'static str]) -> Result<usize, Failure> {
        let text = self.string()?;
        of.iter().position(|known| *known == text).ok_or_else(|| self.failure(Rule::NotOneOf(of)))
    }

    /// The entries of an array.
    pub fn array(self) -> Result<impl Iterator<Item = Value<'a>>, Failure> {
        if self.first() != b'[' {
            return Err(self.failure(Rule::Mistyped("an array")));
        }
        Ok(self.children())
    }

    /// The names and values of an object.
    pub fn members(self) -> Result<impl Iterator<Item = (Value<'a>, Value<'a>)>, Failure> {
        if !self.is_object() {
            return Err(self.failure(Rule::Mistyped("an object")));
        }
        let mut children = self.children();
        Ok(std::iter::from_fn(move || Some((children.next()?, children.next()?))))
    }

    fn children(self) -> impl Iterator<Item = Value<'a>> {
        let end = self.node().next;
        let mut index = self.index + 1;
        std::iter::from_fn(move || {
            let child = (index < end).then_some(Self { tree: self.tree, index })?;
            index = child.node().next;
            Some(child)
        })
    }

    /// The value of a field of an object. One that is null is missing.
    pub fn field(self, name: &str) -> Result<Option<Value<'a>>, Failure> {
        let field = self.members()?.find(|(own, _)| own.raw().is(name));
        Ok(field.map(|(_, value)| value).filter(|value| !value.is_null()))
    }

    /// The value of a field, if this is an object that has it.
    pub fn get(self, name: &str) -> Option<Value<'a>> {
        self.field(name).ok().flatten()
    }

    /// An entry, if this is an array that has it.
    pub fn entry(self, index: usize) -> Option<Value<'a>> {
        self.array().ok()?.nth(index)
    }

    /// The value of a field of an object that must be there.
    pub fn required(self, name: &'static str) -> Result<Value<'a>, Failure> {
        self.field(name)?.ok_or_else(|| self.failure(Rule::Missing(name)))
    }

    /// Checks that an object has no other fields than `known`, unless they are null and one of `nullable`.
    pub fn check_fields(self, known: &'static [&'static str], nullable: &[&str]) -> Result<(), Failure> {
        let is_known = |name: RawString<'_>, value: Value<'_>| {
            known.iter().any(|known| name.is(known)) || value.is_null() && nullable.iter().any(|known| name.is(known))
        };
        match self.members()?.find(|(name, value)| !is_known(name.raw(), *value)) {
            None => Ok(()),
            Some((name, _)) => Err(name.failure(Rule::Unknown(known))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::*;
    use crate::json::JsonError;

    fn parse(text: &str) -> Result<Tree<'_>, JsonError> {
        Tree::parse(text, usize::MAX).map_err(|failure| failure.locate(text))
    }

    /// Whether a value is what `serde_json` makes of the same text.
    fn is_same(value: Value<'_>, expected: &serde_json::Value) -> bool {
        use serde_json::Value as Expected;
        match expected {
            Expected::Null => value.is_null(),
            Expected::Bool(expected) => value.json() == expected.to_string(),
            Expected::Number(number) => value.number().unwrap().to_bits() == number.as_f64().unwrap().to_bits(),
            Expected::String(text) => value.string().unwrap() == *text,
            Expected::Array(expected) => {
                let values: Vec<_> = value.array().unwrap().collect();
                values.len() == expected.len()
                    && values.iter().zip(expected).all(|(value, other)| is_same(*value, other))
            }
            Expected::Object(expected) => {
                let members: Vec<_> = value.members().unwrap().collect();
                members.len() == expected.len()
                    && members.iter().all(|(name, value)| is_same(*value, &expected[&*name.string().unwrap()]))
                    && expected
                        .iter()
                        .all(|(name, other)| other.is_null() || is_same(value.field(name).unwrap().unwrap(), other))
            }
        }
    }

    /// Checks that a text is read as `serde_json` reads it, or refused at a place in it.
    fn agrees(text: &str) {
        match (parse(text), serde_json::from_str::<serde_json::Value>(text)) {
            (Ok(tree), Ok(value)) => assert!(is_same(tree.root(), &value), "{text}"),
            // A number that nobody asked for.
            (Ok(_), Err(error)) => assert!(error.to_string().starts_with("number out of range"), "{error} for {text}"),
            (Err(JsonError::Invalid { path, line, column, rule }), value) => {
                assert!(path.starts_with('$'));
                let line = text.split('\n').nth(line - 1).unwrap();
                assert!((1..=line.chars().count() + 1).contains(&column), "{column}: {rule} for {text}");
                assert!(value.is_err() || rule == "is a duplicate key", "{rule} for {text}");
            }
            (Err(error), _) => panic!("{error} for {text}"),
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
            "9007199254740993",
            "2.2250738585072011e-308",
            "4.9e-324",
            "1e-400",
            "-0",
            "-0.0",
            "123456789012345678901234567890",
            "1.7976931348623157e308",
        ] {
            agrees(text);
            let expected: f64 = text.parse().unwrap();
            assert_eq!(parse(text).unwrap().root().number().unwrap().to_bits(), expected.to_bits(), "{text}");
        }
        assert!(parse("1.7976931348623159e308").unwrap().root().number().is_err());
    }

    #[test]
    fn duplicate_keys_are_found_among_few_and_many() {
        for count in [1, 11, 12, 13, 100] {
            let names: String = (0..count).map(|number| format!(r#""n{number}":{{}},"#)).collect();
            assert!(parse(&format!("{{{names}\"x\":0}}")).is_ok());
            for duplicate in ["n0".to_owned(), format!("n{}", count - 1), r"\u006e0".to_owned()] {
                let error = parse(&format!("{{{names}\"{duplicate}\":0}}")).err().unwrap();
                let name = duplicate.replace(r"\u006e", "n");
                let column = names.len() + 2;
                assert_eq!(error.to_string(), format!("$.{name} (line 1, column {column}): is a duplicate key"));
            }
        }
    }
}
