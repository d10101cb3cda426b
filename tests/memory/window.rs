//! Batches whose rows are removed as new ones come.

use cupel::capi as c;

use crate::allocator::live_bytes;
use crate::attempt::Attempt;
use crate::capi::{Batch, ItemBuilder, Metadata, Scorer};
use crate::fixtures::{batch, view};

/// A row whose texts no other row has.
fn push_unique(batch: &mut Batch, builder: &mut ItemBuilder, row: usize) {
    builder.reset(&format!("content {row}"), row as i64).unwrap();
    builder.set_kind(&format!("kind {row}")).unwrap();
    builder.set_source(&format!("a source that is not short {row}")).unwrap();
    builder.set_timestamp(row as i64).unwrap();
    builder.add_tag(&format!("tag {row}")).unwrap();
    builder.add_tag(&format!("a tag that is not short {row}")).unwrap();
    builder.set_metadata(&format!("key {row}"), &Metadata::Double(row as f64)).unwrap();
    builder.set_metadata("key", &Metadata::String(format!("value {row}"))).unwrap();
    builder.set_metadata("cupel:trust", &Metadata::String(format!("0.{row}"))).unwrap();
    batch.push(&builder.build().unwrap()).unwrap();
}

/// Pushes rows and keeps the last `window`, `step` rows at a time; gives the batch and the most memory that it ever held.
fn slide(window: usize, rows: usize, step: usize) -> (Batch, isize) {
    let mut builder = ItemBuilder::new("content", 0).unwrap();
    let before = live_bytes();
    let mut batch = Batch::new(0).unwrap();
    let mut most = 0;
    for row in 0..rows {
        push_unique(&mut batch, &mut builder, row);
        if row % step == step - 1 {
            batch.keep_last(window).unwrap();
            most = most.max(live_bytes() - before);
        }
    }
    (batch, most)
}

#[test]
fn a_sliding_window_holds_as_much_as_a_few_windows() {
    const WINDOW: usize = 1000;
    let (_, needed) = slide(WINDOW, WINDOW, 1);
    // Unoptimised, as many rows as there is time for. Without compaction the bound is passed after a few thousand.
    const ROWS: usize = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };
    let (batch, most) = slide(WINDOW, ROWS, if cfg!(debug_assertions) { 250 } else { 1 });
    assert!(most <= 4 * needed, "{most} bytes for a window of {needed}");
    assert_eq!(batch.len(), WINDOW);
    let mut fresh = Batch::new(0).unwrap();
    let mut builder = ItemBuilder::new("content", 0).unwrap();
    (ROWS - WINDOW..ROWS).for_each(|row| push_unique(&mut fresh, &mut builder, row));
    assert_eq!(view(&batch), view(&fresh));
}

#[test]
fn rows_of_a_large_batch_give_their_memory_back() {
    let mut builder = ItemBuilder::new("content", 0).unwrap();
    let before = live_bytes();
    let mut batch = Batch::new(0).unwrap();
    (0..10).for_each(|row| push_unique(&mut batch, &mut builder, row));
    let needed = live_bytes() - before;
    for row in 10..20_000 {
        push_unique(&mut batch, &mut builder, row);
    }
    Scorer::frequency().unwrap().score_batch(&batch).unwrap();
    batch.retain_rows(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 19_999]).unwrap();
    let held = live_bytes() - before;
    assert!(held <= 2 * needed, "{held} bytes for ten rows, {needed} in a batch of ten");
    assert_eq!(batch.item(9).unwrap().kind().unwrap(), "kind 19999");
}

/// Removing rows needs no memory: without it the texts that no row has are still there, and rows and scores are the same.
#[test]
fn rows_are_removed_without_memory() {
    let rows: Vec<u32> = (0..200).filter(|row| row % 7 == 1).collect();
    let mut expected = batch(200);
    expected.retain_rows(&rows).unwrap();
    let expected = view(&expected);
    for number in 0..40 {
        for which in [crate::allocator::Failing::Only(number), crate::allocator::Failing::From(number)] {
            let mut batch = batch(200);
            let mask: Vec<u8> = (0..200).map(|row| u8::from(row % 7 == 1)).collect();
            let (status, _) = crate::allocator::failing(Some(which), || {
                // SAFETY: a live handle and an array of as many bytes; no error is wanted.
                unsafe { c::cupel_batch_retain(batch.as_mut_ptr(), mask.as_ptr(), mask.len(), std::ptr::null_mut()) }
            });
            assert_eq!(status, c::CUPEL_STATUS_OK, "allocation {number}");
            assert_eq!(view(&batch), expected, "allocation {number}");
            // With memory again, the next call drops what is left over.
            batch.keep_last(1).unwrap();
            assert_eq!(batch.len(), 1);
        }
    }
}

#[test]
fn rows_are_appended_after_others_were_removed() {
    for kept in [0, 1, 20] {
        Attempt {
            name: &format!("cupel_batch_append_json after {kept} rows were kept"),
            set_up: &|| {
                let mut batch = batch(30);
                batch.keep_last(kept).unwrap();
                batch
            },
            call: &|batch, error| {
                const JSON: &str = r#"{"content": "a", "tokens": 1, "kind": "a new kind that is long", "tags": ["new", "tag 3"],
                    "metadata": {"cupel:trust": "0.5", "a new key that is long": "a new value that is long"}}"#;
                // SAFETY: a live handle and a live text.
                unsafe { c::cupel_batch_append_json(batch.as_mut_ptr(), JSON.as_ptr().cast(), JSON.len(), error) }
            },
            look: &view,
            least: 1,
        }
        .run();
    }
}
