//! Reading the rows of a batch by column: the same as reading them item by item.

#![allow(clippy::undocumented_unsafe_blocks, reason = "each is a call of the C ABI with live handles and true lengths")]

#[path = "support/capi.rs"]
mod capi;

use std::ptr::{null, null_mut};

use capi::{Batch, Item, ItemBuilder, Metadata, Scorer, check};
use cupel::capi as c;

const NONE: [&str; 3] = ["", "k", "a key that is not there"];

/// Rows in which every optional field is set in some and not in others; in one batch of eight, in none.
fn rows(seed: usize, count: usize) -> Batch {
    let mut batch = Batch::new(0).unwrap();
    for row in 0..count {
        let mut builder =
            ItemBuilder::new(&format!("content {row} é{}", "x".repeat(row % 40)), row as i64 - 3).unwrap();
        let has = |field: usize| seed % 8 != 7 && (row * 7 + field * 3 + seed) % (field + 2) < 2;
        if has(0) {
            builder.set_kind(["Document", "a kind that is not short", "Memory"][row % 3]).unwrap();
        }
        if has(1) {
            builder.set_source(&format!("source {}", row % 5)).unwrap();
        }
        if has(2) {
            builder.set_priority([1, -300, 1 << 20, i64::MIN][(row + seed) % (1 + seed % 4)]).unwrap();
        }
        if has(3) {
            builder.set_timestamp(i64::MAX - row as i64).unwrap();
        }
        if has(4) {
            builder.set_future_relevance_hint(-1.0 / row as f64).unwrap();
        }
        if has(5) {
            builder.set_original_tokens(1 << (row % 50)).unwrap();
        }
        builder.set_pinned(has(6)).unwrap();
        for tag in 0..row % 4 * usize::from(has(7)) {
            builder.add_tag(["", "tag", "a tag that is not short"][(row + tag) % 3]).unwrap();
        }
        if has(8) {
            builder.set_metadata("cupel:trust", &Metadata::String("0.25".into())).unwrap();
            builder.set_metadata(&format!("key {}", row % 3), &Metadata::Double(row as f64)).unwrap();
        }
        if has(9) {
            builder.set_metadata("k", &Metadata::Other("[1]".into())).unwrap();
            builder.set_metadata("cupel:trust", &Metadata::Double(0.5)).unwrap();
        }
        batch.push(&builder.build().unwrap()).unwrap();
    }
    batch
}

/// Texts from bytes and offsets, by any reader that has them last; asked for in two calls.
fn texts(
    count: usize,
    read: impl Fn(*mut i64, *mut std::ffi::c_char, usize, *mut *mut c::cupel_error) -> i32,
) -> Vec<String> {
    let mut offsets = vec![-1; count + 1];
    check(|error| read(offsets.as_mut_ptr(), null_mut(), 0, error)).unwrap();
    assert_eq!(offsets[0], 0);
    let len = offsets[count] as usize;
    let mut again = vec![-1; count + 1];
    let mut data = vec![0xFF_u8; len + 1];
    if len > 0 {
        let error = check(|error| read(again.as_mut_ptr(), data.as_mut_ptr().cast(), len - 1, error)).unwrap_err();
        assert_eq!(error.name, "CUPEL_STATUS_LENGTH_MISMATCH");
        assert_eq!(error.message, format!("out_data_len is {}: it must be {len} or more", len - 1));
        assert!(again.iter().all(|&offset| offset == -1) && data.iter().all(|&byte| byte == 0xFF));
    }
    check(|error| read(again.as_mut_ptr(), data.as_mut_ptr().cast(), len + 1, error)).unwrap();
    assert_eq!((&again, data[len]), (&offsets, 0xFF));
    offsets
        .windows(2)
        .map(|ends| String::from_utf8(data[ends[0] as usize..ends[1] as usize].to_vec()).unwrap())
        .collect()
}

