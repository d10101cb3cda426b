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

/// Writes values without white space. The caller keeps names, values and brackets in a valid order.
///
/// The first error is kept: after it nothing is written, and [`finish`](Self::finish) returns it.
pub struct JsonWriter {
    out: String,
    limit: Limit,
    depth: u32,
    /// Whether a comma comes before the next value.
    needs_comma: bool,
    error: Option<JsonError>,
}

impl JsonWriter {
    /// A writer of a text within a limit.
    pub fn new(limit: Limit) -> Self {
        Self { out: String::new(), limit, depth: 0, needs_comma: false, error: None }
    }

    /// The text, or the first error.
    pub fn finish(self) -> Result<String, JsonError> {
        self.error.map_or(Ok(self.out), Err)
    }

    /// Keeps an error, unless there is one already.
    pub fn fail(&mut self, error: JsonError) {
        self.error.get_or_insert(error);
    }

    /// Whether there was an error.
    pub fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Begins an object or an array.
    pub fn begin(&mut self, bracket: char) {
        if self.depth == MAX_DEPTH {
            self.fail(JsonError::NoJsonForm("the scorer is nested too deep: its JSON may be nested 64 deep"));
        }
        self.depth += 1;
        self.literal(bracket);
        self.needs_comma = false;
    }

    /// Ends the object or the array that was begun last.
    pub fn end(&mut self, bracket: char) {
        self.depth -= 1;
        self.needs_comma = false;
        self.literal(bracket);
    }

    /// Writes the name of the next value.
    pub fn name(&mut self, name: &str) -> &mut Self {
        self.string(name);
        self.needs_comma = false;
        self.literal(':');
        self.needs_comma = false;
        self
    }

    /// Writes a string.
    pub fn string(&mut self, text: &str) {
        self.plain(Escaped(text));
    }

    /// Writes a string that needs no escapes.
    pub fn plain(&mut self, text: impl fmt::Display) {
        self.literal(format_args!("\"{text}\""));
    }

    /// Writes a finite number, so that it reads back as the same bits.
    pub fn number(&mut self, value: f64) {
        debug_assert!(value.is_finite(), "JSON has no {value}");
        self.literal(format_args!("{value:?}"));
    }

    /// Writes an integer, `true` or `false`, or JSON as it is.
    pub fn literal(&mut self, value: impl fmt::Display) {
        let comma = if std::mem::replace(&mut self.needs_comma, true) { "," } else { "" };
        if !self.has_failed() && write!(self, "{comma}{value}").is_err() {
            self.fail(JsonError::OutOfMemory(OutOfMemory));
        }
    }

    /// Ends a line, after a value that is not in another.
    pub fn end_line(&mut self) {
        self.needs_comma = false;
        self.literal('\n');
        self.needs_comma = false;
    }
}

impl fmt::Write for JsonWriter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.limit.bytes - self.out.len() < text.len() {
            self.fail(JsonError::NoJsonForm(self.limit.message));
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
