//! Scores of groups of rows: in a batch, in a table, and one batch for each group.

// One reason holds for all: the structs are made by `support/arrow.rs` over memory that lives as long as they do.
#![allow(clippy::undocumented_unsafe_blocks)]

#[path = "support/arrow.rs"]
mod arrow;
#[path = "support/capi.rs"]
mod capi;
#[path = "../src/kernel/random.rs"]
#[allow(dead_code)]
mod random;

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::{Array, Exported, bytes, with};
use capi::{Batch, Clock, Error, Scorer, bits, check};
use cupel::arrow::{Options, PART_ROWS, ReadError, Table, Wanted, score_tables};
use cupel::capi as c;
use cupel::scorer::{Composite, Frequency, Kind, MetadataTrust, Priority, Recency, Reflexive, Scaled, SharedScorer};
use random::Random;

/// A tree over every field that a scorer reads.
const TREE: &str = r#"{"scorers": [
    {"type": "recency", "weight": 1},
    {"type": "kind", "weight": 0.5},
    {"type": "scaled", "innerScorer": {"type": "frequency"}, "weight": 2},
    {"type": "metadataTrust", "weight": 0.75},
    {"type": "priority", "weight": 0.3},
    {"type": "reflexive", "weight": 0.2},
    {"type": "tag", "tagWeights": {"tag 1": 1, "tag 5": 2}, "weight": 0.2},
    {"type": "metadataKey", "key": "topic", "value": "two", "boost": 1.5, "weight": 0.1},
    {"type": "decay", "curve": {"exponential": {"halfLife": "1h"}}, "weight": 0.4}
]}"#;

const NOW: i64 = 1_750_000_000_000_000_000;

fn tree(clock: &Clock) -> Scorer {
    Scorer::from_json(TREE, Some(clock)).unwrap()
}

/// Clears some bits of the validity of an array.
fn sparse(random: &mut Random, array: Array) -> Array {
    let validity = (0..(array.length as usize).div_ceil(8)).map(|_| !(1 << random.below(8))).collect();
    with(array, |array| (array.null_count, array.buffers[0]) = (-1, Some(validity)))
}

/// A table of so many rows with every field that a scorer reads, and the columns of groups, if any.
fn table(random: &mut Random, rows: usize, groups: Vec<Array>) -> Array {
    let ints = |random: &mut Random, below| (0..rows).map(|_| random.below(below) as i64).collect::<Vec<_>>();
    let kinds: Vec<&str> =
        (0..rows).map(|_| ["Memory", "Document", "Message", "of my own"][random.below(4) as usize]).collect();
    let times: Vec<i64> = (0..rows).map(|_| NOW - random.below(100) as i64 * 600_000_000_000).collect();
    let hints: Vec<f64> = (0..rows).map(|_| random.below(8) as f64 / 7.0).collect();
    let trusts: Vec<f64> = (0..rows).map(|_| random.below(4) as f64 / 4.0).collect();
    let topics: Vec<&str> = (0..rows).map(|_| ["one", "two"][random.below(2) as usize]).collect();
    let mut ends = vec![0_i32];
    (0..rows).for_each(|_| ends.push(ends.last().unwrap() + random.below(4) as i32));
    let slots = *ends.last().unwrap() as usize;
    let names: Vec<String> = (0..slots).map(|_| format!("tag {}", random.below(9))).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let doubles = |name, values: &[f64]| {
        with(Array::int64(name, &vec![0; rows]), |array| {
            (array.format, array.buffers[1]) = ("g", bytes(values, f64::to_ne_bytes));
        })
    };
    let tags = Array {
        name: "tags",
        format: "+l",
        length: rows as i64,
        buffers: vec![None, bytes(&ends, i32::to_ne_bytes)],
        children: vec![Array::utf8("item", &names)],
        ..Array::default()
    };
    let metadata = Array {
        name: "metadata",
        ..Array::table(vec![doubles("cupel:trust", &trusts), Array::utf8("topic", &topics)])
    };
    let time = with(Array::int64("timestamp", &times), |array| array.format = "tsn:UTC");
    let priority = Array::int64("priority", &ints(random, 9));
    let mut columns = groups;
    columns.extend([
        sparse(random, Array::utf8("kind", &kinds)),
        sparse(random, priority),
        sparse(random, time),
        sparse(random, doubles("future_relevance_hint", &hints)),
        sparse(random, tags),
        sparse(random, metadata),
    ]);
    with(Array::table(columns), |table| table.length = rows as i64)
}