fn read_rows(batch: &Batch, first: usize, count: usize) {
    let handle = batch.as_ptr();
    let items: Vec<Item> = (first..first + count).map(|row| batch.item(row).unwrap()).collect();
    macro_rules! numbers {
        ($function:ident, $type:ty, $getter:ident, $missing:expr) => {{
            let (mut values, mut validity) = (vec![<$type>::MAX; count], vec![9_u8; count]);
            check(|error| c::$function(handle, first, count, values.as_mut_ptr(), validity.as_mut_ptr(), error))
                .unwrap();
            let mut alone = vec![<$type>::MAX; count];
            check(|error| c::$function(handle, first, count, alone.as_mut_ptr(), null_mut(), error)).unwrap();
            for (at, item) in items.iter().enumerate() {
                let expected: Option<$type> = item.$getter().unwrap();
                assert_eq!(validity[at], u8::from(expected.is_some()), "{}", stringify!($function));
                let bits = |value: $type| value.to_ne_bytes();
                assert_eq!(bits(values[at]), bits(expected.unwrap_or($missing)), "{}", stringify!($function));
                assert_eq!(bits(alone[at]), bits(values[at]));
            }
        }};
    }
    unsafe {
        numbers!(cupel_batch_read_priority, i64, priority, 0);
        numbers!(cupel_batch_read_timestamp, i64, timestamp, 0);
        numbers!(cupel_batch_read_original_tokens, i64, original_tokens, 0);
        numbers!(cupel_batch_read_future_relevance_hint, f64, future_relevance_hint, f64::NAN);

        let (mut tokens, mut pinned) = (vec![i64::MAX; count], vec![9_u8; count]);
        check(|error| c::cupel_batch_read_tokens(handle, first, count, tokens.as_mut_ptr(), error)).unwrap();
        check(|error| c::cupel_batch_read_pinned(handle, first, count, pinned.as_mut_ptr(), error)).unwrap();
        assert_eq!(tokens, items.iter().map(|item| item.tokens().unwrap()).collect::<Vec<_>>());
        assert_eq!(pinned, items.iter().map(|item| u8::from(item.pinned().unwrap())).collect::<Vec<_>>());

        macro_rules! column {
            ($function:ident) => {
                texts(count, |offsets, data, len, error| c::$function(handle, first, count, offsets, data, len, error))
            };
        }
        assert_eq!(
            column!(cupel_batch_read_content),
            items.iter().map(|item| item.content().unwrap()).collect::<Vec<_>>()
        );
        let kinds: Vec<String> = items.iter().map(|item| item.kind().unwrap()).collect();
        let sources: Vec<String> = items.iter().map(|item| item.source().unwrap()).collect();
        assert_eq!(
            (column!(cupel_batch_read_kind), column!(cupel_batch_read_source)),
            (kinds.clone(), sources.clone())
        );

        macro_rules! dictionary {
            ($codes:ident, $texts:ident, $len:ident) => {{
                let mut codes = vec![u32::MAX; count];
                check(|error| c::$codes(handle, first, count, codes.as_mut_ptr(), error)).unwrap();
                let distinct = c::$len(handle);
                let all = texts(distinct, |offsets, data, len, error| {
                    c::$texts(handle, offsets, distinct + 1, data, len, error)
                });
                codes.iter().map(|&code| all[code as usize].clone()).collect::<Vec<_>>()
            }};
        }
        assert_eq!(dictionary!(cupel_batch_read_kind_codes, cupel_batch_read_kind_texts, cupel_batch_kinds_len), kinds);
        assert_eq!(
            dictionary!(cupel_batch_read_source_codes, cupel_batch_read_source_texts, cupel_batch_sources_len),
            sources
        );

        let mut lists = vec![-1_i64; count + 1];
        let get_lists = |lists: &mut Vec<i64>| {
            check(|error| {
                c::cupel_batch_read_tags(handle, first, count, lists.as_mut_ptr(), null_mut(), 0, null_mut(), 0, error)
            })
        };
        get_lists(&mut lists).unwrap();
        let tags = lists[count] as usize;
        let all = texts(tags, |offsets, data, len, error| {
            let mut again = vec![-1_i64; count + 1];
            let status =
                c::cupel_batch_read_tags(handle, first, count, again.as_mut_ptr(), offsets, tags + 1, data, len, error);
            assert_eq!(again, if status == 0 { lists.clone() } else { vec![-1; count + 1] });
            status
        });
        for (item, ends) in items.iter().zip(lists.windows(2)) {
            assert_eq!(all[ends[0] as usize..ends[1] as usize], item.tags().unwrap());
        }
        read_metadata(batch, first, &items);
    }
}

