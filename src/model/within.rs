//! A text that stands inside a longer one.

use std::ops::Range;

use crate::model::metadata::MetadataValue;

/// A text by its place in a longer one. What stands behind it can be read along with it, which makes a number of a
/// [short one](ShortText) without asking how long it is.
#[derive(Clone, Copy, Debug)]
pub struct Within<'a> {
    whole: &'a str,
    start: usize,
    end: usize,
}

impl<'a> From<&'a str> for Within<'a> {
    fn from(text: &'a str) -> Self {
        Self { whole: text, start: 0, end: text.len() }
    }
}

impl<'a> Within<'a> {
    /// The text at a place of `whole` that begins and ends between characters.
    #[inline]
    pub fn new(whole: &'a str, place: Range<usize>) -> Self {
        Self { whole, start: place.start, end: place.end }
    }

    /// The text.
    #[inline]
    pub fn text(self) -> &'a str {
        &self.whole[self.start..self.end]
    }

    /// The longer text, and where in it the text begins and ends.
    #[inline(always)]
    pub fn parts(self) -> (&'a str, usize, usize) {
        (self.whole, self.start, self.end)
    }

    fn len(self) -> usize {
        self.end - self.start
    }

    /// The text as numbers, if it is short.
    #[inline(always)]
    pub fn short(self) -> Option<ShortText> {
        let len = self.len();
        if len > ShortText::MOST {
            return None;
        }
        let bytes = self.whole.as_bytes();
        let bits = if let Some(chunk) = bytes.get(self.start..).and_then(<[u8]>::first_chunk) {
            u128::from_le_bytes(*chunk) & OF_LEN[len]
        } else if let Some(chunk) = bytes.get(..self.end).and_then(<[u8]>::last_chunk) {
            // What stands before it will do as well.
            u128::from_le_bytes(*chunk).checked_shr(8 * (ShortText::MOST - len) as u32).unwrap_or_default()
        } else {
            padded(&bytes[self.start..self.end])
        };
        Some(ShortText { halves: [bits as u64, (bits >> 64) as u64], len: len as u32 })
    }
}

/// The bits of so many bytes.
static OF_LEN: [u128; ShortText::MOST + 1] = {
    let mut masks = [0; ShortText::MOST + 1];
    let mut len = 1;
    while len < masks.len() {
        masks[len] = masks[len - 1] << 8 | 0xFF;
        len += 1;
    }
    masks
};

/// At most 16 bytes as a number.
fn padded(bytes: &[u8]) -> u128 {
    // A few reads that overlap: where they do, both have the same bytes.
    let len = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u128::from(u64::from_le_bytes(*first)) | u128::from(u64::from_le_bytes(*last)) << (8 * (len - 8))
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u128::from(u32::from_le_bytes(*first)) | u128::from(u32::from_le_bytes(*last)) << (8 * (len - 4))
    } else if let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) {
        let middle = len / 2;
        u128::from(first) | u128::from(bytes[middle]) << (8 * middle) | u128::from(last) << (8 * (len - 1))
    } else {
        0
    }
}

/// A text of at most 16 bytes as numbers, which are hashed and compared in a few instructions, where a call for as many
/// bytes takes as long as the rest of a look-up. Texts are the same when these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortText {
    /// The bytes, and zeros after them.
    pub halves: [u64; 2],
    /// How many bytes there are.
    pub len: u32,
}

impl ShortText {
    const MOST: usize = 16;
}

/// A metadata value whose text stands inside a longer one.
#[derive(Clone, Copy, Debug)]
pub enum ValueWithin<'a> {
    /// A text.
    String(Within<'a>),
    /// A number.
    Double(f64),
    /// The text of another value.
    Other(Within<'a>),
}

impl<'a> From<MetadataValue<'a>> for ValueWithin<'a> {
    fn from(value: MetadataValue<'a>) -> Self {
        match value {
            MetadataValue::String(text) => Self::String(text.into()),
            MetadataValue::Double(value) => Self::Double(value),
            MetadataValue::Other(text) => Self::Other(text.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plain way: byte after byte.
    fn plain(text: &str) -> ShortText {
        let bits = text.bytes().rev().fold(0_u128, |bits, byte| bits << 8 | u128::from(byte));
        ShortText { halves: [bits as u64, (bits >> 64) as u64], len: text.len() as u32 }
    }

    #[test]
    fn a_short_text_is_the_same_wherever_it_stands() {
        let whole: String = (0..64).map(|index| char::from(b'0' + index)).collect();
        for len in 0..=20 {
            for start in 0..=whole.len() - len {
                let place = Within::new(&whole, start..start + len);
                let text = &whole[start..start + len];
                assert_eq!(place.text(), text);
                assert_eq!(place.short(), Within::from(text).short());
                assert_eq!(place.short(), (len <= 16).then(|| plain(text)), "{text}");
            }
        }
        // Zeros count.
        assert_ne!(Within::from("a").short(), Within::from("a\0").short());
    }
}
