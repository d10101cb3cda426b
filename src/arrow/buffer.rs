//! Buffers: lent by the producer where they have the form that is needed, else translated.

use std::ops::Deref;

use bytemuck::Pod;

use crate::memory::{OutOfMemory, try_reserve};

/// Values that are lent or owned.
#[derive(Debug)]
pub(super) enum Buffer<'a, T> {
    Lent(&'a [T]),
    Own(Vec<T>),
}

impl<T> Deref for Buffer<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Lent(values) => values,
            Self::Own(values) => values,
        }
    }
}

impl<'a, T: Pod> Buffer<'a, T> {
    /// `len` values from an index on; a copy of them where they are not aligned.
    ///
    /// # Safety
    ///
    /// `start` is not NULL, or `len` is 0; the values from `first` on are good for reads for as long as the buffer lives.
    pub unsafe fn read(start: *const T, first: usize, len: usize) -> Result<Self, OutOfMemory> {
        if len == 0 {
            return Ok(Self::Lent(&[]));
        }
        let start = start.wrapping_add(first);
        if start.is_aligned() {
            // SAFETY: the caller's promise.
            return Ok(Self::Lent(unsafe { std::slice::from_raw_parts(start, len) }));
        }
        let mut values = Vec::new();
        try_reserve(&mut values, len)?;
        // SAFETY: the caller's promise, and a read that needs no alignment.
        values.extend((0..len).map(|index| unsafe { start.wrapping_add(index).read_unaligned() }));
        Ok(Self::Own(values))
    }
}

/// Collects what `values` gives, in memory for `len` values.
pub(super) fn try_collect<T, E: From<OutOfMemory>>(
    len: usize,
    values: impl Iterator<Item = Result<T, E>>,
) -> Result<Vec<T>, E> {
    let mut list = Vec::new();
    try_reserve(&mut list, len)?;
    for value in values {
        list.push(value?);
    }
    Ok(list)
}
