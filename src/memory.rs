//! Allocation that reports failure instead of aborting.
//!
//! The host may survive running out of memory, so the library must not abort. The standard collections abort when they cannot
//! grow. All memory whose size depends on input is therefore allocated through the `try_` functions of this module. The standard
//! library has no stable fallible constructor for `Box` and `Arc`: [`try_box`] and [`Shared`] replace them. Outside `capi` and
//! `kernel`, `unsafe` is confined to this module.

use std::alloc::{Layout, alloc};
use std::fmt;
use std::ops::{Deref, Range};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use hashbrown::HashTable;

/// An allocation failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("out of memory")]
pub struct OutOfMemory;

impl From<std::collections::TryReserveError> for OutOfMemory {
    fn from(_: std::collections::TryReserveError) -> Self {
        Self
    }
}

impl From<hashbrown::TryReserveError> for OutOfMemory {
    fn from(_: hashbrown::TryReserveError) -> Self {
        Self
    }
}

/// Moves `value` to the heap, or drops it on failure.
pub fn try_box<T>(value: T) -> Result<Box<T>, OutOfMemory> {
    try_box_with(|| value)
}

/// Makes a value on the heap. `make` is not called on failure.
#[inline(always)]
pub fn try_box_with<T>(make: impl FnOnce() -> T) -> Result<Box<T>, OutOfMemory> {
    let layout = Layout::new::<T>();
    if layout.size() == 0 {
        return Ok(Box::new(make()));
    }
    // SAFETY: the size is not zero.
    let block = NonNull::new(unsafe { alloc(layout) }.cast::<T>()).ok_or(OutOfMemory)?;
    // SAFETY: the block has the layout of a `T`, comes from the global allocator, and has no other pointer to it.
    unsafe {
        block.write(make());
        Ok(Box::from_raw(block.as_ptr()))
    }
}

/// Reserves capacity for `more` values, growing geometrically.
#[inline(always)]
pub fn try_reserve<T>(values: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    if values.capacity() - values.len() < more {
        grow(values, more)?;
    }
    Ok(())
}

/// Appends `value`, growing geometrically, or leaves `values` as it was.
#[inline(always)]
pub fn try_push<T>(values: &mut Vec<T>, value: T) -> Result<(), OutOfMemory> {
    try_reserve(values, 1)?;
    values.push(value);
    Ok(())
}

#[cold]
#[inline(never)]
fn grow<T>(values: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    if values.capacity() == 0 && size_of::<T>() > 0 {
        *values = allocate(more)?;
        return Ok(());
    }
    Ok(values.try_reserve(more)?)
}

/// An empty vector with room for `capacity` values, and at least for a few. Asked of the allocator here: a vector that grows takes
/// twice as many instructions, and most columns of a small batch are allocated once.
fn allocate<T>(capacity: usize) -> Result<Vec<T>, OutOfMemory> {
    let capacity = capacity.max(if size_of::<T>() == 1 { 8 } else { 4 });
    let layout = Layout::array::<T>(capacity).map_err(|_| OutOfMemory)?;
    // SAFETY: neither a value's size nor the capacity is zero.
    let room = NonNull::new(unsafe { alloc(layout) }.cast::<T>()).ok_or(OutOfMemory)?;
    // SAFETY: the room is for as many values, was allocated as a vector's is, and nobody else knows of it.
    Ok(unsafe { Vec::from_raw_parts(room.as_ptr(), 0, capacity) })
}

/// Appends all of `more`, or leaves `values` as it was.
#[inline]
pub fn try_extend<T: Copy>(values: &mut Vec<T>, more: &[T]) -> Result<(), OutOfMemory> {
    try_reserve(values, more.len())?;
    values.extend_from_slice(more);
    Ok(())
}

