//! Allocation that reports failure instead of aborting.
//!
//! The host may survive running out of memory, so the library must not abort. The standard collections abort when they cannot
//! grow; everything whose size an input can influence uses their `try_` forms, through this module. The standard library has no
//! stable fallible constructor for `Box` and `Arc`: [`try_box`] and [`Shared`] replace them. Outside `capi` and `kernel`, `unsafe`
//! is confined to this module.

use std::alloc::{Layout, alloc};
use std::fmt;
use std::ops::{Deref, Range};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use hashbrown::HashTable;

/// Memory that was asked for could not be had.
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

/// Moves `value` to the heap, or drops it and reports that there is no room.
pub fn try_box<T>(value: T) -> Result<Box<T>, OutOfMemory> {
    try_box_with(|| value)
}

/// Makes a value on the heap, if there is room.
#[inline(always)]
pub fn try_box_with<T>(make: impl FnOnce() -> T) -> Result<Box<T>, OutOfMemory> {
    let layout = Layout::new::<T>();
    if layout.size() == 0 {
        return Ok(Box::new(make()));
    }
    // SAFETY: the size is not zero.
    let room = NonNull::new(unsafe { alloc(layout) }.cast::<T>()).ok_or(OutOfMemory)?;
    // SAFETY: the room is for one `T`, was allocated as a box's is, and nobody else knows of it.
    unsafe {
        room.write(make());
        Ok(Box::from_raw(room.as_ptr()))
    }
}

/// Makes room for `more` values, growing geometrically.
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
    Ok(values.try_reserve(more)?)
}

/// Appends all of `more`, or leaves `values` as it was.
#[inline]
pub fn try_extend<T: Copy>(values: &mut Vec<T>, more: &[T]) -> Result<(), OutOfMemory> {
    try_reserve(values, more.len())?;
    values.extend_from_slice(more);
    Ok(())
}

/// Collects values in memory of just their number.
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

/// Capacity up to which nothing is trimmed: what the first values of a small batch reserve.
const TRIM_ABOVE: usize = 32;
/// The same for strings.
const TRIM_BYTES_ABOVE: usize = 64;

/// Gives back capacity that a failed call has left: more than twice the length, and more than `keep`, which was asked for before.
pub fn trim<T: Copy>(values: &mut Vec<T>, keep: usize) {
    if values.capacity() > (2 * values.len()).max(keep).max(TRIM_ABOVE) {
        shrink_to(values, keep);
    }
}

