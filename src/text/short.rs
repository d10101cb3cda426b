//! A text as what it is looked up by.

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
    /// The most bytes of a short text.
    pub const MOST: usize = 16;

    /// A text, if it is short.
    #[inline(always)]
    pub fn new(text: &str) -> Option<Self> {
        Self::read(text.as_bytes())
    }

    /// A text, if it is short and of ASCII alone, which most kinds, tags and keys are. The general check for UTF-8 goes byte by
    /// byte through texts so short, and costs more than all else that is done with them.
    #[inline(always)]
    pub fn of_ascii(bytes: &[u8]) -> Option<Self> {
        const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
        Self::read(bytes).filter(|text| (text.halves[0] | text.halves[1]) & HIGH_BITS == 0)
    }

    #[inline(always)]
    fn read(bytes: &[u8]) -> Option<Self> {
        let len = bytes.len();
        // A few reads that overlap: where they do, both have the same bytes.
        let halves = if len > Self::MOST {
            return None;
        } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            // In two steps, as in one it could be by all 64 bits.
            let half = 4 * (Self::MOST - len);
            let rest = u64::from_le_bytes(*last) >> half >> half;
            [u64::from_le_bytes(*first), rest]
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
        Some(Self { halves, len: len as u32 })
    }

    /// A text of `len` bytes that stand in `bits`, the first of them lowest, with zeros after them.
    #[inline(always)]
    pub fn of_bits(bits: u128, len: usize) -> Self {
        Self { halves: [bits as u64, (bits >> 64) as u64], len: len as u32 }
    }

    /// The text with its ASCII letters in lower case.
    #[inline]
    pub fn to_ascii_lowercase(self) -> Self {
        let lower = |half: u64| u64::from_ne_bytes(half.to_ne_bytes().map(|byte| byte.to_ascii_lowercase()));
        Self { halves: self.halves.map(lower), len: self.len }
    }

    /// The bytes, and zeros after them.
    #[inline(always)]
    pub fn bytes(self) -> [u8; Self::MOST] {
        (u128::from(self.halves[0]) | u128::from(self.halves[1]) << 64).to_le_bytes()
    }
}

/// The text of a short text's bytes.
pub fn text_of_bytes(bytes: &[u8]) -> &str {
    // They were a text's, and are checked again only because nothing says so to the compiler.
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// A text as what it is looked up by.
#[derive(Clone, Copy, Debug)]
pub enum TextKey<'a> {
    /// A short one.
    Short(ShortText),
    /// Any other.
    Long(&'a str),
}

impl<'a> From<&'a str> for TextKey<'a> {
    #[inline(always)]
    fn from(text: &'a str) -> Self {
        ShortText::new(text).map_or(Self::Long(text), Self::Short)
    }
}

impl TextKey<'_> {
    /// Shows the text.
    pub fn show<T>(self, see: impl FnOnce(&str) -> T) -> T {
        match self {
            Self::Short(text) => see(text_of_bytes(&text.bytes()[..text.len as usize])),
            Self::Long(text) => see(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_has_the_bytes_of_the_text() {
        let whole: String = (0..20).map(|index| char::from(b'a' + index)).collect();
        for len in 0..=whole.len() {
            let text = &whole[..len];
            // The plain way: byte after byte.
            let bits = text.bytes().rev().fold(0_u128, |bits, byte| bits << 8 | u128::from(byte));
            let expected = (len <= 16).then(|| ShortText::of_bits(bits, len));
            assert_eq!(ShortText::new(text), expected, "{text}");
            TextKey::from(text).show(|shown| assert_eq!(shown, text));
        }
        // Zeros count.
        assert_ne!(ShortText::new("a"), ShortText::new("a\0"));
        TextKey::from("é").show(|shown| assert_eq!(shown, "é"));
    }

    #[test]
    fn ascii_is_told_from_all_else_at_every_place() {
        for len in 0..20 {
            let text = vec![b'a'; len];
            let short = std::str::from_utf8(&text).ok().and_then(ShortText::new);
            assert_eq!(ShortText::of_ascii(&text), short, "{len}");
            for place in 0..len {
                let mut other = text.clone();
                other[place] = 0x80;
                assert_eq!(ShortText::of_ascii(&other), None, "{len} {place}");
            }
        }
    }

    #[test]
    fn ascii_letters_are_folded_and_nothing_else() {
        let characters = (0..=0x17F_u32).filter_map(char::from_u32);
        for text in characters.map(|character| format!("{character}aZ{character}")) {
            let lower = ShortText::new(&text).map(ShortText::to_ascii_lowercase);
            assert_eq!(lower, ShortText::new(&text.to_ascii_lowercase()), "{text}");
        }
    }
}
