//! Tables through Arrow's C structs: what is read, what is refused, and who releases what.

// One reason holds for all: the structs are made by `support/arrow.rs` over memory that lives as long as they do.
#![allow(clippy::undocumented_unsafe_blocks)]

#[path = "support/arrow.rs"]
mod arrow;
#[path = "support/capi.rs"]
mod capi;

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use arrow::{Array, Exported, bytes, with};
use capi::{Batch, Error, Scorer, check};
use cupel::arrow::{ArrowArray, ArrowArrayStream, ArrowSchema};
use cupel::capi as c;

fn append(batch: &mut Batch, table: &Exported) -> Result<(), Error> {
    check(|error| unsafe {
        c::cupel_batch_append_arrow(batch.as_mut_ptr(), table.schema, table.array, ptr::null(), error)
    })
}

/// Appends a table to a batch that has a row; the batch must be unchanged when that is refused.
fn read(table: &Array) -> Result<Batch, Error> {
    let mut batch = Batch::new(0).unwrap();
    append(&mut batch, &Array::table(vec![Array::int64("priority", &[7])]).export()).unwrap();
    let exported = table.export();
    let result = append(&mut batch, &exported);
    assert_eq!(exported.released(), (0, 0), "the caller's structs were released");
    match result {
        Ok(()) => Ok(batch),
        Err(error) => {
            assert_eq!(batch.len(), 1);
            assert_eq!(batch.item(0).unwrap().priority().unwrap(), Some(7));
            Err(error)
        }
    }
}

/// The refusal of a table.
#[track_caller]
fn refused(table: &Array, status: &str, message: &str) {
    let Err(error) = read(table) else { panic!("it was accepted") };
    assert_eq!((&*error.name, &*error.message), (&*format!("CUPEL_STATUS_{status}"), message));
}

fn kinds(batch: &Batch) -> Vec<String> {
    (1..batch.len()).map(|row| batch.item(row).unwrap().kind().unwrap()).collect()
}

fn tags(batch: &Batch) -> Vec<Vec<String>> {
    (1..batch.len()).map(|row| batch.item(row).unwrap().tags().unwrap()).collect()
}

const KINDS: [&str; 4] = ["Document", "a kind of more than twelve bytes", "Memory", "Größe"];

/// The kinds in every layout of text.
fn text_layouts() -> Vec<Array> {
    let utf8 = Array::utf8("kind", &KINDS);
    let mut end = 0;
    let ends: Vec<i64> = [0]
        .into_iter()
        .chain(KINDS.iter().map(|kind| {
            end += kind.len() as i64;
            end
        }))
        .collect();
    let large = with(utf8.clone(), |array| {
        array.format = "U";
        array.buffers[1] = bytes(&ends, i64::to_ne_bytes);
    });
    let view = Array::utf8_view("kind", &KINDS);
    let dictionary = |format, codes: Option<Vec<u8>>, values: &Array| Array {
        name: "kind",
        format,
        length: 4,
        buffers: vec![None, codes],
        dictionary: Some(Box::new(values.clone())),
        ..Array::default()
    };
    let dictionaries = [
        dictionary("c", Some(vec![0, 1, 2, 3]), &utf8),
        dictionary("S", bytes(&[0_u16, 1, 2, 3], u16::to_ne_bytes), &view),
        dictionary("l", bytes(&[0_i64, 1, 2, 3], i64::to_ne_bytes), &large),
    ];
    [utf8, large, view].into_iter().chain(dictionaries).collect()
}

#[test]
fn every_layout_of_text_is_read_whole_and_in_part() {
    for layout in text_layouts() {
        assert_eq!(kinds(&read(&Array::table(vec![layout.clone()])).unwrap()), KINDS, "{}", layout.format);
        for (offset, length) in [(1, 2), (2, 2), (3, 1), (4, 0)] {
            let part = with(layout.clone(), |array| (array.offset, array.length) = (offset, length));
            let expected = &KINDS[offset as usize..(offset + length) as usize];
            assert_eq!(kinds(&read(&Array::table(vec![part])).unwrap()), expected, "{}", layout.format);
            // The slice of the table itself.
            let table =
                with(Array::table(vec![layout.clone()]), |table| (table.offset, table.length) = (offset, length));
            assert_eq!(kinds(&read(&table).unwrap()), expected, "{}", layout.format);
        }
        let nulls = with(layout.clone(), |array| (array.null_count, array.buffers[0]) = (-1, Some(vec![0b0101])));
        let expected = ["Document", "Message", "Memory", "Message"];
        assert_eq!(kinds(&read(&Array::table(vec![nulls])).unwrap()), expected, "{}", layout.format);
    }
}

