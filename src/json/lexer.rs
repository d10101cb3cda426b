//! A lexer that reads a JSON text in one pass.
//!
//! It allocates only for the names of open objects, to find duplicate keys. It does not recurse.

use std::cmp::Ordering;

use Container::{Array, Object};

use crate::json::MAX_DEPTH;
use crate::json::failure::{Failure, Rule};
use crate::memory::{OutOfMemory, try_push, try_reserve_str};

/// Reading failed: [`Lexer::into_failure`] says why.
#[derive(Debug)]
pub struct Failed;

impl From<OutOfMemory> for Failed {
    fn from(OutOfMemory: OutOfMemory) -> Self {
        Self
    }
}

/// A string as it is written, without its quotes. Its escapes are valid.
#[derive(Clone, Copy, Debug)]
pub struct RawString<'t> {
    raw: &'t str,
    // A count, not a flag: copying the padding after a flag in pieces causes store-forwarding stalls.
    escapes: usize,
}

impl<'t> RawString<'t> {
    /// A valid string, without its quotes.
    pub fn new(raw: &'t str) -> Self {
        Self { raw, escapes: usize::from(raw.contains('\\')) }
    }

    /// The text. `buffer` holds it when there are escapes in it.
    #[inline]
    pub fn text<'b>(self, buffer: &'b mut String) -> Result<&'b str, OutOfMemory>
    where
        't: 'b,
    {
        if self.escapes == 0 {
            return Ok(self.raw);
        }
        self.unescape_into(buffer)?;
        Ok(buffer)
    }

    #[inline(never)]
    fn unescape_into(self, buffer: &mut String) -> Result<(), OutOfMemory> {
        buffer.clear();
        // An escape is longer than its character.
        try_reserve_str(buffer, self.raw.len())?;
        let mut rest = self.raw;
        loop {
            let (plain, escape) = rest.split_at(plain_len(rest.as_bytes()));
            buffer.push_str(plain);
            // In a valid string plain text ends at an escape or at the end.
            let Ok((character, len)) = unescape(escape.as_bytes()) else { return Ok(()) };
            buffer.push(character);
            rest = &escape[len..];
        }
    }

    /// The text, if it has no escapes.
    pub fn plain(self) -> Option<&'t str> {
        (self.escapes == 0).then_some(self.raw)
    }

    fn chars(self) -> impl Iterator<Item = char> {
        let mut rest = self.raw;
        std::iter::from_fn(move || {
            let (character, len) = match rest.chars().next()? {
                '\\' => unescape(rest.as_bytes()).ok()?,
                character => (character, character.len_utf8()),
            };
            rest = &rest[len..];
            Some(character)
        })
    }

    /// Whether the text is `text`, which has no backslash.
    pub fn is(self, text: &str) -> bool {
        self.cmp(&RawString { raw: text, escapes: 0 }).is_eq()
    }

    #[inline(never)]
    fn cmp(&self, other: &RawString<'_>) -> Ordering {
        if self.escapes + other.escapes > 0 { self.chars().cmp(other.chars()) } else { self.raw.cmp(other.raw) }
    }

    /// The offset of the opening quote in `text`, which the string was read from.
    pub fn start_in(self, text: &str) -> usize {
        self.raw.as_ptr().addr() - text.as_ptr().addr() - 1
    }

    /// The offset after the closing quote in `text`.
    pub fn end_in(self, text: &str) -> usize {
        self.start_in(text) + self.raw.len() + 2
    }
}

/// The character of an escape and the length of the escape, or the rule that it breaks.
#[inline]
fn unescape(escape: &[u8]) -> Result<(char, usize), &'static str> {
    let character = match escape.get(1) {
        Some(&quoted @ (b'"' | b'\\' | b'/')) => char::from(quoted),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unescape_units(escape),
        _ => return Err("unknown escape"),
    };
    Ok((character, 2))
}

