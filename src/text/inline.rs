//! Short texts held inline.

use std::num::NonZeroU64;

use crate::memory::{OutOfMemory, try_push_str};
use crate::text::hash::small_hash;

/// A text of at most 16 bytes, held inline.
///
/// Most kinds, tags, keys and values are this short. They are hashed and compared as two integers, which takes a few
/// instructions; a call that works on byte slices costs as much as the rest of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortText {
    /// The bytes, padded with zeros, in memory order. Integers, as these stay in registers; an array of bytes goes through memory.
    words: [u64; 2],
    /// The length plus one: zero is free to mark a [`Text`] that is not short. A whole word, as a load that spans two stores stalls.
    len: NonZeroU64,
}

impl ShortText {
    /// The greatest length of a short text in bytes.
    pub const CAPACITY: usize = 16;

    /// The text, if it is short.
    #[inline(always)]
    pub fn new(text: &str) -> Option<Self> {
        Self::read(text.as_bytes())
    }

    /// The text from `start` to `end` of `whole`, if it is short. Both are character boundaries. Where 16 bytes follow `start`,
    /// they are loaded at once and masked, which needs no branch on the length.
    #[inline(always)]
    pub fn of_part(whole: &str, start: usize, end: usize) -> Option<Self> {
        let len = end - start;
        if len > Self::CAPACITY {
            return None;
        }
        let bits = match whole.as_bytes().get(start..start.wrapping_add(Self::CAPACITY)).and_then(<[u8]>::first_chunk) {
            Some(chunk) => u128::from_le_bytes(*chunk) & MASKS[len],
            None => Self::end(whole, start, end),
        };
        Some(Self::from_words([bits as u64, (bits >> 64) as u64], len))
    }

    /// The bytes of a text in the last ones of `whole`. Not inlined, so that a loop over all texts keeps its values in registers.
    #[inline(never)]
    fn end(whole: &str, start: usize, end: usize) -> u128 {
        let text = &whole.as_bytes()[start..end];
        text.iter().rev().fold(0, |bits, &byte| bits << 8 | u128::from(byte))
    }

    /// The text, if it is short and ASCII. For texts this short the general UTF-8 check costs more than everything else that
    /// is done with them.
    #[inline(always)]
    pub fn from_ascii(bytes: &[u8]) -> Option<Self> {
        const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
        let text = Self::read(bytes)?;
        let [low, high] = text.words();
        ((low | high) & HIGH_BITS == 0).then_some(text)
    }

    /// Loads up to 16 bytes with two overlapping reads instead of a loop.
    #[inline(always)]
    fn read(bytes: &[u8]) -> Option<Self> {
        let len = bytes.len();
        let words = if len > Self::CAPACITY {
            return None;
        } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            // Shifted in two steps: a single shift could be by all 64 bits.
            let half = 4 * (Self::CAPACITY - len);
            [u64::from_le_bytes(*first), u64::from_le_bytes(*last) >> half >> half]
        } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
            [u64::from(first) | u64::from(last) << (8 * (len - 4)), 0]
        } else if let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) {
            let middle = len / 2;
            let bits = u32::from(first) | u32::from(bytes[middle]) << (8 * middle) | u32::from(last) << (8 * (len - 1));
            [u64::from(bits), 0]
        } else {
            [0, 0]
        };
        Some(Self::from_words(words, len))
    }

    /// The text whose bytes these integers have, the first one lowest.
    #[inline(always)]
    fn from_words(words: [u64; 2], len: usize) -> Self {
        Self { words: words.map(u64::to_le), len: NonZeroU64::MIN.saturating_add(len as u64) }
    }

    /// The bytes as two integers.
    #[inline(always)]
    pub fn words(self) -> [u64; 2] {
        self.words
    }

    /// The length in bytes.
    #[inline(always)]
    pub fn len(self) -> usize {
        (self.len.get() - 1) as usize
    }

    /// A hash for hints.
    #[inline(always)]
    pub fn small_hash(self) -> u64 {
        let [low, high] = self.words;
        small_hash(low ^ high.rotate_left(29))
    }

    /// The text with its ASCII letters in lower case.
    #[inline]
    pub fn to_ascii_lowercase(self) -> Self {
        // Eight bytes at a time: an addition carries into the high bit of each byte that is at least, or above, a bound.
        const ONES: u64 = 0x0101_0101_0101_0101;
        let lower = |word: u64| {
            let low_bits = word & (ONES * 0x7F);
            let from_a = low_bits + ONES * (0x80 - b'A' as u64);
            let above_z = low_bits + ONES * (0x7F - b'Z' as u64);
            word | (from_a & !above_z & !word & (ONES * 0x80)) >> 2
        };
        Self { words: [lower(self.words[0]), lower(self.words[1])], len: self.len }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        // The bytes came from a `str`. Only getters get here, so the check is not worth avoiding with unsafe code.
        std::str::from_utf8(&bytemuck::bytes_of(&self.words)[..self.len()]).unwrap_or_default()
    }
}

/// Masks for the low bytes of an integer, by their number.
static MASKS: [u128; ShortText::CAPACITY + 1] = {
    let mut masks = [0; ShortText::CAPACITY + 1];
    let mut len = 1;
    while len < masks.len() {
        masks[len] = masks[len - 1] << 8 | 0xFF;
        len += 1;
    }
    masks
};

/// A text: inline if it is short, otherwise what `L` refers to.
#[derive(Clone, Copy, Debug)]
pub enum Text<L> {
    /// At most [`ShortText::CAPACITY`] bytes.
    Short(ShortText),
    /// Any longer text.
    Long(L),
}

