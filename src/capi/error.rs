//! `cupel_error`: why a call was refused.

use std::fmt;
use std::ptr::NonNull;

use libc::{c_char, c_void};

use crate::arrow::{ArrowError, Fault};
use crate::capi::boundary::guard_value;
use crate::capi::columns::FieldPath;
use crate::capi::ownership::{Handle, Host};
use crate::capi::status::*;
use crate::capi::user_data::{UserData, cupel_destroy_callback};
use crate::error::{Error, Parameter, Value};
use crate::ingest::{Column, ColumnError, Problem};
use crate::json::JsonError;
use crate::memory::{OutOfMemory, try_display, try_push, try_push_str};

/// Why a call was refused: a status and a message that names the argument and the value.
///
/// Threads: immutable, any number of threads may read it at once. Lifetime: it belongs to the caller of the function that
/// wrote it, who frees it once with cupel_error_free(); it does not refer to any other handle.
#[derive(Debug)]
pub struct cupel_error {
    status: cupel_status,
    /// NUL-terminated, with no NUL before. Empty in [`NO_ROOM`] alone, which has a text of its own.
    message: Vec<u8>,
    payload: Option<Payload>,
}

impl Handle for cupel_error {
    const NAME: &'static str = "error";
}

impl fmt::Display for cupel_error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Every message was made from a text, and ends with a NUL.
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

/// The error for when there is no memory for an error. It is never freed.
static NO_ROOM: cupel_error = cupel_error { status: CUPEL_STATUS_OUT_OF_MEMORY, message: Vec::new(), payload: None };

/// The refusal of a call: the error that the host is given. It is made where the call fails and is one pointer, so that what the
/// functions of the boundary give each other fits into registers.
#[derive(Debug)]
pub struct Refusal(NonNull<cupel_error>);

/// An argument of a C function, or an entry or a field of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the argument.
    pub argument: &'static str,
    /// The position in it, from 0, when it is an array.
    pub index: Option<usize>,
    /// The field, or empty.
    pub field: &'static str,
}

impl Place {
    /// An argument that is not an array.
    pub const fn argument(argument: &'static str) -> Self {
        Self { argument, index: None, field: "" }
    }

    /// An entry of an array.
    pub const fn entry(argument: &'static str, index: usize) -> Self {
        Self { argument, index: Some(index), field: "" }
    }

    /// A field of an entry of an array.
    pub const fn field(argument: &'static str, index: usize, field: &'static str) -> Self {
        Self { argument, index: Some(index), field }
    }

    /// The argument of the C functions that passes a parameter of the core.
    fn of(parameter: Parameter) -> Self {
        match parameter {
            Parameter::Content => Self::argument("content"),
            Parameter::Kind => Self::argument("kind"),
            Parameter::Source => Self::argument("source"),
            Parameter::Row => Self::argument("row"),
            Parameter::Scores | Parameter::TableScores => Self::argument("out_scores_len"),
            Parameter::WeightName(index) => Self::field("weights", index, "name"),
            Parameter::Weight(index) => Self::field("weights", index, "weight"),
            Parameter::Children => Self::argument("children_len"),
            Parameter::ChildWeight(index) => Self::entry("weights", index),
            Parameter::DefaultScore => Self::argument("default_score"),
            Parameter::Boost => Self::argument("boost"),
            Parameter::Groups(index) => Self::entry("groups", index),
            Parameter::NullTimestampScore => Self::argument("null_timestamp_score"),
            Parameter::HalfLife => Self::argument("half_life_nanoseconds"),
            Parameter::MaxAge => Self::argument("max_age_nanoseconds"),
            Parameter::Steps => Self::argument("steps_len"),
            Parameter::StepMaxAge(index) => Self::field("steps", index, "max_age_nanoseconds"),
            Parameter::StepScore(index) => Self::field("steps", index, "score"),
            Parameter::Slicer => Self::argument("slicer"),
            Parameter::Quotas => Self::argument("quotas_len"),
            Parameter::QuotaKind(index) => Self::field("quotas", index, "kind"),
            Parameter::QuotaMinPercent(index) => Self::field("quotas", index, "min_percent"),
            Parameter::QuotaMaxPercent(index) => Self::field("quotas", index, "max_percent"),
            Parameter::CountQuotas => Self::argument("count_quotas_len"),
            Parameter::CountQuotaKind(index) => Self::field("count_quotas", index, "kind"),
            Parameter::CountQuotaMinCount(index) => Self::field("count_quotas", index, "min_count"),
            Parameter::BucketSize => Self::argument("bucket_size"),
            Parameter::MaxTokens => Self::argument("max_tokens"),
            Parameter::TargetTokens => Self::argument("target_tokens"),
            Parameter::OutputReserve => Self::argument("output_reserve"),
            Parameter::ReservedTokens => Self::argument("reserved_tokens"),
            Parameter::SafetyMarginPercent => Self::argument("safety_margin_percent"),
            Parameter::MaxRows => Self::argument("max_rows"),
            Parameter::RequestScores => Self::argument("scores_len"),
            Parameter::SelectionRows => Self::argument("batch_len of the selection"),
            Parameter::NeededTokens => Self::argument("out_tokens_len"),
            Parameter::Keep => Self::argument("keep_len"),
            Parameter::KeepByte(index) => Self::entry("keep", index),
            Parameter::Rows(index) => Self::entry("rows", index),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.argument)?;
        if let Some(index) = self.index {
            write!(f, "[{index}]")?;
        }
        if self.field.is_empty() { Ok(()) } else { write!(f, ".{}", self.field) }
    }
}

