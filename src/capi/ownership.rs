//! Ownership of handles, and conversion of what a host passes.
//!
//! Every opaque C type is a Rust type that implements [`Handle`], and every pointer to it that a host holds was made by
//! [`Handle::hand_over`]. [`Host`] borrows it and [`Handle::free`] drops it. An item is the exception: it is
//! reference-counted already, and `cupel_item` has its own versions of these functions.

use std::ffi::c_char;
use std::ptr::NonNull;

use bytemuck::Pod;

use crate::capi::error::{Argument, Refusal};
use crate::capi::sized_struct::SizedStruct;
use crate::capi::status::{CUPEL_STATUS_INVALID_ARGUMENT, CUPEL_STATUS_INVALID_UTF8, CUPEL_STATUS_OUT_OF_RANGE};
use crate::memory::{OutOfMemory, try_box, try_reserve};
use crate::text::ShortText;

/// A type that a host holds by pointer and frees with the `_free` function of the type.
pub trait Handle: Sized {
    /// The handle's name in messages: `batch`.
    const NAME: &'static str;

    /// Moves the value to the heap and gives it to the host.
    fn hand_over(self) -> Result<NonNull<Self>, OutOfMemory> {
        Ok(NonNull::from(Box::leak(try_box(self)?)))
    }

    /// Drops a handle. NULL does nothing.
    ///
    /// # Safety
    ///
    /// `handle` is NULL or came from [`hand_over`](Self::hand_over), was not freed, and is not used any more.
    unsafe fn free(handle: *mut Self) {
        if !handle.is_null() {
            // SAFETY: `hand_over` leaked a box, and the caller frees it once.
            drop(unsafe { Box::from_raw(handle) });
        }
    }
}

/// Converts what a host passed to an exported function: pointers to references, addresses with lengths to slices and
/// texts.
///
/// A value of this type stands for the caller's promise that the arguments are as the header demands, so that the
/// conversions are safe to call. It is made where that promise is given: in [`call`](super::boundary::call), and where
/// an error of the host is made.
#[derive(Clone, Copy, Debug)]
pub struct Host(());

impl Host {
    /// # Safety
    ///
    /// Everything that is converted with the value is an argument of an exported function whose caller keeps the
    /// header's contract, and no result outlives that function's call.
    pub(super) unsafe fn new() -> Self {
        Self(())
    }

    /// A required handle.
    pub fn handle<'a, T: Handle>(self, handle: *const T) -> Result<&'a T, Refusal> {
        self.optional(handle).ok_or_else(|| Refusal::null(T::NAME))
    }

    /// A handle that may be NULL.
    pub fn optional<'a, T: Handle>(self, handle: *const T) -> Option<&'a T> {
        // SAFETY: the promise that made `self`.
        unsafe { handle.as_ref() }
    }

    /// A required handle, to be changed.
    pub fn handle_mut<'a, T: Handle>(self, handle: *mut T) -> Result<&'a mut T, Refusal> {
        // SAFETY: the promise that made `self`: nobody else uses a handle that is not passed as const.
        unsafe { handle.as_mut() }.ok_or_else(|| Refusal::null(T::NAME))
    }

    /// A required pointer to a result.
    pub fn out<T>(self, pointer: *mut T, name: &'static str) -> Result<Out<T>, Refusal> {
        NonNull::new(pointer).map(Out).ok_or_else(|| Refusal::null(name))
    }

    /// An array.
    #[inline(always)]
    pub fn slice<'a, T>(self, data: *const T, len: usize, argument: impl Into<Argument>) -> Result<&'a [T], Refusal> {
        if !has_elements(data, len, argument)? {
            return Ok(&[]);
        }
        // SAFETY: not null, aligned, no longer than a slice may be, and the promise that made `self`.
        Ok(unsafe { std::slice::from_raw_parts(data, len) })
    }