unsafe fn read_metadata(batch: &Batch, first: usize, items: &[Item]) {
    let (handle, count) = (batch.as_ptr(), items.len());
    let distinct = unsafe { c::cupel_batch_metadata_keys_len(handle) };
    let keys = texts(distinct, |offsets, data, len, error| unsafe {
        c::cupel_batch_read_metadata_keys(handle, offsets, distinct + 1, data, len, error)
    });
    let mut lists = vec![-1_i64; count + 1];
    check(|error| unsafe {
        c::cupel_batch_read_metadata(
            handle,
            first,
            count,
            lists.as_mut_ptr(),
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut(),
            0,
            null_mut(),
            0,
            error,
        )
    })
    .unwrap();
    let entries = lists[count] as usize;
    let (mut codes, mut types, mut numbers) = (vec![u32::MAX; entries], vec![9_u8; entries], vec![9.0; entries]);
    let values = if entries == 0 {
        Vec::new()
    } else {
        let (codes, types, numbers) = (codes.as_mut_ptr(), types.as_mut_ptr(), numbers.as_mut_ptr());
        texts(entries, |offsets, data, len, error| unsafe {
            let mut lists = vec![0; count + 1];
            c::cupel_batch_read_metadata(
                handle,
                first,
                count,
                lists.as_mut_ptr(),
                codes,
                types,
                numbers,
                offsets,
                entries,
                data,
                len,
                error,
            )
        })
    };
    let value = |at: usize, types: &[u8], numbers: &[f64], values: &[String]| match types[at] {
        0 => Metadata::String(values[at].clone()),
        1 => Metadata::Double(numbers[at]),
        _ => Metadata::Other(values[at].clone()),
    };
    for (item, ends) in items.iter().zip(lists.windows(2)) {
        let read: Vec<_> = (ends[0] as usize..ends[1] as usize)
            .map(|at| (keys[codes[at] as usize].clone(), value(at, &types, &numbers, &values)))
            .collect();
        assert_eq!(format!("{read:?}"), format!("{:?}", item.metadata().unwrap()));
    }
    for key in keys.iter().map(String::as_str).chain(NONE) {
        let (mut types, mut validity, mut numbers) = (vec![9_u8; count], vec![9_u8; count], vec![9.0; count]);
        let (of_types, of_validity, of_numbers) = (types.as_mut_ptr(), validity.as_mut_ptr(), numbers.as_mut_ptr());
        let values = texts(count, |offsets, data, len, error| unsafe {
            c::cupel_batch_read_metadata_key(
                handle,
                key.as_ptr().cast(),
                key.len(),
                first,
                count,
                of_types,
                of_validity,
                of_numbers,
                offsets,
                data,
                len,
                error,
            )
        });
        for (at, item) in items.iter().enumerate() {
            let expected = item.metadata().unwrap().into_iter().find(|(name, _)| name == key).map(|(_, value)| value);
            assert_eq!(validity[at], u8::from(expected.is_some()), "{key}");
            let read = expected.as_ref().map(|_| value(at, &types, &numbers, &values));
            assert_eq!(format!("{read:?}"), format!("{expected:?}"), "{key}");
            if expected.is_none() {
                assert_eq!((types[at], numbers[at].is_nan(), values[at].as_str()), (0, true, ""));
            }
        }
    }
}

