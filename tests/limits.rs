//! How much the library bears: each of these works, or is refused with an error that says why.

#[path = "support/capi.rs"]
mod capi;
#[path = "support/columns.rs"]
mod columns;

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt::Write as _;
use std::ptr;
use std::thread;
use std::time::{Duration, Instant};

use capi::selecting::{Policy, Selection, Selector, request};
use capi::{Batch, Clock, ItemBuilder, Metadata, Scorer};
use columns::{append, columns};
use cupel::capi as c;

/// What an embedded runtime or a language with small stacks may leave for a call.
const SMALL_STACK: usize = 256 * 1024;

const DEEP: usize = 10_000;

/// Runs a test on a thread with a small stack. Rust keeps a guard page at its end, so too deep a recursion ends the process.
fn on_a_small_stack(body: impl FnOnce() + Send + 'static) {
    thread::Builder::new().stack_size(SMALL_STACK).spawn(body).unwrap().join().unwrap();
}

fn three_rows() -> Batch {
    let mut batch = Batch::new(3).unwrap();
    batch
        .append_json(
            r#"[{"content": "a", "tokens": 1, "priority": 3, "futureRelevanceHint": 0.25, "tags": ["x"]},
                {"content": "b", "tokens": 1, "priority": 1, "futureRelevanceHint": 0.5, "tags": ["X", "y"]},
                {"content": "c", "tokens": 1, "priority": 2, "futureRelevanceHint": 1.0}]"#,
        )
        .unwrap();
    batch
}

#[test]
fn a_million_rows() {
    const ROWS: usize = 1_000_000;
    let priority: Vec<i64> = (0..ROWS as i64).map(|row| row * 7_919 % ROWS as i64).collect();
    let timestamp: Vec<i64> = (0..ROWS as i64).map(|row| row * 1_000).collect();
    let hint: Vec<f64> = (0..ROWS).map(|row| row as f64 / ROWS as f64).collect();
    let tag_lists: Vec<i64> = (0..=ROWS as i64).collect();
    let tag_codes: Vec<u32> = (0..ROWS as u32).map(|row| row % 4).collect();
    let tag_offsets = [0_i64, 1, 2, 3, 4];
    let mut set = columns(ROWS);
    set.priority = priority.as_ptr();
    set.timestamp = timestamp.as_ptr();
    set.future_relevance_hint = hint.as_ptr();
    set.tag_lists = tag_lists.as_ptr();
    set.tags_len = ROWS;
    set.tags = c::cupel_text_column {
        data: c"abcd".as_ptr(),
        data_len: 4,
        offsets: tag_offsets.as_ptr(),
        texts_len: 4,
        codes: tag_codes.as_ptr(),
    };
    let mut batch = Batch::new(ROWS).unwrap();
    append(&mut batch, &set).unwrap();
    assert_eq!(batch.len(), ROWS);

    let last = (ROWS - 1) as f64;
    let check = |scorer: &Scorer, expected: &dyn Fn(usize) -> f64| {
        for (row, score) in scorer.score_batch(&batch).unwrap().into_iter().enumerate() {
            assert_eq!(score.to_bits(), expected(row).to_bits(), "row {row}");
        }
    };
    let (recency, by_priority, reflexive) =
        (Scorer::recency().unwrap(), Scorer::priority().unwrap(), Scorer::reflexive().unwrap());
    check(&recency, &|row| row as f64 / last);
    // 7919 is prime to a million, so the priorities are the numbers from 0 to 999,999.
    check(&by_priority, &|row| (row * 7_919 % ROWS) as f64 / last);
    check(&reflexive, &|row| hint[row]);
    check(&Scorer::frequency().unwrap(), &|_| (ROWS / 4 - 1) as f64 / last);
    let clock = Clock::fixed(timestamp[ROWS - 1]).unwrap();
    check(&Scorer::decay_window(&clock, 500_000_000, 0.5).unwrap(), &|row| if row >= 500_000 { 1.0 } else { 0.0 });
    let sum = Scorer::composite(&[(&recency, 1.0), (&by_priority, 1.0)]).unwrap();
    check(&sum, &|row| row as f64 / last * 0.5 + (row * 7_919 % ROWS) as f64 / last * 0.5);
    check(&Scorer::scaled(&reflexive).unwrap(), &|row| hint[row] / hint[ROWS - 1]);
    assert_eq!(recency.score_row(&batch, ROWS - 1).unwrap(), 1.0);
}