/// The offsets of groups of these lengths.
fn offsets(lens: &[usize]) -> Vec<i64> {
    let mut offsets = vec![0];
    lens.iter().for_each(|&len| offsets.push(offsets.last().unwrap() + len as i64));
    offsets
}

/// Numbers of the groups of these lengths, row by row.
fn numbers(lens: &[usize]) -> Vec<i64> {
    lens.iter().enumerate().flat_map(|(group, &len)| std::iter::repeat_n(group as i64 * 7919 % 1009, len)).collect()
}

fn append(batch: &mut Batch, table: &Array) {
    let exported = table.export();
    check(|error| unsafe {
        c::cupel_batch_append_arrow(batch.as_mut_ptr(), exported.schema, exported.array, ptr::null(), error)
    })
    .unwrap();
}

fn score(scorer: &Scorer, table: &Array, rows: usize, group: Option<&str>) -> Result<Vec<f64>, Error> {
    let exported = table.export();
    let result = unsafe { scorer.score_arrow((exported.schema, exported.array), rows, group) };
    assert_eq!(exported.released(), (0, 0), "the caller's structs were released");
    result
}

const SIZES: [&[usize]; 5] = [
    &[],
    &[1],
    &[20, 1, 2, 20, 63, 64, 65, 3, 127, 128, 129, 5],
    &[4095, 4096, 4097, 1],
    &[1, 1, 1, 2, 1, 1, 1, 1, 1, 500, 1, 1],
];

#[test]
fn groups_of_a_batch_and_of_a_table_score_as_a_batch_for_each() {
    let (mut random, clock) = (Random(7), Clock::fixed(NOW).unwrap());
    let scorer = tree(&clock);
    for lens in SIZES {
        let rows = lens.iter().sum();
        let table = table(&mut random, rows, vec![Array::int64("conversation", &numbers(lens))]);
        let mut batch = Batch::new(0).unwrap();
        append(&mut batch, &table);
        let groups = offsets(lens);
        let mut expected = Vec::new();
        for ends in groups.windows(2) {
            let part = with(table.clone(), |table| (table.offset, table.length) = (ends[0], ends[1] - ends[0]));
            let mut batch = Batch::new(0).unwrap();
            append(&mut batch, &part);
            expected.extend(bits(&scorer.score_batch(&batch).unwrap()));
        }
        assert_eq!(bits(&scorer.score_groups(&batch, &groups).unwrap()), expected, "{lens:?}");
        assert_eq!(bits(&score(&scorer, &table, rows, Some("conversation")).unwrap()), expected, "{lens:?}");
        let whole = scorer.score_batch(&batch).unwrap();
        assert_eq!(bits(&score(&scorer, &table, rows, None).unwrap()), bits(&whole), "one group");
        // Empty groups make no difference.
        let doubled: Vec<i64> = groups.iter().flat_map(|&end| [end, end]).collect();
        assert_eq!(bits(&scorer.score_groups(&batch, &doubled).unwrap()), expected);
    }
}

/// A tree of the core, whose parts can be of any size.
fn core_tree() -> SharedScorer {
    let frequency = Scaled::new(&Frequency::new().unwrap()).unwrap();
    let children = [
        Recency::new().unwrap(),
        Priority::new().unwrap(),
        Reflexive::new().unwrap(),
        Kind::with_default_weights().unwrap(),
        MetadataTrust::new(0.5).unwrap(),
        frequency,
    ];
    Composite::new(children.iter().map(|child| (child, 1.0))).unwrap()
}