/// Collects values in a vector without spare capacity.
pub fn try_collect<T>(values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, OutOfMemory> {
    let mut collected = Vec::new();
    collected.try_reserve_exact(values.len())?;
    collected.extend(values);
    Ok(collected)
}

/// Lengthens `values` to `len` with `value`; a vector that is longer already stays as it is.
pub fn try_pad<T: Copy>(values: &mut Vec<T>, len: usize, value: T) -> Result<(), OutOfMemory> {
    if let Some(missing) = len.checked_sub(values.len()) {
        try_reserve(values, missing)?;
        values.resize(len, value);
    }
    Ok(())
}

/// A vector or table with no more capacity than this is not trimmed: a small batch reserves it at first.
const TRIM_ABOVE: usize = 32;
/// The same for strings.
const TRIM_BYTES_ABOVE: usize = 64;

/// Frees capacity that a failed call has left, if it is more than twice the length and more than `keep`, the capacity before.
pub fn trim<T: Copy>(values: &mut Vec<T>, keep: usize) {
    if values.capacity() > (2 * values.len()).max(keep).max(TRIM_ABOVE) {
        shrink_to(values, keep);
    }
}

/// [`trim`] for a string.
pub fn trim_string(text: &mut String) {
    if text.capacity() > (2 * text.len()).max(TRIM_BYTES_ABOVE) {
        shrink_string(text);
    }
}

/// [`trim`] for a hash table, which grows by a factor of four at most.
pub fn trim_table<T: Copy>(table: &mut HashTable<T>, hash: impl Fn(&T) -> u64) {
    if table.capacity() > (4 * table.len()).max(TRIM_ABOVE) {
        shrink_table(table, hash);
    }
}

/// Reallocates `values` to `capacity` or its length, whichever is greater, if that is less than it has. Without memory for the
/// new allocation it keeps the old one; [`Vec::shrink_to`] would abort.
fn shrink_to<T: Copy>(values: &mut Vec<T>, capacity: usize) {
    let capacity = capacity.max(values.len());
    let mut exact = Vec::new();
    if capacity < values.capacity() && exact.try_reserve_exact(capacity).is_ok() {
        exact.extend_from_slice(values);
        *values = exact;
    }
}

/// Frees unused capacity of `values`.
pub fn shrink<T: Copy>(values: &mut Vec<T>) {
    shrink_to(values, 0);
}

/// [`shrink`] for a string.
pub fn shrink_string(text: &mut String) {
    if text.len() < text.capacity()
        && let Ok(exact) = try_string(text)
    {
        *text = exact;
    }
}

/// Keeps the values in `ranges`, which ascend and do not overlap, in order. Ranges may extend past the end.
pub fn retain<T: Copy>(values: &mut Vec<T>, ranges: impl Iterator<Item = Range<usize>>) {
    let mut len = 0;
    for range in ranges {
        let range = range.start.min(values.len())..range.end.min(values.len());
        values.copy_within(range.clone(), len);
        len += range.len();
    }
    values.truncate(len);
}

/// [`retain`] for a string.
///
/// # Panics
///
/// When a range does not begin and end at a character.
pub fn retain_string(text: &mut String, ranges: impl Iterator<Item = Range<usize>> + Clone) {
    let whole = |range: Range<usize>| text.is_char_boundary(range.start) && text.is_char_boundary(range.end);
    assert!(ranges.clone().all(whole), "a range splits a character");
    let mut bytes = std::mem::take(text).into_bytes();
    retain(&mut bytes, ranges);
    // SAFETY: a concatenation of whole characters of a string is UTF-8.
    *text = unsafe { String::from_utf8_unchecked(bytes) };
}

/// Frees unused capacity of a hash table. Without memory for the new allocation it keeps the old one;
/// `HashTable::shrink_to_fit` would abort.
pub fn shrink_table<T: Copy>(table: &mut HashTable<T>, hash: impl Fn(&T) -> u64) {
    let mut exact = HashTable::new();
    if exact.try_reserve(table.len(), &hash).is_ok() && exact.capacity() < table.capacity() {
        for &entry in table.iter() {
            exact.insert_unique(hash(&entry), entry, &hash);
        }
        *table = exact;
    }
}

/// Reserves capacity for `more` bytes, growing geometrically.
#[inline(always)]
pub fn try_reserve_str(text: &mut String, more: usize) -> Result<(), OutOfMemory> {
    if text.capacity() - text.len() < more {
        grow_str(text, more)?;
    }
    Ok(())
}

#[cold]
#[inline(never)]
fn grow_str(text: &mut String, more: usize) -> Result<(), OutOfMemory> {
    Ok(text.try_reserve(more)?)
}

/// Appends all of `more`, or leaves `text` as it was.
#[inline]
pub fn try_push_str(text: &mut String, more: &str) -> Result<(), OutOfMemory> {
    try_reserve_str(text, more.len())?;
    text.push_str(more);
    Ok(())
}

/// A copy of `text` without spare capacity.
pub fn try_string(text: &str) -> Result<String, OutOfMemory> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len())?;
    copy.push_str(text);
    Ok(copy)
}