/// Hangs `DEEP` scorers onto a leaf, one on another, with none but the last kept.
fn deep(leaf: Scorer, wrap: impl Fn(&Scorer) -> Scorer) -> Scorer {
    (0..DEEP).fold(leaf, |inner, _| wrap(&inner))
}

#[test]
fn a_chain_of_scaled_scorers_ten_thousand_deep() {
    on_a_small_stack(|| {
        let scorer = deep(Scorer::reflexive().unwrap(), |inner| Scorer::scaled(inner).unwrap());
        assert_eq!(scorer.score_batch(&three_rows()).unwrap(), [0.0, 0.25 / 0.75, 1.0]);
        drop(scorer);
    });
}

#[test]
fn a_chain_of_composites_of_one_child_ten_thousand_deep() {
    on_a_small_stack(|| {
        let scorer = deep(Scorer::reflexive().unwrap(), |inner| Scorer::composite(&[(inner, 3.0)]).unwrap());
        assert_eq!(scorer.score_batch(&three_rows()).unwrap(), [0.25, 0.5, 1.0]);
    });
}

#[test]
fn composites_ten_thousand_deep_by_the_first_child_and_by_the_last() {
    for first in [true, false] {
        on_a_small_stack(move || {
            let leaf = Scorer::priority().unwrap();
            let scorer = deep(Scorer::reflexive().unwrap(), |inner| {
                let children = if first { [(inner, 1.0), (&leaf, 1.0)] } else { [(&leaf, 1.0), (inner, 1.0)] };
                Scorer::composite(&children).unwrap()
            });
            drop(leaf);
            // Each level halves the distance to the other child, whichever stands first.
            let mut expected = [0.25, 0.5, 1.0];
            for _ in 0..DEEP {
                for (score, priority) in expected.iter_mut().zip([1.0, 0.0, 0.5]) {
                    *score = *score * 0.5 + priority * 0.5;
                }
            }
            let batch = three_rows();
            assert_eq!(scorer.score_batch(&batch).unwrap(), expected, "first: {first}");
            assert_eq!(scorer.score_row(&batch, 2).unwrap(), expected[2]);
        });
    }
}

#[test]
fn a_deep_tree_whose_every_level_is_also_held_is_freed_in_any_order() {
    for parents_first in [true, false] {
        on_a_small_stack(move || {
            let mut levels = vec![Scorer::reflexive().unwrap()];
            for level in 0..DEEP {
                let inner = &levels[level];
                let next = if level % 2 == 0 {
                    Scorer::scaled(inner)
                } else {
                    Scorer::composite(&[(inner, 1.0), (inner, 1.0)])
                };
                levels.push(next.unwrap());
            }
            assert_eq!(levels[DEEP].score_batch(&three_rows()).unwrap(), [0.0, 0.25 / 0.75, 1.0]);
            if parents_first {
                levels.reverse();
            }
            // A vector drops from its beginning to its end.
            drop(levels);
        });
    }
}

#[test]
fn a_deep_tree_with_a_custom_scorer_below_is_freed_with_its_data() {
    on_a_small_stack(|| {
        let held = std::sync::Arc::new(());
        let share = held.clone();
        let leaf = Scorer::custom(move |_, scores| {
            let _ = &share;
            scores.copy_from_slice(&[1.0, 2.0, 3.0]);
            Ok(())
        });
        let scorer = deep(leaf.unwrap(), |inner| Scorer::scaled(inner).unwrap());
        assert_eq!(scorer.score_batch(&three_rows()).unwrap(), [0.0, 0.5, 1.0]);
        assert_eq!(std::sync::Arc::strong_count(&held), 2);
        drop(scorer);
        assert_eq!(std::sync::Arc::strong_count(&held), 1);
    });
}

#[test]
fn a_scorer_that_stands_in_a_tree_two_to_the_sixtieth_times_is_scored_once() {
    let mut scorer = Scorer::reflexive().unwrap();
    for _ in 0..60 {
        scorer = Scorer::composite(&[(&scorer, 1.0), (&scorer, 1.0)]).unwrap();
    }
    let start = Instant::now();
    assert_eq!(scorer.score_batch(&three_rows()).unwrap(), [0.25, 0.5, 1.0]);
    // One at a time would take longer than the age of the planet.
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}