#[test]
fn what_lies_under_a_null_is_not_read() {
    let garbage = with(Array::utf8("kind", &["Memory", "xx", "Rag"]), |array| {
        (array.null_count, array.buffers[0]) = (1, Some(vec![0b101]));
        array.buffers[2] = Some(b"Memory\xFF\xFERag".to_vec());
    });
    assert_eq!(kinds(&read(&Array::table(vec![garbage.clone()])).unwrap()), ["Memory", "Message", "Rag"]);
    let whole = Array::coded("kind", &[2, 1, 0, 0], with(garbage.clone(), |array| array.name = ""));
    assert_eq!(kinds(&read(&Array::table(vec![whole.clone()])).unwrap()), ["Rag", "Message", "Memory", "Memory"]);
    let part = with(whole, |array| array.length = 2);
    assert_eq!(kinds(&read(&Array::table(vec![part])).unwrap()), ["Rag", "Message"]);
    let valid = with(garbage, |array| array.buffers[0] = None);
    refused(&Array::table(vec![valid]), "INVALID_UTF8", "row 1: kind[1] is not valid UTF-8 at byte 0");
}

#[test]
fn empty_arrays_may_lack_their_buffers() {
    let empty = |name, format: &'static str, buffers: usize| Array {
        name,
        format,
        buffers: vec![None; buffers],
        ..Array::default()
    };
    let list = Array {
        name: "tags",
        format: "+l",
        buffers: vec![None; 2],
        children: vec![empty("item", "u", 3)],
        ..Array::default()
    };
    let table = Array::table(vec![
        empty("content", "u", 3),
        empty("kind", "U", 3),
        empty("tokens", "i", 2),
        empty("pinned", "b", 2),
        list,
    ]);
    assert_eq!(read(&table).unwrap().len(), 1);
}

/// Four lists over the five tags a to e, the third of them null.
fn list_layouts() -> Vec<Array> {
    let child = Array::utf8("item", &["a", "b", "c", "d", "e"]);
    let list = |format, length, buffers| Array {
        name: "tags",
        format,
        length,
        null_count: 1,
        buffers,
        children: vec![child.clone()],
        ..Array::default()
    };
    let validity = Some(vec![0b1011]);
    vec![
        // The null list covers a slot.
        list("+l", 4, vec![validity.clone(), bytes(&[0_i32, 2, 2, 3, 5], i32::to_ne_bytes)]),
        list("+L", 4, vec![validity.clone(), bytes(&[0_i64, 2, 2, 3, 5], i64::to_ne_bytes)]),
        list(
            "+vl",
            4,
            vec![
                validity.clone(),
                bytes(&[0_i32, 4, 9, 3], i32::to_ne_bytes),
                bytes(&[2_i32, 0, 9, 2], i32::to_ne_bytes),
            ],
        ),
        list(
            "+vL",
            4,
            vec![validity, bytes(&[0_i64, 4, 9, 3], i64::to_ne_bytes), bytes(&[2_i64, 0, 9, 2], i64::to_ne_bytes)],
        ),
    ]
}

#[test]
fn every_layout_of_lists_is_read() {
    let expected: [&[&str]; 4] = [&["a", "b"], &[], &[], &["d", "e"]];
    for layout in list_layouts() {
        assert_eq!(tags(&read(&Array::table(vec![layout.clone()])).unwrap()), expected, "{}", layout.format);
        let part = with(layout.clone(), |array| (array.offset, array.length) = (1, 3));
        assert_eq!(tags(&read(&Array::table(vec![part])).unwrap()), expected[1..], "{}", layout.format);
    }
    let fixed = Array {
        name: "tags",
        format: "+w:2",
        length: 2,
        null_count: 1,
        buffers: vec![Some(vec![0b01])],
        children: vec![Array::utf8("item", &["a", "b", "c", "d"])],
        ..Array::default()
    };
    assert_eq!(tags(&read(&Array::table(vec![fixed.clone()])).unwrap()), [vec!["a", "b"], vec![]]);
    let part = with(fixed, |array| (array.offset, array.length) = (1, 1));
    assert_eq!(tags(&read(&Array::table(vec![part])).unwrap()), [Vec::<String>::new()]);
}

/// A metadata key per row, by the score of the key scorer.
fn matches(batch: &Batch, key: &str, value: &str) -> Vec<f64> {
    Scorer::metadata_key(key, value, 2.0).unwrap().score_batch(batch).unwrap()[1..].to_vec()
}

#[test]
fn metadata_is_read_from_maps_and_structs() {
    let entries = |format: &'static str, value: Array| Array {
        name: "metadata",
        format,
        length: 2,
        buffers: vec![None, bytes(&[0_i32, 2, 3], i32::to_ne_bytes)],
        children: vec![Array { name: "entries", ..Array::table(vec![Array::utf8("key", &["a", "b", "a"]), value]) }],
        ..Array::default()
    };
    for format in ["+m", "+l"] {
        let texts = read(&Array::table(vec![entries(format, Array::utf8("value", &["x", "y", "z"]))])).unwrap();
        assert_eq!(
            (matches(&texts, "a", "x"), matches(&texts, "a", "z"), matches(&texts, "b", "y")),
            (vec![2.0, 1.0], vec![1.0, 2.0], vec![2.0, 1.0])
        );
        let numbers = read(&Array::table(vec![entries(format, Array::int64("value", &[1, 2, 3]))])).unwrap();
        assert_eq!((matches(&numbers, "a", "1"), matches(&numbers, "a", "3")), (vec![2.0, 1.0], vec![1.0, 2.0]));
        let bools = Array {
            name: "value",
            format: "b",
            length: 3,
            null_count: 1,
            buffers: vec![Some(vec![0b101]), Some(vec![0b001])],
            ..Array::default()
        };
        let bools = read(&Array::table(vec![entries(format, bools)])).unwrap();
        assert_eq!(
            (matches(&bools, "a", "true"), matches(&bools, "a", "false"), matches(&bools, "b", "false")),
            (vec![2.0, 1.0], vec![1.0, 2.0], vec![1.0, 1.0])
        );
    }
    let fields = Array {
        name: "metadata",
        ..Array::table(vec![Array::utf8("a", &["x", "y"]), Array::int64("cupel:trust", &[0, 1])])
    };
    let batch = read(&Array::table(vec![fields])).unwrap();
    assert_eq!(matches(&batch, "a", "y"), [1.0, 2.0]);
    assert_eq!(Scorer::metadata_trust(0.5).unwrap().score_batch(&batch).unwrap()[1..], [0.0, 1.0]);
}

