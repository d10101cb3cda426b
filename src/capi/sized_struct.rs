//! Structs that begin with their size, so that later versions can add fields at the end.

use crate::capi::error::{Argument, Refusal};
use crate::capi::status::CUPEL_STATUS_INVALID_ARGUMENT;

/// The greatest size that is accepted. A greater one is taken for a field that was not set.
const GREATEST: usize = 4096;

/// A struct of the C API whose first field is `struct_size`.
///
/// # Safety
///
/// The type is `repr(C)`, begins with a `usize`, has no padding, and any bits are a value of it.
pub unsafe trait SizedStruct: Copy {
    /// Its name as an argument.
    const ARGUMENT: &'static str;
    /// What the size must be.
    const RULE: &'static str;
    /// The smallest size that is accepted: that of the required fields of the first version.
    const LEAST: usize = size_of::<usize>();

    /// Reads a struct of the caller. Fields that a smaller struct lacks are zero. Bytes of a larger one after this type
    /// must be zero.
    ///
    /// # Safety
    ///
    /// `pointer` is NULL or valid for reads of `struct_size` bytes.
    unsafe fn read(pointer: *const Self) -> Result<Self, Refusal> {
        // SAFETY: the caller's promise.
        let size = unsafe { size_of_struct(pointer)? };
        let known = size.min(size_of::<Self>());
        // SAFETY: any bits are a value.
        let mut value: Self = unsafe { std::mem::zeroed() };
        // SAFETY: both sides are at least `known` bytes long, and any bits are a value.
        unsafe { std::ptr::copy_nonoverlapping(pointer.cast::<u8>(), (&raw mut value).cast(), known) };
        // SAFETY: the caller's promise: the struct is `size` bytes long.
        let beyond = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>().add(known), size - known) };
        if beyond.iter().any(|&byte| byte != 0) {
            let rule = "it is greater than this library knows, and what lies past that is not zero";
            return Err(refuse_size::<Self>(size, rule));
        }
        Ok(value)
    }

    /// Writes the fields of a struct of the caller after its size: those that a smaller struct has, and zeros after
    /// them in a larger one.
    ///
    /// # Safety
    ///
    /// `pointer` is NULL or valid for reads of a `usize` and for writes of that many bytes.
    unsafe fn fill(pointer: *mut Self, value: Self) -> Result<(), Refusal> {
        // SAFETY: the caller's promise.
        let size = unsafe { size_of_struct(pointer)? };
        let known = size.min(size_of::<Self>());
        let start = size_of::<usize>();
        // SAFETY: the caller's promise, and `known` is at least `start`.
        unsafe {
            let bytes = (&raw const value).cast::<u8>();
            std::ptr::copy_nonoverlapping(bytes.add(start), pointer.cast::<u8>().add(start), known - start);
            pointer.cast::<u8>().add(known).write_bytes(0, size - known);
        }
        Ok(())
    }
}

/// Reads the size of a struct.
///
/// # Safety
///
/// `pointer` is NULL or valid for reads of a `usize`.
unsafe fn size_of_struct<T: SizedStruct>(pointer: *const T) -> Result<usize, Refusal> {
    if pointer.is_null() {
        return Err(Refusal::null(T::ARGUMENT));
    }
    // SAFETY: not null, and the caller's promise.
    let size = unsafe { pointer.cast::<usize>().read_unaligned() };
    let is_size = (T::LEAST..=GREATEST).contains(&size) && size.is_multiple_of(align_of::<usize>());
    if is_size { Ok(size) } else { Err(refuse_size::<T>(size, T::RULE)) }
}

fn refuse_size<T: SizedStruct>(size: usize, rule: &'static str) -> Refusal {
    let argument = Argument::field(T::ARGUMENT, None, "struct_size");
    Refusal::of(CUPEL_STATUS_INVALID_ARGUMENT, argument, format_args!("is {size}: {rule}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Sample {
        struct_size: usize,
        first: u64,
        second: u64,
    }

    // SAFETY: the size comes first, and all fields are integers without padding.
    unsafe impl SizedStruct for Sample {
        const ARGUMENT: &'static str = "sample";
        const RULE: &'static str = "it must be sizeof(sample)";
    }

    fn read(words: &[usize]) -> Result<Sample, String> {
        // SAFETY: the tests pass sizes of up to the words' length, or sizes that are refused.
        unsafe { Sample::read(words.as_ptr().cast()) }.map_err(|refusal| refusal.message())
    }

    #[test]
    fn older_and_newer_structs_are_read() {
        assert_eq!(read(&[24, 1, 2]), Ok(Sample { struct_size: 24, first: 1, second: 2 }));
        assert_eq!(read(&[16, 1, 2]), Ok(Sample { struct_size: 16, first: 1, second: 0 }));
        assert_eq!(read(&[8, 1, 2]), Ok(Sample { struct_size: 8, first: 0, second: 0 }));
        assert_eq!(read(&[32, 1, 2, 0]), Ok(Sample { struct_size: 32, first: 1, second: 2 }));
        assert!(read(&[32, 1, 2, 3]).unwrap_err().starts_with("sample.struct_size is 32: it is greater"));
        for size in [0, 7, 12, 4097, usize::MAX] {
            assert_eq!(read(&[size]), Err(format!("sample.struct_size is {size}: it must be sizeof(sample)")));
        }
    }

    #[test]
    fn older_and_newer_structs_are_filled() {
        let value = Sample { struct_size: 99, first: 1, second: 2 };
        for (size, expected) in [(8, [8, 9, 9, 9]), (16, [16, 1, 9, 9]), (24, [24, 1, 2, 9]), (32, [32, 1, 2, 0])] {
            let mut words: [usize; 4] = [size, 9, 9, 9];
            // SAFETY: the words are as many as the greatest size says.
            assert!(unsafe { Sample::fill(words.as_mut_ptr().cast(), value) }.is_ok());
            assert_eq!(words, expected);
        }
    }
}