#[test]
fn columns_are_what_items_are() {
    for seed in 0..16 {
        let batch = rows(seed, 50);
        for (first, count) in [(0, 50), (0, 0), (50, 0), (7, 1), (13, 30), (49, 1)] {
            read_rows(&batch, first, count);
        }
    }
    read_rows(&Batch::new(0).unwrap(), 0, 0);
    let mut batch = rows(3, 50);
    batch.keep_last(20).unwrap();
    read_rows(&batch, 0, 20);
}

#[test]
fn rows_that_are_not_there_are_refused() {
    let batch = rows(0, 5);
    for (first, count, message) in [
        (6, 0, "first_row is 6: the batch has fewer rows"),
        (usize::MAX, 2, "first_row is 18446744073709551615: the batch has fewer rows"),
        (5, 1, "rows is 1: the batch has fewer rows from first_row on"),
        (1, usize::MAX, "rows is 18446744073709551615: the batch has fewer rows from first_row on"),
    ] {
        let mut values = [7_i64; 6];
        let error = check(|error| unsafe {
            c::cupel_batch_read_priority(batch.as_ptr(), first, count, values.as_mut_ptr(), null_mut(), error)
        })
        .unwrap_err();
        assert_eq!((error.name.as_str(), error.message.as_str()), ("CUPEL_STATUS_OUT_OF_RANGE", message));
        assert_eq!(values, [7; 6]);
    }
}

#[test]
fn too_little_room_and_arrays_that_are_not_aligned_are_refused() {
    let batch = rows(0, 5);
    let mut lists = [7_i64; 6];
    let mut offsets = [7_i64; 100];
    let error = check(|error| unsafe {
        c::cupel_batch_read_tags(
            batch.as_ptr(),
            0,
            5,
            lists.as_mut_ptr(),
            offsets.as_mut_ptr(),
            1,
            null_mut(),
            0,
            error,
        )
    })
    .unwrap_err();
    assert_eq!(error.name, "CUPEL_STATUS_LENGTH_MISMATCH");
    assert!(error.message.starts_with("out_offsets_len is 1: it must be "), "{}", error.message);
    let error = check(|error| unsafe {
        c::cupel_batch_read_metadata(
            batch.as_ptr(),
            0,
            5,
            lists.as_mut_ptr(),
            null_mut(),
            null_mut(),
            null_mut(),
            offsets.as_mut_ptr(),
            1,
            null_mut(),
            0,
            error,
        )
    })
    .unwrap_err();
    assert!(error.message.starts_with("out_entries_len is 1: it must be "), "{}", error.message);
    let odd = offsets.as_mut_ptr().cast::<u8>().wrapping_add(1).cast();
    let error = check(|error| unsafe { c::cupel_batch_read_tokens(batch.as_ptr(), 0, 5, odd, error) }).unwrap_err();
    assert_eq!(error.message, "out_tokens is not aligned: its address must be a multiple of 8");
    assert_eq!((lists, offsets), ([7; 6], [7; 100]));
    assert_eq!(unsafe { c::cupel_batch_kinds_len(null()) }, 0);
}

#[test]
fn a_custom_scorer_reads_columns() {
    let batch = rows(1, 30);
    let handle = batch.as_ptr() as usize;
    let custom = Scorer::custom(move |_, scores| {
        let (mut values, mut validity) = (vec![0; scores.len()], vec![0; scores.len()]);
        check(|error| unsafe {
            let batch = handle as *const c::cupel_batch;
            c::cupel_batch_read_priority(batch, 0, scores.len(), values.as_mut_ptr(), validity.as_mut_ptr(), error)
        })
        .unwrap();
        for (score, (value, valid)) in scores.iter_mut().zip(values.iter().zip(validity)) {
            *score = if valid == 1 { *value as f64 } else { -1.0 };
        }
        Ok(())
    });
    let expected: Vec<f64> =
        (0..30).map(|row| batch.item(row).unwrap().priority().unwrap().map_or(-1.0, |value| value as f64)).collect();
    assert_eq!(custom.unwrap().score_batch(&batch).unwrap(), expected);
}
