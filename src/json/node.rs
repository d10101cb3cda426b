//! A value in a JSON text, read as what it must be.

use std::borrow::Cow;
use std::fmt;

use crate::error::{Error, Excerpt, Place, Value};
use crate::json::document::{Document, Kind};
use crate::memory::{OutOfMemory, try_display, try_string};

/// A value, and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Node<'d> {
    document: &'d Document<'d>,
    index: u32,
}

impl<'d> Node<'d> {
    pub(super) fn new(document: &'d Document<'d>, index: u32) -> Self {
        Self { document, index }
    }

    fn kind(&self) -> Kind {
        self.document.entry(self.index).kind
    }

    /// The value as it is written.
    pub fn json(&self) -> &'d str {
        self.document.text(self.document.entry(self.index))
    }

    /// Whether the value is `null`.
    pub fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }

    /// Whether the value is a string.
    pub fn is_string(&self) -> bool {
        matches!(self.kind(), Kind::String | Kind::Escaped)
    }

    /// Whether the value is a number.
    pub fn is_number(&self) -> bool {
        matches!(self.kind(), Kind::Integer | Kind::Real)
    }

    /// The entries of an array.
    pub fn array(&self) -> Result<impl Iterator<Item = Node<'d>> + use<'d>, Error> {
        if self.kind() == Kind::Array { Ok(self.children()) } else { Err(self.mistyped("an array")) }
    }

    /// The names and values of an object.
    pub fn members(&self) -> Result<impl Iterator<Item = (Node<'d>, Node<'d>)> + use<'d>, Error> {
        if self.kind() != Kind::Object {
            return Err(self.mistyped("an object"));
        }
        let mut children = self.children();
        Ok(std::iter::from_fn(move || children.next().zip(children.next())))
    }

    /// The fields of an object, to be taken one by one.
    pub fn object(&self) -> Result<Object<'d>, Error> {
        if self.kind() != Kind::Object {
            return Err(self.mistyped("an object"));
        }
        Ok(Object { node: *self, taken: [""; MOST_FIELDS], count: 0 })
    }

    /// Names and values alike.
    fn children(&self) -> impl Iterator<Item = Node<'d>> + use<'d> {
        let document = self.document;
        let end = document.entry(self.index).next;
        let mut index = self.index + 1;
        std::iter::from_fn(move || {
            let child = (index < end).then_some(Node { document, index })?;
            index = document.entry(index).next;
            Some(child)
        })
    }

    /// What a string stands for. `buffer` holds it when there are escapes in it.
    #[inline]
    pub fn string_in<'b>(&self, buffer: &'b mut String) -> Result<&'b str, Error>
    where
        'd: 'b,
    {
        if !self.is_string() {
            return Err(self.mistyped("a string"));
        }
        Ok(self.document.string_in(self.index, buffer)?)
    }

    /// What a string stands for.
    pub fn string(&self) -> Result<Cow<'d, str>, Error> {
        let mut buffer = String::new();
        self.string_in(&mut buffer)?;
        Ok(if self.kind() == Kind::String {
            Cow::Borrowed(self.document.inner(self.index))
        } else {
            Cow::Owned(buffer)
        })
    }

    /// A number, rounded to the nearest double.
    pub fn number(&self) -> Result<f64, Error> {
        let value = if self.is_number() { self.json().parse().ok() } else { None };
        match value {
            Some(value) if f64::is_finite(value) => Ok(value),
            Some(_) => Err(self.wrong("lies outside the range of a double")),
            None => Err(self.mistyped("a number")),
        }
    }

    /// A number that is written as an integer.
    pub fn integer(&self) -> Result<i64, Error> {
        match (self.kind(), self.json().parse()) {
            (Kind::Integer, Ok(value)) => Ok(value),
            (Kind::Integer, Err(_)) => Err(self.wrong("an integer lies between -2^63 and 2^63 - 1")),
            (Kind::Real, _) => Err(self.wrong("an integer is written without fraction and exponent")),
            _ => Err(self.mistyped("an integer")),
        }
    }

    /// `true` or `false`.
    pub fn boolean(&self) -> Result<bool, Error> {
        match self.kind() {
            Kind::True => Ok(true),
            Kind::False => Ok(false),
            _ => Err(self.mistyped("true or false")),
        }
    }

    /// An error at this value.
    #[cold]
    pub fn error(&self, rule: impl fmt::Display) -> Error {
        self.document.error(self.index, self.document.entry(self.index).start as usize, rule)
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
        let (Error::EmptyContent { argument }
        | Error::EmptyKind { argument, .. }
        | Error::EmptySource { argument, .. }
        | Error::Invalid { argument, .. }
        | Error::OutOfRange { argument, .. }) = &error
        else {
            return error;
        };
        match rule_of(&error, *argument) {
            Ok(rule) => self.entry(*argument, field).error(rule),
            Err(OutOfMemory) => OutOfMemory.into(),
        }
    }

    /// Where the entry that an error is about stands in this list.
    fn entry(&self, place: Place, field: &str) -> Self {
        let entry = place.index.and_then(|index| match self.kind() {
            Kind::Array => self.children().nth(index),
            // In a list of names with values, the one or the other.
            Kind::Object => self.children().nth(2 * index + usize::from(place.field != "name")),
            _ => None,
        });
        let entry = entry.unwrap_or(*self);
        entry.field(field).unwrap_or(entry)
    }

    /// The value of a field of an object, null or not.
    fn field(&self, name: &str) -> Option<Self> {
        if self.kind() != Kind::Object {
            return None;
        }
        let mut buffer = String::new();
        let mut children = self.children();
        while let Some((key, value)) = children.next().zip(children.next()) {
            if key.string_in(&mut buffer).is_ok_and(|key| key == name) {
                return Some(value);
            }
        }
        None
    }
}

/// What an error says after the place, for a reader who has the place as a path.
fn rule_of(error: &Error, place: Place) -> Result<String, OutOfMemory> {
    match error {
        Error::Invalid { value: Value::Named(_, number), rule, .. } => {
            try_display(&format_args!("is {number:?}: {rule}"))
        }
        Error::Invalid { value: Value::Size(size), rule, .. } => {
            try_display(&format_args!("has {size} entries: {rule}"))
        }
        _ => {
            let whole = try_display(error)?;
            let place = try_display(&place)?;
            try_string(whole.strip_prefix(&*place).unwrap_or(&whole).trim_start())
        }
    }
}

/// A value as a message quotes it.
struct Described<'d>(Node<'d>);

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.kind() {
            Kind::Array => f.write_str("an array"),
            Kind::Object => f.write_str("an object"),
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
#[derive(Debug)]
pub struct Object<'d> {
    node: Node<'d>,
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
        self.node.field(name).filter(|value| !value.is_null())
    }

    /// Passes over a field that is null, whether it is one of ours or not.
    pub fn pass_null(&mut self, name: &'static str) {
        if self.node.field(name).is_some_and(|value| value.is_null()) {
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
        let mut buffer = String::new();
        for (name, _) in self.node.members()? {
            if !taken.contains(&name.string_in(&mut buffer)?) {
                return Err(unknown_field(name, taken));
            }
        }
        Ok(())
    }
}

/// The error of a field that nobody knows.
#[cold]
pub fn unknown_field(name: Node<'_>, known: &[&str]) -> Error {
    name.error(format_args!("is an unknown field: known here are {}", List(known)))
}

/// Names as a message lists them.
pub struct List<'a>(pub &'a [&'a str]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(index, name)| {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{name}")
        })
    }
}
