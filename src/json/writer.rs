//! JSON as it is written.

use std::fmt::{self, Write as _};

use crate::error::Error;
use crate::json::MOST_DEPTH;
use crate::memory::{OutOfMemory, TryWriter};

/// Writes one JSON value, without white space.
#[derive(Default)]
pub struct JsonWriter {
    out: TryWriter,
    depth: u32,
    /// Whether what comes next is separated by a comma from what came before.
    comma: bool,
}

impl JsonWriter {
    /// A writer that has written nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was written.
    pub fn finish(self) -> String {
        self.out.0
    }

    /// Begins an object.
    pub fn begin_object(&mut self) -> Result<(), Error> {
        self.begin("{")
    }

    /// Ends the object that was begun last.
    pub fn end_object(&mut self) -> Result<(), Error> {
        self.end("}")
    }

    /// Begins an array.
    pub fn begin_array(&mut self) -> Result<(), Error> {
        self.begin("[")
    }

    /// Ends the array that was begun last.
    pub fn end_array(&mut self) -> Result<(), Error> {
        self.end("]")
    }

    /// Writes the name of the value to come.
    pub fn name(&mut self, name: &str) -> Result<(), Error> {
        self.string(name)?;
        self.comma = false;
        self.put(format_args!(":"))
    }

    /// Writes a string.
    pub fn string(&mut self, text: &str) -> Result<(), Error> {
        self.separate()?;
        self.put(format_args!("\"{}\"", Escaped(text)))
    }

    /// Writes what `text` is displayed as, as a string.
    pub fn display(&mut self, text: impl fmt::Display) -> Result<(), Error> {
        self.separate()?;
        self.put(format_args!("\""))?;
        write!(EscapedInto(&mut self.out), "{text}").map_err(|fmt::Error| OutOfMemory)?;
        self.put(format_args!("\""))
    }

    /// Writes a finite number, so that it reads back as the same bits.
    pub fn number(&mut self, value: f64) -> Result<(), Error> {
        debug_assert!(value.is_finite(), "JSON has no {value}");
        self.separate()?;
        self.put(format_args!("{value:?}"))
    }

    fn begin(&mut self, bracket: &str) -> Result<(), Error> {
        if self.depth == MOST_DEPTH {
            return Err(Error::NoJsonForm("the scorer is nested too deep: its JSON may be nested 64 deep"));
        }
        self.depth += 1;
        self.separate()?;
        self.comma = false;
        self.put(format_args!("{bracket}"))
    }

    fn end(&mut self, bracket: &str) -> Result<(), Error> {
        self.depth -= 1;
        self.comma = true;
        self.put(format_args!("{bracket}"))
    }

    fn separate(&mut self) -> Result<(), Error> {
        if std::mem::replace(&mut self.comma, true) { self.put(format_args!(",")) } else { Ok(()) }
    }

    fn put(&mut self, text: fmt::Arguments<'_>) -> Result<(), Error> {
        Ok(self.out.write_fmt(text).map_err(|fmt::Error| OutOfMemory)?)
    }
}

/// A text with escapes where a JSON string needs them.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        EscapedInto(f).write_str(self.0)
    }
}

struct EscapedInto<'a, W>(&'a mut W);

impl<W: fmt::Write> fmt::Write for EscapedInto<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some(at) = rest.find(|character| character < ' ' || character == '"' || character == '\\') {
            self.0.write_str(&rest[..at])?;
            match rest.as_bytes()[at] {
                b'"' => self.0.write_str("\\\"")?,
                b'\\' => self.0.write_str("\\\\")?,
                b'\n' => self.0.write_str("\\n")?,
                b'\r' => self.0.write_str("\\r")?,
                b'\t' => self.0.write_str("\\t")?,
                control => write!(self.0, "\\u{control:04x}")?,
            }
            rest = &rest[at + 1..];
        }
        self.0.write_str(rest)
    }
}