#[test]
fn the_size_of_the_parts_makes_no_difference() {
    let (mut random, scorer) = (Random(11), core_tree());
    for lens in SIZES {
        let rows = lens.iter().sum();
        let exported = table(&mut random, rows, vec![Array::int64("g", &numbers(lens))]).export();
        let options = Options { naive_is_utc: false, group: Some("g") };
        let wanted = Wanted::Set(scorer.columns());
        let table = unsafe { Table::find(exported.schema, Some(exported.array), options, wanted, true) }.unwrap();
        let scores = |part_rows| {
            let mut scores = vec![9.0; rows];
            table.score(&scorer, part_rows, &mut scores).unwrap();
            bits(&scores)
        };
        let expected = scores(PART_ROWS);
        for part_rows in [0, 1, 2, 3, 21, 64, 500, rows, usize::MAX] {
            assert_eq!(scores(part_rows), expected, "{lens:?} in parts of {part_rows}");
        }
    }
}

#[test]
fn a_group_goes_on_from_one_table_to_the_next() {
    let (mut random, scorer) = (Random(13), core_tree());
    for lens in SIZES {
        let rows: usize = lens.iter().sum();
        let whole = table(&mut random, rows, vec![Array::int64("g", &numbers(lens))]);
        let exported = whole.export();
        let options = Options { naive_is_utc: false, group: Some("g") };
        let find = |exported: &Exported| unsafe {
            Table::find(exported.schema, Some(exported.array), options, Wanted::Set(scorer.columns()), true).unwrap()
        };
        let mut expected = vec![0.0; rows];
        find(&exported).score(&scorer, PART_ROWS, &mut expected).unwrap();
        for part in [1, 7, 100, 5000] {
            // Empty tables among them make no difference.
            let starts = (0..rows).step_by(part).flat_map(|first| [(first, 0), (first, part.min(rows - first))]);
            let slice =
                |(first, len)| with(whole.clone(), |table| (table.offset, table.length) = (first as i64, len as i64));
            if rows / part > 30 {
                continue;
            }
            let parts: Vec<Exported> = starts.map(|place| slice(place).export()).collect();
            let tables: Vec<Table<'_>> = parts.iter().map(find).collect();
            for part_rows in [1, 64, PART_ROWS] {
                let mut scores = vec![9.0; rows];
                score_tables(&tables, &scorer, part_rows, &mut scores).unwrap();
                assert_eq!(bits(&scores), bits(&expected), "{lens:?} in tables of {part}, parts of {part_rows}");
            }
        }
    }
    // A value that comes back in a later table is named by its row among all.
    let parts =
        [&[1_i64, 1, 2][..], &[2, 3], &[1]].map(|values| Array::table(vec![Array::int64("g", values)]).export());
    let options = Options { naive_is_utc: false, group: Some("g") };
    let recency = Recency::new().unwrap();
    let find = |exported: &Exported| unsafe {
        Table::find(exported.schema, Some(exported.array), options, Wanted::Set(recency.columns()), true).unwrap()
    };
    let error = score_tables(&parts.each_ref().map(find), &recency, 1, &mut [0.0; 6]).unwrap_err();
    let ReadError::Table(error) = error else { panic!("{error:?}") };
    assert_eq!(error.to_string(), "g[5] comes back: sort by the group column");
    score_tables(&[], &recency, 1, &mut []).unwrap();
    // A type alone is a table without rows, whose columns are checked.
    let of_type = |schema: &Exported, group| {
        let options = Options { naive_is_utc: false, group };
        let wanted = Wanted::Set(recency.columns());
        let table = match unsafe { Table::find(schema.schema, None, options, wanted, true) } {
            Ok(table) => table,
            Err(error) => return Some(error.to_string()),
        };
        match score_tables(&[table], &recency, 1, &mut []) {
            Ok(()) => None,
            Err(ReadError::Table(error)) => Some(error.to_string()),
            Err(ReadError::Append(error)) => panic!("{error}"),
        }
    };
    let time = |format| {
        let time = Array::int64("timestamp", &[]).of_format(format);
        Array::table(vec![time, Array::coded("g", &[], Array::utf8_view("", &[]))])
    };
    for schema in [time("tsn:UTC"), Array::list("", &[0], time("tsn:UTC"))] {
        assert_eq!(of_type(&schema.export(), None), None);
    }
    assert_eq!(of_type(&time("tsn:UTC").export(), Some("g")), None);
    let message = "timestamp has the type \"tsn:\": it must be a timestamp with a time zone";
    for (schema, group, message) in [
        (time("tsn:"), None, message),
        (Array::list("", &[0], time("tsn:")), None, message),
        (time("tsn:UTC"), Some("x"), "x is the group column, and the table has none of that name"),
        (
            Array::list("", &[0], Array::int64("", &[])),
            None,
            "the table has the type \"l\": it must be a struct, or a list of structs",
        ),
    ] {
        assert_eq!(of_type(&schema.export(), group).as_deref(), Some(message));
    }
}

