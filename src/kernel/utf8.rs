//! Bytes as text.

/// The bytes as a text, if they are ASCII.
///
/// One pass of wide loads. [`std::str::from_utf8`] takes several times as long, and does not tell whether the text is ASCII.
pub fn ascii(bytes: &[u8]) -> Option<&str> {
    // SAFETY: ASCII is UTF-8.
    bytes.is_ascii().then(|| unsafe { std::str::from_utf8_unchecked(bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_is_what_the_standard_library_takes_for_it() {
        for len in 0..100 {
            let mut bytes: Vec<u8> = (0..len).map(|index| (index * 7 % 128) as u8).collect();
            assert_eq!(ascii(&bytes), std::str::from_utf8(&bytes).ok());
            for position in 0..len {
                bytes[position] |= 0x80;
                assert_eq!(ascii(&bytes), None, "{len} {position}");
                bytes[position] &= 0x7F;
            }
        }
    }
}