#[test]
fn ten_thousand_children() {
    let leaf = Scorer::reflexive().unwrap();
    let other = Scorer::priority().unwrap();
    let children: Vec<_> = (0..10_000).map(|child| if child % 2 == 0 { (&leaf, 1.0) } else { (&other, 1.0) }).collect();
    let scorer = Scorer::composite(&children).unwrap();
    let expected: Vec<f64> = [(0.25, 1.0), (0.5, 0.0), (1.0, 0.5)]
        .map(|(hint, priority)| {
            (0..10_000).fold(0.0, |sum, child| sum + if child % 2 == 0 { hint } else { priority } * 1e-4)
        })
        .into();
    assert_eq!(scorer.score_batch(&three_rows()).unwrap(), expected);
}

#[test]
fn a_hundred_thousand_tags_on_one_item() {
    const TAGS: usize = 100_000;
    let mut builder = ItemBuilder::new("content", 1).unwrap();
    for tag in 0..TAGS {
        builder.add_tag(&format!("Tag {tag}")).unwrap();
    }
    let item = builder.build().unwrap();
    assert_eq!(item.tags().unwrap().len(), TAGS);
    let mut batch = Batch::new(0).unwrap();
    batch.push(&item).unwrap();
    batch.push(&item).unwrap();
    builder.reset("other", 1).unwrap();
    builder.add_tag("tAG 99999").unwrap();
    batch.push(&builder.build().unwrap()).unwrap();
    builder.reset("alone", 1).unwrap();
    builder.add_tag("alone").unwrap();
    batch.push(&builder.build().unwrap()).unwrap();

    let third = 2.0 / 3.0;
    assert_eq!(Scorer::frequency().unwrap().score_batch(&batch).unwrap(), [third, third, third, 0.0]);
    let weights: Vec<_> = (0..TAGS).map(|tag| (format!("Tag {tag}"), 1.0)).collect();
    assert_eq!(Scorer::tag(&weights, 0).unwrap().score_batch(&batch).unwrap(), [1.0, 1.0, 0.0, 0.0]);
    assert_eq!(Scorer::tag(&weights, 1).unwrap().score_batch(&batch).unwrap(), [1.0, 1.0, 1e-5, 0.0]);
    assert_eq!(batch.item(1).unwrap().tags().unwrap()[TAGS - 1], "Tag 99999");
}

#[test]
fn a_hundred_thousand_metadata_keys_on_one_item() {
    const KEYS: usize = 100_000;
    let mut builder = ItemBuilder::new("content", 1).unwrap();
    for key in 0..KEYS {
        builder.set_metadata(&format!("key {key}"), &Metadata::String(format!("value {key}"))).unwrap();
    }
    builder.set_metadata("key 0", &Metadata::Double(0.5)).unwrap();
    let item = builder.build().unwrap();
    let mut batch = Batch::new(0).unwrap();
    batch.push(&item).unwrap();
    for (key, value, expected) in
        [("key 99999", "value 99999", 7.0), ("key 0", "0.5", 7.0), ("key 0", "value 0", 1.0), ("key 100000", "", 1.0)]
    {
        let scorer = Scorer::metadata_key(key, value, 7.0).unwrap();
        assert_eq!(scorer.score_batch(&batch).unwrap(), [expected], "{key}: {value}");
    }
    let mut metadata = batch.item(0).unwrap().metadata().unwrap();
    assert_eq!(metadata.len(), KEYS);
    metadata.sort_by(|(left, _), (right, _)| left.cmp(right));
    assert_eq!(metadata[0], ("key 0".to_owned(), Metadata::Double(0.5)));
}

#[test]
fn a_hundred_thousand_kinds_in_one_batch() {
    let mut json = String::new();
    for kind in 0..100_000 {
        writeln!(json, r#"{{"content": "c", "tokens": 1, "kind": "Kind {kind}"}}"#).unwrap();
    }
    let mut batch = Batch::new(0).unwrap();
    batch.append_json(&json).unwrap();
    let weights: Vec<_> = (0..100_000).map(|kind| (format!("kIND {kind}"), f64::from(kind))).collect();
    let scores = Scorer::kind(&weights).unwrap().score_batch(&batch).unwrap();
    assert!(scores.iter().enumerate().all(|(row, &score)| score == row as f64));
}

/// Zeroed memory that the system hands out page by page as it is written, which nobody does.
struct Zeros(*mut u8, Layout);

impl Zeros {
    fn new(len: usize) -> Option<Self> {
        let layout = Layout::from_size_align(len, 4096).unwrap();
        // SAFETY: the size is not zero.
        let data = unsafe { alloc_zeroed(layout) };
        (!data.is_null()).then_some(Self(data, layout))
    }
}

impl Drop for Zeros {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.0, self.1) };
    }
}

