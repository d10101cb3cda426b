//! What a failed call leaves behind: nothing, in rows, in memory and in time.

use std::ptr;
use std::time::{Duration, Instant};

use cupel::capi as c;

use crate::allocator::{Failing, failing, live_bytes};
use crate::attempt::Attempt;
use crate::capi::{Batch, ItemBuilder, Metadata, Scorer};
use crate::fixtures::{full_item, view};

/// Rows without any optional field, so that every optional column is still without values.
fn sparse(rows: i64) -> Batch {
    let mut batch = Batch::new(0).unwrap();
    for row in 0..rows {
        batch.push(&ItemBuilder::new("content", row).unwrap().build().unwrap()).unwrap();
    }
    batch
}

fn empty(rows: usize) -> c::cupel_columns {
    // SAFETY: NULL pointers and zero lengths mean that a column is absent.
    let mut columns: c::cupel_columns = unsafe { std::mem::zeroed() };
    (columns.struct_size, columns.rows) = (size_of::<c::cupel_columns>(), rows);
    columns
}

fn texts(data: &'static str, offsets: &'static [i64]) -> c::cupel_text_column {
    let texts_len = offsets.len() - 1;
    c::cupel_text_column {
        data: data.as_ptr().cast(),
        data_len: data.len(),
        offsets: offsets.as_ptr(),
        texts_len,
        codes: ptr::null(),
    }
}

/// Every optional column alone: once with all values, once with one missing.
fn optional_columns() -> Vec<(&'static str, c::cupel_columns)> {
    static NUMBERS: [i64; 2] = [1 << 20, 1 << 40];
    static HINTS: [f64; 2] = [0.5, 0.75];
    static LISTS: [i64; 3] = [0, 1, 2];
    static VALIDITY: [u8; 2] = [0, 1];
    static DOUBLES: [u8; 2] = [1, 1];
    const KEYS: &str = "a key that is longcupel:trust";
    let set = |name, change: &dyn Fn(&mut c::cupel_columns)| {
        let mut columns = empty(2);
        change(&mut columns);
        (name, columns)
    };
    let numbers = NUMBERS.as_ptr();
    let validity = VALIDITY.as_ptr();
    vec![
        set("priority", &|set| set.priority = numbers),
        set("priority, one missing", &|set| (set.priority, set.priority_validity) = (numbers, validity)),
        set("timestamp", &|set| set.timestamp = numbers),
        set("timestamp, one missing", &|set| (set.timestamp, set.timestamp_validity) = (numbers, validity)),
        set("hint", &|set| set.future_relevance_hint = HINTS.as_ptr()),
        set("hint, one missing", &|set| {
            (set.future_relevance_hint, set.future_relevance_hint_validity) = (HINTS.as_ptr(), validity);
        }),
        set("original tokens", &|set| set.original_tokens = numbers),
        set("original tokens, one missing", &|set| {
            (set.original_tokens, set.original_tokens_validity) = (numbers, validity);
        }),
        set("pinned", &|set| set.pinned = validity),
        set("tokens", &|set| set.tokens = numbers),
        set("content", &|set| set.content = texts("onetwo", &[0, 3, 6])),
        set("kind", &|set| set.kind = texts("AKindOfColumnsOther", &[0, 14, 19])),
        set("kind, one missing", &|set| {
            (set.kind, set.kind_validity) = (texts("AKindOfColumnsOther", &[0, 14, 19]), validity);
        }),
        set("source", &|set| set.source = texts("ASourceOfColumnsOther", &[0, 16, 21])),
        set("tags", &|set| {
            (set.tag_lists, set.tags_len) = (LISTS.as_ptr(), 2);
            set.tags = texts("a tag of columnsA TAG OF COLUMNS", &[0, 16, 32]);
        }),
        set("metadata", &|set| {
            (set.metadata_lists, set.metadata_len) = (LISTS.as_ptr(), 2);
            set.metadata_keys = texts(KEYS, &[0, 18, 29]);
            set.metadata_texts = texts("a value of columns0.5", &[0, 18, 21]);
        }),
        set("metadata of doubles", &|set| {
            (set.metadata_lists, set.metadata_len) = (LISTS.as_ptr(), 2);
            set.metadata_keys = texts(KEYS, &[0, 18, 29]);
            (set.metadata_types, set.metadata_numbers) = (DOUBLES.as_ptr(), HINTS.as_ptr());
        }),
    ]
}

