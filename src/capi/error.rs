//! `cupel_error`: why a call failed.

use std::ffi::c_char;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use libc::c_void;

use crate::arrow::{ArrowError, Fault, ReadError};
use crate::capi::boundary::guard_value;
use crate::capi::columns::FieldPath;
use crate::capi::ownership::{Handle, Host};
use crate::capi::status::*;
use crate::capi::user_data::{UserData, cupel_destroy_callback};
use crate::error::{Error, Parameter};
use crate::ingest::{Column, ColumnError, Problem};
use crate::json::JsonError;
use crate::memory::{OutOfMemory, try_display, try_push, try_push_str};

/// Why a call failed: a status, and a message that names the argument and the value. It does not depend on any other
/// handle.
#[derive(Debug)]
pub struct cupel_error {
    status: cupel_status,
    /// NUL-terminated, with no other NUL. Empty only in [`NO_ROOM`].
    message: Vec<u8>,
    payload: Option<Payload>,
}

impl Handle for cupel_error {
    const NAME: &'static str = "error";
}

impl fmt::Display for cupel_error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Every message is UTF-8 and ends with a NUL.
        f.write_str(self.message.strip_suffix(b"\0").and_then(|text| str::from_utf8(text).ok()).unwrap_or_default())
    }
}

impl std::error::Error for cupel_error {}

/// An object of the host that travels with an error.
#[derive(Debug)]
struct Payload {
    kind: u64,
    object: UserData,
}

/// The error that is reported if an error cannot be allocated. It is never freed.
static NO_ROOM: cupel_error = cupel_error { status: CUPEL_STATUS_OUT_OF_MEMORY, message: Vec::new(), payload: None };

/// The refusal of a call: the error for the host. It is made where the call fails. It is a pointer, so that the results
/// of the functions of the boundary fit into registers.
#[derive(Debug)]
pub struct Refusal(NonNull<cupel_error>);

/// An argument of a C function, or an entry or a field of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The name of the argument.
    pub name: &'static str,
    /// The position of the entry, from 0, if it is an array.
    pub index: Option<usize>,
    /// The field, or empty.
    pub field: &'static str,
}

impl Argument {
    /// An entry of an array.
    pub const fn entry(name: &'static str, index: usize) -> Self {
        Self { name, index: Some(index), field: "" }
    }

    /// A field of a struct, which may be an entry of an array.
    pub const fn field(name: &'static str, index: Option<usize>, field: &'static str) -> Self {
        Self { name, index, field }
    }

    /// The argument of the C functions that passes a parameter of the core.
    fn of(parameter: Parameter) -> Self {
        match parameter {
            Parameter::Scores | Parameter::TableScores => Self::from("out_scores_len"),
            Parameter::NeededTokens => Self::from("out_tokens_len"),
            Parameter::ChildWeight(index) => Self::entry("weights", index),
            Parameter::HalfLife => Self::from("half_life_nanoseconds"),
            Parameter::MaxAge => Self::from("max_age_nanoseconds"),
            Parameter::StepMaxAge(index) => Self::field("steps", Some(index), "max_age_nanoseconds"),
            Parameter::SelectionRows => Self::from("batch_len of the selection"),
            _ => {
                let (name, index, field) = parameter.parts();
                Self { name, index, field }
            }
        }
    }
}

impl From<&'static str> for Argument {
    /// An argument as a whole.
    fn from(name: &'static str) -> Self {
        Self { name, index: None, field: "" }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        if let Some(index) = self.index {
            write!(f, "[{index}]")?;
        }
        match self.field {
            "" => Ok(()),
            "len()" => f.write_str("_len"),
            field => write!(f, ".{field}"),
        }
    }
}

impl<E: Into<Error>> From<E> for Refusal {
    #[cold]
    #[inline(never)]
    fn from(error: E) -> Self {
        let error = error.into();
        let status = status_of_core(&error);
        let message = match error.parameter() {
            Some(parameter) => try_display(&format_args!("{} {}", Argument::of(parameter), error.complaint())),
            None => try_display(&error),
        };
        // The error of the call carries the payload of the error that a callback gave.
        let payload = match error {
            Error::CallbackFailed { source: Some(source), .. } => {
                source.downcast::<cupel_error>().ok().and_then(|error| error.payload)
            }
            _ => None,
        };
        Self::made(status, message, payload)
    }
}