#[test]
fn what_is_wrong_is_refused_by_column_and_row() {
    let table = |column: Array| Array::table(vec![column]);
    let null = |array: Array| with(array, |array| (array.null_count, array.buffers[0]) = (1, Some(vec![0b01])));
    refused(
        &table(null(Array::utf8("content", &["a", "b"]))),
        "INVALID_ARGUMENT",
        "content[1] is null, which it must not be",
    );
    refused(
        &table(null(Array::int64("tokens", &[1, 2]))),
        "INVALID_ARGUMENT",
        "tokens[1] is null, which it must not be",
    );
    refused(
        &table(Array::utf8("content", &["a", ""])),
        "EMPTY_CONTENT",
        "row 1: content[1] is empty: an item needs content",
    );
    refused(
        &table(Array::utf8("source", &["a", " "])),
        "EMPTY_SOURCE",
        "row 1: source[1] is blank (\" \"): it needs a character that is not white space",
    );
    refused(
        &table(Array::utf8("priority", &["a"])),
        "INVALID_ARGUMENT",
        "priority has the type \"u\": it must be an integer, or float64 with integers",
    );
    let naive = with(Array::int64("timestamp", &[1]), |array| array.format = "tsu:");
    refused(
        &table(naive),
        "INVALID_ARGUMENT",
        "timestamp has the type \"tsu:\": it must be a timestamp with a time zone",
    );
    let far = with(Array::int64("timestamp", &[1, i64::MAX]), |array| array.format = "tss:UTC");
    refused(
        &table(far),
        "OUT_OF_RANGE",
        "timestamp[1] is 9223372036854775807000000000: an instant must lie between the years 1677 and 2262",
    );
    for name in ["z", "vz", "Z", "+r", "+us:0"] {
        let wrong = with(Array::utf8("kind", &["a"]), |array| array.format = name);
        let message = format!(
            "kind has the type {name:?}: it must be utf8, large_utf8, utf8_view, or a dictionary of one of these"
        );
        refused(&table(wrong), "INVALID_ARGUMENT", &message);
    }
    let offsets =
        with(Array::utf8("kind", &["ab", "cd"]), |array| array.buffers[1] = bytes(&[0_i32, 4, 2], i32::to_ne_bytes));
    refused(&table(offsets), "OUT_OF_RANGE", "row 2: kind.offsets[2] is 2: offsets must never go down");
    let code = with(text_layouts().swap_remove(3), |array| array.buffers[1] = Some(vec![0, 1, 9, 3]));
    refused(&table(code), "OUT_OF_RANGE", "row 2: kind.codes[2] is 9: a code must be below the number of texts");
    // The same where the dictionary has more texts than there are rows, which are copied unless they are long.
    let long = Array::utf8("", &["a", "b", &"long ".repeat(100)]);
    assert_eq!(kinds(&read(&table(Array::coded("kind", &[2, 0], long.clone()))).unwrap())[0].len(), 500);
    let message = "row 1: kind.codes[1] is 3: a code must be below the number of texts";
    refused(&table(Array::coded("kind", &[2, 3], long)), "OUT_OF_RANGE", message);
    let coded = |values| with(Array::coded("kind", &[1, 9, 2], values), |array| (array.offset, array.length) = (1, 2));
    let message = "kind[0] is 9: a code must be below the number of texts";
    refused(&table(coded(Array::utf8("", &KINDS))), "OUT_OF_RANGE", message);
    refused(&table(coded(Array::utf8_view("", &KINDS))), "OUT_OF_RANGE", message);
    let coded = |values| Array::coded("kind", &[3, 1], values);
    let offsets = with(Array::utf8("", &["a", "b", "c", "d"]), |array| {
        array.buffers[1] = bytes(&[0_i32, 3, 2, 3, 4], i32::to_ne_bytes);
    });
    let message = "kind[1] is 2: an offset must lie inside the data, and not below the one before it";
    refused(&table(coded(offsets)), "OUT_OF_RANGE", message);
    let view = with(Array::utf8_view("", &KINDS), |array| array.buffers[1].as_mut().unwrap()[16 + 8] = 1);
    refused(&table(coded(view)), "OUT_OF_RANGE", "kind[1] is 1: a view must lie inside one of the buffers");
    let invalid = with(Array::utf8("", &["a", "b", "c", "d"]), |array| array.buffers[2] = Some(b"a\xFFcd".to_vec()));
    refused(&table(coded(invalid)), "INVALID_UTF8", "row 1: kind[1] is not valid UTF-8 at byte 0");
    let lists =
        with(list_layouts().swap_remove(0), |array| array.buffers[1] = bytes(&[0_i32, 2, 1, 3, 5], i32::to_ne_bytes));
    refused(&table(lists), "OUT_OF_RANGE", "tags[1] is 1: offsets must never go down");
    let long =
        with(list_layouts().swap_remove(0), |array| array.buffers[1] = bytes(&[0_i32, 2, 2, 3, 6], i32::to_ne_bytes));
    refused(&table(long), "LENGTH_MISMATCH", "tags has the length 5: it must be at least 6");
    let tag = with(list_layouts().swap_remove(0), |array| {
        (array.children[0].null_count, array.children[0].buffers[0]) = (1, Some(vec![0b01111]))
    });
    refused(&table(tag), "INVALID_ARGUMENT", "tags[3] has a null tag");
    let short = with(Array::table(vec![Array::int64("priority", &[1, 2])]), |table| table.length = 3);
    refused(&short, "LENGTH_MISMATCH", "priority has the length 2: it must be at least 3");
    let twice = Array::table(vec![Array::int64("tokens", &[1]), Array::int64("tokens", &[1])]);
    refused(&twice, "INVALID_ARGUMENT", "tokens occurs twice among the columns");
    let alias = Array::table(vec![Array::int64("original_tokens", &[1]), Array::int64("originalTokens", &[1])]);
    refused(&alias, "INVALID_ARGUMENT", "originalTokens occurs twice among the columns");
    let row = with(Array::table(vec![Array::int64("tokens", &[1, 2])]), |table| {
        (table.null_count, table.buffers[0]) = (1, Some(vec![0b01]))
    });
    refused(&row, "INVALID_ARGUMENT", "the table[1] is null, which it must not be");
    let malformed =
        |change: fn(&mut Array)| with(table(with(Array::int64("tokens", &[1]), change)), |table| table.length = 1);
    for (change, what) in [
        (|array: &mut Array| array.length = -1, "the length is negative"),
        (|array: &mut Array| array.offset = -1, "the offset is negative"),
        (|array: &mut Array| array.offset = i64::MAX, "the length and the offset overflow"),
        (
            |array: &mut Array| {
                array.buffers.pop();
            },
            "the number of buffers does not fit the type",
        ),
        (|array: &mut Array| array.buffers[1] = None, "a buffer is NULL"),
        (
            |array: &mut Array| array.children.push(Array::int64("x", &[1])),
            "the number of children does not fit the type",
        ),
    ] as [(fn(&mut Array), &str); 6]
    {
        refused(&malformed(change), "INVALID_ARGUMENT", &format!("tokens is malformed: {what}"));
    }
}