/// Why the boundary refuses a call.
#[derive(Debug)]
pub enum Reason {
    /// A pointer that is needed is NULL.
    Null(Place),
    /// A length that no array in memory can have.
    TooLong {
        /// The argument that the length belongs to.
        argument: Place,
        /// The length.
        len: usize,
    },
    /// An argument of the boundary breaks a rule.
    Invalid {
        /// The argument.
        argument: Place,
        /// Its value.
        value: Value,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// An offset, a code or an enumerator lies outside its range.
    OutOfRange {
        /// The argument.
        argument: Place,
        /// Its value.
        value: Value,
        /// The range.
        rule: &'static str,
    },
    /// There is too little room for a result.
    TooShort {
        /// The argument that says how much there is.
        argument: Place,
        /// Its value.
        len: usize,
        /// What is needed.
        needed: usize,
    },
    /// `index` lies outside the list that it counts in.
    NoSuchIndex {
        /// Its value.
        index: usize,
        /// The length of the list.
        len: usize,
    },
    /// A text is not UTF-8.
    InvalidUtf8 {
        /// The text.
        argument: Place,
        /// The offset of the first byte that is not part of a character.
        offset: usize,
    },
    /// An array that is not aligned for its type.
    Misaligned {
        /// The argument.
        argument: Place,
        /// What its address must be a multiple of.
        alignment: usize,
    },
    /// Columns are refused.
    Columns(ColumnError),
    /// An Arrow table is refused.
    Arrow(ArrowError),
    /// Memory that was needed for an argument of this size could not be had.
    NoMemoryFor {
        /// The argument.
        argument: &'static str,
        /// Its value.
        value: usize,
    },
    /// A batch is to be changed while it is being scored.
    Busy,
    /// A selection is to be used while it is being selected into.
    Selecting,
    /// The code behind the boundary panicked.
    Panic(String),
    /// The core refused it.
    Core(Error),
    /// A text is not the JSON that it should be, or a value has none.
    Json(JsonError),
}

impl From<Reason> for Refusal {
    #[cold]
    #[inline(never)]
    fn from(reason: Reason) -> Self {
        Self(reason.into_error().unwrap_or(NonNull::from(&NO_ROOM)))
    }
}

impl From<JsonError> for Refusal {
    #[cold]
    #[inline(never)]
    fn from(error: JsonError) -> Self {
        Reason::Json(error).into()
    }
}

impl<E: Into<Error>> From<E> for Refusal {
    #[cold]
    #[inline(never)]
    fn from(error: E) -> Self {
        Reason::Core(error.into()).into()
    }
}

impl From<ColumnError> for Refusal {
    fn from(error: ColumnError) -> Self {
        Reason::Columns(error).into()
    }
}

impl Refusal {
    /// The refusal of an argument that is NULL.
    #[cold]
    #[inline(never)]
    pub fn null(argument: &'static str) -> Self {
        Reason::Null(Place::argument(argument)).into()
    }

    /// The refusal by the core of a call whose memory depends on the size of an argument.
    pub fn for_size(error: impl Into<Self>, argument: &'static str, value: usize) -> Self {
        let refusal = error.into();
        // SAFETY: the error is this refusal's own, or the static one, for which no larger one can be made.
        let error = unsafe { refusal.0.as_ref() };
        if error.status != CUPEL_STATUS_OUT_OF_MEMORY || std::ptr::eq(error, &NO_ROOM) {
            return refusal;
        }
        Reason::NoMemoryFor { argument, value }.into()
    }

