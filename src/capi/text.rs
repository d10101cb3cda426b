//! `cupel_text`: a text that a function returns to its caller.

use std::ffi::c_char;

use crate::capi::boundary::free;
use crate::capi::ownership::Handle;
use crate::memory::{OutOfMemory, try_push};

/// A text that a function returns to its caller: UTF-8, NUL-terminated. It does not depend on any other handle.
#[derive(Debug)]
pub struct cupel_text {
    /// The text and the NUL after it.
    bytes: Vec<u8>,
}

impl Handle for cupel_text {
    const NAME: &'static str = "text";
}

impl cupel_text {
    /// Keeps a text.
    pub fn new(text: String) -> Result<Self, OutOfMemory> {
        let mut bytes = text.into_bytes();
        try_push(&mut bytes, 0)?;
        Ok(Self { bytes })
    }
}

/// The bytes of a text, followed by a NUL.
///
/// @param text The text; NULL gives the empty text.
/// @return      Never NULL. It belongs to the text and is valid until the text is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_text_data(text: *const cupel_text) -> *const c_char {
    text.as_ref().map_or(c"".as_ptr(), |text| text.bytes.as_ptr().cast())
}

/// The length of a text in bytes, without the NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_text_len(text: *const cupel_text) -> usize {
    text.as_ref().map_or(0, |text| text.bytes.len() - 1)
}

/// Frees a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_text_free(text: *mut cupel_text) {
    free(text);
}