/// Five rows in three groups: two of one value, a null, and two of another value.
fn group_columns() -> Vec<Array> {
    let of = |format: &'static str, values: Option<Vec<u8>>| Array {
        name: "g",
        format,
        length: 5,
        null_count: 1,
        buffers: vec![Some(vec![0b11011]), values],
        ..Array::default()
    };
    let texts = with(Array::utf8("g", &["a", "a", "b", "", ""]), |array| array.buffers[0] = Some(vec![0b11011]));
    let large = with(texts.clone(), |array| {
        (array.format, array.buffers[1]) = ("U", bytes(&[0_i64, 1, 2, 3, 3, 3], i64::to_ne_bytes));
    });
    let binary = with(texts.clone(), |array| (array.format, array.buffers[2]) = ("z", Some(vec![0xFF, 0xFF, 0])));
    let mut views = vec![0; 5 * 16];
    for row in [0, 1] {
        views[row * 16] = 2;
        views[row * 16 + 4..row * 16 + 6].copy_from_slice(&[0xFF, 0xFE]);
    }
    let view = with(of("vz", Some(views)), |array| array.buffers.push(Some(Vec::new())));
    let codes = Some(vec![2, 2, 0, 1, 1]);
    let values = with(Array::utf8("", &["unused", "a", "b"]), |_| ());
    let dictionary = with(of("C", codes.clone()), |array| array.dictionary = Some(Box::new(values)));
    let integers = with(of("c", codes), |array| {
        array.dictionary = Some(Box::new(Array::int64("", &[5, i64::MIN, 6])));
    });
    // The null is in the dictionary, not in the codes.
    let null_value = with(dictionary.clone(), |array| {
        array.buffers[0] = None;
        array.buffers[1] = Some(vec![2, 2, 0, 1, 1]);
        let values = array.dictionary.as_mut().unwrap();
        (values.null_count, values.buffers[0]) = (1, Some(vec![0b110]));
    });
    vec![
        of("c", Some(vec![255, 255, 0, 1, 1])),
        of("C", Some(vec![1, 1, 0, 2, 2])),
        of("s", bytes(&[-1_i16, -1, 0, 1, 1], i16::to_ne_bytes)),
        of("S", bytes(&[1_u16, 1, 0, 2, 2], u16::to_ne_bytes)),
        of("i", bytes(&[-1_i32, -1, 0, 1, 1], i32::to_ne_bytes)),
        of("I", bytes(&[1_u32, 1, 0, 2, 2], u32::to_ne_bytes)),
        of("l", bytes(&[i64::MIN, i64::MIN, 0, 1, 1], i64::to_ne_bytes)),
        of("L", bytes(&[u64::MAX, u64::MAX, 0, i64::MAX as u64, i64::MAX as u64], u64::to_ne_bytes)),
        of("b", Some(vec![0b11000])),
        of("w:2", Some(vec![1, 2, 1, 2, 9, 9, 1, 3, 1, 3])),
        texts,
        large,
        binary,
        view,
        dictionary,
        integers,
        null_value,
    ]
}

