//! The pointer that a host passes with a callback.

use std::sync::atomic::{AtomicBool, Ordering};

use libc::c_void;

use crate::capi::error::{cupel_error, take_error};
use crate::capi::status::{CUPEL_STATUS_OK, cupel_status};
use crate::error::Error;
use crate::memory::{OutOfMemory, Shared};

/// Frees the host's data when the object that it belongs to, and everything made with that object, is gone.
///
/// Threads: it is called once, on any thread. It must not throw a C++ exception or leave by longjmp.
pub type cupel_destroy_callback = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// A pointer of the host, and the callback that frees what it points to.
#[derive(Debug)]
pub struct UserData {
    pointer: *mut c_void,
    destroy: cupel_destroy_callback,
    /// Whether the library owns the data. If a constructor fails, the host still does.
    armed: AtomicBool,
}

// SAFETY: the header states that callbacks and their data are used by several threads at once; the library only passes
// the pointer on.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    /// Data that the host owns until [`arm`](Self::arm) is called.
    pub fn new(pointer: *mut c_void, destroy: cupel_destroy_callback) -> Result<Shared<Self>, OutOfMemory> {
        Shared::try_new(Self { pointer, destroy, armed: AtomicBool::new(false) })
    }

    /// Data that the library owns.
    pub fn owned(pointer: *mut c_void, destroy: cupel_destroy_callback) -> Self {
        Self { pointer, destroy, armed: AtomicBool::new(true) }
    }

    /// The pointer.
    pub fn pointer(&self) -> *mut c_void {
        self.pointer
    }

    /// Makes the library the owner.
    pub fn arm(&self) {
        self.armed.store(true, Ordering::Release);
    }
}

impl Drop for UserData {
    fn drop(&mut self) {
        if let (true, Some(destroy)) = (*self.armed.get_mut(), self.destroy) {
            // SAFETY: the host passed the callback for this use, with this data, and it is called once.
            unsafe { destroy(self.pointer) };
        }
    }
}

/// Calls a callback and converts its status and error to a result of the core. An error that comes with CUPEL_STATUS_OK
/// is freed and ignored.
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
