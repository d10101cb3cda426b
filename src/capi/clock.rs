//! `cupel_clock`: where decay gets the time from.

use libc::c_void;

use crate::capi::boundary::{create, create_with, free};
use crate::capi::error::{Refusal, cupel_error};
use crate::capi::ownership::Handle;
use crate::capi::status::cupel_status;
use crate::capi::user_data::{cupel_destroy_callback, run_callback};
use crate::scorer::Clock;

/// Where decay gets the time from.
///
/// Threads: immutable, any number of threads may use it at once. Lifetime: it belongs to the caller of the function that made
/// it, who frees it once with cupel_clock_free(); the scorers that were made with it keep shares of their own.
#[derive(Debug)]
pub struct cupel_clock(Clock);

impl Handle for cupel_clock {
    const NAME: &'static str = "clock";
}

impl cupel_clock {
    pub(super) fn clock(&self) -> &Clock {
        &self.0
    }
}

/// Tells the present instant.
///
/// @param user_data             What was given with the callback.
/// @param out_unix_nanoseconds  Where to put the instant, in nanoseconds since the Unix epoch; 0 when it is not written.
/// @return CUPEL_STATUS_OK, or any other number to fail the scoring call with CUPEL_STATUS_CALLBACK_FAILED.
///
/// Threads: it is called on the thread that scores, once in a scoring call, and by several threads at once when they do. No
/// C++ exception and no longjmp may leave it: that is undefined, and as built an exception aborts the process.
pub type cupel_now_callback =
    Option<unsafe extern "C" fn(user_data: *mut c_void, out_unix_nanoseconds: *mut i64) -> cupel_status>;

/// Tells the present instant, or says why it cannot.
///
/// @param user_data             What was given with the callback.
/// @param out_unix_nanoseconds  Where to put the instant, in nanoseconds since the Unix epoch; 0 when it is not written.
/// @param out_error             NULL stands there. A callback that fails may put an error there, made by cupel_error_new() or
///                              received from a function of this library. It is the library's then, which frees it; its
///                              message becomes part of the message of the scoring call.
/// @return CUPEL_STATUS_OK, or any other number to fail the scoring call with CUPEL_STATUS_CALLBACK_FAILED.
///
/// Threads: as for cupel_now_callback.
pub type cupel_fallible_now_callback = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        out_unix_nanoseconds: *mut i64,
        out_error: *mut *mut cupel_error,
    ) -> cupel_status,
>;

/// Makes a clock that tells the system's time. All system clocks are one source: scorers made with two of them see the same
/// instant in a scoring call.
///
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_clock_system_new(
    out_clock: *mut *mut cupel_clock,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_clock, "out_clock"), |_| Ok(cupel_clock(Clock::system())))
}

/// Makes a clock that stands still.
///
/// @param unix_nanoseconds  The instant that it tells, in nanoseconds since the Unix epoch.
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_clock_fixed_new(
    unix_nanoseconds: i64,
    out_clock: *mut *mut cupel_clock,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_clock, "out_clock"), |_| Ok(cupel_clock(Clock::fixed(unix_nanoseconds)?)))
}

/// Makes a clock that asks the host.
///
/// @param callback   Tells the present instant.
/// @param user_data  Passed to the callbacks as it is; may be NULL.
/// @param destroy    Called once with user_data when the clock and every scorer made with it are gone; may be NULL. It is not
///                   called when this function fails: user_data is still the caller's then.
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_clock_custom_new(
    callback: cupel_now_callback,
    user_data: *mut c_void,
    destroy: cupel_destroy_callback,
    out_clock: *mut *mut cupel_clock,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create_with(out_error, (out_clock, "out_clock"), (user_data, destroy), |user_data| {
        let callback = callback.ok_or_else(|| Refusal::null("callback"))?;
        Ok(cupel_clock(Clock::custom(move || {
            let mut now = 0;
            run_callback("now", |_| callback(user_data.pointer(), &raw mut now))?;
            Ok(now)
        })?))
    })
}

/// Makes a clock that asks the host, with a callback that can say why it failed. Otherwise like cupel_clock_custom_new().
///
/// @param callback   Tells the present instant.
/// @param user_data  Passed to the callbacks as it is; may be NULL.
/// @param destroy    Called once with user_data when the clock and every scorer made with it are gone; may be NULL. It is not
///                   called when this function fails: user_data is still the caller's then.
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_clock_custom_fallible_new(
    callback: cupel_fallible_now_callback,
    user_data: *mut c_void,
    destroy: cupel_destroy_callback,
    out_clock: *mut *mut cupel_clock,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create_with(out_error, (out_clock, "out_clock"), (user_data, destroy), |user_data| {
        let callback = callback.ok_or_else(|| Refusal::null("callback"))?;
        Ok(cupel_clock(Clock::custom(move || {
            let mut now = 0;
            run_callback("now", |error| callback(user_data.pointer(), &raw mut now, error))?;
            Ok(now)
        })?))
    })
}

/// Frees a clock.
///
/// @param clock  A clock; NULL does nothing. It must not be freed twice.
///
/// The scorers that were made with it go on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_clock_free(clock: *mut cupel_clock) {
    free(clock);
}
