//! What a host attaches to an item under a key.

use std::fmt::{self, Write as _};

use crate::text::TextKey;

/// The key that the metadata trust scorer reads.
pub const TRUST_KEY: &str = "cupel:trust";

/// A metadata value.
#[derive(Clone, Copy, Debug)]
pub enum MetadataValue<'a> {
    /// A text.
    String(&'a str),
    /// A number that the host stores as a number.
    Double(f64),
    /// A host value that is neither text nor number, as the host writes it.
    Other(&'a str),
}

impl PartialEq for MetadataValue<'_> {
    /// Doubles are the same when their bits are.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::String(a), Self::String(b)) | (Self::Other(a), Self::Other(b)) => a == b,
            (Self::Double(a), Self::Double(b)) => a.to_bits() == b.to_bits(),
            _ => false,
        }
    }
}

/// A metadata value as what it is looked up by.
#[derive(Clone, Copy, Debug)]
pub enum ValueKey<'a> {
    /// A text.
    String(TextKey<'a>),
    /// A number.
    Double(f64),
    /// The text of another value.
    Other(TextKey<'a>),
}

impl<'a> From<MetadataValue<'a>> for ValueKey<'a> {
    fn from(value: MetadataValue<'a>) -> Self {
        match value {
            MetadataValue::String(text) => Self::String(text.into()),
            MetadataValue::Double(value) => Self::Double(value),
            MetadataValue::Other(text) => Self::Other(text.into()),
        }
    }
}

/// A text that metadata values are compared with.
#[derive(Clone, Copy, Debug)]
pub struct ValueText<'a> {
    /// The text.
    pub text: &'a str,
    /// The double that is written so, if there is one.
    pub double: Option<f64>,
}

impl<'a> ValueText<'a> {
    /// Finds the double whose shortest round-trip decimal is `text`.
    pub fn new(text: &'a str) -> Self {
        Self { text, double: text.parse::<f64>().ok().filter(|&value| is_written(format_args!("{value}"), text)) }
    }

    /// Whether the text of a double is this text.
    pub fn matches_double(&self, value: f64) -> bool {
        self.double.is_some_and(|own| own.to_bits() == value.to_bits() || (own.is_nan() && value.is_nan()))
    }

    /// Whether the text of `value` is this text.
    pub fn matches(&self, value: MetadataValue<'_>) -> bool {
        match value {
            MetadataValue::String(text) | MetadataValue::Other(text) => text == self.text,
            MetadataValue::Double(value) => self.matches_double(value),
        }
    }
}

/// Whether a formatted value is `text`, without writing it anywhere.
pub(crate) fn is_written(value: fmt::Arguments<'_>, text: &str) -> bool {
    struct Remainder<'a>(&'a str);
    impl fmt::Write for Remainder<'_> {
        fn write_str(&mut self, written: &str) -> fmt::Result {
            self.0 = self.0.strip_prefix(written).ok_or(fmt::Error)?;
            Ok(())
        }
    }
    let mut remainder = Remainder(text);
    remainder.write_fmt(value).is_ok() && remainder.0.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_double_is_its_shortest_decimal() {
        for (text, value) in [("1", 1.0), ("0.85", 0.85), ("-0", -0.0), ("inf", f64::INFINITY), ("NaN", f64::NAN)] {
            assert!(ValueText::new(text).matches_double(value), "{text}");
        }
        for (text, value) in [("1.0", 1.0), ("0.850", 0.85), ("0", -0.0), ("1e0", 1.0), ("", 0.0), ("+1", 1.0)] {
            assert!(!ValueText::new(text).matches_double(value), "{text}");
        }
        assert!(ValueText::new("NaN").matches_double(-f64::NAN));
    }

    #[test]
    fn text_is_compared_byte_for_byte() {
        assert!(ValueText::new("1.0").matches(MetadataValue::String("1.0")));
        assert!(ValueText::new("true").matches(MetadataValue::Other("true")));
        assert!(!ValueText::new("True").matches(MetadataValue::Other("true")));
    }
}