#[test]
fn every_type_of_group_column_is_read_with_its_nulls() {
    let priority = Scorer::priority().unwrap();
    for column in group_columns() {
        let (format, dictionary) = (column.format, column.dictionary.is_some());
        let table = Array::table(vec![column.clone(), Array::int64("priority", &[3, 7, 0, 9, 5])]);
        let scores = score(&priority, &table, 5, Some("g")).unwrap();
        assert_eq!(scores, [0.0, 1.0, 1.0, 1.0, 0.0], "{format}, dictionary: {dictionary}");
        // From the second row on.
        let part = with(table.clone(), |table| (table.offset, table.length) = (1, 4));
        assert_eq!(score(&priority, &part, 4, Some("g")).unwrap(), [1.0, 1.0, 1.0, 0.0], "{format}");
    }
    let nulls = Array { name: "g", format: "n", length: 2, null_count: 2, ..Array::default() };
    let table = Array::table(vec![nulls, Array::int64("priority", &[3, 7])]);
    assert_eq!(score(&priority, &table, 2, Some("g")).unwrap(), [0.0, 1.0]);
}

#[test]
fn a_known_column_may_be_the_group_column() {
    let table =
        Array::table(vec![Array::utf8("kind", &["Memory", "Memory", "Rag"]), Array::int64("priority", &[2, 1, 0])]);
    assert_eq!(score(&Scorer::priority().unwrap(), &table, 3, Some("kind")).unwrap(), [1.0, 0.0, 1.0]);
    assert_eq!(score(&Scorer::kind_default().unwrap(), &table, 3, Some("kind")).unwrap(), [0.8, 0.8, 0.0]);
}

#[track_caller]
fn refused(scorer: &Scorer, table: &Array, group: Option<&str>, status: &str, message: &str) {
    let Err(error) = score(scorer, table, table.length as usize, group) else { panic!("it was accepted") };
    assert_eq!((&*error.name, &*error.message), (&*format!("CUPEL_STATUS_{status}"), message));
}

#[test]
fn groups_of_a_table_that_are_wrong_are_refused() {
    let priority = Scorer::priority().unwrap();
    let of = |group: Array| Array::table(vec![Array::int64("priority", &[1, 2, 3, 4]), group]);
    let back = of(Array::utf8("conversation", &["a", "a", "b", "a"]));
    let message = "conversation[3] comes back: sort by the group column";
    refused(&priority, &back, Some("conversation"), "INVALID_ARGUMENT", message);
    let nulls = with(Array::utf8("conversation", &["a", "b", "c", "d"]), |array| {
        (array.null_count, array.buffers[0]) = (-1, Some(vec![0b1010]))
    });
    let message = "conversation[2] comes back: sort by the group column";
    refused(&priority, &of(nulls), Some("conversation"), "INVALID_ARGUMENT", message);
    let message = "Conversation is the group column, and the table has none of that name";
    refused(&priority, &back, Some("Conversation"), "INVALID_ARGUMENT", message);
    let message = "g has the type \"g\": it must be an integer, bool, text, binary, fixed-size binary, or a dictionary of \
                   one of these";
    let doubles = with(Array::int64("g", &[1, 2, 3, 4]), |array| array.format = "g");
    refused(&priority, &of(doubles), Some("g"), "INVALID_ARGUMENT", message);
    let twice = with(of(Array::int64("g", &[1, 1, 1, 1])), |table| table.children.push(table.children[1].clone()));
    refused(&priority, &twice, Some("g"), "INVALID_ARGUMENT", "g occurs twice among the columns");
    let code = Array {
        name: "g",
        format: "C",
        length: 4,
        buffers: vec![None, Some(vec![0, 0, 1, 2])],
        dictionary: Some(Box::new(Array::utf8("", &["a", "b"]))),
        ..Array::default()
    };
    let message = "g[3] is 2: an offset must lie inside the data, a code below the length of the dictionary";
    refused(&priority, &of(code), Some("g"), "OUT_OF_RANGE", message);
    let offset = with(Array::utf8("g", &["a", "b", "c", "d"]), |array| {
        array.buffers[1] = bytes(&[0_i32, 1, -7, 3, 4], i32::to_ne_bytes);
    });
    let message = "g[1] is -7: an offset must lie inside the data, a code below the length of the dictionary";
    refused(&priority, &of(offset), Some("g"), "OUT_OF_RANGE", message);
}