impl From<JsonError> for Refusal {
    #[cold]
    #[inline(never)]
    fn from(error: JsonError) -> Self {
        let status = match error {
            JsonError::Invalid { .. } => CUPEL_STATUS_INVALID_JSON,
            JsonError::NoJsonForm(_) | JsonError::Unwritable { .. } => CUPEL_STATUS_INVALID_ARGUMENT,
            JsonError::OutOfMemory(_) => CUPEL_STATUS_OUT_OF_MEMORY,
        };
        Self::new(status, error)
    }
}

impl From<ColumnError> for Refusal {
    #[cold]
    #[inline(never)]
    fn from(error: ColumnError) -> Self {
        let (status, path, problem) = (status_of_columns(&error), FieldPath(&error), error.problem);
        match problem {
            Problem::Absent => Self::new(status, format_args!("{path} is NULL")),
            Problem::Length { .. } | Problem::OutOfRange { .. } => {
                Self::new(status, format_args!("{path} is {problem}"))
            }
            Problem::Utf8 { .. } | Problem::Empty | Problem::Blank(_) => {
                Self::new(status, format_args!("{path} {problem}"))
            }
        }
    }
}

impl From<ArrowError> for Refusal {
    #[cold]
    #[inline(never)]
    fn from(error: ArrowError) -> Self {
        let status = match error.fault {
            Fault::Short { .. } => CUPEL_STATUS_LENGTH_MISMATCH,
            Fault::OutOfRange { .. } => CUPEL_STATUS_OUT_OF_RANGE,
            Fault::Column(error) => status_of_columns(&error),
            Fault::OutOfMemory(_) => CUPEL_STATUS_OUT_OF_MEMORY,
            _ => CUPEL_STATUS_INVALID_ARGUMENT,
        };
        Self::new(status, error)
    }
}

impl From<ReadError> for Refusal {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Table(error) => error.into(),
            ReadError::Append(error) => error.into(),
        }
    }
}

impl Refusal {
    /// Refuses a call.
    #[cold]
    #[inline(never)]
    pub fn new(status: cupel_status, message: impl fmt::Display) -> Self {
        Self::made(status, try_display(&message), None)
    }

    /// Refuses an argument.
    #[cold]
    #[inline(never)]
    pub fn of(status: cupel_status, argument: impl Into<Argument>, complaint: impl fmt::Display) -> Self {
        Self::new(status, format_args!("{} {complaint}", argument.into()))
    }

    /// Refuses an argument that is NULL.
    #[cold]
    #[inline(never)]
    pub fn null(argument: impl Into<Argument>) -> Self {
        Self::of(CUPEL_STATUS_NULL_ARGUMENT, argument, "is NULL")
    }

    /// Refuses a length that no array in memory can have.
    #[cold]
    #[inline(never)]
    pub fn too_long(argument: impl Into<Argument>, len: usize) -> Self {
        let argument = argument.into();
        Self::new(CUPEL_STATUS_OUT_OF_RANGE, format_args!("the length of {argument} is {len}: no array can be so long"))
    }

    /// Refuses the index of an entry that does not exist.
    #[cold]
    #[inline(never)]
    pub fn no_such_index(index: usize, len: usize) -> Self {
        Self::of(CUPEL_STATUS_OUT_OF_RANGE, "index", format_args!("is {index}: there are {len}, counted from 0"))
    }