#[test]
fn an_optional_column_that_fails_leaves_sparse_rows_sparse() {
    for rows in [0, 1, 3, 64] {
        let mut failures = 0;
        for (name, columns) in optional_columns() {
            failures += Attempt {
                name: &format!("{name} by columns after {rows} sparse rows"),
                set_up: &|| sparse(rows),
                // SAFETY: a live handle, and arrays that live for ever.
                call: &|batch, error| unsafe { c::cupel_batch_append_columns(batch.as_mut_ptr(), &columns, error) },
                look: &view,
                // A column of a few rows may fit in the capacity that is there.
                least: 0,
            }
            .run();
        }
        assert!(failures >= 20, "{rows} rows: {failures} failures");
        Attempt {
            name: &format!("an item after {rows} sparse rows"),
            set_up: &|| (sparse(rows), full_item()),
            // SAFETY: live handles.
            call: &|(batch, item), error| unsafe { c::cupel_batch_push(batch.as_mut_ptr(), item.as_ptr(), error) },
            look: &|(batch, _)| view(batch),
            least: 4,
        }
        .run();
    }
}

#[test]
fn a_field_of_an_item_that_fails_leaves_sparse_rows_sparse() {
    type SetField = fn(&mut ItemBuilder);
    let set: [(&str, SetField); 7] = [
        ("priority", |builder| builder.set_priority(1 << 20).unwrap()),
        ("timestamp", |builder| builder.set_timestamp(7).unwrap()),
        ("hint", |builder| builder.set_future_relevance_hint(0.5).unwrap()),
        ("original tokens", |builder| builder.set_original_tokens(9).unwrap()),
        ("pinned", |builder| builder.set_pinned(true).unwrap()),
        ("trust", |builder| builder.set_metadata("cupel:trust", &Metadata::String("0.5".into())).unwrap()),
        ("tag", |builder| builder.add_tag("a tag").unwrap()),
    ];
    for rows in [1, 64] {
        for (name, set) in set {
            let item = || {
                let mut builder = ItemBuilder::new("content", 1).unwrap();
                set(&mut builder);
                builder.build().unwrap()
            };
            Attempt {
                name: &format!("{name} by item after {rows} sparse rows"),
                set_up: &|| (sparse(rows), item()),
                // SAFETY: live handles.
                call: &|(batch, item), error| unsafe { c::cupel_batch_push(batch.as_mut_ptr(), item.as_ptr(), error) },
                look: &|(batch, _)| view(batch),
                least: 1,
            }
            .run();
        }
    }
}

#[test]
fn json_that_fails_leaves_sparse_rows_sparse() {
    let json = r#"[{"content": "a", "tokens": 1},
        {"content": "b", "tokens": 1, "kind": "AKindOfJson", "source": "ASourceOfJson", "priority": 1048576,
         "timestamp": "2026-01-01T09:00:00Z", "futureRelevanceHint": 0.5, "originalTokens": 9, "pinned": true,
         "tags": ["a"], "metadata": {"k": "v", "cupel:trust": "0.5", "n": 1.5}}]"#;
    for rows in [0, 3, 64] {
        Attempt {
            name: &format!("cupel_batch_append_json after {rows} sparse rows"),
            set_up: &|| sparse(rows),
            // SAFETY: a live handle and a live text.
            call: &|batch, error| unsafe {
                c::cupel_batch_append_json(batch.as_mut_ptr(), json.as_ptr().cast(), json.len(), error)
            },
            look: &view,
            least: 4,
        }
        .run();
    }
}

