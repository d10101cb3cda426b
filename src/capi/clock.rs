//! `cupel_clock`: the source of the present time for decay scorers.

use libc::c_void;

use crate::capi::boundary::{create, create_with, free};
use crate::capi::error::{Refusal, cupel_error};
use crate::capi::ownership::Handle;
use crate::capi::status::cupel_status;
use crate::capi::user_data::{cupel_destroy_callback, run_callback};
use crate::scorer::Clock;

/// The source of the present time for decay scorers. Scorers made with it keep their own references to it.
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

/// Tells the present time.
///
/// @param out_unix_nanoseconds Where to put the time, in nanoseconds since the Unix epoch; 0 if it is not written.
pub type cupel_now_callback =
    Option<unsafe extern "C" fn(user_data: *mut c_void, out_unix_nanoseconds: *mut i64) -> cupel_status>;

/// Tells the present time, or fails with an error. Otherwise like cupel_now_callback.
///
/// @param out_unix_nanoseconds As for cupel_now_callback.
/// @param out_error Points to NULL. A callback that fails may put an error there, made by cupel_error_new() or received
///     from a function of this library. The library takes the error over and frees it. Its message becomes part of the
///     message of the scoring call.
pub type cupel_fallible_now_callback = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        out_unix_nanoseconds: *mut i64,
        out_error: *mut *mut cupel_error,
    ) -> cupel_status,
>;

/// Makes a clock that tells the system's time. All system clocks are the same clock: scorers made with two of them see
/// the same time in a scoring call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_clock_system_new(
    out_clock: *mut *mut cupel_clock,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_clock, "out_clock"), |_| Ok(cupel_clock(Clock::system())))
}

/// Makes a clock that always tells the same time.
///
/// @param unix_nanoseconds The time, in nanoseconds since the Unix epoch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_clock_fixed_new(
    unix_nanoseconds: i64,
    out_clock: *mut *mut cupel_clock,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_clock, "out_clock"), |_| Ok(cupel_clock(Clock::fixed(unix_nanoseconds)?)))
}

/// Makes a clock that calls the host for the time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_clock_custom_new(
    callback: cupel_now_callback,
    user_data: *mut c_void,
    destroy: cupel_destroy_callback,
    out_clock: *mut *mut cupel_clock,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    let callback = callback.map(|callback| move |user_data, out, _| callback(user_data, out));
    new_custom(callback, (user_data, destroy), out_clock, out_error)
}

/// Makes a clock that calls the host for the time, with a callback that can fail with an error. Otherwise like
/// cupel_clock_custom_new().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_clock_custom_fallible_new(
    callback: cupel_fallible_now_callback,
    user_data: *mut c_void,
    destroy: cupel_destroy_callback,
    out_clock: *mut *mut cupel_clock,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    let callback = callback.map(|callback| move |user_data, out, error| callback(user_data, out, error));
    new_custom(callback, (user_data, destroy), out_clock, out_error)
}

unsafe fn new_custom(
    callback: Option<impl Fn(*mut c_void, *mut i64, *mut *mut cupel_error) -> cupel_status + Send + Sync + 'static>,
    user_data: (*mut c_void, cupel_destroy_callback),
    out_clock: *mut *mut cupel_clock,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create_with(out_error, (out_clock, "out_clock"), user_data, |user_data| {
        let callback = callback.ok_or_else(|| Refusal::null("callback"))?;
        Ok(cupel_clock(Clock::custom(move || {
            let mut now = 0;
            run_callback("now", |error| callback(user_data.pointer(), &raw mut now, error))?;
            Ok(now)
        })?))
    })
}

/// Frees a clock. The scorers made with it keep working.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_clock_free(clock: *mut cupel_clock) {
    free(clock);
}
