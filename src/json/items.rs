//! Rows from JSON, in one pass into the columns of a batch.

use crate::batch::{Appender, Batch, MetadataValue, RowFields, is_written};
use crate::error::Error;
use crate::json::error::JsonError;
use crate::json::failure::{Failure, Rule};
use crate::json::lexer::Container::{Array, Object};
use crate::json::lexer::{Failed, Lexer, Number};
use crate::json::{MAX_BYTES, MAX_DEPTH, timestamp};

macro_rules! fields {
    ($($field:ident = $name:literal,)+) => {
        /// The names of the fields of an item.
        const FIELDS: &[&str] = &[$($name),+];

        /// A field of an item, in the order of [`FIELDS`].
        #[derive(Clone, Copy)]
        enum Field {
            $($field),+
        }

        impl Field {
            #[inline]
            fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$field),)+
                    _ => None,
                }
            }
        }
    };
}

fields! {
    Content = "content",
    Tokens = "tokens",
    Kind = "kind",
    Source = "source",
    Priority = "priority",
    Tags = "tags",
    Metadata = "metadata",
    Timestamp = "timestamp",
    FutureRelevanceHint = "futureRelevanceHint",
    Pinned = "pinned",
    OriginalTokens = "originalTokens",
}

impl Field {
    /// Its bit in a set of fields.
    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Appends the items of a JSON text to a batch: all of them, or none.
///
/// The text is an array of objects, or objects one after another: JSON Lines, or a single object. An empty text has no rows. Besides
/// the batch, memory is needed for the longest text of a row and the names of one object.
///
/// # Errors
///
/// [`JsonError::Invalid`] for what is not JSON, an unknown or missing field, a value that a row cannot have, a duplicate key,
/// nesting more than 64 deep, and a text of 2 GiB or more.
pub fn append_items(batch: &mut Batch, json: &str) -> Result<(), JsonError> {
    if json.len() > MAX_BYTES {
        return Err(Failure { at: 0, rule: Rule::TooLong(MAX_BYTES) }.locate(json));
    }
    let mut reader = Reader {
        lexer: Lexer::new(json, 0),
        rows: batch.append(),
        successors: [Field::Content; FIELDS.len()],
        content: String::new(),
        buffer: String::new(),
    };
    match reader.read() {
        Ok(()) => {
            reader.rows.commit();
            Ok(())
        }
        Err(Failed) => {
            // Gives back the rows before it looks for the place in the text.
            drop(reader.rows);
            Err(reader.lexer.into_failure().locate(json))
        }
    }
}

struct Reader<'t, 'b> {
    lexer: Lexer<'t>,
    rows: Appender<'b>,
    /// The field that last came after each field. Rows tend to have their fields in one order.
    successors: [Field; FIELDS.len()],
    /// The content of the row, when there are escapes in it.
    content: String,
    /// Any other text, until the batch has it.
    buffer: String,
}

impl Reader<'_, '_> {
    fn read(&mut self) -> Result<(), Failed> {
        if self.lexer.is_at_end() {
            return Ok(());
        }
        match self.lexer.peek() {
            b'[' => {
                self.lexer.open(Array)?;
                let mut is_first = true;
                while self.lexer.next(Array, &mut is_first)? {
                    self.row()?;
                }
                if self.lexer.is_at_end() { Ok(()) } else { Err(self.lexer.unexpected("the end of the text")) }
            }
            b'{' => {
                while !self.lexer.is_at_end() {
                    if self.lexer.peek() != b'{' {
                        return Err(self.lexer.unexpected("an item or the end of the text"));
                    }
                    self.row()?;
                }
                Ok(())
            }
            _ => Err(self.lexer.unexpected("an array of items or an item")),
        }
    }