/// Rows with texts that no other row has.
fn unique(rows: usize, round: usize) -> String {
    let rows = (0..rows).map(|row| {
        let n = round * rows + row;
        format!(
            r#"{{"content": "{n}", "tokens": {n}, "kind": "kind {n}", "source": "source {n}", "priority": {n},
                "tags": ["tag {n}", "a tag that does not fit inline {n}"],
                "metadata": {{"key {n}": "value {n}", "cupel:trust": "0.{n}", "n": {n}.5}}}}"#
        )
    });
    format!("[{}]", rows.collect::<Vec<_>>().join(","))
}

fn two_rows() -> Batch {
    let mut batch = Batch::new(0).unwrap();
    batch.append_json(&unique(2, 0)).unwrap();
    batch
}

/// The time of a scorer by kind, the fastest of many samples.
fn fastest(batch: &Batch) -> Duration {
    let scorer = Scorer::kind_default().unwrap();
    (0..200)
        .map(|_| {
            let start = Instant::now();
            scorer.score_batch(batch).unwrap();
            start.elapsed()
        })
        .min()
        .unwrap()
}

#[test]
fn refused_appends_leave_no_memory_and_take_no_time() {
    let plain = two_rows();
    let expected = fastest(&plain);
    let before = live_bytes();
    let mut batch = two_rows();
    let needed = live_bytes() - before;
    for round in 0..50 {
        let mut json = unique(1000, 7 + round);
        json.truncate(json.len() - 1);
        batch.append_json(&json).unwrap_err();
        drop(json);
        let held = live_bytes() - before;
        // What is below the size at which vectors and tables are trimmed.
        assert!(held <= needed + (16 << 10), "{held} bytes after {round} refusals, {needed} without");
    }
    assert_eq!(view(&batch), view(&plain));
    let actual = fastest(&batch);
    assert!(actual <= 20 * expected + Duration::from_micros(20), "{actual:?}, {expected:?} without refusals");
}

#[test]
fn memory_that_runs_out_leaves_no_memory() {
    let json = unique(300, 1);
    for limit in [200, 1 << 10, 4 << 10, 16 << 10] {
        let before = live_bytes();
        let mut batch = two_rows();
        let needed = live_bytes() - before;
        for _ in 0..10 {
            let mut error = ptr::null_mut();
            // SAFETY: a live handle and a live text; the error is freed once.
            let (status, _) = failing(Some(Failing::Beyond(limit)), || unsafe {
                c::cupel_batch_append_json(batch.as_mut_ptr(), json.as_ptr().cast(), json.len(), &mut error)
            });
            assert_eq!(status, c::CUPEL_STATUS_OUT_OF_MEMORY, "{limit}");
            // SAFETY: as above.
            unsafe { c::cupel_error_free(error) };
        }
        let held = live_bytes() - before;
        assert!(held <= needed + (16 << 10), "{held} bytes under a limit of {limit}, {needed} without failures");
    }
}

#[test]
fn a_cleared_and_shrunk_batch_holds_what_a_new_one_does() {
    let before = live_bytes();
    let fresh = Batch::new(0).unwrap();
    let needed = live_bytes() - before;
    drop(fresh);
    let before = live_bytes();
    let mut batch = Batch::new(1000).unwrap();
    batch.append_json(&unique(5000, 1)).unwrap();
    view_scores(&batch);
    batch.clear().unwrap();
    // SAFETY: a live handle; no error is wanted.
    assert_eq!(unsafe { c::cupel_batch_shrink(batch.as_mut_ptr(), ptr::null_mut()) }, c::CUPEL_STATUS_OK);
    let held = live_bytes() - before;
    assert!(held <= needed, "{held} bytes, {needed} in a new batch");
    batch.append_json(&unique(2, 0)).unwrap();
    assert_eq!(view(&batch), view(&two_rows()));
    let (actual, expected) = (fastest(&batch), fastest(&two_rows()));
    assert!(actual <= 20 * expected + Duration::from_micros(20), "{actual:?}, {expected:?} in a new batch");
}