#[test]
fn groups_of_a_batch_that_are_wrong_are_refused() {
    let mut batch = Batch::new(0).unwrap();
    append(&mut batch, &Array::table(vec![Array::int64("priority", &[1, 2, 3])]));
    let priority = Scorer::priority().unwrap();
    for (groups, message) in [
        (&[1, 3][..], "groups[0] is 1: the first offset must be there, and be 0"),
        (&[0, 2, 1, 3], "groups[2] is 1: offsets must never go down"),
        (&[0, -1, 3], "groups[1] is -1: offsets must never go down"),
        (&[0, 2], "groups[1] is 2: the last offset must be the length of the batch"),
        (&[0, 2, 4], "groups[2] is 4: the last offset must be the length of the batch"),
        (&[0], "groups[0] is 0: the last offset must be the length of the batch"),
    ] {
        let error = priority.score_groups(&batch, groups).unwrap_err();
        assert_eq!((&*error.name, &*error.message), ("CUPEL_STATUS_INVALID_ARGUMENT", message));
    }
}

#[test]
fn custom_scorers_are_refused() {
    let custom = Scorer::custom(|_, _| Ok(())).unwrap();
    let scorer = Scorer::composite(&[(&Scorer::priority().unwrap(), 1.0), (&custom, 1.0)]).unwrap();
    let table = Array::table(vec![Array::int64("priority", &[1])]);
    let message = "a custom scorer cannot score groups: it has no view of a part of a batch";
    refused(&scorer, &table, None, "INVALID_ARGUMENT", message);
    let mut batch = Batch::new(0).unwrap();
    append(&mut batch, &table);
    assert_eq!(scorer.score_groups(&batch, &[0, 1]).unwrap_err().message, message);
}

#[test]
fn scorers_name_their_columns() {
    let clock = Clock::fixed(NOW).unwrap();
    let custom = Scorer::custom(|_, _| Ok(())).unwrap();
    let all = (1 << 11) - 1;
    for (scorer, columns) in [
        (Scorer::recency().unwrap(), c::CUPEL_COLUMN_TIMESTAMP),
        (Scorer::priority().unwrap(), c::CUPEL_COLUMN_PRIORITY),
        (Scorer::frequency().unwrap(), c::CUPEL_COLUMN_TAGS),
        (Scorer::reflexive().unwrap(), c::CUPEL_COLUMN_FUTURE_RELEVANCE_HINT),
        (Scorer::kind_default().unwrap(), c::CUPEL_COLUMN_KIND),
        (Scorer::tag(&[("a".into(), 1.0)], 0).unwrap(), c::CUPEL_COLUMN_TAGS),
        (Scorer::metadata_trust(0.5).unwrap(), c::CUPEL_COLUMN_METADATA),
        (Scorer::metadata_key("a", "b", 2.0).unwrap(), c::CUPEL_COLUMN_METADATA),
        (Scorer::decay_window(&clock, 1, 0.5).unwrap(), c::CUPEL_COLUMN_TIMESTAMP),
        (Scorer::scaled(&Scorer::frequency().unwrap()).unwrap(), c::CUPEL_COLUMN_TAGS),
        (tree(&clock), 0b1_1111_0100 ^ 0b1_0000_0000 ^ c::CUPEL_COLUMN_FUTURE_RELEVANCE_HINT),
        (Scorer::scaled(&custom).unwrap(), all),
    ] {
        assert_eq!(scorer.columns(), columns, "{scorer:?}");
    }
}