/// A batch of rows of 10 tokens, to which `change` gives more.
fn rows_of_ten_tokens(rows: usize, change: impl Fn(usize, &mut ItemBuilder)) -> Batch {
    let mut batch = Batch::new(rows).unwrap();
    for row in 0..rows {
        let mut item = ItemBuilder::new("content", 10).unwrap();
        change(row, &mut item);
        batch.push(&item.build().unwrap()).unwrap();
    }
    batch
}

/// A policy that keeps all rows that fit in the order of the batch.
fn in_batch_order() -> Policy {
    Policy { placer: c::CUPEL_PLACER_BATCH_ORDER, keep_duplicates: 1, ..Policy::default() }
}

/// Each kind gets its share of the tokens, and nothing is done for all kinds in each group.
#[test]
fn a_kind_for_each_row_is_shared_among() {
    const ROWS: usize = 100_000;
    let batch = rows_of_ten_tokens(ROWS, |row, item| item.set_kind(&format!("kind {row}")).unwrap());
    let policy = Policy { quotas: vec![("KIND 7".to_owned(), 0.0, 0.0)], ..in_batch_order() };
    let selector = Selector::new(&policy, Some(&Scorer::recency().unwrap())).unwrap();
    let mut selection = Selection::new().unwrap();
    let expected: Vec<u32> = (0..ROWS as u32).filter(|&row| row != 7).collect();
    selector.select(&batch, &request(10 * ROWS as i64, 0), &mut selection).unwrap();
    assert_eq!(selection.read().rows, expected);
    let groups: Vec<i64> = (0..=ROWS as i64).step_by(20).collect();
    let begun = Instant::now();
    selector.select_groups(&batch, &groups, &request(200, 0), &mut selection).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?} for {} groups", begun.elapsed(), groups.len());
    assert_eq!(selection.read().rows, expected);
}

#[test]
fn a_group_of_all_rows_is_kept_or_dropped() {
    const ROWS: usize = 50_000;
    let one = Metadata::String("one".into());
    let batch = rows_of_ten_tokens(ROWS, |_, item| item.set_metadata("group", &one).unwrap());
    for slicer in [c::CUPEL_SLICER_GREEDY, c::CUPEL_SLICER_KNAPSACK, c::CUPEL_SLICER_RANKED, c::CUPEL_SLICER_PREFIX] {
        let policy = Policy { group_key: Some("group".into()), slicer, bucket_size: 10, ..in_batch_order() };
        let selector = Selector::new(&policy, None).unwrap();
        let mut selection = Selection::new().unwrap();
        let scores = vec![0.5; ROWS];
        for (tokens, kept) in [(10 * ROWS as i64, ROWS), (10 * ROWS as i64 - 1, 0)] {
            let mut asked = request(tokens, 0);
            (asked.scores, asked.scores_len) = (scores.as_ptr(), ROWS);
            selector.select(&batch, &asked, &mut selection).unwrap();
            let found = selection.read();
            assert_eq!(found.rows, (0..kept as u32).collect::<Vec<_>>(), "slicer {slicer}");
            assert_eq!(found.kept_tokens, 10 * kept as i64);
            assert_eq!(found.reasons[ROWS - 1] < 16, kept > 0);
        }
    }
}

#[test]
fn a_knapsack_of_just_the_greatest_capacity_is_solved() {
    let tokens: [i64; 3] = [1_200_000, 1_000_000, 900_000];
    let mut batch = Batch::new(0).unwrap();
    for tokens in tokens {
        batch.push(&ItemBuilder::new("content", tokens).unwrap().build().unwrap()).unwrap();
    }
    let policy = Policy { slicer: c::CUPEL_SLICER_KNAPSACK, bucket_size: 1, ..in_batch_order() };
    let selector = Selector::new(&policy, None).unwrap();
    let mut selection = Selection::new().unwrap();
    // In proportion to the tokens, so that no bound tells the rows apart.
    let scores = tokens.map(|tokens| tokens as f64 / 10_000.0);
    let mut select = |max_tokens| {
        let mut asked = request(max_tokens, 0);
        (asked.scores, asked.scores_len) = (scores.as_ptr(), scores.len());
        selector.select(&batch, &asked, &mut selection).map(|()| selection.read().rows)
    };
    assert_eq!(select((1 << 21) - 1).unwrap(), [1, 2]);
    let error = select(1 << 21).unwrap_err();
    assert_eq!(error.name, "CUPEL_STATUS_TOO_LARGE");
    assert!(error.message.contains("3 units and a capacity of 2097152 buckets"), "{error}");
}

