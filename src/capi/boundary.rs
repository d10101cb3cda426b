//! The one place where calls come in from outside.
//!
//! A panic must not leave a Rust function that C called, so the body of every exported function runs in here. What comes
//! out is a status; the error goes to the caller's `out_error`.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::capi::error::{Refusal, cupel_error};
use crate::capi::status::{CUPEL_STATUS_OK, cupel_status};
use crate::memory::{TryWriter, try_push_str};

/// Runs the body of a function that can fail.
///
/// # Safety
///
/// `out_error` is NULL or good for a write.
pub unsafe fn guard(
    out_error: *mut *mut cupel_error,
    body: impl FnOnce() -> Result<(), Refusal>,
) -> cupel_status {
    // Unwind safety: the core changes a batch through an appender that takes half-done rows back when it is dropped, and
    // everything else that crosses the boundary is immutable or replaced as a whole.
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| Err(Refusal::Panic(message_of(payload))));
    match result {
        Ok(()) => {
            if !out_error.is_null() {
                // SAFETY: not null, and the caller's promise.
                unsafe { out_error.write(std::ptr::null_mut()) };
            }
            CUPEL_STATUS_OK
        }
        // SAFETY: the caller's promise.
        Err(refusal) => unsafe { refusal.report(out_error) },
    }
}

/// Runs the body of a function that cannot fail; a panic, which would be a defect, ends in `fallback`.
pub fn guard_value<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(fallback)
}

fn message_of(payload: Box<dyn Any + Send>) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let mut writer = TryWriter::default();
    // Without room for the message, an empty one has to do.
    let _ = try_push_str(&mut writer.0, text);
    writer.0
}