    /// Hands the error over to `out_error`, if there is one, and gives its status.
    ///
    /// # Safety
    ///
    /// `out_error` is NULL or good for a write.
    #[cold]
    #[inline(never)]
    pub unsafe fn report(self, out_error: *mut *mut cupel_error) -> cupel_status {
        // SAFETY: the error is this refusal's own, or the static one.
        let status = unsafe { self.0.as_ref() }.status;
        if !out_error.is_null() {
            // SAFETY: not null, and the caller's promise.
            unsafe { out_error.write(self.0.as_ptr()) };
            std::mem::forget(self);
        }
        status
    }

    /// What the error says.
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

impl Reason {
    fn status(&self) -> cupel_status {
        match self {
            Self::Null(_) => CUPEL_STATUS_NULL_ARGUMENT,
            Self::TooLong { .. } | Self::OutOfRange { .. } | Self::NoSuchIndex { .. } => CUPEL_STATUS_OUT_OF_RANGE,
            Self::TooShort { .. } => CUPEL_STATUS_LENGTH_MISMATCH,
            Self::Invalid { .. } | Self::Misaligned { .. } => CUPEL_STATUS_INVALID_ARGUMENT,
            Self::InvalidUtf8 { .. } => CUPEL_STATUS_INVALID_UTF8,
            Self::Json(JsonError::Invalid { .. }) => CUPEL_STATUS_INVALID_JSON,
            Self::Json(JsonError::NoJsonForm(_) | JsonError::Unwritable { .. }) => CUPEL_STATUS_INVALID_ARGUMENT,
            Self::Json(JsonError::OutOfMemory(_)) => CUPEL_STATUS_OUT_OF_MEMORY,
            Self::NoMemoryFor { .. } => CUPEL_STATUS_OUT_OF_MEMORY,
            Self::Busy | Self::Selecting => CUPEL_STATUS_BUSY,
            Self::Panic(_) => CUPEL_STATUS_PANIC,
            Self::Columns(error) => status_of_columns(error),
            Self::Arrow(error) => match error.fault {
                Fault::Short { .. } => CUPEL_STATUS_LENGTH_MISMATCH,
                Fault::OutOfRange { .. } => CUPEL_STATUS_OUT_OF_RANGE,
                Fault::Column(error) => status_of_columns(&error),
                Fault::OutOfMemory(_) => CUPEL_STATUS_OUT_OF_MEMORY,
                _ => CUPEL_STATUS_INVALID_ARGUMENT,
            },
            Self::Core(error) => status_of_core(error),
        }
    }

    fn into_error(self) -> Result<NonNull<cupel_error>, OutOfMemory> {
        make(self.status(), try_display(&self)?.into_bytes(), self.into_payload())
    }

    /// The payload of the error that a callback gave.
    fn into_payload(self) -> Option<Payload> {
        match self {
            Self::Core(Error::CallbackFailed { source: Some(source), .. }) => {
                source.downcast::<cupel_error>().ok().and_then(|error| error.payload)
            }
            _ => None,
        }
    }
}

fn status_of_core(error: &Error) -> cupel_status {
    match error {
        Error::EmptyContent => CUPEL_STATUS_EMPTY_CONTENT,
        Error::EmptyKind { .. } => CUPEL_STATUS_EMPTY_KIND,
        Error::EmptySource { .. } => CUPEL_STATUS_EMPTY_SOURCE,
        Error::Invalid { .. }
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

/// An error with a message, whose NUL bytes become question marks: the host reads it as a C string.
fn make(
    status: cupel_status,
    mut message: Vec<u8>,
    payload: Option<Payload>,
) -> Result<NonNull<cupel_error>, OutOfMemory> {
    for byte in message.iter_mut().filter(|byte| **byte == 0) {
        *byte = b'?';
    }
    try_push(&mut message, 0)?;
    cupel_error { status, message, payload }.hand_over()
}

/// Makes the error of a host, which never fails: without memory it is [`NO_ROOM`].
///
/// # Safety
///
/// `message` is NULL or good for reads of `message_len` bytes.
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
        let made = bytes.utf8_chunks().try_for_each(|chunk| {
            try_push_str(&mut text, chunk.valid())?;
            if chunk.invalid().is_empty() { Ok(()) } else { try_push_str(&mut text, "\u{FFFD}") }
        });
        made.and_then(|()| make(status, text.into_bytes(), payload))
            .map_or((&raw const NO_ROOM).cast_mut(), NonNull::as_ptr)
    })
}

/// Takes over the error that a callback may have put into its `out_error`.
///
/// # Safety
///
/// `error` is NULL or an error that nobody else frees.
pub(super) unsafe fn take_error(error: *mut cupel_error) -> Option<Box<dyn std::error::Error + Send + Sync>> {
    if error.is_null() {
        None
    } else if std::ptr::eq(error, &raw const NO_ROOM) {
        // It has no size, so that boxing it allocates nothing.
        Some(Box::new(OutOfMemory))
    } else {
        // SAFETY: the caller's promise, and every error but the static one is a box.
        Some(unsafe { Box::from_raw(error) })
    }
}

/// Makes an error, for a callback to put into its `out_error`.
///
/// @param status Its status: any number but CUPEL_STATUS_OK, which counts as CUPEL_STATUS_CALLBACK_FAILED.
/// @param message What went wrong. Bytes that are not UTF-8 become U+FFFD, NUL bytes become `?`.
/// @param message_len The length of the message in bytes.
/// @return             The error, never NULL; without memory for it an error with the status OUT_OF_MEMORY. It belongs to the
///                     caller, who hands it over through `out_error` or frees it with cupel_error_free().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_error_new(
    status: cupel_status,
    message: *const c_char,
    message_len: usize,
) -> *mut cupel_error {
    make_for_host(status, message, message_len, None)
}

