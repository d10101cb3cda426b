//! Why reading failed, and where in the text: path, line and column.
//!
//! Reading a text does not track the path. A failure has an offset, and the path to it is found by a second pass.

use std::fmt::{self, Write};

use crate::error::{Error, Excerpt, Value};
use crate::json::MAX_DEPTH;
use crate::json::error::JsonError;
use crate::json::lexer::{Event, Failed, Lexer, RawString};
use crate::memory::{OutOfMemory, TryWriter, try_display, try_push};

/// What is wrong at an offset of a text.
#[derive(Debug)]
pub struct Failure {
    /// The offset in bytes.
    pub at: usize,
    /// The rule that is broken there.
    pub rule: Rule,
}

/// A rule that a text breaks.
#[derive(Debug)]
pub enum Rule {
    /// It is not JSON.
    Syntax(&'static str),
    /// It is not JSON: something else is expected.
    Unexpected(&'static str),
    /// The value breaks a rule.
    Invalid(&'static str),
    /// The value is not one of a list of texts.
    NotOneOf(&'static [&'static str]),
    /// The core refused what was made of the value.
    Refused(Error),
    /// The object has none of the fields, or several, of which it must have one.
    NotOneField(&'static [&'static str]),
    /// The object has no such field.
    Missing(&'static str),
    /// The name is not one of the known fields.
    Unknown(&'static [&'static str]),
    /// The name occurs earlier in the object.
    Duplicate,
    /// The container is nested too deep.
    TooDeep,
    /// There are more scorers than are read.
    TooManyScorers,
    /// The text is longer than this many bytes.
    TooLong(usize),
}

/// A refusal by the core, which knows no offset.
impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self { at: 0, rule: Rule::Refused(error.into()) }
    }
}

impl Failure {
    /// Adds the path, line and column in `text`.
    #[cold]
    pub fn locate(self, text: &str) -> JsonError {
        if matches!(self.rule, Rule::Refused(Error::OutOfMemory(_))) {
            return JsonError::OutOfMemory(OutOfMemory);
        }
        self.try_locate(text).unwrap_or_else(JsonError::from)
    }

    fn try_locate(self, text: &str) -> Result<JsonError, OutOfMemory> {
        if matches!(self.rule, Rule::Invalid(_) | Rule::NotOneOf(_)) {
            // A value that is not valid JSON is reported as such.
            let mut lexer = Lexer::new(text, self.at);
            if lexer.walk(0, 0, |_| Ok(())).is_err() {
                let failure = lexer.into_failure();
                if !matches!(failure.rule, Rule::TooDeep) {
                    return failure.try_locate(text);
                }
            }
        }
        let path = path_to(text, self.at)?;
        let (line, column) = line_and_column(text, self.at);
        let rule = try_display(&Message { failure: &self, text })?;
        Ok(JsonError::Invalid { path, line, column, rule })
    }
}

fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let newlines = before.bytes().filter(|&byte| byte == b'\n').count();
    (newlines + 1, before[line_start..].chars().count() + 1)
}

/// What a failure says after the path.
struct Message<'a> {
    failure: &'a Failure,
    text: &'a str,
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Found { text: self.text, at: self.failure.at };
        match &self.failure.rule {
            Rule::Syntax(rule) => write!(f, "is not JSON: {rule}"),
            Rule::Unexpected(expected) => {
                write!(f, "is not JSON: expected {expected}, found ")?;
                match self.text[self.failure.at..].chars().next() {
                    Some(character) => write!(f, "{character:?}"),
                    None => f.write_str("the end of the text"),
                }
            }
            Rule::Invalid(rule) => write!(f, "is {found}: {rule}"),
            Rule::NotOneOf(texts) => write!(f, "is {found}: must be one of {}", List(texts)),
            // The path has the name.
            Rule::Refused(Error::Invalid { value: Value::Named(_, number), rule, .. }) => {
                write!(f, "is {number:?}: {rule}")
            }
            Rule::Refused(Error::Invalid { value: Value::Size(size), rule, .. }) => {
                write!(f, "has {size} entries: {rule}")
            }
            Rule::Refused(error) => error.complaint().fmt(f),
            Rule::NotOneField(names) => write!(f, "must have exactly one of the fields {}", List(names)),
            Rule::Missing(name) => write!(f, "lacks the required field {name:?}"),
            Rule::Unknown(known) => write!(f, "is an unknown field: known here are {}", List(known)),
            Rule::Duplicate => f.write_str("is a duplicate key"),
            Rule::TooDeep => write!(f, "is nested more than {MAX_DEPTH} deep"),
            Rule::TooManyScorers => write!(f, "is one scorer too many: at most {} are read", crate::json::MAX_SCORERS),
            Rule::TooLong(most) => write!(f, "the text has {} bytes: at most {most} are read", self.text.len()),
        }
    }
}

