//! A JSON text as a tree of values, for texts whose parts are needed in another order than they are written in.
//!
//! The tree is an array of nodes in the order of the text. It is built in one pass, and what a value must be is checked when it is
//! asked for.

use std::borrow::Cow;

use crate::json::MAX_DEPTH;
use crate::json::failure::{Failure, Rule};
use crate::json::lexer::{Event, Failed, Lexer, RawString};
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
        let read = lexer.walk(0, MAX_DEPTH, |event| tree.add(event));
        if read.is_ok() && !lexer.is_at_end() {
            lexer.unexpected("the end of the text");
        } else if read.is_ok() {
            return Ok(tree);
        }
        Err(lexer.into_failure())
    }

    fn add(&mut self, event: Event<'t>) -> Result<(), Failed> {
        // There are no more nodes than bytes, whose number fits.
        let len = self.nodes.len() as u32;
        match event {
            Event::Begin(start) => {
                try_push(&mut self.nodes, Node { start: start as u32, end: 0, next: self.open })?;
                self.open = len;
            }
            Event::Name(name) => {
                let (start, end) = (name.start_in(self.text) as u32, name.end_in(self.text) as u32);
                try_push(&mut self.nodes, Node { start, end, next: len + 1 })?;
            }
            Event::End(end) => {
                let node = &mut self.nodes[self.open as usize];
                self.open = node.next;
                (node.end, node.next) = (end as u32, len);
            }
        }
        Ok(())
    }

    /// The value that the text is.
    pub fn root(&self) -> Value<'_> {
        Value { tree: self, index: 0 }
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
            return Err(self.failure(Rule::Invalid("must be a string")));
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
            _ => Err(self.failure(Rule::Invalid("must be a number"))),
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
            return Err(self.failure(Rule::Invalid("must be an array")));
        }
        Ok(self.children())
    }

    /// What `read` makes of each entry of an array.
    pub fn list<T>(self, read: impl Fn(Value<'a>) -> Result<T, Failure>) -> Result<Vec<T>, Failure> {
        let mut list = Vec::new();
        for entry in self.array()? {
            try_push(&mut list, read(entry)?)?;
        }
        Ok(list)
    }

    /// The names and values of an object.
    pub fn members(self) -> Result<impl Iterator<Item = (Value<'a>, Value<'a>)>, Failure> {
        if !self.is_object() {
            return Err(self.failure(Rule::Invalid("must be an object")));
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