/// A borrowed text, as the interner looks it up.
///
/// cbindgen:ignore
pub type TextKey<'a> = Text<&'a str>;

/// An owned text of an item: a long one is a range of the item's text buffer.
///
/// cbindgen:ignore
pub type ItemText = Text<Span>;

impl<'a> From<&'a str> for TextKey<'a> {
    #[inline(always)]
    fn from(text: &'a str) -> Self {
        ShortText::new(text).map_or(Self::Long(text), Self::Short)
    }
}

impl TextKey<'_> {
    /// The text.
    #[inline(always)]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Short(text) => text.as_str(),
            Self::Long(text) => text,
        }
    }

    /// Whether the text has an ASCII letter in upper case.
    pub fn has_ascii_uppercase(&self) -> bool {
        match self {
            Self::Short(text) => *text != text.to_ascii_lowercase(),
            Self::Long(text) => text.bytes().any(|byte| byte.is_ascii_uppercase()),
        }
    }

    /// Stores the text; a long one goes to `buffer`.
    #[inline(always)]
    pub fn store(self, buffer: &mut String) -> Result<ItemText, OutOfMemory> {
        Ok(match self {
            Self::Short(text) => Text::Short(text),
            Self::Long(text) => Text::Long(Span::append(text, buffer)?),
        })
    }
}

impl ItemText {
    /// Whether the text is `short`. One comparison of three words: the discriminant is the length.
    #[inline(always)]
    pub fn is_short(self, short: ShortText) -> bool {
        let [low, high, len] = match self {
            Self::Short(own) => [own.words[0], own.words[1], own.len.get()],
            Self::Long(span) => [span.start as u64, span.end as u64, 0],
        };
        (low ^ short.words[0]) | (high ^ short.words[1]) | (len ^ short.len.get()) == 0
    }

    /// The text, given the buffer that holds the long ones.
    #[inline(always)]
    pub fn get<'a>(&'a self, buffer: &'a str) -> &'a str {
        match self {
            Self::Short(text) => text.as_str(),
            Self::Long(span) => span.get(buffer),
        }
    }

    /// The lookup key of the text.
    #[inline(always)]
    pub fn key(self, buffer: &str) -> TextKey<'_> {
        match self {
            Self::Short(text) => Text::Short(text),
            Self::Long(span) => Text::Long(span.get(buffer)),
        }
    }

    /// Whether the text equals `key`.
    #[inline(always)]
    pub fn is(self, key: TextKey<'_>, buffer: &str) -> bool {
        match (self, key) {
            (Self::Short(own), Text::Short(other)) => own == other,
            (Self::Long(own), Text::Long(other)) => own.get(buffer) == other,
            _ => false,
        }
    }
}

/// A byte range of a text buffer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// Where the text starts.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

impl Span {
    /// Appends a text to `buffer`.
    pub fn append(text: &str, buffer: &mut String) -> Result<Self, OutOfMemory> {
        let start = buffer.len();
        try_push_str(buffer, text)?;
        Ok(Self { start, end: buffer.len() })
    }

    /// The text.
    #[inline]
    pub fn get(self, buffer: &str) -> &str {
        &buffer[self.start..self.end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_holds_the_bytes_of_the_text() {
        let whole: String = (0..20).map(|index| char::from(b'a' + index)).collect();
        for len in 0..=whole.len() {
            let text = &whole[..len];
            let expected = (len <= 16).then(|| {
                let mut bytes = [0_u8; 16];
                bytes[..len].copy_from_slice(text.as_bytes());
                ShortText { words: bytemuck::cast(bytes), len: NonZeroU64::new(len as u64 + 1).unwrap() }
            });
            assert_eq!(ShortText::new(text), expected, "{text}");
            assert_eq!(TextKey::from(text).as_str(), text);
        }
        assert_ne!(ShortText::new("a"), ShortText::new("a\0"));
        assert_eq!(TextKey::from("é").as_str(), "é");
    }

    #[test]
    fn ascii_is_detected_at_every_position() {
        for len in 0..20 {
            let text = vec![b'a'; len];
            let short = std::str::from_utf8(&text).ok().and_then(ShortText::new);
            assert_eq!(ShortText::from_ascii(&text), short, "{len}");
            for position in 0..len {
                let mut other = text.clone();
                other[position] = 0x80;
                assert_eq!(ShortText::from_ascii(&other), None, "{len} {position}");
            }
        }
    }

    #[test]
    fn a_part_of_a_text_is_the_same_wherever_it_starts() {
        let whole: String = (0..64).map(|index| char::from(b'0' + index)).collect();
        for len in 0..=20 {
            for start in 0..=whole.len() - len {
                let text = &whole[start..start + len];
                assert_eq!(ShortText::of_part(&whole, start, start + len), ShortText::new(text), "{text}");
            }
        }
    }

    #[test]
    fn item_texts_read_back() {
        let mut buffer = String::new();
        let all: Vec<String> = (0..24).map(|len| "é".repeat(len / 2) + &"x".repeat(len % 2)).collect();
        let stored: Vec<ItemText> =
            all.iter().map(|text| TextKey::from(text.as_str()).store(&mut buffer).unwrap()).collect();
        for (index, text) in all.iter().enumerate() {
            assert_eq!(stored[index].get(&buffer), text);
            assert_eq!(stored[index].key(&buffer).as_str(), text);
            assert_eq!(matches!(stored[index], Text::Long(_)), text.len() > 16);
            for (other, key) in all.iter().enumerate() {
                assert_eq!(stored[index].is(key.as_str().into(), &buffer), index == other);
            }
        }
    }
}