/// Values of fixed width, by their bytes.
fn fixed(name: &'static str, format: &'static str, length: usize, values: Option<Vec<u8>>) -> Array {
    Array { name, format, length: length as i64, buffers: vec![None, values], ..Array::default() }
}

#[test]
fn every_type_of_number_is_read_whole_and_in_part() {
    const MAX: i64 = i64::MAX;
    let far = 9_223_372_036;
    let integers = [
        ("c", bytes(&[-128_i8, 0, 127], i8::to_ne_bytes), [-128, 0, 127]),
        ("C", bytes(&[1_u8, 0, 255], u8::to_ne_bytes), [1, 0, 255]),
        ("s", bytes(&[i16::MIN, 0, i16::MAX], i16::to_ne_bytes), [-32_768, 0, 32_767]),
        ("S", bytes(&[1_u16, 0, u16::MAX], u16::to_ne_bytes), [1, 0, 65_535]),
        ("i", bytes(&[i32::MIN, 0, i32::MAX], i32::to_ne_bytes), [-2_147_483_648, 0, 2_147_483_647]),
        ("I", bytes(&[1_u32, 0, u32::MAX], u32::to_ne_bytes), [1, 0, 4_294_967_295]),
        ("l", bytes(&[i64::MIN, 0, MAX], i64::to_ne_bytes), [i64::MIN, 0, MAX]),
        // What lies under a null may be anything.
        ("L", bytes(&[1, u64::MAX, MAX as u64], u64::to_ne_bytes), [1, 0, MAX]),
        ("g", bytes(&[-(2_f64.powi(63)), 0.5, 3.0], f64::to_ne_bytes), [i64::MIN, 0, 3]),
    ];
    let instants = [
        ("tss:UTC", bytes(&[-far, MAX, far], i64::to_ne_bytes), [-far * 1_000_000_000, 0, far * 1_000_000_000]),
        ("tsm:+02:00", bytes(&[-1, MAX, 1], i64::to_ne_bytes), [-1_000_000, 0, 1_000_000]),
        ("tsu:Europe/Berlin", bytes(&[-1, MAX, 1], i64::to_ne_bytes), [-1_000, 0, 1_000]),
        ("tsn:UTC", bytes(&[i64::MIN, 0, MAX], i64::to_ne_bytes), [i64::MIN, 0, MAX]),
    ];
    let doubles = [
        ("e", bytes(&[0x3C00_u16, 0, 0xC000], u16::to_ne_bytes), [1.0, 0.0, -2.0]),
        ("f", bytes(&[0.1_f32, 0.0, f32::INFINITY], f32::to_ne_bytes), [f64::from(0.1_f32), 0.0, f64::INFINITY]),
        ("g", bytes(&[0.1, 0.0, -0.0], f64::to_ne_bytes), [0.1, 0.0, -0.0]),
        ("i", bytes(&[-7_i32, 0, 7], i32::to_ne_bytes), [-7.0, 0.0, 7.0]),
        ("L", bytes(&[1, 0, u64::MAX], u64::to_ne_bytes), [1.0, 0.0, 18_446_744_073_709_551_616.0]),
        ("d:5,2,32", bytes(&[-150_i32, 0, 5], i32::to_ne_bytes), [-1.5, 0.0, 0.05]),
        ("d:10,-2,64", bytes(&[3_i64, 0, -1], i64::to_ne_bytes), [300.0, 0.0, -100.0]),
        ("d:38,20", bytes(&[10_i128.pow(19), 0, 1], i128::to_ne_bytes), [0.1, 0.0, 1e-20]),
    ];
    let check = |array: Array, expected: [u64; 3], read_back: fn(&Batch, usize) -> Option<u64>| {
        let nulls = array.with_validity(&[0b101]);
        for (offset, length) in [(0, 3), (1, 2), (2, 1)] {
            let part = with(nulls.clone(), |array| (array.offset, array.length) = (offset as i64, length as i64));
            let message = format!("{} {} from {offset}", part.name, part.format);
            let batch = read(&Array::table(vec![part])).expect(&message);
            let expected = [Some(expected[0]), None, Some(expected[2])];
            let rows: Vec<_> = (1..batch.len()).map(|row| read_back(&batch, row)).collect();
            assert_eq!(rows, expected[offset..], "{message}");
        }
    };
    for (format, values, expected) in integers {
        let array = fixed("priority", format, 3, values);
        check(array.clone(), expected.map(|value| value as u64), |batch, row| {
            batch.item(row).unwrap().priority().unwrap().map(|value| value as u64)
        });
        check(with(array, |array| array.name = "originalTokens"), expected.map(|value| value as u64), |batch, row| {
            batch.item(row).unwrap().original_tokens().unwrap().map(|value| value as u64)
        });
    }
    for (format, values, expected) in instants {
        check(fixed("timestamp", format, 3, values), expected.map(|value| value as u64), |batch, row| {
            batch.item(row).unwrap().timestamp().unwrap().map(|value| value as u64)
        });
    }
    for (format, values, expected) in doubles {
        check(fixed("futureRelevanceHint", format, 3, values), expected.map(f64::to_bits), |batch, row| {
            batch.item(row).unwrap().future_relevance_hint().unwrap().map(f64::to_bits)
        });
    }
    // NaN stands for a missing integer, and for itself among numbers.
    let nan = |name| Array::table(vec![fixed(name, "g", 2, bytes(&[f64::NAN, 1.0], f64::to_ne_bytes))]);
    assert_eq!(read(&nan("priority")).unwrap().item(1).unwrap().priority().unwrap(), None);
    let batch = read(&nan("future_relevance_hint")).unwrap();
    assert!(batch.item(1).unwrap().future_relevance_hint().unwrap().is_some_and(f64::is_nan));
}