/// Has every scorer leave its scratch memory with the batch.
fn view_scores(batch: &Batch) {
    for scorer in [Scorer::frequency().unwrap(), Scorer::recency().unwrap(), Scorer::priority().unwrap()] {
        scorer.score_batch(batch).unwrap();
    }
}

fn push(batch: &mut Batch, kind: &str) -> i32 {
    let mut builder = ItemBuilder::new("content", 1).unwrap();
    builder.set_kind(kind).unwrap();
    let item = builder.build().unwrap();
    // SAFETY: live handles; no error is wanted.
    failing(Some(Failing::Beyond(150_000)), || unsafe {
        c::cupel_batch_push(batch.as_mut_ptr(), item.as_ptr(), ptr::null_mut())
    })
    .0
}

#[test]
fn a_hint_that_cannot_be_kept_refuses_no_row() {
    // One byte a row is granted; two for each row of the hint are not.
    let mut batch = Batch::new(100_000).unwrap();
    for kind in 0..300 {
        assert_eq!(push(&mut batch, &format!("kind {kind}")), c::CUPEL_STATUS_OK, "kind {kind}");
    }
}

#[test]
fn a_reservation_that_fails_keeps_nothing() {
    for rows in [0, 2] {
        let mut batch = if rows == 0 { Batch::new(0).unwrap() } else { two_rows() };
        let before = live_bytes();
        // SAFETY: a live handle; no error is wanted.
        let (status, _) = failing(Some(Failing::Beyond(150_000)), || unsafe {
            c::cupel_batch_reserve(batch.as_mut_ptr(), if rows == 0 { 200_000 } else { 100_000 }, ptr::null_mut())
        });
        assert_eq!(status, c::CUPEL_STATUS_OUT_OF_MEMORY);
        assert!(live_bytes() - before <= 1024, "{} bytes", live_bytes() - before);
        for kind in 0..300 {
            assert_eq!(push(&mut batch, &format!("kind {kind}")), c::CUPEL_STATUS_OK, "kind {kind}");
        }
        // Rows by the count alone.
        let columns = empty(1_000_000);
        // SAFETY: as above.
        let (status, _) = failing(Some(Failing::Beyond(150_000)), || unsafe {
            c::cupel_batch_append_columns(batch.as_mut_ptr(), &columns, ptr::null_mut())
        });
        assert_eq!(status, c::CUPEL_STATUS_OUT_OF_MEMORY);
        assert_eq!(push(&mut batch, "another"), c::CUPEL_STATUS_OK);
    }
}

/// The first call of a process sets up what the process keeps. Each failing allocation takes a process of its own.
#[test]
fn the_first_call_of_a_process_does_not_abort() {
    const NUMBER: &str = "CUPEL_TEST_FAILING_ALLOCATION";
    if let Ok(number) = std::env::var(NUMBER) {
        let number = number.parse().unwrap();
        let mut batch = ptr::null_mut();
        // SAFETY: a pointer that is good for a write; the batch is freed once.
        let (status, usage) =
            failing(Some(Failing::From(number)), || unsafe { c::cupel_batch_new(0, &mut batch, ptr::null_mut()) });
        assert_eq!(status == c::CUPEL_STATUS_OK, usage.failed == 0, "{status}");
        assert!(usage.failed > 0 || number > 0, "a batch takes an allocation");
        // SAFETY: as above.
        unsafe { c::cupel_batch_free(batch) };
        return;
    }
    for number in 0..4 {
        let test = "rollback::the_first_call_of_a_process_does_not_abort";
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--test-threads=1"])
            .env(NUMBER, number.to_string())
            .output()
            .unwrap();
        assert!(child.status.success(), "{number}: {}", String::from_utf8_lossy(&child.stderr));
        assert!(String::from_utf8_lossy(&child.stdout).contains("1 passed"));
    }
}
