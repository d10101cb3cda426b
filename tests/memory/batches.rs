//! Batches, and what is appended to them.

use std::ptr;

use cupel::capi as c;

use crate::attempt::Attempt;
use crate::capi::Batch;
use crate::fixtures::{batch, full_item, view};

#[test]
fn a_batch_is_made() {
    Attempt {
        name: "cupel_batch_new",
        set_up: &|| None::<Batch>,
        call: &|made, error| {
            let mut batch = ptr::null_mut();
            // SAFETY: out-parameters that are good for writes.
            let status = unsafe { c::cupel_batch_new(100, &mut batch, error) };
            *made = (!batch.is_null()).then(|| Batch::from_raw(batch));
            status
        },
        look: &|made| made.as_ref().map(view),
        least: 1,
    }
    .run();
}

#[test]
fn an_item_is_pushed() {
    for rows in [0, 1, 7, 8, 64] {
        Attempt {
            name: &format!("cupel_batch_push to {rows} rows"),
            set_up: &|| (batch(rows), full_item()),
            // SAFETY: live handles.
            call: &|(batch, item), error| unsafe { c::cupel_batch_push(batch.as_mut_ptr(), item.as_ptr(), error) },
            look: &|(batch, _)| view(batch),
            least: 4,
        }
        .run();
    }
}

fn texts(data: &'static str, offsets: &'static [i64], codes: &'static [u32]) -> c::cupel_text_column {
    c::cupel_text_column {
        data: data.as_ptr().cast(),
        data_len: data.len(),
        offsets: offsets.as_ptr(),
        texts_len: offsets.len() - 1,
        codes: if codes.is_empty() { ptr::null() } else { codes.as_ptr() },
    }
}

fn array<T>(values: &'static [T]) -> *const T {
    values.as_ptr()
}

/// Two rows with everything in it, and how each column may come: with codes and without, with missing values and without.
fn columns() -> c::cupel_columns {
    c::cupel_columns {
        struct_size: size_of::<c::cupel_columns>(),
        rows: 2,
        content: texts("onetwo", &[0, 3, 6], &[]),
        tokens: array(&[1_i64, 2]),
        kind: texts("AKindOfColumnsDocument", &[0, 14, 22], &[1, 0]),
        kind_validity: ptr::null(),
        source: texts("ASourceOfColumnsRag", &[0, 16, 19], &[]),
        source_validity: array(&[1_u8, 0]),
        priority: array(&[5_i64, 6]),
        priority_validity: array(&[0_u8, 1]),
        timestamp: array(&[7_i64, 8]),
        timestamp_validity: ptr::null(),
        future_relevance_hint: array(&[0.5, f64::NAN]),
        future_relevance_hint_validity: ptr::null(),
        pinned: array(&[0_u8, 1]),
        original_tokens: array(&[9_i64, 10]),
        original_tokens_validity: array(&[1_u8, 0]),
        tag_lists: array(&[0_i64, 2, 3]),
        tags_len: 3,
        tags: texts("a tag of columnsA TAG OF COLUMNS", &[0, 16, 32], &[0, 1, 0]),
        metadata_lists: array(&[0_i64, 2, 3]),
        metadata_len: 3,
        metadata_keys: texts("a key of columnscupel:trust", &[0, 16, 27], &[0, 1, 0]),
        metadata_types: array(&[0_u8, 1, 2]),
        metadata_texts: texts("a value of columnsfalse", &[0, 18, 18, 23], &[]),
        metadata_numbers: array(&[0.0, 0.125, 0.0]),
    }
}

/// The same with the same keys in both rows.
fn table() -> c::cupel_columns {
    c::cupel_columns {
        metadata_lists: array(&[0_i64, 2, 4]),
        metadata_len: 4,
        metadata_keys: texts("a key of a tablecupel:trusta key of a tablecupel:trust", &[0, 16, 27, 43, 54], &[]),
        metadata_types: array(&[0_u8, 1, 2, 0]),
        metadata_texts: texts("a value of a table0.5", &[0, 18, 18, 18, 21], &[]),
        metadata_numbers: array(&[0.0, 0.125, 0.0, 0.0]),
        ..columns()
    }
}

#[test]
fn columns_are_appended() {
    for (rows, columns) in [0, 1, 8, 64].into_iter().flat_map(|rows| [(rows, columns()), (rows, table())]) {
        Attempt {
            name: &format!("cupel_batch_append_columns to {rows} rows"),
            set_up: &|| (batch(rows), columns),
            // SAFETY: a live handle, and arrays that live for ever.
            call: &|(batch, columns), error| unsafe {
                c::cupel_batch_append_columns(batch.as_mut_ptr(), columns, error)
            },
            look: &|(batch, _)| view(batch),
            least: 4,
        }
        .run();
    }
}

#[test]
fn room_is_made_and_given_back() {
    for rows in [0, 20] {
        Attempt {
            name: "cupel_batch_reserve",
            set_up: &|| batch(rows),
            // SAFETY: a live handle.
            call: &|batch, error| unsafe { c::cupel_batch_reserve(batch.as_mut_ptr(), 1000, error) },
            look: &view,
            least: 1,
        }
        .run();
        // What gives memory back has no need to get any.
        Attempt {
            name: "cupel_batch_clear",
            set_up: &|| batch(rows),
            // SAFETY: a live handle.
            call: &|batch, error| unsafe { c::cupel_batch_clear(batch.as_mut_ptr(), error) },
            look: &view,
            least: 0,
        }
        .run();
        Attempt {
            name: "cupel_batch_shrink",
            set_up: &|| {
                let batch = batch(rows);
                view(&batch); // leaves what scoring keeps
                batch
            },
            // SAFETY: a live handle.
            call: &|batch, error| unsafe { c::cupel_batch_shrink(batch.as_mut_ptr(), error) },
            look: &view,
            least: 0,
        }
        .run();
    }
}

#[test]
fn rows_are_appended_to_a_batch_that_was_cleared() {
    let cleared = || {
        let mut batch = batch(30);
        batch.clear().unwrap();
        batch
    };
    Attempt {
        name: "cupel_batch_push after cupel_batch_clear",
        set_up: &|| (cleared(), full_item()),
        // SAFETY: live handles.
        call: &|(batch, item), error| unsafe { c::cupel_batch_push(batch.as_mut_ptr(), item.as_ptr(), error) },
        look: &|(batch, _)| view(batch),
        least: 0,
    }
    .run();
}
