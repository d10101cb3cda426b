//! One call, made again and again while one allocation after another fails.

use std::ptr;

use cupel::capi as c;

use crate::allocator::{Failing, failing, without_leak};
use crate::capi::Status;

/// A call that may run out of memory.
pub struct Attempt<'a, S, V> {
    pub name: &'a str,
    /// What has to be there before the call.
    pub set_up: &'a dyn Fn() -> S,
    /// The call. It must not allocate for itself.
    pub call: &'a dyn Fn(&mut S, *mut *mut c::cupel_error) -> Status,
    /// What can be seen of it all. It must be the same after a call that fails as before.
    pub look: &'a dyn Fn(&S) -> V,
    /// The least number of allocations that the call makes, as proof that there is something to fail.
    pub least: usize,
}

impl<S, V: PartialEq + std::fmt::Debug> Attempt<'_, S, V> {
    /// Fails every allocation in turn: that one alone, and all from that one on. Gives the number of failures.
    pub fn run(&self) -> usize {
        let name = self.name;
        // The first use may set up what the process keeps; the second one has no such excuse.
        let (expected, allocations) = self.succeed();
        without_leak(name, || drop(self.succeed()));
        assert!(allocations >= self.least, "{name}: {allocations} allocations, expected {}", self.least);
        let mut failures = 0;
        for which in [Failing::Only, Failing::From] {
            let mut number = 0;
            while self.fail(which(number), &expected) {
                number += 1;
            }
            assert!(number >= self.least, "{name}: {number} failures");
            failures += number;
        }
        println!("{failures} failed allocations: {name}");
        failures
    }

    /// Grants no more than `least` bytes in all, then a little more, and so on, with blocks that are copied to grow.
    pub fn run_within(&self, least: usize) -> usize {
        let (expected, _) = self.succeed();
        let mut failures = 0;
        let mut most = least;
        while self.fail(Failing::Beyond(most), &expected) {
            failures += 1;
            most += most / 16;
        }
        println!("{failures} limits on the memory in use: {}", self.name);
        failures
    }

    fn succeed(&self) -> (V, usize) {
        let mut state = (self.set_up)();
        let mut error = ptr::null_mut();
        let (status, usage) = failing(None, || (self.call)(&mut state, &mut error));
        assert_eq!(status, c::CUPEL_STATUS_OK, "{}", self.name);
        ((self.look)(&state), usage.asked)
    }

    /// Whether an allocation did fail.
    fn fail(&self, which: Failing, expected: &V) -> bool {
        let what = format!("{}, {which:?}", self.name);
        without_leak(&what, || {
            let mut state = (self.set_up)();
            let before = (self.look)(&state);
            let mut error: *mut c::cupel_error = ptr::dangling_mut::<u64>().cast();
            let (status, usage) = failing(Some(which), || (self.call)(&mut state, &mut error));
            if status != c::CUPEL_STATUS_OK {
                assert_eq!(status, c::CUPEL_STATUS_OUT_OF_MEMORY, "{what}");
                assert!(usage.failed > 0, "{what}: nothing failed");
                read(error, &what);
                assert_eq!((self.look)(&state), before, "{what}: something has changed");
                // It was the memory, and nothing else.
                let (status, _) = failing(None, || (self.call)(&mut state, &mut error));
                assert_eq!(status, c::CUPEL_STATUS_OK, "{what}: once there is memory again");
            }
            assert!(error.is_null(), "{what}: a success must set *out_error to NULL");
            assert_eq!((self.look)(&state), *expected, "{what}");
            usage.failed > 0
        })
    }
}

/// Reads an error of `OUT_OF_MEMORY`, and frees it.
fn read(error: *mut c::cupel_error, what: &str) {
    assert!(!error.is_null(), "{what}: no error");
    // SAFETY: the call handed the error over.
    unsafe {
        assert_eq!(c::cupel_error_status(error), c::CUPEL_STATUS_OUT_OF_MEMORY, "{what}");
        let message = std::ffi::CStr::from_ptr(c::cupel_error_message(error));
        let message = message.to_str().unwrap();
        assert!(message == "out of memory" || message.starts_with("out of memory: "), "{what}: {message}");
        c::cupel_error_free(error);
    }
}
