//! Status numbers and their names.

use std::ffi::{CStr, c_char};

/// The result of a call: `CUPEL_STATUS_OK`, or the reason why it failed.
///
/// Numbers never change their meaning. The number of a status that is removed is not used again.
pub type cupel_status = i32;

/// The call succeeded.
pub const CUPEL_STATUS_OK: cupel_status = 0;
/// A required pointer is NULL.
pub const CUPEL_STATUS_NULL_ARGUMENT: cupel_status = 1;
/// A text is not UTF-8. The message gives the offset of the first invalid byte.
pub const CUPEL_STATUS_INVALID_UTF8: cupel_status = 2;
/// A value breaks a rule, such as a negative weight.
pub const CUPEL_STATUS_INVALID_ARGUMENT: cupel_status = 3;
/// The content of an item is empty.
pub const CUPEL_STATUS_EMPTY_CONTENT: cupel_status = 4;
/// A kind is empty or only white space.
pub const CUPEL_STATUS_EMPTY_KIND: cupel_status = 5;
/// A source is empty or only white space.
pub const CUPEL_STATUS_EMPTY_SOURCE: cupel_status = 6;
/// An index, a code, an offset, a length or an enumerator is out of range.
pub const CUPEL_STATUS_OUT_OF_RANGE: cupel_status = 7;
/// Two lengths that must agree differ, or an array is too short.
pub const CUPEL_STATUS_LENGTH_MISMATCH: cupel_status = 8;
/// A callback of the host failed. The message gives the status that the callback returned.
pub const CUPEL_STATUS_CALLBACK_FAILED: cupel_status = 9;
/// An allocation failed.
pub const CUPEL_STATUS_OUT_OF_MEMORY: cupel_status = 10;
/// A panic inside the library was caught, which is a defect of the library.
pub const CUPEL_STATUS_PANIC: cupel_status = 11;
/// A text is not the JSON that is expected. The message gives path, line and column.
pub const CUPEL_STATUS_INVALID_JSON: cupel_status = 12;
/// A batch cannot be changed while it is being scored, or a selection cannot be used while it is being selected into.
pub const CUPEL_STATUS_BUSY: cupel_status = 13;
/// The rows that a selection must keep exceed the budget. The message gives both, and the pinned rows if they alone
/// exceed it.
pub const CUPEL_STATUS_OVER_BUDGET: cupel_status = 14;
/// There are fewer candidates of a kind than a count quota requires, and the policy makes that a failure.
pub const CUPEL_STATUS_SHORTFALL: cupel_status = 15;
/// The table of a knapsack has too many cells. The message gives a bucket size that is enough.
pub const CUPEL_STATUS_TOO_LARGE: cupel_status = 16;

/// The name of a status, such as `"CUPEL_STATUS_OK"`.
///
/// @param status Any number; one that is not a status has the name `"CUPEL_STATUS_UNKNOWN"`.
/// @return        A NUL-terminated text that is never freed. Never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn cupel_status_name(status: cupel_status) -> *const c_char {
    name(status).as_ptr()
}

fn name(status: cupel_status) -> &'static CStr {
    match status {
        CUPEL_STATUS_OK => c"CUPEL_STATUS_OK",
        CUPEL_STATUS_NULL_ARGUMENT => c"CUPEL_STATUS_NULL_ARGUMENT",
        CUPEL_STATUS_INVALID_UTF8 => c"CUPEL_STATUS_INVALID_UTF8",
        CUPEL_STATUS_INVALID_ARGUMENT => c"CUPEL_STATUS_INVALID_ARGUMENT",
        CUPEL_STATUS_EMPTY_CONTENT => c"CUPEL_STATUS_EMPTY_CONTENT",
        CUPEL_STATUS_EMPTY_KIND => c"CUPEL_STATUS_EMPTY_KIND",
        CUPEL_STATUS_EMPTY_SOURCE => c"CUPEL_STATUS_EMPTY_SOURCE",
        CUPEL_STATUS_OUT_OF_RANGE => c"CUPEL_STATUS_OUT_OF_RANGE",
        CUPEL_STATUS_LENGTH_MISMATCH => c"CUPEL_STATUS_LENGTH_MISMATCH",
        CUPEL_STATUS_CALLBACK_FAILED => c"CUPEL_STATUS_CALLBACK_FAILED",
        CUPEL_STATUS_OUT_OF_MEMORY => c"CUPEL_STATUS_OUT_OF_MEMORY",
        CUPEL_STATUS_PANIC => c"CUPEL_STATUS_PANIC",
        CUPEL_STATUS_INVALID_JSON => c"CUPEL_STATUS_INVALID_JSON",
        CUPEL_STATUS_BUSY => c"CUPEL_STATUS_BUSY",
        CUPEL_STATUS_OVER_BUDGET => c"CUPEL_STATUS_OVER_BUDGET",
        CUPEL_STATUS_SHORTFALL => c"CUPEL_STATUS_SHORTFALL",
        CUPEL_STATUS_TOO_LARGE => c"CUPEL_STATUS_TOO_LARGE",
        _ => c"CUPEL_STATUS_UNKNOWN",
    }
}