/// [`unescape`] for UTF-16 code units: one, or a pair of surrogates.
#[inline(never)]
fn unescape_units(escape: &[u8]) -> Result<(char, usize), &'static str> {
    let unit = |escape: &[u8]| {
        let digits = escape.strip_prefix(br"\u")?.get(..4)?;
        digits.iter().try_fold(0, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)? as u16))
    };
    let first = unit(escape).ok_or("\\u needs four hexadecimal digits")?;
    match char::decode_utf16([first].into_iter().chain(unit(&escape[6..]))).next() {
        Some(Ok(character)) => Ok((character, 6 * character.len_utf16())),
        _ if first < 0xDC00 => Err("a high surrogate is not followed by a low surrogate"),
        _ => Err("a low surrogate follows no high surrogate"),
    }
}

/// A valid number as it is written.
#[derive(Clone, Copy, Debug)]
pub struct Number<'t> {
    /// The text.
    pub text: &'t str,
    /// Whether it is written without fraction and exponent.
    pub is_integer: bool,
}

impl Number<'_> {
    /// The nearest double.
    pub fn to_double(self) -> f64 {
        // A number of JSON is one of Rust.
        self.text.parse().unwrap_or(f64::INFINITY)
    }
}

/// What [`Lexer::walk`] comes to in a value.
pub enum Event<'t> {
    /// A value is expected at an offset.
    Begin(usize),
    /// A name.
    Name(RawString<'t>),
    /// The end offset of the value that began last and has not ended yet.
    End(usize),
}

/// What values are in.
#[derive(Clone, Copy, PartialEq)]
pub enum Container {
    /// Entries.
    Array,
    /// Names and values.
    Object,
}

/// A JSON text and an offset in it.
#[derive(Debug)]
pub struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// The names of the open objects.
    names: Vec<RawString<'t>>,
    /// Where the names of each open object begin.
    objects: Vec<usize>,
    failure: Option<Failure>,
}

impl<'t> Lexer<'t> {
    /// A lexer at an offset of a text.
    pub fn new(text: &'t str, at: usize) -> Self {
        Self { text, at, names: Vec::new(), objects: Vec::new(), failure: None }
    }