/// Makes an error that carries an object of the host, for a callback to put into its `out_error`: the error of the scoring
/// call then has the object, so that a host can pass an exception through the library. Otherwise like cupel_error_new().
///
/// @param status As for cupel_error_new().
/// @param message As for cupel_error_new().
/// @param message_len The length of the message in bytes.
/// @param payload_type Which type of object it is: a number of the host's choice. Only who names the same number is
///     given the object by cupel_error_payload().
/// @param payload The object; the error takes it over.
/// @param destroy Called once with payload when the last error that has it is freed, or at once when there is no memory
///     for the error; may be NULL. It is called on any thread and must not unwind.
/// @return              As for cupel_error_new().
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

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null(place) => write!(f, "{place} is NULL"),
            Self::TooLong { argument, len } => write!(f, "the length of {argument} is {len}: no array can be so long"),
            Self::NoMemoryFor { argument, value } => write!(f, "out of memory: {argument} is {value}"),
            Self::Busy => f.write_str("batch is being scored: it cannot be changed until that call returns"),
            Self::Selecting => {
                f.write_str("selection is being selected into: it cannot be used until that call returns")
            }
            Self::Panic(message) => write!(f, "the library panicked, which is a defect of it: {message}"),
            Self::Invalid { argument, value, rule } | Self::OutOfRange { argument, value, rule } => {
                write!(f, "{argument} is {value}: {rule}")
            }
            Self::TooShort { argument, len, needed } => write!(f, "{argument} is {len}: it must be {needed} or more"),
            Self::NoSuchIndex { index, len } => write!(f, "index is {index}: there are {len}, counted from 0"),
            Self::InvalidUtf8 { argument, offset } => write!(f, "{argument} is not valid UTF-8 at byte {offset}"),
            Self::Misaligned { argument, alignment } => {
                write!(f, "{argument} is not aligned: its address must be a multiple of {alignment}")
            }
            Self::Arrow(error) => error.fmt(f),
            Self::Columns(error) => match error.problem {
                Problem::Absent => write!(f, "{} is NULL", FieldPath(error)),
                Problem::Length { .. } | Problem::OutOfRange { .. } => {
                    write!(f, "{} is {}", FieldPath(error), error.problem)
                }
                Problem::Utf8 { .. } | Problem::Empty | Problem::Blank(_) => {
                    write!(f, "{} {}", FieldPath(error), error.problem)
                }
            },
            Self::Core(error) => match error.parameter() {
                Some(parameter) => write!(f, "{} {}", Place::of(parameter), error.complaint()),
                None => error.fmt(f),
            },
            Self::Json(error) => error.fmt(f),
        }
    }
}

/// The status of an error.
///
/// @param error An error; NULL gives CUPEL_STATUS_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_error_status(error: *const cupel_error) -> cupel_status {
    error.as_ref().map_or(CUPEL_STATUS_OK, |error| error.status)
}

/// The message of an error: UTF-8, NUL-terminated, for people to read.
///
/// @param error An error; NULL gives the empty text.
/// @return       Never NULL. It belongs to the error and lives as long as it does.
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
/// @param error An error; NULL gives NULL.
/// @param payload_type The type that cupel_error_with_payload_new() was given.
/// @return              The object, which belongs to the error and lives as long as it does; NULL when the error has none, or one
///                      of another type.
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
