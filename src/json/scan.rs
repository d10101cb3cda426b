//! Where the pieces of a JSON text end, and what the escapes in a string stand for.

use std::ops::Range;

use crate::memory::{OutOfMemory, try_push_str};

/// Why a piece is not JSON, and the byte at which that shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flaw {
    pub at: usize,
    pub rule: &'static str,
}

/// The first byte from `at` on that is not white space.
#[inline]
pub fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Where the string ends that has its opening quote at `start`, and whether there are escapes in it.
#[inline]
pub fn string(bytes: &[u8], start: usize) -> Result<(usize, bool), Flaw> {
    let mut at = start + 1;
    let mut escaped = false;
    loop {
        at = plain(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return Ok((at + 1, escaped)),
            Some(b'\\') => {
                escaped = true;
                at = escape(bytes, at)?.1;
            }
            Some(_) => return Err(Flaw { at, rule: "a control character in a string must be escaped" }),
            None => return Err(Flaw { at: start, rule: "the string that begins here has no end" }),
        }
    }
}

/// The first byte from `at` on that is a quote, a backslash or a control character; or the end.
#[inline]
fn plain(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGHS: u64 = ONES << 7;
    // A byte of the result is 0x80 where a byte of `word` is 0 - or, as a borrow, above such a byte, which does not
    // matter to whoever looks for the first.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    while let Some(word) = bytes.get(at..at + 8) {
        let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
        let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let found = zeros(word ^ (ONES * u64::from(b'"'))) | zeros(word ^ (ONES * u64::from(b'\\'))) | controls;
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|&byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
        at += 1;
    }
    at
}

/// The character of the escape that has its backslash at `start`, and where the escape ends.
fn escape(bytes: &[u8], start: usize) -> Result<(char, usize), Flaw> {
    let unknown =
        Flaw { at: start, rule: r#"an escape must be one of \" \\ \/ \b \f \n \r \t and \u with 4 hex digits"# };
    let simple = match bytes.get(start + 1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => {
            let lone = Flaw { at: start, rule: "half of a surrogate pair is no character" };
            let first = hex(bytes, start + 2).ok_or(unknown)?;
            if let Some(character) = char::from_u32(first) {
                return Ok((character, start + 6));
            }
            if first >= 0xDC00 || bytes.get(start + 6..start + 8) != Some(br"\u") {
                return Err(lone);
            }
            let second = hex(bytes, start + 8).ok_or(Flaw { at: start + 6, ..unknown })?;
            if !(0xDC00..0xE000).contains(&second) {
                return Err(lone);
            }
            let character = char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)).ok_or(lone)?;
            return Ok((character, start + 12));
        }
        _ => return Err(unknown),
    };
    Ok((simple, start + 2))
}

fn hex(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.iter().try_fold(0, |value, &digit| Some(value * 16 + char::from(digit).to_digit(16)?))
}

/// Appends to `out` what stands between the quotes of a string that [`string`] went through.
pub fn unescape(inner: &str, out: &mut String) -> Result<(), OutOfMemory> {
    // What is read is never shorter than what it stands for.
    out.try_reserve(inner.len())?;
    let mut at = 0;
    while let Some(length) = inner[at..].find('\\') {
        out.push_str(&inner[at..at + length]);
        let Ok((character, end)) = escape(inner.as_bytes(), at + length) else { break };
        out.push(character);
        at = end;
    }
    try_push_str(out, &inner[at..])
}

/// Where the number ends that begins at `start`, and whether it is written as an integer.
#[inline]
pub fn number(bytes: &[u8], start: usize) -> Result<(usize, bool), Flaw> {
    let mut at = start;
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    }
    let integer = digits(bytes, at)?;
    if integer.len() > 1 && bytes[integer.start] == b'0' {
        return Err(Flaw { at: start, rule: "a number must not begin with 0 and another digit" });
    }
    at = integer.end;
    if bytes.get(at) == Some(&b'.') {
        at = digits(bytes, at + 1)?.end;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = bytes.get(at) {
            at += 1;
        }
        at = digits(bytes, at)?.end;
    }
    Ok((at, at == integer.end))
}

#[inline]
fn digits(bytes: &[u8], start: usize) -> Result<Range<usize>, Flaw> {
    let mut at = start;
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    if at == start { Err(Flaw { at, rule: "a number must have a digit here" }) } else { Ok(start..at) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_ends_at_its_quote_wherever_that_stands() {
        for length in 0..40 {
            for (character, escaped) in
                [("a", false), ("\u{e9}", false), ("\u{1f600}", false), (r"\n", true), (r#"\""#, true)]
            {
                let text = format!("{}{}\"{}", '"', character.repeat(length), "tail tail tail");
                let end = 2 + character.len() * length;
                assert_eq!(string(text.as_bytes(), 0), Ok((end, escaped && length > 0)), "{text}");
                assert!(string(&text.as_bytes()[..end - 1], 0).is_err());
            }
            for control in 0..0x20_u8 {
                let text = format!("\"{}{}\"", "\u{7f}".repeat(length), char::from(control));
                assert_eq!(string(text.as_bytes(), 0).map_err(|flaw| flaw.at), Err(1 + length));
            }
        }
    }

    #[test]
    fn escapes_stand_for_their_characters() {
        let cases = [
            (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r"\u0041\u00e9\u00E9", "A\u{e9}\u{e9}"),
            (r"x\uD83D\uDE00y\u0000", "x\u{1f600}y\0"),
            ("none", "none"),
            ("", ""),
        ];
        for (inner, expected) in cases {
            let quoted = format!("\"{inner}\"");
            assert_eq!(string(quoted.as_bytes(), 0), Ok((quoted.len(), inner.contains('\\'))));
            let mut out = String::from("before ");
            unescape(inner, &mut out).unwrap();
            assert_eq!(out, format!("before {expected}"));
        }
        for bad in [
            r"\x",
            r"\u12",
            r"\u12g4",
            r"\u+123",
            r"\uD800",
            r"\uD800\n",
            r"\uDC00",
            r"\uD800\uD800",
            r"\uD800\u00",
            "\\",
        ] {
            assert!(string(format!("\"{bad}\"").as_bytes(), 0).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_are_those_of_json() {
        for integer in ["0", "-0", "7", "-120", "123456789012345678901234567890"] {
            assert_eq!(number(integer.as_bytes(), 0), Ok((integer.len(), true)), "{integer}");
        }
        for real in ["0.0", "1e3", "-1.5E+10", "2e-3", "10.25"] {
            assert_eq!(number(real.as_bytes(), 0), Ok((real.len(), false)), "{real}");
        }
        for bad in ["-", "01", "-00", "1.", "1.e3", "1e", "1e+", "-a"] {
            assert!(number(bad.as_bytes(), 0).is_err(), "{bad}");
        }
    }
}
