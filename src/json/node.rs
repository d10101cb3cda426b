//! A value in a JSON text, read as what it must be.

use std::borrow::Cow;
use std::fmt;
use std::hint::black_box;

use foldhash::fast::RandomState;
use hashbrown::HashSet;
use serde::Deserializer as _;
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use crate::error::{Error, Excerpt, Parameter, Value};
use crate::json::place::{error_at, error_outside, syntax_error, trailing_error};
use crate::json::{MOST_BYTES, MOST_DEPTH, TOO_DEEP};
use crate::memory::{OutOfMemory, try_push, try_push_str};

/// A value: where it stands, and that it is JSON. What it stands for is read when it is asked for, one level at a time.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    text: &'a str,
    json: &'a str,
}

/// A name and a value of an object.
pub struct Member<'a> {
    /// The name as it is written.
    pub key: Node<'a>,
    /// What the name stands for.
    pub name: Cow<'a, str>,
    pub value: Node<'a>,
}

impl<'a> Node<'a> {
    /// A value of a text; `raw` is borrowed from the text.
    #[inline]
    pub fn new(text: &'a str, raw: &'a RawValue) -> Self {
        Self { text, json: raw.get() }
    }

    /// Reads a text that is one value, of which no part is nested too deep, stands twice or is no text.
    pub fn parse(text: &'a str) -> Result<Self, Error> {
        check_size(text)?;
        let mut deserializer = Deserializer::from_str(text);
        let raw = serde::Deserialize::deserialize(&mut deserializer);
        let root = Self::new(text, raw.map_err(|error| syntax_error(text, 0, text, &error))?);
        deserializer.end().map_err(|error| trailing_error(text, &error))?;
        root.check(0)?;
        Ok(root)
    }

    /// The byte at which the value begins.
    pub fn at(&self) -> usize {
        self.json.as_ptr() as usize - self.text.as_ptr() as usize
    }

    /// The first character, which tells what a value is.
    fn first(&self) -> u8 {
        self.json.as_bytes().first().copied().unwrap_or_default()
    }

