//! Where in a JSON text something stands: its path, its line and its column.
//!
//! Nothing of this is kept while a text is read. An error knows its byte, and the way there is looked for then.

use std::fmt::{self, Write};

use serde::Deserializer as _;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use crate::error::{Error, Excerpt};
use crate::json::error::JsonError;
use crate::json::node::Node;
use crate::json::{MOST_DEPTH, TOO_DEEP};
use crate::memory::{OutOfMemory, TryWriter, try_box, try_display};

/// An error at the byte `at`, which is in a value.
#[cold]
pub fn error_at(text: &str, at: usize, rule: &dyn fmt::Display) -> Error {
    let mut path = TryWriter::default();
    match write_path(text, at, &mut path) {
        Ok(None) => json_error(path.0, line_and_column(text, at), rule),
        Ok(Some(too_deep)) => json_error(path.0, line_and_column(text, too_deep), &TOO_DEEP),
        Err(fmt::Error) => OutOfMemory.into(),
    }
}

/// An error at the byte `at`, which is outside of every value; or in the outermost.
#[cold]
pub fn error_outside(text: &str, at: usize, rule: &dyn fmt::Display) -> Error {
    let mut path = TryWriter::default();
    match path.write_char('$') {
        Ok(()) => json_error(path.0, line_and_column(text, at), rule),
        Err(fmt::Error) => OutOfMemory.into(),
    }
}

/// The error of something else than what is `expected` at the byte `at`, outside of every value.
#[cold]
pub fn unexpected(text: &str, at: usize, expected: &str) -> Error {
    match text[at..].chars().next() {
        Some(found) => error_outside(text, at, &format_args!("expected {expected}, found {found:?}")),
        None => error_outside(text, at, &format_args!("expected {expected}, found the end of the text")),
    }
}

/// The error of a piece of a text, from the byte `start` on, that is not JSON.
#[cold]
pub fn syntax_error(text: &str, start: usize, piece: &str, error: &serde_json::Error) -> Error {
    let at = start + offset_of(piece, error);
    refused(error, |rule| error_at(text, at, rule))
}

/// The error of a text that goes on after its end.
#[cold]
pub fn trailing_error(text: &str, error: &serde_json::Error) -> Error {
    refused(error, |rule| error_outside(text, offset_of(text, error), rule))
}

/// Makes an error of what `serde_json` says, less the line and the column, which count from where it began.
fn refused(error: &serde_json::Error, make: impl FnOnce(&dyn fmt::Display) -> Error) -> Error {
    match try_display(error) {
        Ok(message) => {
            let rule = message.rfind(" at line ").map_or(&*message, |end| &message[..end]);
            make(&format_args!("is not JSON: {rule}"))
        }
        Err(OutOfMemory) => OutOfMemory.into(),
    }
}

/// The byte at which `serde_json` gave up. It counts columns in bytes from 1, with 0 for the newline before the line.
fn offset_of(piece: &str, error: &serde_json::Error) -> usize {
    if error.is_eof() {
        return piece.len();
    }
    let line: usize = piece.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let mut at = (line + error.column()).saturating_sub(1).min(piece.len());
    while !piece.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let newlines = before.bytes().filter(|&byte| byte == b'\n').count();
    (newlines + 1, before[line_start..].chars().count() + 1)
}

fn json_error(path: String, position: (usize, usize), rule: &dyn fmt::Display) -> Error {
    let boxed = try_display(rule).and_then(|rule| try_box(JsonError::new(path, position, rule)));
    boxed.map_or_else(Error::from, Error::Json)
}