/// A target of `write!` that reports a failed allocation as an error.
#[derive(Debug, Default)]
pub struct TryWriter(pub String);

impl fmt::Write for TryWriter {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        try_push_str(&mut self.0, more).map_err(|OutOfMemory| fmt::Error)
    }
}

/// `value` as its `Display` text.
pub fn try_display(value: &dyn fmt::Display) -> Result<String, OutOfMemory> {
    use fmt::Write as _;
    let mut writer = TryWriter::default();
    write!(writer, "{value}").map_err(|fmt::Error| OutOfMemory)?;
    Ok(writer.0)
}

/// A reference-counted value: an [`Arc`](std::sync::Arc) with a fallible constructor and without weak references.
pub struct Shared<T> {
    inner: NonNull<Inner<T>>,
}

struct Inner<T> {
    count: AtomicUsize,
    value: T,
}

// SAFETY: as for `Arc`: every thread with a clone has a `&T`, and the thread that drops the last clone drops the `T`.
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

/// Above this count cloning aborts, so that leaked clones cannot overflow the counter; as in the standard library's `Arc`.
const MAX_COUNT: usize = isize::MAX as usize;

impl<T> Shared<T> {
    /// Moves `value` to the heap.
    pub fn try_new(value: T) -> Result<Self, OutOfMemory> {
        Self::try_new_with(|| value)
    }

    /// Makes a value on the heap. `make` is not called on failure.
    #[inline(always)]
    pub fn try_new_with(make: impl FnOnce() -> T) -> Result<Self, OutOfMemory> {
        let inner = try_box_with(|| Inner { count: AtomicUsize::new(1), value: make() })?;
        Ok(Self { inner: NonNull::from(Box::leak(inner)) })
    }

    fn inner(&self) -> &Inner<T> {
        // SAFETY: the allocation lives until the last clone is dropped.
        unsafe { self.inner.as_ref() }
    }

    /// The address of the value: the same for all clones.
    pub fn as_ptr(&self) -> *const T {
        &raw const self.inner().value
    }

    /// Converts to an address, for [`from_raw`](Self::from_raw). The count does not change.
    pub fn into_raw(self) -> NonNull<()> {
        let inner = self.inner.cast();
        std::mem::forget(self);
        inner
    }

    /// Converts back from an address.
    ///
    /// # Safety
    ///
    /// `raw` came from [`into_raw`](Self::into_raw) of the same type. Of all values made from one such address, at most one is
    /// dropped, and none is used after that.
    pub unsafe fn from_raw(raw: NonNull<()>) -> Self {
        Self { inner: raw.cast() }
    }

    /// The value, if there is no other clone.
    #[inline(always)]
    pub fn get_mut(&mut self) -> Option<&mut T> {
        if self.inner().count.load(Ordering::Acquire) != 1 {
            return None;
        }
        // SAFETY: `self` is the only clone, it is borrowed for as long as the result, and new clones are made from existing
        // ones only. The acquire load orders this after what the threads of dropped clones did.
        Some(unsafe { &mut self.inner.as_mut().value })
    }

    /// The value, if there is no other clone; else that of a new one, which replaces `self`.
    ///
    /// # Panics
    ///
    /// When the new one has a clone.
    #[inline(always)]
    pub fn get_mut_or(&mut self, make: impl FnOnce(&T) -> Result<Self, OutOfMemory>) -> Result<&mut T, OutOfMemory> {
        if self.get_mut().is_none() {
            self.replace(make)?;
        }
        Ok(self.get_mut().expect("the value has no clone"))
    }