/// The value at an offset, as a message quotes it.
struct Found<'a> {
    text: &'a str,
    at: usize,
}

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text.as_bytes().get(self.at) {
            Some(b'[') => f.write_str("an array"),
            Some(b'{') => f.write_str("an object"),
            _ => {
                let mut lexer = Lexer::new(self.text, self.at);
                let _ = lexer.walk(0, 0, |_| Ok(()));
                let excerpt = Excerpt::new(lexer.since(self.at));
                f.write_str(excerpt.as_str())?;
                f.write_str(if excerpt.is_truncated() { "..." } else { "" })
            }
        }
    }
}

/// Names as a message lists them.
struct List<'a>(&'a [&'a str]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(index, name)| {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{name}")
        })
    }
}

/// A value that an offset is in.
#[derive(Default)]
struct Frame<'t> {
    /// The number of entries that end before the offset.
    index: usize,
    /// The name that was read last, if this is an object.
    name: Option<RawString<'t>>,
}

/// The path to an offset. The text before it is valid JSON; the text after it may not be.
fn path_to(text: &str, target: usize) -> Result<String, OutOfMemory> {
    let mut lexer = Lexer::new(text, 0);
    let mut frames: Vec<Frame<'_>> = Vec::new();
    // A text is one value, or objects one after another.
    let is_lines = lexer.peek() == b'{';
    let (mut rows, mut has_more_rows, mut is_name, mut is_stopped) = (0, false, false, false);
    while frames.is_empty() && matches!(lexer.peek(), b'{' | b'[') && lexer.at() <= target {
        let walked = lexer.walk(0, MAX_DEPTH + 2, |event| {
            match event {
                Event::Begin(start) if start <= target => try_push(&mut frames, Frame::default())?,
                Event::Name(name) if name.start_in(text) <= target => {
                    is_name = target < name.end_in(text);
                    frames.last_mut().into_iter().for_each(|object| object.name = Some(name));
                }
                Event::End(end) if end <= target => {
                    frames.pop();
                    frames.last_mut().into_iter().for_each(|parent| parent.index += 1);
                }
                // Whether there are more rows shows after the first one.
                _ if is_lines && rows == 0 => {}
                _ => {
                    is_stopped = true;
                    return Err(Failed);
                }
            }
            Ok(())
        });
        match walked {
            Ok(()) if frames.is_empty() => rows += 1,
            Ok(()) => has_more_rows = !lexer.is_at_end(),
            Err(Failed) if lexer.is_out_of_memory() && !is_stopped => return Err(OutOfMemory),
            Err(Failed) => break,
        }
    }
    let row = (is_lines && !frames.is_empty() && (rows > 0 || has_more_rows)).then_some(rows);
    if !is_name {
        // The offset is in no entry of the last value.
        frames.pop();
    }
    let mut path = TryWriter::default();
    write_path(&frames, row, &mut path).map_err(|fmt::Error| OutOfMemory)?;
    Ok(path.0)
}

fn write_path(frames: &[Frame<'_>], row: Option<usize>, path: &mut impl Write) -> fmt::Result {
    path.write_char('$')?;
    if let Some(row) = row {
        write!(path, "[{row}]")?;
    }
    frames.iter().try_for_each(|frame| match frame.name {
        None => write!(path, "[{}]", frame.index),
        Some(name) => write_name(name, path),
    })
}

fn write_name(name: RawString<'_>, path: &mut impl Write) -> fmt::Result {
    let mut buffer = String::new();
    let name = name.text(&mut buffer).map_err(|OutOfMemory| fmt::Error)?;
    let excerpt = Excerpt::new(name);
    let is_identifier = !excerpt.is_truncated()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.bytes().next().is_some_and(|first| !first.is_ascii_digit());
    if is_identifier { write!(path, ".{name}") } else { write!(path, "[{excerpt}]") }
}
