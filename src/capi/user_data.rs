//! What a host gives along with a callback.

use std::sync::atomic::{AtomicBool, Ordering};

use libc::c_void;

use crate::capi::error::{cupel_error, take_error};
use crate::capi::status::{CUPEL_STATUS_OK, cupel_status};
use crate::error::Error;
use crate::memory::{OutOfMemory, Shared};

/// Called once when the last share of what it belongs to is gone, on whatever thread that happens.
///
/// @param user_data  What was given with the callback. The callback must not unwind; see cupel_score_callback.
pub type cupel_destroy_callback = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// The pointer of a host, and how the host wants to hear that nobody needs it any more.
#[derive(Debug)]
pub struct UserData {
    pointer: *mut c_void,
    destroy: cupel_destroy_callback,
    /// Whether the host has handed its data over. A constructor that fails leaves it with the host.
    armed: AtomicBool,
}

// SAFETY: the header says that callbacks and their data are used from any thread, by several at once; the library itself
// only passes the pointer on.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    /// Keeps a pointer; [`arm`](Self::arm) makes it the library's to destroy.
    pub fn new(pointer: *mut c_void, destroy: cupel_destroy_callback) -> Result<Shared<Self>, OutOfMemory> {
        Shared::try_new(Self { pointer, destroy, armed: AtomicBool::new(false) })
    }

    /// Takes a pointer over: it is the library's to destroy.
    pub fn owned(pointer: *mut c_void, destroy: cupel_destroy_callback) -> Self {
        Self { pointer, destroy, armed: AtomicBool::new(true) }
    }

    /// The pointer.
    pub fn pointer(&self) -> *mut c_void {
        self.pointer
    }

    /// Has the host hear of it when the last share goes.
    pub fn arm(&self) {
        self.armed.store(true, Ordering::Release);
    }
}

impl Drop for UserData {
    fn drop(&mut self) {
        if let (true, Some(destroy)) = (*self.armed.get_mut(), self.destroy) {
            // SAFETY: the host gave the callback for this use, with this data, and this is the one call.
            unsafe { destroy(self.pointer) };
        }
    }
}

/// Runs a callback that may explain a failure, and turns what it returns into a result of the core. An error that comes with
/// CUPEL_STATUS_OK is freed and ignored.
///
/// # Safety
///
/// The error that `call` puts into its argument, if any, is one that it owned.
pub unsafe fn run_callback(
    callback: &'static str,
    call: impl FnOnce(*mut *mut cupel_error) -> cupel_status,
) -> Result<(), Error> {
    let mut error = std::ptr::null_mut();
    let status = call(&raw mut error);
    // SAFETY: the caller's promise.
    let source = unsafe { take_error(error) };
    if status == CUPEL_STATUS_OK { Ok(()) } else { Err(Error::CallbackFailed { callback, status, source }) }
}
