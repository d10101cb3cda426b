//! Bytes as text.

/// The bytes that the standard library checks together.
const CHUNK: usize = 32;

/// The bytes as a text, if they are ASCII.
///
/// One pass of wide loads. [`std::str::from_utf8`] takes several times as long, and does not tell whether the text is ASCII.
pub fn ascii(bytes: &[u8]) -> Option<&str> {
    // The standard library checks whole chunks in vector registers, and the rest byte by byte: the last chunk may overlap.
    let is_ascii = match bytes.last_chunk::<CHUNK>() {
        Some(last) => last.is_ascii() && bytes.as_chunks::<CHUNK>().0.as_flattened().is_ascii(),
        None => bytes.is_ascii(),
    };
    // SAFETY: ASCII is UTF-8.
    is_ascii.then(|| unsafe { std::str::from_utf8_unchecked(bytes) })
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