    #[cold]
    #[inline(never)]
    fn replace(&mut self, make: impl FnOnce(&T) -> Result<Self, OutOfMemory>) -> Result<(), OutOfMemory> {
        *self = make(self)?;
        Ok(())
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        // `self` keeps the value alive, so relaxed ordering suffices.
        let before = self.inner().count.fetch_add(1, Ordering::Relaxed);
        if before > MAX_COUNT {
            std::process::abort();
        }
        Self { inner: self.inner }
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        if self.inner().count.fetch_sub(1, Ordering::Release) != 1 {
            return;
        }
        // Orders the drop after all uses by other clones.
        fence(Ordering::Acquire);
        // SAFETY: this was the last clone. The allocation was made as a `Box`.
        drop(unsafe { Box::from_raw(self.inner.as_ptr()) });
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner().value
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_holds_what_was_put_in() {
        assert_eq!(*try_box(7_u64).unwrap(), 7);
        assert_eq!(*try_box(()).unwrap(), ());
        assert_eq!(*try_box(String::from("text")).unwrap(), "text");
    }

    #[test]
    fn ranges_are_kept_in_order() {
        for (ranges, kept) in [
            (&[][..], &[][..]),
            (&[0..5, 5..5], &[0, 1, 2, 3, 4]),
            (&[0..1, 1..2, 4..5], &[0, 1, 4]),
            (&[2..2, 3..9], &[3, 4]),
            (&[2..2, 7..8], &[]),
        ] {
            let mut values = vec![0, 1, 2, 3, 4];
            retain(&mut values, ranges.iter().cloned());
            assert_eq!(values, kept, "{ranges:?}");
        }
        let mut text = String::from("aé€b");
        retain_string(&mut text, [0..1, 3..7].into_iter());
        assert_eq!(text, "a€b");
    }

    #[test]
    #[should_panic(expected = "a range splits a character")]
    fn a_range_that_splits_a_character_panics() {
        retain_string(&mut String::from("é"), std::iter::once(0..1));
    }

    #[test]
    fn the_last_share_drops_the_value_once() {
        struct Counted<'a>(&'a AtomicUsize);
        impl Drop for Counted<'_> {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let drops = AtomicUsize::new(0);
        let mut first = Shared::try_new(Counted(&drops)).unwrap();
        assert!(first.get_mut().is_some());
        let second = first.clone();
        assert_eq!(first.as_ptr(), second.as_ptr());
        assert!(first.get_mut().is_none());
        drop(first);
        assert_eq!(drops.load(Ordering::Relaxed), 0);
        drop(second);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_change_leaves_other_shares_as_they_are() {
        let mut first = Shared::try_new(vec![1]).unwrap();
        let address = first.as_ptr();
        first.get_mut_or(|_| panic!("it is the only share")).unwrap().push(2);
        assert_eq!(first.as_ptr(), address);
        let second = first.clone();
        assert_eq!(first.get_mut_or(|_| Err(OutOfMemory)), Err(OutOfMemory));
        assert_eq!(first.as_ptr(), address);
        first.get_mut_or(|shared| Shared::try_new(shared.clone())).unwrap().push(3);
        assert_eq!((&**second, &**first), (&[1, 2][..], &[1, 2, 3][..]));
        drop(second);
        first.get_mut_or(|_| panic!("it is the only share again")).unwrap();
    }

    #[test]
    fn shares_are_counted_across_threads() {
        let shared = Shared::try_new(vec![1, 2, 3]).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let share = shared.clone();
                scope.spawn(move || {
                    for _ in 0..1000 {
                        assert_eq!(share.clone().len(), 3);
                    }
                });
            }
        });
        let mut shared = shared;
        assert!(shared.get_mut().is_some());
    }

    #[test]
    fn shrinking_keeps_what_is_there() {
        let mut values = Vec::with_capacity(100);
        values.extend([1, 2, 3]);
        shrink(&mut values);
        assert_eq!((values.as_slice(), values.capacity()), (&[1, 2, 3][..], 3));
        let mut text = String::with_capacity(100);
        text.push_str("text");
        shrink_string(&mut text);
        assert_eq!((text.as_str(), text.capacity()), ("text", 4));
    }

    #[test]
    fn an_impossible_size_is_reported() {
        let mut bytes: Vec<u8> = Vec::new();
        assert_eq!(try_pad(&mut bytes, usize::MAX, 0), Err(OutOfMemory));
        assert!(bytes.is_empty());
    }
}