#[test]
fn columns_that_the_scorer_does_not_read_are_not_looked_at() {
    let broken = with(Array::utf8("content", &["a", ""]), |array| array.buffers.truncate(1));
    let table = Array::table(vec![Array::int64("priority", &[1, 2]), broken]);
    assert_eq!(score(&Scorer::priority().unwrap(), &table, 2, None).unwrap(), [0.0, 1.0]);
    // A column that is absent has its default.
    assert_eq!(score(&Scorer::kind_default().unwrap(), &table, 2, None).unwrap(), [0.2, 0.2]);
    let unknown = Array::table(vec![Array::int64("x", &[1, 2])]);
    assert_eq!(score(&Scorer::metadata_trust(0.25).unwrap(), &unknown, 2, None).unwrap(), [0.25, 0.25]);
    // Without rows, types are checked all the same.
    let wrong = Array::table(vec![Array::utf8("priority", &[])]);
    let message = "priority has the type \"u\": it must be an integer, or float64 with integers";
    refused(&Scorer::priority().unwrap(), &wrong, None, "INVALID_ARGUMENT", message);
}

/// A table of more rows than a part has, in groups of three.
fn long_table(change: impl FnOnce(&mut Vec<i64>)) -> (Array, usize) {
    let rows = PART_ROWS * 2 + 5;
    let mut times: Vec<i64> = (0..rows as i64).map(|row| NOW - row * 1_000_000_000).collect();
    change(&mut times);
    let groups: Vec<i64> = (0..rows as i64).map(|row| row / 3).collect();
    let time = with(Array::int64("timestamp", &times), |array| array.format = "tsu:UTC");
    (Array::table(vec![time, Array::int64("g", &groups)]), rows)
}

#[test]
fn a_clock_is_read_once_for_all_parts() {
    let reads = [Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0))];
    let clock = |index: usize| {
        let reads: Arc<AtomicUsize> = reads[index].clone();
        Clock::custom(move || Ok(NOW / 1000 + reads.fetch_add(1, Ordering::Relaxed) as i64)).unwrap()
    };
    let decay = |clock: &Clock| Scorer::decay_exponential(clock, 3_600_000_000_000, 0.5).unwrap();
    let [first, second] = [clock(0), clock(1)];
    let scorer = Scorer::composite(&[(&decay(&first), 1.0), (&decay(&second), 1.0), (&decay(&first), 1.0)]).unwrap();
    let (table, rows) = long_table(|times| times.iter_mut().for_each(|time| *time /= 1000));
    for calls in 1..4 {
        score(&scorer, &table, rows, Some("g")).unwrap();
        assert_eq!(reads.each_ref().map(|reads| reads.load(Ordering::Relaxed)), [calls; 2]);
    }
    let mut batch = Batch::new(0).unwrap();
    append(&mut batch, &with(table, |table| (table.offset, table.length) = (0, 9)));
    scorer.score_groups(&batch, &[0, 3, 6, 9]).unwrap();
    assert_eq!(reads.each_ref().map(|reads| reads.load(Ordering::Relaxed)), [4; 2]);
    let failing = decay(&Clock::custom(|| Err(77)).unwrap());
    let error = failing.score_groups(&batch, &[0, 9]).unwrap_err();
    assert_eq!(
        (&*error.name, &*error.message),
        ("CUPEL_STATUS_CALLBACK_FAILED", "the now callback failed with status 77")
    );
}

#[test]
fn an_error_in_a_later_part_names_the_row_and_writes_no_score() {
    let bad = PART_ROWS + 17;
    let (table, rows) = long_table(|times| {
        times.iter_mut().for_each(|time| *time /= 1000);
        times[bad] = i64::MAX;
    });
    let message = format!(
        "timestamp[{bad}] is {}: an instant must lie between the years 1677 and 2262",
        i128::from(i64::MAX) * 1000
    );
    let error = score(&Scorer::recency().unwrap(), &table, rows, Some("g")).unwrap_err();
    assert_eq!((&*error.name, &*error.message), ("CUPEL_STATUS_OUT_OF_RANGE", &*message));
}

