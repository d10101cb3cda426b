//! A text of an item.

use crate::memory::{OutOfMemory, try_push_str};
use crate::text::short::text_of_bytes;
use crate::text::{ShortText, TextKey};

/// A text: itself, if it is short, or else its place among the item's long ones.
///
/// Most kinds, tags, keys and values are short. They are read once, when they are set, and a batch looks them up by what was read.
#[derive(Clone, Copy, Debug, Default)]
pub struct InlineText {
    /// The bytes of a short text with zeros after them, in this order in memory; or where a long one begins and ends.
    words: [u64; 2],
    /// How many bytes a short text has.
    len: u64,
}

/// The length that no short text has.
const LONG: u64 = u64::MAX;

/// A place in a longer text.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Where the text begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

impl Span {
    /// Appends a text to `long`.
    pub fn append(text: &str, long: &mut String) -> Result<Self, OutOfMemory> {
        let start = long.len();
        try_push_str(long, text)?;
        Ok(Self { start, end: long.len() })
    }

    /// The text.
    pub fn get(self, long: &str) -> &str {
        &long[self.start..self.end]
    }
}

impl From<Span> for InlineText {
    fn from(span: Span) -> Self {
        Self { words: [span.start as u64, span.end as u64], len: LONG }
    }
}

impl From<ShortText> for InlineText {
    #[inline(always)]
    fn from(text: ShortText) -> Self {
        Self { words: text.halves.map(u64::to_le), len: text.len.into() }
    }
}

impl InlineText {
    /// Keeps a text, in `long` if it has to.
    #[inline(always)]
    pub fn new(text: TextKey<'_>, long: &mut String) -> Result<Self, OutOfMemory> {
        match text {
            TextKey::Short(text) => Ok(text.into()),
            TextKey::Long(text) => Ok(Span::append(text, long)?.into()),
        }
    }

    /// The place among the long texts, if it has one.
    #[inline(always)]
    pub fn span(self) -> Option<Span> {
        let [start, end] = self.words;
        (self.len == LONG).then_some(Span { start: start as usize, end: end as usize })
    }

    /// The text.
    pub fn get<'a>(&'a self, long: &'a str) -> &'a str {
        match self.span() {
            None => text_of_bytes(&bytemuck::bytes_of(&self.words)[..self.len as usize]),
            Some(span) => span.get(long),
        }
    }

    /// What the text is looked up by.
    #[inline(always)]
    pub fn key(self, long: &str) -> TextKey<'_> {
        match self.span() {
            None => TextKey::Short(ShortText { halves: self.words.map(u64::from_le), len: self.len as u32 }),
            Some(span) => TextKey::Long(span.get(long)),
        }
    }

    /// Whether it is the text of a key.
    #[inline(always)]
    pub fn is(self, key: TextKey<'_>, long: &str) -> bool {
        match (self.key(long), key) {
            (TextKey::Short(own), TextKey::Short(other)) => own == other,
            (TextKey::Long(own), TextKey::Long(other)) => own == other,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_length_come_back() {
        let mut long = String::new();
        let all: Vec<String> = (0..24).map(|len| "é".repeat(len / 2) + &"x".repeat(len % 2)).collect();
        let kept: Vec<InlineText> =
            all.iter().map(|text| InlineText::new(text.as_str().into(), &mut long).unwrap()).collect();
        for (index, text) in all.iter().enumerate() {
            assert_eq!(kept[index].get(&long), text);
            kept[index].key(&long).show(|shown| assert_eq!(shown, text));
            assert_eq!(kept[index].span().is_some(), text.len() > 16);
            for (other, key) in all.iter().enumerate() {
                assert_eq!(kept[index].is(key.as_str().into(), &long), index == other);
            }
        }
    }
}
