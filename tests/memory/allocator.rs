//! An allocator that counts, and that fails when it is told to: for the thread that told it, so that tests do not meet.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Which allocations fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// The one with this number, from 0.
    Only(usize),
    /// That one and all that follow.
    From(usize),
    /// The ones that would take more bytes in all than this. A block that grows is copied: both are there for a moment.
    Beyond(usize),
}

thread_local! {
    static FAILING: Cell<Option<Failing>> = const { Cell::new(None) };
    /// Allocations asked for since counting began, granted or not.
    static ASKED: Cell<usize> = const { Cell::new(0) };
    static FAILED: Cell<usize> = const { Cell::new(0) };
    /// `LIVE_BYTES` when counting began.
    static LIVE_BYTES_BEFORE: Cell<isize> = const { Cell::new(0) };
    /// Blocks that this thread has allocated and nobody has freed, less the ones of others that it has freed.
    static LIVE: Cell<isize> = const { Cell::new(0) };
    /// The same in bytes.
    static LIVE_BYTES: Cell<isize> = const { Cell::new(0) };
}

struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Counts one more allocation, and says whether it may be had.
fn grant(size: usize) -> bool {
    let number = ASKED.get();
    ASKED.set(number + 1);
    let fails = match FAILING.get() {
        None => false,
        Some(Failing::Only(failing)) => number == failing,
        Some(Failing::From(failing)) => number >= failing,
        Some(Failing::Beyond(most)) => LIVE_BYTES.get() - LIVE_BYTES_BEFORE.get() + size as isize > most as isize,
    };
    FAILED.set(FAILED.get() + usize::from(fails));
    !fails
}

fn counted(block: *mut u8, size: usize) -> *mut u8 {
    if !block.is_null() {
        LIVE.set(LIVE.get() + 1);
        LIVE_BYTES.set(LIVE_BYTES.get() + size as isize);
    }
    block
}

// SAFETY: the system's allocator does the work; a null pointer is how an allocation fails.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        if grant(layout.size()) {
            counted(unsafe { System.alloc(layout) }, layout.size())
        } else {
            std::ptr::null_mut()
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        if grant(layout.size()) {
            counted(unsafe { System.alloc_zeroed(layout) }, layout.size())
        } else {
            std::ptr::null_mut()
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !grant(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise. The number of blocks stays the same.
        let block = unsafe { System.realloc(block, layout, size) };
        if !block.is_null() {
            LIVE_BYTES.set(LIVE_BYTES.get() + size as isize - layout.size() as isize);
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get() - 1);
        LIVE_BYTES.set(LIVE_BYTES.get() - layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }
}

/// What a piece of code did with memory.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    pub asked: usize,
    pub failed: usize,
}

/// Runs `call` while allocations fail.
pub fn failing<T>(failing: Option<Failing>, call: impl FnOnce() -> T) -> (T, Use) {
    ASKED.set(0);
    FAILED.set(0);
    LIVE_BYTES_BEFORE.set(LIVE_BYTES.get());
    FAILING.set(failing);
    let result = call();
    FAILING.set(None);
    (result, Use { asked: ASKED.get(), failed: FAILED.get() })
}

/// Runs `call`, after which there must be as many blocks as before. What it returns must not own any.
pub fn without_leak<T>(what: &str, call: impl FnOnce() -> T) -> T {
    let before = LIVE.get();
    let result = call();
    assert_eq!(LIVE.get() - before, 0, "{what}: blocks leaked");
    result
}

/// Bytes that this thread has allocated and nobody has freed, less those of others that it has freed.
pub fn live_bytes() -> isize {
    LIVE_BYTES.get()
}
