//! The versions of the library and of its ABI.

use std::ffi::c_char;

/// The version of the ABI that this header describes. It changes only when a program that was built with an older
/// header might not work with a newer library.
pub const CUPEL_ABI_VERSION: u32 = 1;

/// The major version of this header.
pub const CUPEL_VERSION_MAJOR: u32 = 0;
/// The minor version of this header.
pub const CUPEL_VERSION_MINOR: u32 = 1;
/// The patch version of this header.
pub const CUPEL_VERSION_PATCH: u32 = 0;

/// The version of the library at run time, such as `"0.1.0"`.
///
/// @return  A NUL-terminated text that is never freed. Never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn cupel_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// The ABI version of the library at run time. A program may compare it with CUPEL_ABI_VERSION of the header it was
/// built with.
#[unsafe(no_mangle)]
pub extern "C" fn cupel_abi_version() -> u32 {
    CUPEL_ABI_VERSION
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_package() {
        let numbers = format!("{CUPEL_VERSION_MAJOR}.{CUPEL_VERSION_MINOR}.{CUPEL_VERSION_PATCH}");
        assert_eq!(numbers, env!("CARGO_PKG_VERSION"));
    }
}