    fn row(&mut self) -> Result<(), Failed> {
        let Self { lexer, rows, successors, content: content_buffer, buffer } = self;
        lexer.peek();
        let start = lexer.at();
        lexer.open(Object)?;
        rows.begin_row();
        let mut fields = RowFields::default();
        let (mut content, mut kind, mut source) = (None, None, None);
        // The fields that were read, and those of them that are not null.
        let (mut seen, mut present) = (0_u32, 0_u32);
        let mut previous = Field::OriginalTokens;
        let mut is_first = true;
        while lexer.next(Object, &mut is_first)? {
            let name_at = lexer.at();
            let expected = successors[previous as usize];
            let field = if lexer.pass_name(FIELDS[expected as usize]) {
                expected
            } else {
                match Field::named(lexer.name()?.text(buffer)?) {
                    Some(field) => field,
                    None => return Err(lexer.fail(name_at, Rule::Unknown(FIELDS))),
                }
            };
            successors[previous as usize] = field;
            previous = field;
            if seen & field.bit() != 0 {
                return Err(lexer.fail(name_at, Rule::Duplicate));
            }
            lexer.colon()?;
            seen |= field.bit();
            let first = lexer.peek();
            if first == b'n' {
                lexer.literal("null")?;
                continue;
            }
            present |= field.bit();
            let at = lexer.at();
            match field {
                Field::Content => content = Some((at, lexer.string_value()?)),
                Field::Tokens => fields.tokens = integer(lexer)?,
                Field::Kind => {
                    let number = rows.kind(Some(lexer.string_value()?.text(buffer)?));
                    kind = Some(number.map_err(|error| refused(lexer, at, error))?);
                }
                Field::Source => {
                    let number = rows.source(Some(lexer.string_value()?.text(buffer)?));
                    source = Some(number.map_err(|error| refused(lexer, at, error))?);
                }
                Field::Priority => fields.priority = Some(integer(lexer)?),
                Field::Tags => read_tags(lexer, rows, buffer)?,
                Field::Metadata => read_metadata(lexer, rows, buffer)?,
                Field::Timestamp => {
                    let text = lexer.string_value()?.text(buffer)?;
                    fields.timestamp = Some(timestamp::parse(text).map_err(|rule| lexer.fail(at, rule))?);
                }
                Field::FutureRelevanceHint => {
                    let number = lexer.number_value("must be a number")?;
                    fields.future_relevance_hint = Some(double(lexer, at, number)?);
                }
                Field::Pinned => {
                    fields.pinned = first == b't';
                    match first {
                        b't' => lexer.literal("true")?,
                        b'f' => lexer.literal("false")?,
                        _ => return Err(lexer.invalid("must be true or false")),
                    }
                }
                Field::OriginalTokens => fields.original_tokens = Some(integer(lexer)?),
            }
        }
        let Some((content_at, content)) = content else { return Err(lexer.fail(start, Rule::Missing("content"))) };
        if present & Field::Tokens.bit() == 0 {
            return Err(lexer.fail(start, Rule::Missing("tokens")));
        }
        let content = content.text(content_buffer)?;
        if content.is_empty() {
            return Err(lexer.fail(content_at, Rule::Refused(Error::EmptyContent)));
        }
        fields.content = Some(content);
        fields.kind = kind.map_or_else(|| rows.kind(None), Ok).map_err(|error| refused(lexer, start, error))?;
        fields.source = source.map_or_else(|| rows.source(None), Ok).map_err(|error| refused(lexer, start, error))?;
        rows.end_row(fields).map_err(|error| refused(lexer, start, error))
    }
}

fn read_tags(lexer: &mut Lexer<'_>, rows: &mut Appender<'_>, buffer: &mut String) -> Result<(), Failed> {
    lexer.open(Array)?;
    let mut is_first = true;
    while lexer.next(Array, &mut is_first)? {
        rows.tag(lexer.string_value()?.text(buffer)?.into())?;
    }
    Ok(())
}

fn read_metadata(lexer: &mut Lexer<'_>, rows: &mut Appender<'_>, buffer: &mut String) -> Result<(), Failed> {
    lexer.open(Object)?;
    lexer.begin_names()?;
    let mut is_first = true;
    while lexer.next(Object, &mut is_first)? {
        let name = lexer.name()?;
        lexer.colon()?;
        lexer.push_name(name)?;
        let key = rows.intern_key(name.text(buffer)?.into())?;
        let first = lexer.peek();
        let start = lexer.at();
        let value = match first {
            b'"' => MetadataValue::String(lexer.string()?.text(buffer)?),
            b'-' | b'0'..=b'9' => {
                let number = lexer.number()?;
                match integral_double(number) {
                    Some(value) => MetadataValue::Double(value),
                    None if number.is_integer => MetadataValue::Other(number.text),
                    None => MetadataValue::Double(double(lexer, start, number)?),
                }
            }
            // It is in the object of the metadata, which is in that of the row.
            _ => {
                lexer.walk(2, MAX_DEPTH, |_| Ok(()))?;
                MetadataValue::Other(lexer.since(start))
            }
        };
        rows.metadata(key, value.into())?;
    }
    lexer.end_names()
}

/// The refusal of the value at an offset by the batch.
#[cold]
fn refused(lexer: &mut Lexer<'_>, at: usize, error: Error) -> Failed {
    match error {
        Error::OutOfMemory(_) => Failed,
        error => lexer.fail(at, Rule::Refused(error)),
    }
}

fn integer(lexer: &mut Lexer<'_>) -> Result<i64, Failed> {
    let number = lexer.number_value("must be an integer")?;
    let rule = if !number.is_integer {
        "an integer is written without fraction and exponent"
    } else if let Ok(value) = number.text.parse() {
        return Ok(value);
    } else {
        "an integer lies between -2^63 and 2^63 - 1"
    };
    Err(lexer.fail(lexer.at() - number.text.len(), Rule::Invalid(rule)))
}

/// The nearest double.
fn double(lexer: &mut Lexer<'_>, at: usize, number: Number<'_>) -> Result<f64, Failed> {
    let value = number.to_double();
    if value.is_finite() { Ok(value) } else { Err(lexer.fail(at, Rule::Invalid("lies outside the range of a double"))) }
}

/// The double of a number that is written as an integer, when it is exactly that integer.
pub(super) fn integral_double(number: Number<'_>) -> Option<f64> {
    /// Every integer of so many digits is a double.
    const EXACT_DIGITS: usize = 15;
    let value = number.to_double();
    let is_exact =
        number.text.len() <= EXACT_DIGITS || value.is_finite() && is_written(format_args!("{value:.0}"), number.text);
    (number.is_integer && is_exact).then_some(value)
}