    /// The value as it is written.
    pub fn json(&self) -> &'a str {
        self.json
    }

    /// Whether the value is `null`.
    pub fn is_null(&self) -> bool {
        self.first() == b'n'
    }

    /// Whether the value is a string.
    pub fn is_string(&self) -> bool {
        self.first() == b'"'
    }

    /// Whether the value is a number.
    pub fn is_number(&self) -> bool {
        matches!(self.first(), b'-' | b'0'..=b'9')
    }

    /// The entries of an array.
    pub fn array(&self) -> Result<Vec<Node<'a>>, Error> {
        if self.first() != b'[' {
            return Err(self.mistyped("an array"));
        }
        let mut entries = Entries { text: self.text, nodes: Vec::new() };
        Deserializer::from_str(self.json).deserialize_seq(&mut entries).map_err(|error| self.broken(&error))?;
        Ok(entries.nodes)
    }

    /// The names and values of an object, in which no name stands twice.
    pub fn members(&self) -> Result<Vec<Member<'a>>, Error> {
        if self.first() != b'{' {
            return Err(self.mistyped("an object"));
        }
        let mut members = Members { text: self.text, members: Vec::new(), failure: None };
        // An item rarely has more fields, so this is all the memory it takes.
        members.members.try_reserve(11)?;
        let read = Deserializer::from_str(self.json).deserialize_map(&mut members);
        if let Some(failure) = members.failure {
            return Err(failure);
        }
        read.map_err(|error| self.broken(&error))?;
        match twice(&members.members)? {
            Some(name) => Err(name.key.error("stands twice in the object")),
            None => Ok(members.members),
        }
    }

    /// The fields of an object, to be taken one by one.
    pub fn object(&self) -> Result<Object<'a>, Error> {
        Ok(Object { node: *self, members: self.members()?, taken: [""; MOST_FIELDS], count: 0 })
    }

    /// Checks what is kept as it is written, and so not read: how deep it is nested, its names and its strings.
    ///
    /// `depth` is that of the containers around it. Every level is gone through once more than the one above it.
    pub fn check(&self, depth: u32) -> Result<(), Error> {
        match self.first() {
            b'{' | b'[' if depth == MOST_DEPTH => Err(self.error(TOO_DEEP)),
            b'{' => self.members()?.iter().try_for_each(|member| member.value.check(depth + 1)),
            b'[' => self.array()?.iter().try_for_each(|entry| entry.check(depth + 1)),
            b'"' => self.string().map(drop),
            _ => Ok(()),
        }
    }

    /// What a string stands for. `buffer` holds it when there are escapes in it.
    #[inline]
    pub fn string_in<'b>(&self, buffer: &'b mut String) -> Result<&'b str, Error>
    where
        'a: 'b,
    {
        if !self.is_string() {
            return Err(self.mistyped("a string"));
        }
        if !self.json.contains('\\') {
            return Ok(&self.json[1..self.json.len() - 1]);
        }
        buffer.clear();
        self.unescape(buffer)?;
        Ok(buffer)
    }

    /// What a string stands for.
    #[inline]
    pub fn string(&self) -> Result<Cow<'a, str>, Error> {
        if self.is_string() && !self.json.contains('\\') {
            return Ok(Cow::Borrowed(&self.json[1..self.json.len() - 1]));
        }
        let mut buffer = String::new();
        self.string_in(&mut buffer)?;
        Ok(Cow::Owned(buffer))
    }

    fn unescape(&self, out: &mut String) -> Result<(), Error> {
        probe(self.json)?;
        Text(out).deserialize(&mut Deserializer::from_str(self.json)).map_err(|error| self.broken(&error))
    }

    /// A number, rounded to the nearest double.
    pub fn number(&self) -> Result<f64, Error> {
        if !self.is_number() {
            return Err(self.mistyped("a number"));
        }
        probe(self.json)?;
        serde_json::from_str(self.json).map_err(|_| self.wrong("lies outside the range of a double"))
    }

    /// A number that is written as an integer.
    pub fn integer(&self) -> Result<i64, Error> {
        if !self.is_number() {
            return Err(self.mistyped("an integer"));
        }
        if self.json.contains(['.', 'e', 'E']) {
            return Err(self.wrong("an integer is written without fraction and exponent"));
        }
        // `serde_json` takes -0 for a double.
        self.json.parse().map_err(|_| self.wrong("an integer lies between -2^63 and 2^63 - 1"))
    }

    /// `true` or `false`.
    pub fn boolean(&self) -> Result<bool, Error> {
        match self.first() {
            b't' => Ok(true),
            b'f' => Ok(false),
            _ => Err(self.mistyped("true or false")),
        }
    }

    /// An error at this value.
    #[cold]
    pub fn error(&self, rule: impl fmt::Display) -> Error {
        error_at(self.text, self.at(), &rule)
    }

    /// The error of a value that `serde_json` finds no value in after all: a string that is no text, or no memory.
    #[cold]
    fn broken(&self, error: &serde_json::Error) -> Error {
        // Errors about data are those of our own visitors, and they have but one.
        if error.is_data() { OutOfMemory.into() } else { syntax_error(self.text, self.at(), self.json, error) }
    }

    /// An error at this value that says what it is.
    #[cold]
    pub fn wrong(&self, rule: impl fmt::Display) -> Error {
        self.error(format_args!("is {}: {rule}", Described(*self)))
    }

    /// The error of an object that has not the field `name`.
    #[cold]
    pub fn lacks(&self, name: &str) -> Error {
        self.error(format_args!("lacks the field {name:?}, which is required"))
    }

    #[cold]
    fn mistyped(&self, expected: &str) -> Error {
        self.wrong(format_args!("must be {expected}"))
    }

    /// Says of an error about the thing that was made from this value where in the text the reason is: at this value, or,
    /// when the error names an entry of a list, at that entry of it.
    #[cold]
    pub fn blame(&self, error: Error) -> Error {
        self.blame_field(error, "")
    }

    /// As [`blame`](Self::blame), but at the field `field` of the value or the entry, if it has it.
    #[cold]
    pub fn blame_field(&self, error: Error, field: &str) -> Error {
        let Some(parameter) = error.parameter() else { return error };
        let entry = self.entry(parameter, field);
        match &error {
            Error::Invalid { value: Value::Named(_, number), rule, .. } => {
                entry.error(format_args!("is {number:?}: {rule}"))
            }
            Error::Invalid { value: Value::Size(size), rule, .. } => {
                entry.error(format_args!("has {size} entries: {rule}"))
            }
            _ => entry.error(error.complaint()),
        }
    }

    /// Where the entry that an error is about stands in this list.
    fn entry(&self, parameter: Parameter, field: &str) -> Self {
        let index = match parameter {
            Parameter::WeightName(index)
            | Parameter::Weight(index)
            | Parameter::ChildWeight(index)
            | Parameter::StepMaxAge(index)
            | Parameter::StepScore(index) => Some(index),
            _ => None,
        };
        let entry = index.and_then(|index| match self.first() {
            b'[' => self.array().ok()?.into_iter().nth(index),
            // In a list of names with values, the one or the other.
            b'{' => {
                let member = self.members().ok()?.into_iter().nth(index)?;
                Some(if matches!(parameter, Parameter::WeightName(_)) { member.key } else { member.value })
            }
            _ => None,
        });
        let entry = entry.unwrap_or(*self);
        entry.field(field).unwrap_or(entry)
    }

    /// The value of a field of an object, null or not.
    fn field(&self, name: &str) -> Option<Self> {
        if self.first() != b'{' {
            return None;
        }
        self.members().ok()?.into_iter().find(|member| member.name == name).map(|member| member.value)
    }
}