#[test]
fn a_row_of_just_the_share_of_its_kind_is_kept() {
    for (tokens, kept) in [(50, 1), (51, 0)] {
        let mut batch = Batch::new(0).unwrap();
        batch.push(&ItemBuilder::new("content", tokens).unwrap().build().unwrap()).unwrap();
        let policy = Policy { quotas: vec![("message".to_owned(), 0.0, 50.0)], ..in_batch_order() };
        let mut selection = Selection::new().unwrap();
        let selector = Selector::new(&policy, Some(&Scorer::recency().unwrap())).unwrap();
        selector.select(&batch, &request(100, 0), &mut selection).unwrap();
        assert_eq!(selection.read().rows.len(), kept, "{tokens} tokens");
    }
}

#[test]
fn a_gibibyte_of_text_in_one_column() {
    const GIBIBYTE: usize = 1 << 30;
    let zeros = Zeros::new(GIBIBYTE).expect("a gibibyte of address space");
    let offsets = [0, (GIBIBYTE / 2) as i64, GIBIBYTE as i64];
    let text = c::cupel_text_column {
        data: zeros.0.cast(),
        data_len: GIBIBYTE,
        offsets: offsets.as_ptr(),
        texts_len: 2,
        codes: ptr::null(),
    };
    let priority = [1_i64, 2];
    let mut batch = three_rows();
    let mut set = columns(2);
    set.content = text;
    set.priority = priority.as_ptr();
    match append(&mut batch, &set) {
        // NUL bytes are text. The batch holds a copy of the content.
        Ok(()) => {
            assert_eq!(batch.len(), 5);
            assert_eq!(Scorer::priority().unwrap().score_batch(&batch).unwrap(), [1.0, 0.0, 0.5, 0.0, 0.5]);
        }
        Err(error) => {
            assert_eq!(error.name, "CUPEL_STATUS_OUT_OF_MEMORY", "{error}");
            assert_eq!(batch.len(), 3);
            assert_eq!(Scorer::priority().unwrap().score_batch(&batch).unwrap(), [1.0, 0.0, 0.5]);
        }
    }
}

#[test]
fn a_gibibyte_of_text_that_nothing_refers_to_is_not_copied() {
    const GIBIBYTE: usize = 1 << 30;
    let zeros = Zeros::new(GIBIBYTE).expect("a gibibyte of address space");
    let offsets = [0, 1, 2];
    let mut set = columns(2);
    set.content = c::cupel_text_column {
        data: zeros.0.cast(),
        data_len: GIBIBYTE,
        offsets: offsets.as_ptr(),
        texts_len: 2,
        codes: ptr::null(),
    };
    let mut batch = Batch::new(0).unwrap();
    append(&mut batch, &set).unwrap();
    assert_eq!(batch.item(1).unwrap().content().unwrap(), "\0");
}

/// Checks that a text is refused as JSON, with a place and a reason.
#[track_caller]
fn refused<T>(result: capi::Result<T>) -> String {
    let error = result.err().expect("it is refused");
    assert_eq!(error.name, "CUPEL_STATUS_INVALID_JSON", "{error}");
    assert!(error.message.contains("line 1") && error.message.contains("column"), "{error}");
    assert!(error.message.len() < 1_000, "a message of {} bytes", error.message.len());
    error.message
}

