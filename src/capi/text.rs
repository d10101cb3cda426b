//! `cupel_text`: a text that a function made for its caller.

use libc::c_char;

use crate::capi::boundary::free;
use crate::capi::ownership::Handle;
use crate::memory::{OutOfMemory, try_push};

/// A text that a function made for its caller: UTF-8 and NUL-terminated.
///
/// Threads: immutable, any number of threads may read it at once. Lifetime: it belongs to the caller, who frees it once
/// with cupel_text_free(); it does not refer to any other handle.
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

/// The bytes of a text, with a NUL after them.
///
/// @param text A text; NULL gives the empty text.
/// @return      Never NULL. It belongs to the text and lives as long as it does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_text_data(text: *const cupel_text) -> *const c_char {
    text.as_ref().map_or(c"".as_ptr(), |text| text.bytes.as_ptr().cast())
}

/// The length of a text in bytes, without the NUL.
///
/// @param text A text; NULL gives 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_text_len(text: *const cupel_text) -> usize {
    text.as_ref().map_or(0, |text| text.bytes.len() - 1)
}

/// Frees a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_text_free(text: *mut cupel_text) {
    free(text);
}
