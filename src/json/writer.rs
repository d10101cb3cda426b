//! JSON as it is written.

use std::fmt::{self, Write as _};

use crate::json::MAX_DEPTH;
use crate::json::error::JsonError;
use crate::memory::{OutOfMemory, try_push_str};

/// How long a text may become.
#[derive(Clone, Copy)]
pub struct Limit {
    /// The greatest length in bytes.
    pub bytes: usize,
    /// The refusal of a longer text.
    pub message: &'static str,
}

/// Writes values without white space. What is asked for in the wrong order is written all the same.
pub struct JsonWriter {
    out: String,
    limit: Limit,
    depth: u32,
    /// Whether a comma comes before the next value.
    needs_comma: bool,
    /// Why writing failed; the formatting machinery has no room for it.
    failure: Option<JsonError>,
}

type Written = Result<(), JsonError>;

impl JsonWriter {
    /// A writer of a text within a limit.
    pub fn new(limit: Limit) -> Self {
        Self { out: String::new(), limit, depth: 0, needs_comma: false, failure: None }
    }

    /// The text.
    pub fn finish(self) -> String {
        self.out
    }

    /// Begins an object.
    pub fn begin_object(&mut self) -> Written {
        self.begin('{')
    }

    /// Ends the object that was begun last.
    pub fn end_object(&mut self) -> Written {
        self.end('}')
    }

    /// Begins an array.
    pub fn begin_array(&mut self) -> Written {
        self.begin('[')
    }

    /// Ends the array that was begun last.
    pub fn end_array(&mut self) -> Written {
        self.end(']')
    }

    /// Writes the name of the next value.
    pub fn name(&mut self, name: &str) -> Written {
        self.string(name)?;
        self.needs_comma = false;
        self.put(format_args!(":"))
    }

    /// Writes a string.
    pub fn string(&mut self, text: &str) -> Written {
        self.separate()?;
        self.put(format_args!("\"{}\"", Escaped(text)))
    }

    /// Writes a string that needs no escapes.
    pub fn plain(&mut self, text: impl fmt::Display) -> Written {
        self.separate()?;
        self.put(format_args!("\"{text}\""))
    }

    /// Writes an integer, `true` or `false`.
    pub fn literal(&mut self, value: impl fmt::Display) -> Written {
        self.separate()?;
        self.put(format_args!("{value}"))
    }

    /// Writes a finite number, so that it reads back as the same bits.
    pub fn number(&mut self, value: f64) -> Written {
        debug_assert!(value.is_finite(), "JSON has no {value}");
        self.separate()?;
        self.put(format_args!("{value:?}"))
    }

    /// Ends a line, after a value that is not in another.
    pub fn end_line(&mut self) -> Written {
        self.needs_comma = false;
        self.put(format_args!("\n"))
    }

    fn begin(&mut self, bracket: char) -> Written {
        if self.depth == MAX_DEPTH {
            return Err(JsonError::NoJsonForm("the scorer is nested too deep: its JSON may be nested 64 deep"));
        }
        self.depth += 1;
        self.separate()?;
        self.needs_comma = false;
        self.put(format_args!("{bracket}"))
    }

    fn end(&mut self, bracket: char) -> Written {
        self.depth -= 1;
        self.needs_comma = true;
        self.put(format_args!("{bracket}"))
    }

    fn separate(&mut self) -> Written {
        if std::mem::replace(&mut self.needs_comma, true) { self.put(format_args!(",")) } else { Ok(()) }
    }

    fn put(&mut self, text: fmt::Arguments<'_>) -> Written {
        self.write_fmt(text).map_err(|fmt::Error| self.failure.take().unwrap_or(JsonError::OutOfMemory(OutOfMemory)))
    }
}

impl fmt::Write for JsonWriter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.limit.bytes - self.out.len() < text.len() {
            self.failure = Some(JsonError::NoJsonForm(self.limit.message));
            return Err(fmt::Error);
        }
        try_push_str(&mut self.out, text).map_err(|OutOfMemory| fmt::Error)
    }
}

/// A text with escapes where a JSON string needs them.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
            f.write_str(&rest[..at])?;
            match rest.as_bytes()[at] {
                b'"' => f.write_str("\\\"")?,
                b'\\' => f.write_str("\\\\")?,
                b'\n' => f.write_str("\\n")?,
                b'\r' => f.write_str("\\r")?,
                b'\t' => f.write_str("\\t")?,
                control => write!(f, "\\u{control:04x}")?,
            }
            rest = &rest[at + 1..];
        }
        f.write_str(rest)
    }
}