#[test]
fn booleans_begin_at_any_bit() {
    let pinned = fixed("pinned", "b", 12, Some(vec![0b1010_0110, 0b1001])).with_validity(&[0b1110_1110, 0b0111]);
    let expected = [false, true, true, false, false, true, false, true, true, false, false, false];
    for offset in 0..12 {
        let part = with(pinned.clone(), |array| (array.offset, array.length) = (offset, 12 - offset));
        let batch = read(&Array::table(vec![part])).unwrap();
        let rows: Vec<bool> = (1..batch.len()).map(|row| batch.item(row).unwrap().pinned().unwrap()).collect();
        assert_eq!(rows, expected[offset as usize..]);
    }
}

#[test]
fn columns_of_nulls_have_the_null_type() {
    let nothing = |name| Array { name, format: "n", length: 2, offset: 1, null_count: 2, ..Array::default() };
    let names = [
        "kind",
        "source",
        "priority",
        "originalTokens",
        "timestamp",
        "futureRelevanceHint",
        "pinned",
        "tags",
        "metadata",
    ];
    let batch = read(&Array::table(names.map(nothing).to_vec())).unwrap();
    assert_eq!((kinds(&batch), tags(&batch)), (vec!["Message".to_owned(); 2], vec![Vec::<String>::new(); 2]));
    for name in ["content", "tokens"] {
        let message = format!("{name}[0] is null, which it must not be");
        refused(&Array::table(vec![nothing(name)]), "INVALID_ARGUMENT", &message);
    }
}