/// Checks that a text is not longer than what is read, and that its nesting can be kept track of.
pub fn check_size(text: &str) -> Result<(), Error> {
    if text.len() > MOST_BYTES {
        let rule = format_args!("the text has {} bytes: at most {MOST_BYTES} are read", text.len());
        return Err(error_outside(text, 0, &rule));
    }
    Ok(probe(text)?)
}

/// Makes sure that there is the memory that `serde_json` may ask for while it reads `json`.
///
/// It aborts when there is none. It needs no more than the text is long, for what a string with escapes or a number
/// stands for or for a byte for each level of nesting, and grows to that by doubling.
fn probe(json: &str) -> Result<(), OutOfMemory> {
    /// So little is not asked for beforehand.
    const LITTLE: usize = 256;
    if json.len() > LITTLE {
        let mut memory = Vec::<u8>::new();
        memory.try_reserve_exact(2 * json.len())?;
        // Or else the compiler sees that the memory is not needed, and does not ask for it.
        black_box(&mut memory);
    }
    Ok(())
}

/// Takes the entries of an array.
struct Entries<'a> {
    text: &'a str,
    nodes: Vec<Node<'a>>,
}

impl<'a> Visitor<'a> for &mut Entries<'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(raw) = entries.next_element()? {
            try_push(&mut self.nodes, Node::new(self.text, raw)).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

/// Takes the members of an object.
struct Members<'a> {
    text: &'a str,
    members: Vec<Member<'a>>,
    failure: Option<Error>,
}

impl<'a> Members<'a> {
    fn push(&mut self, key: &'a RawValue, value: &'a RawValue) -> Result<(), Error> {
        let key = Node::new(self.text, key);
        let member = Member { key, name: key.string()?, value: Node::new(self.text, value) };
        Ok(try_push(&mut self.members, member)?)
    }
}

impl<'a> Visitor<'a> for &mut Members<'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some((key, value)) = members.next_entry()? {
            if let Err(failure) = self.push(key, value) {
                self.failure = Some(failure);
                return Err(A::Error::custom(""));
            }
        }
        Ok(())
    }
}

/// Appends what a string stands for.
struct Text<'b>(&'b mut String);

impl<'de> DeserializeSeed<'de> for Text<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Text<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        try_push_str(self.0, text).map_err(E::custom)
    }
}

/// A name that stands in an object for the second time.
fn twice<'m, 'a>(members: &'m [Member<'a>]) -> Result<Option<&'m Member<'a>>, OutOfMemory> {
    /// So many names are compared with each other rather than put into a table.
    const FEW: usize = 16;
    if members.len() <= FEW {
        let mut later = members.iter().enumerate();
        return Ok(later.find_map(|(index, member)| {
            members[..index].iter().any(|earlier| earlier.name == member.name).then_some(member)
        }));
    }
    let mut names = HashSet::with_hasher(RandomState::default());
    names.try_reserve(members.len())?;
    Ok(members.iter().find(|member| !names.insert(&*member.name)))
}

/// A value as a message quotes it.
struct Described<'a>(Node<'a>);

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.first() {
            b'[' => f.write_str("an array"),
            b'{' => f.write_str("an object"),
            _ => {
                let json = self.0.json();
                let excerpt = Excerpt::new(json);
                f.write_str(excerpt.as_str())?;
                f.write_str(if excerpt.as_str().len() < json.len() { "..." } else { "" })
            }
        }
    }
}

/// No object has more fields that are known.
const MOST_FIELDS: usize = 16;

/// An object whose fields are taken one by one, after which none may be left.
pub struct Object<'d> {
    node: Node<'d>,
    members: Vec<Member<'d>>,
    /// The names that were asked for.
    taken: [&'static str; MOST_FIELDS],
    count: usize,
}

