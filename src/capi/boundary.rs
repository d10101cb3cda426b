//! Runs the bodies of exported functions.
//!
//! A panic must not leave a Rust function that C called, so every body runs inside `catch_unwind`. The result becomes a
//! status, and the error goes to `out_error`.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use libc::c_void;

use crate::capi::error::{Refusal, cupel_error};
use crate::capi::ownership::{Handle, Host};
use crate::capi::status::{CUPEL_STATUS_OK, CUPEL_STATUS_PANIC, cupel_status};
use crate::capi::user_data::{UserData, cupel_destroy_callback};
use crate::memory::Shared;

/// Runs the body of a function that can fail. [`Host`] converts its arguments.
///
/// # Safety
///
/// `out_error` is NULL or valid for a write. `body` converts only arguments of the exported function that it belongs
/// to, and they are as the header demands.
#[inline(always)]
pub unsafe fn call(out_error: *mut *mut cupel_error, body: impl FnOnce(Host) -> Result<(), Refusal>) -> cupel_status {
    let host = Host::new();
    // Unwind safety: the core changes a batch through an appender that removes incomplete rows when it is dropped.
    // Everything else that crosses the boundary is immutable or replaced as a whole.
    match catch_unwind(AssertUnwindSafe(|| body(host))) {
        Ok(Ok(())) => {
            if !out_error.is_null() {
                out_error.write(std::ptr::null_mut());
            }
            CUPEL_STATUS_OK
        }
        Ok(Err(refusal)) => refusal.report(out_error),
        Err(payload) => panicked(&*payload).report(out_error),
    }
}

/// Runs the body of a function with one result, which is written to `out`.
///
/// # Safety
///
/// As for [`call`].
#[inline(always)]
pub unsafe fn give<T>(
    out_error: *mut *mut cupel_error,
    (out, name): (*mut T, &'static str),
    make: impl FnOnce(Host) -> Result<T, Refusal>,
) -> cupel_status {
    call(out_error, |host| {
        let out = host.out(out, name)?;
        out.write(make(host)?);
        Ok(())
    })
}

/// Runs the body of a constructor: `make` returns the value whose handle is written to `out`.
///
/// # Safety
///
/// As for [`call`].
#[inline(always)]
pub unsafe fn create<T: Handle>(
    out_error: *mut *mut cupel_error,
    (out, name): (*mut *mut T, &'static str),
    make: impl FnOnce(Host) -> Result<T, Refusal>,
) -> cupel_status {
    give(out_error, (out, name), |host| Ok(make(host)?.hand_over()?.as_ptr()))
}

/// Runs the body of a constructor of an object that calls the host back with `user_data`. The library owns the data if
/// the constructor succeeds.
///
/// # Safety
///
/// As for [`call`].
pub unsafe fn create_with<T: Handle>(
    out_error: *mut *mut cupel_error,
    (out, name): (*mut *mut T, &'static str),
    (user_data, destroy): (*mut c_void, cupel_destroy_callback),
    make: impl FnOnce(Shared<UserData>) -> Result<T, Refusal>,
) -> cupel_status {
    call(out_error, |host| {
        let out = host.out(out, name)?;
        let user_data = UserData::new(user_data, destroy)?;
        let handle = make(user_data.clone())?.hand_over()?;
        user_data.arm();
        out.write(handle.as_ptr());
        Ok(())
    })
}

/// Runs the body of a function that cannot fail. If it panics, which is a defect, the result is `fallback`.
pub fn guard_value<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(fallback)
}

/// Runs the body of a `_free` function. NULL does nothing.
///
/// # Safety
///
/// As for [`Handle::free`].
pub unsafe fn free<T: Handle>(handle: *mut T) {
    guard_value((), || T::free(handle));
}

#[cold]
fn panicked(payload: &(dyn Any + Send)) -> Refusal {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    Refusal::new(CUPEL_STATUS_PANIC, format_args!("the library panicked, which is a defect of it: {text}"))
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;
    use std::panic::panic_any;
    use std::ptr;

    use super::{call, guard_value};
    use crate::capi::error::{Refusal, cupel_error, cupel_error_free, cupel_error_message, cupel_error_status};
    use crate::capi::status::CUPEL_STATUS_PANIC;

    /// Runs a body that panics; returns the message of the error.
    fn message_of(body: fn() -> Result<(), Refusal>) -> String {
        let mut error: *mut cupel_error = ptr::null_mut();
        // SAFETY: the error is written to a live pointer, or to none, read once and freed once.
        unsafe {
            assert_eq!(call(ptr::null_mut(), |_| body()), CUPEL_STATUS_PANIC);
            assert_eq!(call(&mut error, |_| body()), CUPEL_STATUS_PANIC);
            assert_eq!(cupel_error_status(error), CUPEL_STATUS_PANIC);
            let message = CStr::from_ptr(cupel_error_message(error)).to_str().expect("messages are UTF-8").to_owned();
            cupel_error_free(error);
            message
        }
    }

    #[test]
    fn a_panic_is_a_status() {
        let words = "the library panicked, which is a defect of it: ";
        assert_eq!(message_of(|| panic!("plain")), format!("{words}plain"));
        assert_eq!(message_of(|| panic!("{}", 7)), format!("{words}7"));
        assert_eq!(message_of(|| panic!("a\0b")), format!("{words}a?b"));
        assert_eq!(message_of(|| panic_any(7)), format!("{words}no message"));
    }

    #[test]
    fn a_function_that_cannot_fail_falls_back() {
        assert_eq!(guard_value(3, || 4), 4);
        assert_eq!(guard_value(3, || panic!("unseen")), 3);
    }
}
