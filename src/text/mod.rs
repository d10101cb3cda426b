//! Text storage.
//!
//! A short text is held inline, as two integers that are hashed and compared in registers. The interner numbers distinct
//! texts. This module knows nothing of items, rows or columns.

mod hash;
mod inline;
mod interner;

pub use hash::{FewHints, HashState, hash_state, small_hash};
pub use inline::{ItemText, ShortText, Span, Text, TextKey};
pub use interner::{Match, TextInterner};

/// Whether a text is empty or only white space, and so neither a kind nor a source.
#[inline]
pub fn is_blank(text: &str) -> bool {
    // Fast path: nearly every kind starts with an ASCII letter, which needs no decoding.
    !text.as_bytes().first().is_some_and(u8::is_ascii_graphic) && text.chars().all(char::is_whitespace)
}
