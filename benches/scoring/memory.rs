//! How much memory a batch takes, by counting what the allocator hands out.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::data::Shape;
use crate::library::{Batch, Builders, Columns, Scorer};
use crate::scorers;

/// The system's allocator, counting the bytes that are in use.
pub struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
/// The most that was in use, while `WATCHING`.
static MOST: AtomicUsize = AtomicUsize::new(0);
static WATCHING: AtomicBool = AtomicBool::new(false);

fn add(size: usize) {
    let before = IN_USE.fetch_add(size, Ordering::Relaxed);
    if WATCHING.load(Ordering::Relaxed) {
        MOST.fetch_max(before + size, Ordering::Relaxed);
    }
}

/// The most bytes that were in use during `call`, beyond those before it.
pub fn most_during(call: impl FnOnce()) -> usize {
    let before = in_use();
    MOST.store(before, Ordering::Relaxed);
    WATCHING.store(true, Ordering::Relaxed);
    call();
    WATCHING.store(false, Ordering::Relaxed);
    MOST.load(Ordering::Relaxed) - before
}

// SAFETY: every call is the system allocator's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(size);
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Bytes per row.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    pub rows: usize,
    pub by_item: f64,
    pub by_columns: f64,
    pub scratch: f64,
    pub reference: f64,
}

/// Builds typical batches, scores one with the composite, and counts. The content of every row is 11 bytes long.
pub fn measure(rows: usize) -> Memory {
    let per_row = |bytes: usize| bytes as f64 / rows as f64;
    let data = Shape::Typical.rows(rows);

    let columns = Columns::new(&data);
    let before = in_use();
    let batch = Batch::by_item(&columns, Builders::OneForAll);
    let by_item = per_row(in_use() - before);
    drop(batch);

    let before = in_use();
    let batch = Batch::by_columns(&columns);
    let by_columns = per_row(in_use() - before);

    let scorer = Scorer::new(scorers::Scorer::Composite.json());
    let mut out = vec![0.0; rows];
    let before = in_use();
    scorer.score(&batch, &mut out);
    let scratch = per_row(in_use() - before);
    drop((batch, columns));

    let before = in_use();
    let items = crate::reference::items(&data[..rows / 10]);
    let reference = per_row(in_use() - before) * 10.0;
    drop(items);
    Memory { rows, by_item, by_columns, scratch, reference }
}

fn in_use() -> usize {
    IN_USE.load(Ordering::Relaxed)
}