#[test]
fn nulls_of_a_dictionary_are_in_its_codes_or_its_values() {
    let values = Array::utf8("", &["unused", "Memory", "", "Rag"]).with_validity(&[0b1011]);
    let kind = Array::coded("kind", &[1, 2, 9, 3, 1], values).with_validity(&[0b11011]);
    let expected = ["Memory", "Message", "Message", "Rag", "Memory"];
    assert_eq!(kinds(&read(&Array::table(vec![kind.clone()])).unwrap()), expected);
    let part = with(kind, |array| (array.offset, array.length) = (1, 3));
    assert_eq!(kinds(&read(&Array::table(vec![part])).unwrap()), expected[1..4]);
}

#[test]
fn values_and_types_that_no_column_takes_are_refused() {
    let table = |column: Array| Array::table(vec![column]);
    for (format, values, row) in [
        ("L", bytes(&[1, u64::MAX], u64::to_ne_bytes), 1),
        ("L", bytes(&[1 << 63, 1], u64::to_ne_bytes), 0),
        ("g", bytes(&[1.0, 0.5], f64::to_ne_bytes), 1),
        ("g", bytes(&[f64::INFINITY, 0.0], f64::to_ne_bytes), 0),
        ("g", bytes(&[0.0, 2_f64.powi(63)], f64::to_ne_bytes), 1),
    ] {
        let message = format!("priority[{row}] must be an integer of 64 bits");
        refused(&table(fixed("priority", format, 2, values)), "INVALID_ARGUMENT", &message);
    }
    let nan = fixed("tokens", "g", 2, bytes(&[1.0, f64::NAN], f64::to_ne_bytes));
    refused(&table(nan), "INVALID_ARGUMENT", "tokens[1] is null, which it must not be");
    for (format, value, factor) in [
        ("tss:UTC", 9_223_372_037, 1_000_000_000_i128),
        ("tsm:UTC", i64::MIN / 1_000_000 - 1, 1_000_000),
        ("tsu:UTC", i64::MAX / 1_000 + 1, 1_000),
    ] {
        let message = format!(
            "timestamp[1] is {}: an instant must lie between the years 1677 and 2262",
            i128::from(value) * factor
        );
        let values = bytes(&[0, value], i64::to_ne_bytes);
        refused(&table(fixed("timestamp", format, 2, values)), "OUT_OF_RANGE", &message);
    }
    let (integer, number) =
        ("an integer, or float64 with integers", "a number: floating-point, integer, or a decimal of up to 128 bits");
    let (instant, list) =
        ("a timestamp with a time zone", "a list: list, large_list, list_view, large_list_view, or fixed-size");
    let metadata =
        "a map, a list of structs of key and value, or a struct; metadata that is JSON text has to be parsed first";
    for (name, format, wanted) in [
        ("tokens", "f", integer),
        ("tokens", "d:5,0", integer),
        ("priority", "b", integer),
        ("future_relevance_hint", "d:76,2,256", number),
        ("future_relevance_hint", "u", number),
        ("timestamp", "l", instant),
        ("timestamp", "tdD", instant),
        ("timestamp", "tdm", instant),
        ("timestamp", "ttu", instant),
        ("timestamp", "tsn:", instant),
        ("timestamp", "tDu", instant),
        ("pinned", "c", "bool"),
        ("tags", "u", list),
        ("tags", "+s", list),
        ("metadata", "u", metadata),
        ("metadata", "+r", metadata),
    ] {
        let message = format!("{name} has the type {format:?}: it must be {wanted}");
        refused(&table(fixed(name, format, 1, Some(vec![0; 64]))), "INVALID_ARGUMENT", &message);
        let coded = Array::coded(name, &[0], fixed("", format, 1, Some(vec![0; 64])));
        let message = format!("{name} has the type \"C\": it must be {wanted}");
        refused(&table(coded), "INVALID_ARGUMENT", &message);
    }
    let long = ["a text of more than twelve bytes"; 2];
    let at = |byte: usize, value: i32| {
        with(Array::utf8_view("kind", &long), |array| {
            let views = array.buffers[1].as_mut().unwrap();
            views[16 + byte..20 + byte].copy_from_slice(&value.to_ne_bytes());
        })
    };
    let rule = "a view must lie inside one of the buffers";
    for (byte, value, rule) in
        [(0, -1, "a length must not be negative"), (8, 1, rule), (8, -1, rule), (12, 33, rule), (12, -1, rule)]
    {
        refused(&table(at(byte, value)), "OUT_OF_RANGE", &format!("kind[1] is {value}: {rule}"));
    }
    let entries = |keys: Array, value: Array| {
        let entries = Array { name: "entries", ..Array::table(vec![keys, value]) };
        with(Array::list("metadata", &[0, 1, 2], entries).of_format("+m"), |_| ())
    };
    let keys = Array::utf8("key", &["a", "b"]);
    let value = Array::int64("value", &[1, 2]);
    let null_key = entries(keys.clone().with_validity(&[0b01]), value.clone());
    refused(&table(null_key), "INVALID_ARGUMENT", "metadata[1] has a null key");
    let null_entry = with(entries(keys.clone(), value.clone()), |map| {
        (map.children[0].null_count, map.children[0].buffers[0]) = (1, Some(vec![0b10]));
    });
    refused(&table(null_entry), "INVALID_ARGUMENT", "metadata[0] has a null entry");
    let message = "metadata has the type \"tsn:UTC\": it must be text, a number or bool";
    refused(&table(entries(keys.clone(), value.clone().of_format("tsn:UTC"))), "INVALID_ARGUMENT", message);
    let message =
        "metadata has the type \"l\": it must be utf8, large_utf8, utf8_view, or a dictionary of one of these";
    refused(&table(entries(value.clone(), value.clone())), "INVALID_ARGUMENT", message);
    let three = with(entries(keys.clone(), value.clone()), |map| map.children[0].children.push(value));
    let message = format!("metadata has the type \"+s\": it must be {metadata}");
    refused(&table(three), "INVALID_ARGUMENT", &message);
}