    /// Makes the error. The host reads the message as a C string, so NUL bytes in it become question marks.
    fn made(status: cupel_status, message: Result<String, OutOfMemory>, payload: Option<Payload>) -> Self {
        let made = message.and_then(|message| {
            let mut message = message.into_bytes();
            message.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = b'?');
            try_push(&mut message, 0)?;
            cupel_error { status, message, payload }.hand_over()
        });
        Self(made.unwrap_or(NonNull::from(&NO_ROOM)))
    }

    /// The error, for the host to free.
    fn into_raw(self) -> *mut cupel_error {
        ManuallyDrop::new(self).0.as_ptr()
    }

    /// Converts an error of the core. One for lack of memory names the argument that the size of the allocation depends
    /// on.
    pub fn for_size(error: impl Into<Self>, argument: &'static str, value: usize) -> Self {
        let refusal = error.into();
        // SAFETY: the error is this refusal's own, or the static one.
        let error = unsafe { refusal.0.as_ref() };
        if error.status != CUPEL_STATUS_OUT_OF_MEMORY || std::ptr::eq(error, &NO_ROOM) {
            return refusal;
        }
        Self::new(CUPEL_STATUS_OUT_OF_MEMORY, format_args!("out of memory: {argument} is {value}"))
    }

    /// Writes the error to `out_error` unless that is NULL, and returns its status.
    ///
    /// # Safety
    ///
    /// `out_error` is NULL or valid for a write.
    #[cold]
    #[inline(never)]
    pub unsafe fn report(self, out_error: *mut *mut cupel_error) -> cupel_status {
        // SAFETY: the error is this refusal's own, or the static one.
        let status = unsafe { self.0.as_ref() }.status;
        if !out_error.is_null() {
            // SAFETY: not null, and the caller's promise.
            unsafe { out_error.write(self.into_raw()) };
        }
        status
    }

    /// The message of the error.
    #[cfg(test)]
    pub fn message(&self) -> String {
        // SAFETY: the error is this refusal's own, or the static one.
        let message = unsafe { std::ffi::CStr::from_ptr(cupel_error_message(self.0.as_ptr())) };
        message.to_str().expect("messages are UTF-8").to_owned()
    }
}

impl Drop for Refusal {
    fn drop(&mut self) {
        // SAFETY: nobody else has the error.
        unsafe { cupel_error_free(self.0.as_ptr()) }
    }
}

fn status_of_core(error: &Error) -> cupel_status {
    match error {
        Error::EmptyContent => CUPEL_STATUS_EMPTY_CONTENT,
        Error::EmptyKind { .. } => CUPEL_STATUS_EMPTY_KIND,
        Error::EmptySource { .. } => CUPEL_STATUS_EMPTY_SOURCE,
        Error::Invalid { .. }
        | Error::NoSystemClock
        | Error::NoScores
        | Error::CustomInGroups
        | Error::PreviousForGroups
        | Error::SelectionOfGroups => CUPEL_STATUS_INVALID_ARGUMENT,
        Error::InGroup { error, .. } => status_of_core(error),
        Error::OutOfRange { .. } => CUPEL_STATUS_OUT_OF_RANGE,
        Error::LengthMismatch { .. } | Error::PreviousTooLong { .. } => CUPEL_STATUS_LENGTH_MISMATCH,
        Error::CallbackFailed { .. } | Error::Custom(_) => CUPEL_STATUS_CALLBACK_FAILED,
        Error::OverBudget { .. } => CUPEL_STATUS_OVER_BUDGET,
        Error::Shortfall { .. } => CUPEL_STATUS_SHORTFALL,
        Error::TooLarge { .. } => CUPEL_STATUS_TOO_LARGE,
        Error::OutOfMemory(_) => CUPEL_STATUS_OUT_OF_MEMORY,
    }
}

fn status_of_columns(error: &ColumnError) -> cupel_status {
    match (error.problem, error.column) {
        (Problem::Absent, _) => CUPEL_STATUS_NULL_ARGUMENT,
        (Problem::Length { .. }, _) => CUPEL_STATUS_LENGTH_MISMATCH,
        (Problem::OutOfRange { .. }, _) => CUPEL_STATUS_OUT_OF_RANGE,
        (Problem::Utf8 { .. }, _) => CUPEL_STATUS_INVALID_UTF8,
        (Problem::Empty, _) => CUPEL_STATUS_EMPTY_CONTENT,
        (Problem::Blank(_), Column::Source) => CUPEL_STATUS_EMPTY_SOURCE,
        (Problem::Blank(_), _) => CUPEL_STATUS_EMPTY_KIND,
    }
}

/// Makes an error for the host. Without memory it is [`NO_ROOM`].
///
/// # Safety
///
/// `message` is NULL or valid for reads of `message_len` bytes.
unsafe fn make_for_host(
    status: cupel_status,
    message: *const c_char,
    message_len: usize,
    payload: Option<Payload>,
) -> *mut cupel_error {
    guard_value((&raw const NO_ROOM).cast_mut(), || {
        // SAFETY: the caller's promise.
        let host = unsafe { Host::new() };
        let bytes = host.slice(message.cast::<u8>(), message_len, "message").unwrap_or_default();
        let status = if status == CUPEL_STATUS_OK { CUPEL_STATUS_CALLBACK_FAILED } else { status };
        let mut text = String::new();
        let copied = bytes.utf8_chunks().try_for_each(|chunk| {
            try_push_str(&mut text, chunk.valid())?;
            if chunk.invalid().is_empty() { Ok(()) } else { try_push_str(&mut text, "\u{FFFD}") }
        });
        Refusal::made(status, copied.map(|()| text), payload).into_raw()
    })
}