/// Goes down to the byte `target`; or to the first container on the way that is nested too deep, and gives its byte.
///
/// All before `target` is JSON; from there on anything may stand, and there the way ends.
fn write_path(text: &str, target: usize, path: &mut impl Write) -> Result<Option<usize>, fmt::Error> {
    path.write_char('$')?;
    let mut start = skip_space(text, 0);
    // A list of rows is not counted: each of them may be nested as deep as one alone.
    let mut depth = 0;
    if text[start..].starts_with('{') {
        depth = 1;
        let row = Row::find(text, target);
        if row.index > 0 || row.others {
            write!(path, "[{}]", row.index)?;
        }
        start = row.start;
    }
    while start != target && text[start..].starts_with(['{', '[']) {
        if depth > MOST_DEPTH {
            return Ok(Some(start));
        }
        let mut finder = Finder { text, target, end: start + 1, found: None };
        // What comes after is none of its business.
        let _ = Deserializer::from_str(&text[start..]).deserialize_any(&mut finder);
        let Some((step, child)) = finder.found else { break };
        match step {
            Step::Index(index) => write!(path, "[{index}]")?,
            Step::Name(name) => write_name(name, path)?,
        }
        start = child;
        depth += 1;
    }
    Ok(None)
}

/// The first byte from `at` on that is not white space.
pub fn skip_space(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start_matches([' ', '\n', '\r', '\t']).len()
}

/// One of the objects that a text is, one after another.
struct Row {
    index: usize,
    start: usize,
    /// Whether there are more of them.
    others: bool,
}

impl Row {
    fn find(text: &str, target: usize) -> Self {
        let mut rows = Deserializer::from_str(text).into_iter::<&RawValue>();
        let mut start = 0;
        for index in 0.. {
            start = skip_space(text, start);
            match rows.next() {
                Some(Ok(_)) if rows.byte_offset() <= target => start = rows.byte_offset(),
                Some(Ok(_)) => {
                    let others = skip_space(text, rows.byte_offset()) < text.len();
                    return Self { index, start, others };
                }
                // This is the row that is broken.
                _ => return Self { index, start, others: false },
            }
        }
        unreachable!("a text is finite")
    }
}

/// What leads from a container to what is in it.
enum Step<'t> {
    Index(usize),
    Name(&'t RawValue),
}

/// Finds the entry of a container that a byte belongs to.
struct Finder<'t> {
    text: &'t str,
    target: usize,
    /// Where that ends which was read last.
    end: usize,
    found: Option<(Step<'t>, usize)>,
}

impl<'t> Finder<'t> {
    /// Takes note of a name or value; whether it is what was looked for, or that was before it.
    fn pass(&mut self, step: Step<'t>, raw: &'t RawValue) -> bool {
        let start = Node::new(self.text, raw).at();
        self.end = start + raw.get().len();
        if self.target >= self.end {
            return false;
        }
        if self.target >= start {
            self.found = Some((step, start));
        }
        true
    }

    /// Takes note of a value that is broken, and comes after `separator`.
    fn broken(&mut self, step: Step<'t>, separator: &str) {
        let at = skip_space(self.text, self.end);
        if self.text[at..].starts_with(separator) {
            let start = skip_space(self.text, at + separator.len());
            if self.target >= start {
                self.found = Some((step, start));
            }
        }
    }
}

impl<'t> Visitor<'t> for &mut Finder<'t> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array or an object")
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut entries: A) -> Result<(), A::Error> {
        for index in 0.. {
            match entries.next_element::<&RawValue>() {
                Ok(Some(value)) if !self.pass(Step::Index(index), value) => {}
                Ok(_) => break,
                Err(error) => {
                    self.broken(Step::Index(index), if index == 0 { "" } else { "," });
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'t>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<&RawValue>()? {
            if self.pass(Step::Name(name), name) {
                return Ok(());
            }
            match members.next_value::<&RawValue>() {
                Ok(value) if !self.pass(Step::Name(name), value) => {}
                Ok(_) => return Ok(()),
                Err(error) => {
                    self.broken(Step::Name(name), ":");
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

fn write_name(name: &RawValue, path: &mut impl Write) -> fmt::Result {
    let name = match Node::new(name.get(), name).string() {
        Ok(name) => name,
        Err(Error::OutOfMemory(_)) => return Err(fmt::Error),
        // The name is what the error is about.
        Err(_) => name.get().into(),
    };
    let plain = name.len() <= Excerpt::new(&name).as_str().len()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.bytes().next().is_some_and(|first| !first.is_ascii_digit());
    if plain { write!(path, ".{name}") } else { write!(path, "[{}]", Excerpt::new(&name)) }
}