#[test]
fn released_structs_are_refused() {
    let mut batch = Batch::new(0).unwrap();
    let table = Array::table(vec![Array::int64("tokens", &[1])]).export();
    unsafe {
        (*table.array).release.unwrap()(table.array);
    }
    let error = append(&mut batch, &table).unwrap_err();
    assert_eq!(error.message, "the table was released");
    assert_eq!(batch.len(), 0);
}

#[test]
fn options_are_checked() {
    let mut batch = Batch::new(0).unwrap();
    let naive = Array::table(vec![with(Array::int64("timestamp", &[1]), |array| array.format = "tsn:")]).export();
    let mut append = |options: c::cupel_arrow_options| {
        check(|error| unsafe {
            c::cupel_batch_append_arrow(batch.as_mut_ptr(), naive.schema, naive.array, &options, error)
        })
    };
    let options = |struct_size, flags| c::cupel_arrow_options { struct_size, flags, group: ptr::null(), group_len: 0 };
    let size = size_of::<c::cupel_arrow_options>();
    append(options(size, c::CUPEL_ARROW_NAIVE_IS_UTC)).unwrap();
    append(options(16, c::CUPEL_ARROW_NAIVE_IS_UTC)).unwrap();
    assert_eq!(append(options(size, 2)).unwrap_err().name, "CUPEL_STATUS_OUT_OF_RANGE");
    assert_eq!(append(options(3, 1)).unwrap_err().name, "CUPEL_STATUS_INVALID_ARGUMENT");
    assert_eq!(append(options(size, 0)).unwrap_err().name, "CUPEL_STATUS_INVALID_ARGUMENT");
    assert_eq!(batch.len(), 2);
}

/// A stream over tables, which fails where it is told to.
struct Producer {
    schema: Array,
    tables: Vec<Exported>,
    handed: usize,
    fails_at: Option<usize>,
    message: CString,
    log: RefCell<Vec<&'static str>>,
}

unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    unsafe {
        let producer = &mut *(*stream).private_data.cast::<Producer>();
        producer.log.borrow_mut().push("schema");
        if producer.fails_at == Some(usize::MAX) {
            return 5;
        }
        // A schema of its own, which the consumer releases.
        let own = producer.schema.export();
        ptr::copy_nonoverlapping(own.schema, out, 1);
        (*own.schema).release = None;
        0
    }
}

unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    unsafe {
        let producer = &mut *(*stream).private_data.cast::<Producer>();
        producer.log.borrow_mut().push("next");
        if producer.fails_at == Some(producer.handed) {
            return 22;
        }
        match producer.tables.get(producer.handed) {
            Some(table) => {
                ptr::copy_nonoverlapping(table.array, out, 1);
                (*table.array).release = None;
                producer.handed += 1;
            }
            None => (*out).release = None,
        }
        0
    }
}

unsafe extern "C" fn get_last_error(stream: *mut ArrowArrayStream) -> *const c_char {
    unsafe { (*(*stream).private_data.cast::<Producer>()).message.as_ptr() }
}

unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    unsafe { (*stream).release = None };
}

impl Producer {
    fn new(schema: Array, tables: &[Array]) -> Self {
        Self {
            schema,
            tables: tables.iter().map(Array::export).collect(),
            handed: 0,
            fails_at: None,
            message: CString::new("the disk is gone").unwrap(),
            log: RefCell::default(),
        }
    }
}

fn append_stream(batch: &mut Batch, producer: &mut Producer) -> Result<(), Error> {
    let mut stream = ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release_stream),
        private_data: ptr::from_mut(producer).cast::<c_void>(),
    };
    let result = check(|error| unsafe {
        c::cupel_batch_append_arrow_stream(batch.as_mut_ptr(), &raw mut stream, ptr::null(), error)
    });
    assert!(stream.release.is_some(), "the stream is the caller's to release");
    result
}