/// Takes over the error that a callback wrote to its `out_error`, if any.
///
/// # Safety
///
/// `error` is NULL or an error that nobody else frees.
pub(super) unsafe fn take_error(error: *mut cupel_error) -> Option<Box<dyn std::error::Error + Send + Sync>> {
    if error.is_null() {
        None
    } else if std::ptr::eq(error, &raw const NO_ROOM) {
        // A box of a zero-sized type allocates nothing.
        Some(Box::new(OutOfMemory))
    } else {
        // SAFETY: the caller's promise, and every error but the static one is a box.
        Some(unsafe { Box::from_raw(error) })
    }
}

/// Makes an error, for a callback to write to its `out_error`.
///
/// @param status The status: any number except CUPEL_STATUS_OK, which is replaced by CUPEL_STATUS_CALLBACK_FAILED.
/// @param message The message. Bytes that are not UTF-8 become U+FFFD, NUL bytes become `?`.
/// @return The error, never NULL. Without memory it has the status OUT_OF_MEMORY. It belongs to the caller, who returns
///         it through `out_error` or frees it with cupel_error_free().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_error_new(
    status: cupel_status,
    message: *const c_char,
    message_len: usize,
) -> *mut cupel_error {
    make_for_host(status, message, message_len, None)
}

/// Makes an error that carries an object of the host, for a callback to write to its `out_error`. The error of the
/// scoring call then carries the object, so that a host can pass an exception through the library. Otherwise like
/// cupel_error_new().
///
/// @param status As for cupel_error_new().
/// @param message As for cupel_error_new().
/// @param payload_type The type of the object: a number that the host chooses. cupel_error_payload() gives the object
///     only to a caller that passes the same number.
/// @param payload The object. The error takes it over.
/// @param destroy Called once with payload when the last error that has it is freed, or during this call if there is no
///     memory for the error; may be NULL. It is called on any thread and must not unwind.
/// @return As for cupel_error_new().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_error_with_payload_new(
    status: cupel_status,
    message: *const c_char,
    message_len: usize,
    payload_type: u64,
    payload: *mut c_void,
    destroy: cupel_destroy_callback,
) -> *mut cupel_error {
    let payload = Payload { kind: payload_type, object: UserData::owned(payload, destroy) };
    make_for_host(status, message, message_len, Some(payload))
}

/// The status of an error.
///
/// @param error The error; NULL gives CUPEL_STATUS_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_error_status(error: *const cupel_error) -> cupel_status {
    error.as_ref().map_or(CUPEL_STATUS_OK, |error| error.status)
}

/// The message of an error: UTF-8, NUL-terminated.
///
/// @param error The error; NULL gives the empty text.
/// @return Never NULL. It belongs to the error and is valid until the error is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_error_message(error: *const cupel_error) -> *const c_char {
    match error.as_ref() {
        None => c"".as_ptr(),
        Some(error) if error.message.is_empty() => c"out of memory".as_ptr(),
        Some(error) => error.message.as_ptr().cast(),
    }
}

/// The object that an error carries.
///
/// @param error The error; NULL gives NULL.
/// @param payload_type The type that cupel_error_with_payload_new() was called with.
/// @return The object, which belongs to the error and is valid until the error is freed; NULL if the error has none, or
///         one of another type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_error_payload(error: *const cupel_error, payload_type: u64) -> *mut c_void {
    let payload = error.as_ref().and_then(|error| error.payload.as_ref());
    payload
        .filter(|payload| payload.kind == payload_type)
        .map_or(std::ptr::null_mut(), |payload| payload.object.pointer())
}

/// Frees an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_error_free(error: *mut cupel_error) {
    if !std::ptr::eq(error, &raw const NO_ROOM) {
        // The static error is in no box.
        cupel_error::free(error);
    }
}