    /// The offset.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The text from an offset to the current one.
    pub fn since(&self, start: usize) -> &'t str {
        &self.text[start..self.at]
    }

    /// Whether reading, which failed, failed for want of memory.
    pub fn is_out_of_memory(&self) -> bool {
        self.failure.is_none()
    }

    /// Why reading failed.
    pub fn into_failure(self) -> Failure {
        self.failure.unwrap_or_else(|| OutOfMemory.into())
    }

    /// Fails at an offset.
    #[cold]
    pub fn fail(&mut self, at: usize, rule: Rule) -> Failed {
        self.failure = Some(Failure { at, rule });
        Failed
    }

    /// Fails at the current offset, where something else is expected.
    #[cold]
    pub fn unexpected(&mut self, expected: &'static str) -> Failed {
        self.fail(self.at, Rule::Unexpected(expected))
    }

    /// Fails at the current offset, whose value breaks a rule.
    #[cold]
    pub fn invalid(&mut self, rule: &'static str) -> Failed {
        self.fail(self.at, Rule::Invalid(rule))
    }

    /// Skips white space and gives the next byte; 0 at the end.
    #[inline(always)]
    pub fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(&byte) => return byte,
                None => return 0,
            }
        }
    }

    /// Skips white space and says whether the text ends there.
    pub fn is_at_end(&mut self) -> bool {
        self.peek();
        self.at == self.text.len()
    }

    /// Enters an array or an object.
    #[inline]
    pub fn open(&mut self, container: Container) -> Result<(), Failed> {
        let (bracket, rule) = match container {
            Array => (b'[', "must be an array"),
            Object => (b'{', "must be an object"),
        };
        if self.peek() != bracket {
            return Err(self.invalid(rule));
        }
        self.at += 1;
        Ok(())
    }

    /// Goes to the next entry of the open array or the next name of the open object, if there is one, and leaves it otherwise.
    /// `is_first` is true before the first entry or name.
    #[inline(always)]
    pub fn next(&mut self, container: Container, is_first: &mut bool) -> Result<bool, Failed> {
        match (self.peek(), container) {
            (b']', Array) | (b'}', Object) => {
                self.at += 1;
                return Ok(false);
            }
            _ if *is_first => *is_first = false,
            (b',', _) => {
                self.at += 1;
                self.peek();
            }
            (_, Array) => return Err(self.unexpected("',' or ']'")),
            (_, Object) => return Err(self.unexpected("',' or '}'")),
        }
        Ok(true)
    }

    /// Passes the name at the current offset if it is `name`, written without escapes.
    #[inline]
    pub fn pass_name(&mut self, name: &str) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let is_name =
            rest.get(name.len() + 1) == Some(&b'"') && rest[0] == b'"' && rest[1..].starts_with(name.as_bytes());
        if is_name {
            self.at += name.len() + 2;
        }
        is_name
    }

    /// Reads a name.
    pub fn name(&mut self) -> Result<RawString<'t>, Failed> {
        if self.peek() == b'"' { self.string() } else { Err(self.unexpected("a name in quotes")) }
    }

    /// Passes the colon after a name.
    #[inline(always)]
    pub fn colon(&mut self) -> Result<(), Failed> {
        if self.peek() != b':' {
            return Err(self.unexpected("':'"));
        }
        self.at += 1;
        Ok(())
    }

    /// Begins to collect the names of an object.
    pub fn begin_names(&mut self) -> Result<(), Failed> {
        Ok(try_push(&mut self.objects, self.names.len())?)
    }

    /// Collects a name.
    #[inline]
    pub fn push_name(&mut self, name: RawString<'t>) -> Result<(), Failed> {
        Ok(try_push(&mut self.names, name)?)
    }

    /// Fails if there are duplicates among the names of the innermost object.
    pub fn end_names(&mut self) -> Result<(), Failed> {
        let start = self.objects.pop().unwrap_or_default();
        let names = &mut self.names[start..];
        names.sort_unstable_by(|left, right| left.cmp(right).then(left.raw.as_ptr().cmp(&right.raw.as_ptr())));
        let later = names.windows(2).filter(|pair| pair[0].cmp(&pair[1]).is_eq()).map(|pair| pair[1]);
        let duplicate = later.min_by_key(|name| name.raw.as_ptr());
        self.names.truncate(start);
        match duplicate {
            None => Ok(()),
            Some(name) => Err(self.fail(name.start_in(self.text), Rule::Duplicate)),
        }
    }

    /// Reads the string whose quote is at the current offset.
    #[inline]
    pub fn string(&mut self) -> Result<RawString<'t>, Failed> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut escapes = 0;
        let mut at = start;
        loop {
            at += plain_len(&bytes[at..]);
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escapes += 1;
                    at += match unescape(&bytes[at..]) {
                        Ok((_, len)) => len,
                        Err(rule) => return Err(self.fail(at, Rule::Syntax(rule))),
                    };
                }
                Some(_) => return Err(self.fail(at, Rule::Syntax("a control character in a string needs an escape"))),
                None => return Err(self.fail(at, Rule::Unexpected("the end of the string"))),
            }
        }
        self.at = at + 1;
        Ok(RawString { raw: &self.text[start..at], escapes })
    }

    /// Reads a string.
    #[inline]
    pub fn string_value(&mut self) -> Result<RawString<'t>, Failed> {
        if self.peek() == b'"' { self.string() } else { Err(self.invalid("must be a string")) }
    }

    /// Reads the number whose first byte is at the current offset.
    #[inline]
    pub fn number(&mut self) -> Result<Number<'t>, Failed> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let integer = start + usize::from(bytes[start] == b'-');
        let mut at = digits(integer);
        let mut is_valid = at > integer && (bytes[integer] != b'0' || at == integer + 1);
        let is_integer = !matches!(bytes.get(at), Some(b'.' | b'e' | b'E'));
        if bytes.get(at) == Some(&b'.') {
            let fraction = at + 1;
            at = digits(fraction);
            is_valid &= at > fraction;
        }
        if is_valid && matches!(bytes.get(at), Some(b'e' | b'E')) {
            let exponent = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
            at = digits(exponent);
            is_valid &= at > exponent;
        }
        if !is_valid {
            return Err(self.fail(start, Rule::Syntax("invalid number")));
        }
        self.at = at;
        Ok(Number { text: &self.text[start..at], is_integer })
    }

    /// Reads a number.
    #[inline]
    pub fn number_value(&mut self, rule: &'static str) -> Result<Number<'t>, Failed> {
        match self.peek() {
            b'-' | b'0'..=b'9' => self.number(),
            _ => Err(self.invalid(rule)),
        }
    }

    /// Reads `true`, `false` or `null`, the first byte of which is at the current offset.
    #[inline]
    pub fn literal(&mut self, literal: &'static str) -> Result<(), Failed> {
        if !self.text.as_bytes()[self.at..].starts_with(literal.as_bytes()) {
            return Err(self.unexpected("a value"));
        }
        self.at += literal.len();
        Ok(())
    }

    /// Reads a value that is nested in `depth` containers, and may nest up to `limit` deep. Calls `visit` for each value and name
    /// in it.
    pub fn walk(
        &mut self,
        mut depth: u32,
        limit: u32,
        mut visit: impl FnMut(Event<'t>) -> Result<(), Failed>,
    ) -> Result<(), Failed> {
        const { assert!(MAX_DEPTH < u128::BITS) }
        let outer = depth;
        // A bit for each container that was entered here: 1 for an array. The last is the lowest.
        let mut arrays = 0_u128;
        'value: loop {
            let first = self.peek();
            visit(Event::Begin(self.at))?;
            match first {
                b'{' | b'[' if depth == limit => return Err(self.fail(self.at, Rule::TooDeep)),
                b'{' | b'[' => {
                    self.at += 1;
                    let container = if first == b'[' { Array } else { Object };
                    if self.next(container, &mut true)? {
                        depth += 1;
                        arrays = arrays << 1 | u128::from(container == Array);
                        if container == Object {
                            self.begin_names()?;
                            self.walk_name(&mut visit)?;
                        }
                        continue 'value;
                    }
                }
                b'"' => drop(self.string()?),
                b'-' | b'0'..=b'9' => drop(self.number()?),
                b't' => self.literal("true")?,
                b'f' => self.literal("false")?,
                b'n' => self.literal("null")?,
                _ => return Err(self.unexpected("a value")),
            }
            visit(Event::End(self.at))?;
            while depth > outer {
                let container = if arrays & 1 == 1 { Array } else { Object };
                if self.next(container, &mut false)? {
                    if container == Object {
                        self.walk_name(&mut visit)?;
                    }
                    continue 'value;
                }
                if container == Object {
                    self.end_names()?;
                }
                depth -= 1;
                arrays >>= 1;
                visit(Event::End(self.at))?;
            }
            return Ok(());
        }
    }

    fn walk_name(&mut self, visit: &mut impl FnMut(Event<'t>) -> Result<(), Failed>) -> Result<(), Failed> {
        let name = self.name()?;
        self.push_name(name)?;
        visit(Event::Name(name))?;
        self.colon()
    }
}

/// The bytes before the first quote, backslash or control character.
#[inline(always)]
fn plain_len(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let mut words = bytes.chunks_exact(8);
    let mut len = 0;
    for word in words.by_ref() {
        let word = word.try_into().map_or(0, u64::from_le_bytes);
        // The high bit of each matching byte. Borrows may set bits above the first match, which are not used.
        let zero_bytes = |word: u64| word.wrapping_sub(ONES) & !word;
        let quotes = zero_bytes(word ^ (ONES * u64::from(b'"')));
        let backslashes = zero_bytes(word ^ (ONES * u64::from(b'\\')));
        let controls = word.wrapping_sub(ONES * 0x20) & !word;
        let found = (quotes | backslashes | controls) & ONES << 7;
        if found != 0 {
            return len + found.trailing_zeros() as usize / 8;
        }
        len += 8;
    }
    let is_plain = |byte: &u8| !matches!(byte, b'"' | b'\\' | 0..0x20);
    len + words.remainder().iter().take_while(|byte| is_plain(byte)).count()
}