/// Every column in every layout without rows, and the null type.
fn types() -> Vec<Array> {
    let text = |name| with(Array::utf8("", &[]), |array| array.name = name);
    let entries = |value| vec![Array::table(vec![text("key"), value])];
    let fields = with(Array::table(vec![text("a"), Array::int64("b", &[])]), |array| array.name = "metadata");
    let list = |name, format, children| Array { name, format, buffers: vec![None, None], children, ..Array::default() };
    let mut types: Vec<Array> = text_layouts().into_iter().chain(list_layouts()).collect();
    types.extend(["+m", "+l", "+vL", "+w:2"].map(|format| list("metadata", format, entries(text("value")))));
    types.extend(["g", "b", "d:9,2", "n"].map(|of| list("metadata", "+m", entries(text("value").of_format(of)))));
    types.push(fields);
    for (name, formats) in [
        ("content", &["u", "vu", "n"][..]),
        ("tokens", &["c", "L", "g", "n"]),
        ("original_tokens", &["l"]),
        ("future_relevance_hint", &["e", "d:5,2,32", "n"]),
        ("timestamp", &["tss:UTC", "tsn:UTC", "n"]),
        ("pinned", &["b", "n"]),
        ("tags", &["n"]),
        ("metadata", &["n"]),
    ] {
        types.extend(formats.iter().map(|format| Array { name, format, ..Array::default() }));
    }
    types
}

#[test]
fn the_type_of_a_stream_without_tables_is_checked() {
    let mut batch = Batch::new(0).unwrap();
    for column in types() {
        let message = format!("{} {}", column.name, column.format);
        append_stream(&mut batch, &mut Producer::new(Array::table(vec![column]), &[])).expect(&message);
        assert_eq!(batch.len(), 0);
    }
    let mut refused = |schema: Array, message: &str| {
        // The same with a table of no rows.
        for tables in [vec![], vec![schema.clone()]] {
            let error = append_stream(&mut batch, &mut Producer::new(schema.clone(), &tables)).unwrap_err();
            assert_eq!((&*error.name, &*error.message), ("CUPEL_STATUS_INVALID_ARGUMENT", message));
        }
    };
    refused(Array::int64("tokens", &[]), "the table has the type \"l\": it must be a struct");
    let unknown = Array::table(vec![Array::int64("x", &[])]);
    refused(
        unknown,
        "the table has no column of a known name: content, tokens, kind, source, priority, tags, metadata, timestamp, \
         future_relevance_hint, pinned or original_tokens",
    );
    let twice = Array::table(vec![Array::int64("tokens", &[]), Array::int64("tokens", &[])]);
    refused(twice, "tokens occurs twice among the columns");
    let texts = Array::utf8("", &[]);
    for (column, message) in [
        (
            Array::int64("kind", &[]),
            "kind has the type \"l\": it must be utf8, large_utf8, utf8_view, or a dictionary of one of these",
        ),
        (
            Array::int64("timestamp", &[]).of_format("tsu:"),
            "timestamp has the type \"tsu:\": it must be a timestamp with a time zone",
        ),
        (
            Array::coded("kind", &[], Array::int64("", &[])),
            "kind has the type \"C\": it must be utf8, large_utf8, utf8_view, or a dictionary of one of these",
        ),
        (
            Array::list("tags", &[0], texts.clone().of_format("z")),
            "tags has the type \"z\": it must be utf8, large_utf8, utf8_view, or a dictionary of one of these",
        ),
        (
            Array::list("metadata", &[0], texts),
            "metadata has the type \"u\": it must be a map, a list of structs of key and value, or a struct; metadata \
             that is JSON text has to be parsed first",
        ),
    ] {
        refused(Array::table(vec![column]), message);
    }
}

#[test]
fn streams_are_appended_whole_or_not_at_all() {
    let table = |values: &[i64]| Array::table(vec![Array::int64("tokens", values)]);
    let bad = Array::table(vec![with(Array::int64("tokens", &[1, 2]), |array| {
        (array.null_count, array.buffers[0]) = (1, Some(vec![0b10]))
    })]);
    for (tables, fails_at, expected) in [
        (vec![table(&[1, 2]), table(&[]), table(&[3])], None, Ok(3)),
        (vec![], None, Ok(0)),
        (vec![table(&[1]), bad], None, Err("tokens[0] is null, which it must not be")),
        (vec![table(&[1])], Some(usize::MAX), Err("the stream callback failed with status 5: the disk is gone")),
        (vec![table(&[1])], Some(0), Err("the stream callback failed with status 22: the disk is gone")),
        (vec![table(&[1])], Some(1), Err("the stream callback failed with status 22: the disk is gone")),
    ] {
        let mut producer = Producer { fails_at, ..Producer::new(table(&[]), &tables) };
        let mut batch = Batch::new(0).unwrap();
        let result = append_stream(&mut batch, &mut producer);
        match (result, expected) {
            (Ok(()), Ok(rows)) => assert_eq!(batch.len(), rows),
            (Err(error), Err(message)) => {
                assert_eq!(error.message, message);
                assert_eq!(batch.len(), 0);
            }
            (result, expected) => panic!("{result:?}, {expected:?}"),
        }
        for table in &producer.tables[..producer.handed] {
            // The array and its child.
            assert_eq!(table.released().1, 2, "an array was not released, or twice");
        }
    }
    let mut released = ArrowArrayStream {
        get_schema: None,
        get_next: None,
        get_last_error: None,
        release: None,
        private_data: ptr::null_mut(),
    };
    let mut batch = Batch::new(0).unwrap();
    let error = check(|error| unsafe {
        c::cupel_batch_append_arrow_stream(batch.as_mut_ptr(), &raw mut released, ptr::null(), error)
    });
    assert_eq!(error.unwrap_err().message, "the stream was released");
}