    /// An array, converted entry by entry.
    pub fn list<'a, T: 'a, U>(
        self,
        data: *const T,
        len: usize,
        name: &'static str,
        convert: impl Fn(usize, &'a T) -> Result<U, Refusal>,
    ) -> Result<Vec<U>, Refusal> {
        let mut list = Vec::new();
        let entries = self.slice(data, len, name)?;
        try_reserve(&mut list, entries.len())?;
        for (index, entry) in entries.iter().enumerate() {
            list.push(convert(index, entry)?);
        }
        Ok(list)
    }

    /// An array to write to, whatever its contents.
    pub fn slice_mut<'a, T: Pod>(self, data: *mut T, len: usize, name: &'static str) -> Result<&'a mut [T], Refusal> {
        if !has_elements(data, len, name)? {
            return Ok(&mut []);
        }
        // A host may pass memory that it never wrote. The compiler must assume that what sees the address initialised
        // it; any bits are a value of these types.
        let data = std::hint::black_box(data);
        // SAFETY: as for `slice`, and nobody else uses the array during the call.
        Ok(unsafe { std::slice::from_raw_parts_mut(data, len) })
    }

    /// A text. NULL with length 0 is the empty text.
    #[inline(always)]
    pub fn text<'a>(
        self,
        data: *const c_char,
        len: usize,
        argument: impl Into<Argument> + Copy,
    ) -> Result<&'a str, Refusal> {
        utf8(self.slice(data.cast::<u8>(), len, argument)?, argument)
    }

    /// A struct that begins with its size.
    pub fn sized_struct<T: SizedStruct>(self, pointer: *const T) -> Result<T, Refusal> {
        // SAFETY: the promise that made `self`.
        unsafe { T::read(pointer) }
    }

    /// Fills a struct that begins with its size.
    pub fn fill<T: SizedStruct>(self, pointer: *mut T, value: T) -> Result<(), Refusal> {
        // SAFETY: the promise that made `self`.
        unsafe { T::fill(pointer, value) }
    }
}

/// Converts an enumerator, which is an index into `values`.
pub fn choice<T: Copy>(name: &'static str, number: i32, values: &[T], rule: &'static str) -> Result<T, Refusal> {
    let chosen = usize::try_from(number).ok().and_then(|index| values.get(index)).copied();
    chosen.ok_or_else(|| Refusal::of(CUPEL_STATUS_OUT_OF_RANGE, name, format_args!("is {number}: {rule}")))
}

/// A pointer to a result: checked first, written last, and only on success.
#[derive(Debug)]
pub struct Out<T>(NonNull<T>);

impl<T> Out<T> {
    /// Writes the result.
    pub fn write(self, value: T) {
        // SAFETY: the promise of the host that it was made with.
        unsafe { self.0.write_unaligned(value) }
    }
}

/// Whether an array has elements. An array that cannot be a slice is refused.
#[inline(always)]
fn has_elements<T>(data: *const T, len: usize, argument: impl Into<Argument>) -> Result<bool, Refusal> {
    let bytes = len.checked_mul(size_of::<T>());
    if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        Err(Refusal::too_long(argument, len))
    } else if len == 0 {
        Ok(false)
    } else if data.is_null() {
        Err(Refusal::null(argument))
    } else if !data.is_aligned() {
        Err(misaligned(argument, align_of::<T>()))
    } else {
        Ok(true)
    }
}

#[cold]
#[inline(never)]
fn misaligned(argument: impl Into<Argument>, alignment: usize) -> Refusal {
    let complaint = "is not aligned: its address must be a multiple of";
    Refusal::of(CUPEL_STATUS_INVALID_ARGUMENT, argument, format_args!("{complaint} {alignment}"))
}

/// Checks that bytes are UTF-8.
#[inline(always)]
fn utf8(bytes: &[u8], argument: impl Into<Argument>) -> Result<&str, Refusal> {
    if ShortText::from_ascii(bytes).is_some() {
        // SAFETY: ASCII is UTF-8.
        return Ok(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    std::str::from_utf8(bytes).map_err(|error| not_utf8(argument, error.valid_up_to()))
}

#[cold]
#[inline(never)]
fn not_utf8(argument: impl Into<Argument>, offset: usize) -> Refusal {
    Refusal::of(CUPEL_STATUS_INVALID_UTF8, argument, format_args!("is not valid UTF-8 at byte {offset}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_texts_of_every_length_is_checked() {
        for len in 0..24 {
            let text = vec![b'a'; len];
            assert_eq!(utf8(&text, "text").unwrap().len(), len);
            for offset in 0..len {
                let mut bad = text.clone();
                bad[offset] = 0xFF;
                match utf8(&bad, "text") {
                    Err(refusal) => assert_eq!(refusal.message(), format!("text is not valid UTF-8 at byte {offset}")),
                    Ok(text) => panic!("{text:?}"),
                }
            }
        }
    }
}