impl<'d> Object<'d> {
    /// The object itself.
    pub fn node(&self) -> Node<'d> {
        self.node
    }

    /// The value of a field, unless it is missing or null.
    pub fn take(&mut self, name: &'static str) -> Option<Node<'d>> {
        if !self.taken[..self.count].contains(&name) {
            self.taken[self.count] = name;
            self.count += 1;
        }
        self.field(name).filter(|value| !value.is_null())
    }

    /// The value of a field, null or not.
    fn field(&self, name: &str) -> Option<Node<'d>> {
        self.members.iter().find(|member| member.name == name).map(|member| member.value)
    }

    /// Passes over a field that is null, whether it is one of ours or not.
    pub fn pass_null(&mut self, name: &'static str) {
        if self.field(name).is_some_and(|value| value.is_null()) {
            self.take(name);
        }
    }

    /// The value of a field that must be there.
    pub fn required(&mut self, name: &'static str) -> Result<Node<'d>, Error> {
        self.take(name).ok_or_else(|| self.node.lacks(name))
    }

    /// Checks that every field was asked for.
    pub fn finish(self) -> Result<(), Error> {
        let taken = &self.taken[..self.count];
        match self.members.iter().find(|member| !taken.contains(&&*member.name)) {
            Some(member) => Err(unknown_field(member.key, taken)),
            None => Ok(()),
        }
    }
}

/// The error of a field that nobody knows.
#[cold]
pub fn unknown_field(name: Node<'_>, known: &[&str]) -> Error {
    name.error(format_args!("is an unknown field: known here are {}", List(known)))
}

/// DictionaryColumn as a message lists them.
pub struct List<'a>(pub &'a [&'a str]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(index, name)| {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{name}")
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::*;

    /// Whether a node is what `serde_json` makes of the same text.
    fn is_same(node: Node<'_>, value: &serde_json::Value) -> bool {
        use serde_json::Value;
        match value {
            Value::Null => node.is_null(),
            Value::Bool(value) => node.boolean().unwrap() == *value,
            Value::Number(number) => {
                node.number().unwrap().to_bits() == number.as_f64().unwrap().to_bits()
                    && number.as_i64().is_none_or(|integer| node.integer().ok() == Some(integer))
            }
            Value::String(text) => node.string().unwrap() == *text,
            Value::Array(values) => {
                let nodes = node.array().unwrap();
                nodes.len() == values.len() && nodes.iter().zip(values).all(|(node, value)| is_same(*node, value))
            }
            Value::Object(values) => {
                let members = node.members().unwrap();
                members.len() == values.len()
                    && members.iter().all(|member| is_same(member.value, &values[&*member.name]))
            }
        }
    }

    /// Checks that a text is read whole or refused, and that what is refused stands where the error says.
    fn agrees(text: &str) {
        match (Node::parse(text), serde_json::from_str::<serde_json::Value>(text)) {
            (Ok(root), Ok(value)) => assert!(is_same(root, &value), "{text}"),
            // A number that nobody asked for.
            (Ok(_), Err(error)) => assert!(error.to_string().starts_with("number out of range"), "{error} for {text}"),
            (Err(Error::Json(error)), value) => {
                assert!(error.path().starts_with('$'));
                let line = text.split('\n').nth(error.line() - 1).unwrap();
                assert!((1..=line.chars().count() + 1).contains(&error.column()), "{error} for {text}");
                let twice = error.rule() == "stands twice in the object";
                assert!(value.is_err() || twice, "{error} for {text}");
            }
            (Err(error), _) => panic!("{error} for {text}"),
        }
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        use serde_json::Value;
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
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn every_value_is_read_level_by_level(value in json(), pretty: bool) {
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
            assert_eq!(Node::parse(text).unwrap().number().unwrap().to_bits(), expected.to_bits(), "{text}");
        }
        assert!(Node::parse("1.7976931348623159e308").unwrap().number().is_err());
        assert_eq!(Node::parse("-0").unwrap().integer().unwrap(), 0);
    }

    #[test]
    fn names_with_the_same_meaning_are_found_among_few_and_many() {
        for count in [1, 15, 16, 17, 100] {
            let names: String = (0..count).map(|number| format!(r#""n{number}":0,"#)).collect();
            assert!(Node::parse(&format!("{{{names}\"x\":0}}")).is_ok());
            for twice in ["n0".to_owned(), format!("n{}", count - 1), r"\u006e0".to_owned()] {
                let error = Node::parse(&format!("{{{names}\"{twice}\":0}}")).err().unwrap();
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
