//! Calls that are refused for another reason while there is no memory for the error.

use std::ffi::CStr;
use std::ptr;

use cupel::capi as c;

use crate::allocator::{Failing, failing, without_leak};

/// Makes a call that is refused, with every allocation failing from each one on.
fn refuse(expected: i32, call: impl Fn(*mut *mut c::cupel_error) -> i32) {
    let mut number = 0;
    loop {
        let all_right = without_leak("a refusal", || {
            let mut error = ptr::null_mut();
            let (status, usage) = failing(Some(Failing::From(number)), || call(&mut error));
            assert!(status == expected || usage.failed > 0 && status == c::CUPEL_STATUS_OUT_OF_MEMORY);
            assert!(!error.is_null());
            // SAFETY: the call handed the error over.
            unsafe {
                let message = CStr::from_ptr(c::cupel_error_message(error)).to_str().unwrap();
                assert!(!message.is_empty());
                if usage.failed == 0 {
                    assert_eq!(c::cupel_error_status(error), expected);
                } else {
                    assert_eq!(c::cupel_error_status(error), c::CUPEL_STATUS_OUT_OF_MEMORY);
                    assert!(message.starts_with("out of memory"), "{message}");
                }
                // The error that stands for all that could not be made may be freed as often as it is handed over.
                c::cupel_error_free(error);
            }
            usage.failed == 0
        });
        if all_right {
            break;
        }
        number += 1;
    }
    assert!(number >= 2, "an error takes a message and a handle");
}

#[test]
fn there_is_an_error_even_without_memory_for_it() {
    let mut scorer = ptr::null_mut();
    let mut builder = ptr::null_mut();
    let text = c"\xff";
    let mut score = 0.0;
    let out: *mut *mut c::cupel_scorer = &mut scorer;
    let out_builder: *mut *mut c::cupel_item_builder = &mut builder;
    let out_score: *mut f64 = &mut score;
    // SAFETY, for each: NULL or live, and as long as it is said to be.
    unsafe {
        refuse(c::CUPEL_STATUS_NULL_ARGUMENT, |error| {
            c::cupel_scorer_score_row(ptr::null(), ptr::null(), 0, out_score, error)
        });
        refuse(c::CUPEL_STATUS_INVALID_ARGUMENT, |error| c::cupel_scorer_metadata_trust_new(2.0, out, error));
        refuse(c::CUPEL_STATUS_INVALID_UTF8, |error| {
            c::cupel_item_builder_new(text.as_ptr(), 1, 0, out_builder, error)
        });
        refuse(c::CUPEL_STATUS_EMPTY_CONTENT, |error| {
            c::cupel_item_builder_new(text.as_ptr(), 0, 0, out_builder, error)
        });
    }
    assert!(scorer.is_null() && builder.is_null());
}