/// Lists of structs over five rows: two, none, and three.
fn lists() -> Vec<Array> {
    let child = Array { name: "item", ..Array::table(vec![Array::int64("priority", &[5, 6, 9, 7, 8])]) };
    let of =
        |format, length, buffers| Array { format, length, buffers, children: vec![child.clone()], ..Array::default() };
    vec![
        of("+l", 3, vec![None, bytes(&[0_i32, 2, 2, 5], i32::to_ne_bytes)]),
        of("+L", 3, vec![None, bytes(&[0_i64, 2, 2, 5], i64::to_ne_bytes)]),
        of("+vl", 3, vec![None, bytes(&[0_i32, 2, 2], i32::to_ne_bytes), bytes(&[2_i32, 0, 3], i32::to_ne_bytes)]),
        of("+vL", 3, vec![None, bytes(&[0_i64, 2, 2], i64::to_ne_bytes), bytes(&[2_i64, 0, 3], i64::to_ne_bytes)]),
    ]
}

#[test]
fn lists_of_structs_are_groups() {
    let priority = Scorer::priority().unwrap();
    for list in lists() {
        let format = list.format;
        assert_eq!(score(&priority, &list, 5, None).unwrap(), [0.0, 1.0, 1.0, 0.0, 0.5], "{format}");
        let part = with(list.clone(), |list| (list.offset, list.length) = (1, 2));
        assert_eq!(score(&priority, &part, 3, None).unwrap(), [1.0, 0.0, 0.5], "{format}");
        let none = with(list.clone(), |list| list.length = 0);
        assert_eq!(score(&priority, &none, 0, None).unwrap(), [], "{format}");
        let message = "out_scores_len is 3: it must be 5, the number of rows";
        let error = score(&priority, &list, 3, None).unwrap_err();
        assert_eq!((&*error.name, &*error.message), ("CUPEL_STATUS_LENGTH_MISMATCH", message));
        let error = score(&priority, &list, 5, Some("priority")).unwrap_err();
        assert_eq!(error.message, "the table is a list, whose lists are the groups: it takes no group column");
        // Only scoring takes lists.
        let mut batch = Batch::new(0).unwrap();
        let exported: Exported = list.export();
        let error = check(|error| unsafe {
            c::cupel_batch_append_arrow(batch.as_mut_ptr(), exported.schema, exported.array, ptr::null(), error)
        });
        assert_eq!(error.unwrap_err().message, format!("the table has the type {format:?}: it must be a struct"));
    }
    let fixed = Array {
        format: "+w:2",
        length: 2,
        buffers: vec![None],
        children: vec![Array { name: "item", ..Array::table(vec![Array::int64("priority", &[5, 6, 9, 7, 8])]) }],
        ..Array::default()
    };
    assert_eq!(score(&priority, &fixed, 4, None).unwrap(), [0.0, 1.0, 1.0, 0.0]);
    let part = with(fixed, |list| (list.offset, list.length) = (1, 1));
    assert_eq!(score(&priority, &part, 2, None).unwrap(), [1.0, 0.0]);
    // An empty view may lie anywhere.
    let empty = with(lists().swap_remove(2), |list| list.buffers[1] = bytes(&[0_i32, 5, 2], i32::to_ne_bytes));
    assert_eq!(score(&priority, &empty, 5, None).unwrap(), [0.0, 1.0, 1.0, 0.0, 0.5]);
    // Views may leave gaps, which have no row.
    let gap = with(lists().swap_remove(2), |list| list.buffers[1] = bytes(&[0_i32, 2, 1], i32::to_ne_bytes));
    let error = score(&priority, &gap, 5, None).unwrap_err();
    assert_eq!(error.message, "the table[2] does not begin where the list before it ends");
}