/// [`trim`] for a string.
pub fn trim_string(text: &mut String) {
    if text.capacity() > (2 * text.len()).max(TRIM_BYTES_ABOVE) {
        shrink_string_to(text, 0);
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

/// Gives back the capacity of `values` that is not in use.
pub fn shrink<T: Copy>(values: &mut Vec<T>) {
    shrink_to(values, 0);
}

/// [`shrink`] for a string.
pub fn shrink_string(text: &mut String) {
    shrink_string_to(text, 0);
}

fn shrink_string_to(text: &mut String, capacity: usize) {
    let capacity = capacity.max(text.len());
    let mut exact = String::new();
    if capacity < text.capacity() && exact.try_reserve_exact(capacity).is_ok() {
        exact.push_str(text);
        *text = exact;
    }
}

/// Keeps the values in `ranges`, which ascend and do not overlap, in order; the part of a range past the end is not there.
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
    // SAFETY: whole characters of a string, one after another.
    *text = unsafe { String::from_utf8_unchecked(bytes) };
}

/// Gives back the capacity of a hash table that is not in use. Without memory for the new allocation it keeps the old one;
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

/// Makes room for `more` bytes, growing geometrically.
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

/// A copy of `text`, in memory of just its length. Asked of the allocator here: by way of a string that grows it takes twice as many
/// instructions, and every new builder has a copy of its content.
pub fn try_string(text: &str) -> Result<String, OutOfMemory> {
    if text.is_empty() {
        return Ok(String::new());
    }
    // SAFETY: the size is not zero.
    let room = NonNull::new(unsafe { alloc(Layout::for_value(text)) }).ok_or(OutOfMemory)?;
    // SAFETY: the room is for as many bytes, was allocated as a string's is, and nobody else knows of it; the bytes are a text's.
    unsafe {
        room.copy_from_nonoverlapping(NonNull::from(text).cast(), text.len());
        Ok(String::from_raw_parts(room.as_ptr(), text.len(), text.len()))
    }
}

/// Text that grows through `try_reserve`, as the target of `write!`.
#[derive(Default)]
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

/// A share of an immutable value: an [`Arc`](std::sync::Arc) without weak references, whose constructor can
/// fail.
pub struct Shared<T> {
    inner: NonNull<Inner<T>>,
}

struct Inner<T> {
    shares: AtomicUsize,
    value: T,
}

// SAFETY: a `Shared<T>` gives out `&T` from any thread that has a share, and the last share to go, on whatever
// thread, drops the `T`; so both bounds are needed for either trait, as they are for `Arc`.
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

/// More shares than this are taken for a leak that never ends, as in the standard library's `Arc`.
const MOST_SHARES: usize = isize::MAX as usize;

impl<T> Shared<T> {
    /// Moves `value` to the heap, with one share.
    pub fn try_new(value: T) -> Result<Self, OutOfMemory> {
        Self::try_new_with(|| value)
    }

    /// Makes a value on the heap, with one share.
    #[inline(always)]
    pub fn try_new_with(make: impl FnOnce() -> T) -> Result<Self, OutOfMemory> {
        let inner = try_box_with(|| Inner { shares: AtomicUsize::new(1), value: make() })?;
        Ok(Self { inner: NonNull::from(Box::leak(inner)) })
    }

    fn inner(&self) -> &Inner<T> {
        // SAFETY: the allocation lives as long as any share does, and `self` is one.
        unsafe { self.inner.as_ref() }
    }

    /// The address of the value: the same for all its shares.
    pub fn as_ptr(&self) -> *const T {
        &raw const self.inner().value
    }

    /// Gives the share up for an address, which [`from_raw`](Self::from_raw) takes back.
    pub fn into_raw(self) -> NonNull<()> {
        let inner = self.inner.cast();
        std::mem::forget(self);
        inner
    }

    /// Takes back a share.
    ///
    /// # Safety
    ///
    /// `raw` came from [`into_raw`](Self::into_raw) of the same type; of all shares that are made of one of its results, no more
    /// than one is dropped, and none is used after that.
    pub unsafe fn from_raw(raw: NonNull<()>) -> Self {
        Self { inner: raw.cast() }
    }

    fn is_only(&self) -> bool {
        self.inner().shares.load(Ordering::Acquire) == 1
    }

    /// The value, when this is its only share; else that of a new one, which takes this share's place.
    ///
    /// # Panics
    ///
    /// When somebody else has a share of the new one.
    #[inline(always)]
    pub fn get_mut_or(&mut self, make: impl FnOnce(&T) -> Result<Self, OutOfMemory>) -> Result<&mut T, OutOfMemory> {
        if !self.is_only() {
            self.renew(make)?;
        }
        // SAFETY: as in `get_mut`: the only share, or a new one.
        Ok(unsafe { &mut self.inner.as_mut().value })
    }

    #[cold]
    #[inline(never)]
    fn renew(&mut self, make: impl FnOnce(&T) -> Result<Self, OutOfMemory>) -> Result<(), OutOfMemory> {
        let new = make(self)?;
        assert!(new.is_only(), "somebody has a share of the new value");
        *self = new;
        Ok(())
    }

    /// The value, when this is its only share.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        if !self.is_only() {
            return None;
        }
        // SAFETY: the only share is `self`, which is borrowed for as long as the result; new shares are made
        // from an existing one only. The acquire load orders this after what other shares did before they went.
        Some(unsafe { &mut self.inner.as_mut().value })
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        // A new share is made from an existing one, so nothing has to be seen by other threads yet.
        let before = self.inner().shares.fetch_add(1, Ordering::Relaxed);
        if before > MOST_SHARES {
            std::process::abort();
        }
        Self { inner: self.inner }
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        if self.inner().shares.fetch_sub(1, Ordering::Release) != 1 {
            return;
        }
        // What the other shares did with the value happens before it is dropped.
        fence(Ordering::Acquire);
        // SAFETY: this was the last share, so nobody else can reach the allocation, which `try_new` made a `Box`.
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
    fn a_string_is_a_copy_of_its_own() {
        for text in ["", "a", "text é", &"long ".repeat(1_000)] {
            let mut copy = try_string(text).unwrap();
            assert_eq!((copy.as_str(), copy.capacity()), (text, text.len()));
            copy.push('!');
            assert_eq!(copy.strip_suffix('!'), Some(text));
        }
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
    fn a_share_goes_through_an_address_and_back() {
        let first = Shared::try_new(String::from("text")).unwrap();
        let raw = first.clone().into_raw();
        drop(first);
        // SAFETY: the address was a share's, and is taken back once.
        let mut second = unsafe { Shared::<String>::from_raw(raw) };
        assert_eq!(*second, "text");
        assert!(second.get_mut().is_some());
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
