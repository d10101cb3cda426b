//! A text that stands inside a longer one.

use std::ops::Range;

use crate::text::{ShortText, TextKey};

/// A text by its place in a longer one. What stands behind it can be read along with it, which makes a number of a
/// [short one](ShortText) without asking how long it is.
#[derive(Clone, Copy, Debug)]
pub struct TextSlice<'a> {
    whole: &'a str,
    start: usize,
    end: usize,
}

impl<'a> From<TextSlice<'a>> for TextKey<'a> {
    #[inline(always)]
    fn from(text: TextSlice<'a>) -> Self {
        text.short().map_or_else(|| Self::Long(text.text()), Self::Short)
    }
}

impl<'a> TextSlice<'a> {
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

    /// The text as numbers, if it is short.
    #[inline(always)]
    fn short(self) -> Option<ShortText> {
        let len = self.end - self.start;
        if len > ShortText::MOST {
            return None;
        }
        match self.whole.as_bytes().get(self.start..).and_then(<[u8]>::first_chunk) {
            Some(chunk) => Some(ShortText::of_bits(u128::from_le_bytes(*chunk) & OF_LEN[len], len)),
            None => ShortText::new(self.text()),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_the_same_wherever_it_stands() {
        let whole: String = (0..64).map(|index| char::from(b'0' + index)).collect();
        for len in 0..=20 {
            for start in 0..=whole.len() - len {
                let place = TextSlice::new(&whole, start..start + len);
                let text = &whole[start..start + len];
                assert_eq!(place.text(), text);
                assert_eq!(place.short(), ShortText::new(text), "{text}");
                TextKey::from(place).show(|shown| assert_eq!(shown, text));
            }
        }
    }
}