#[test]
fn json_nested_a_hundred_thousand_deep_is_refused() {
    on_a_small_stack(|| {
        let mut batch = three_rows();
        let deep = 100_000;
        let (open, close) = ("[".repeat(deep), "]".repeat(deep));
        for json in [
            open.clone(),
            format!("{open}{close}"),
            format!(r#"[{{"content": "a", "tokens": 1, "metadata": {{"k": {open}{close}}}}}]"#),
            format!(r#"{{"content": "a", "tokens": 1, "tags": {open}{close}}}"#),
            r#"{"content":"#.repeat(deep),
        ] {
            // For its depth, or for what comes to light before that: an array in place of an item, say.
            refused(batch.append_json(&json));
            assert_eq!(batch.len(), 3);
            refused(Scorer::from_json(&json, None));
        }
        let scorer = format!(
            "{}{}{}",
            r#"{"type": "scaled", "innerScorer": "#.repeat(deep),
            r#"{"type": "recency"}"#,
            "}".repeat(deep)
        );
        let message = refused(Scorer::from_json(&scorer, None));
        assert!(message.contains("deep") || message.contains("nest"), "{message}");
        assert_eq!(Scorer::reflexive().unwrap().score_batch(&batch).unwrap(), [0.25, 0.5, 1.0]);
    });
}

#[test]
fn a_deep_scorer_is_written_as_json_or_refused_without_a_deep_stack() {
    on_a_small_stack(|| {
        let scorer = deep(Scorer::reflexive().unwrap(), |inner| Scorer::scaled(inner).unwrap());
        match scorer.to_json() {
            Ok(json) => assert_eq!(json.matches("scaled").count(), DEEP),
            Err(error) => assert_eq!(error.name, "CUPEL_STATUS_INVALID_ARGUMENT", "{error}"),
        }
    });
}

#[test]
fn a_scorer_nested_as_deep_as_json_may_be_is_read_and_written_on_a_small_stack() {
    on_a_small_stack(|| {
        let nested = |levels: usize| {
            let open = r#"{"type":"scaled","innerScorer":"#.repeat(levels);
            format!("{open}{{\"type\":\"reflexive\"}}{}", "}".repeat(levels))
        };
        let scorer = Scorer::from_json(&nested(63), None).unwrap();
        assert_eq!(scorer.to_json().unwrap(), nested(63));
        refused(Scorer::from_json(&nested(64), None));
    });
}

#[test]
fn as_many_scorers_are_read_as_are_written() {
    let composite = |children: usize| {
        let entries = vec![r#"{"type":"reflexive","weight":1.0}"#; children].join(",");
        format!(r#"{{"type":"composite","scorers":[{entries}]}}"#)
    };
    let json = composite(99_999);
    let scorer = Scorer::from_json(&json, None).unwrap();
    assert!(scorer.to_json().unwrap() == json);
    let message = refused(Scorer::from_json(&composite(100_000), None));
    assert!(message.starts_with("$.scorers[99999] ") && message.contains("100000"), "{message}");
    let leaf = Scorer::reflexive().unwrap();
    let error = Scorer::composite(&vec![(&leaf, 1.0); 100_000]).unwrap().to_json().unwrap_err();
    assert_eq!(error.name, "CUPEL_STATUS_INVALID_ARGUMENT", "{error}");
}

#[test]
fn as_many_bytes_of_a_scorer_are_read_as_are_written() {
    const MAX_BYTES: usize = 64 << 20;
    let json = |bytes: usize| {
        let (head, tail) = (r#"{"type":"metadataKey","key":""#, r#"","value":"v","boost":2.0}"#);
        format!("{head}{}{tail}", "k".repeat(bytes - head.len() - tail.len()))
    };
    let longest = json(MAX_BYTES);
    let scorer = Scorer::from_json(&longest, None).unwrap();
    assert!(scorer.to_json().unwrap() == longest);
    let message = refused(Scorer::from_json(&json(MAX_BYTES + 1), None));
    assert!(message.contains("67108864"), "{message}");
    // A shared scorer is written each time: a terabyte in all.
    let many: Vec<_> = (0..90_000).map(|_| (&scorer, 1.0)).collect();
    let start = Instant::now();
    let error = Scorer::composite(&many).unwrap().to_json().unwrap_err();
    assert_eq!(error.name, "CUPEL_STATUS_INVALID_ARGUMENT", "{error}");
    assert!(error.message.contains("67108864"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

/// A hundred times the text takes no longer when it is refused where it is nested too deep.
#[test]
fn nesting_is_refused_without_reading_on() {
    let bomb = r#"{"type":"scaled","innerScorer":"#.repeat(1 << 20);
    let items = format!(r#"{{"content": "a", "tokens": 1, "metadata": {{"k": {}"#, "[".repeat(32 << 20));
    let mut batch = Batch::new(0).unwrap();
    let start = Instant::now();
    for _ in 0..20 {
        let message = refused(Scorer::from_json(&bomb, None));
        assert!(message.contains("nested more than 64 deep"), "{message}");
        let message = refused(batch.append_json(&items));
        assert!(message.contains("nested more than 64 deep"), "{message}");
    }
    // What is left is to check that 20 times 64 MiB are UTF-8.
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}
