//! Selecting at the boundary: what hosts may pass, what they may not, and what a callback may do meanwhile.

#![allow(clippy::undocumented_unsafe_blocks, reason = "each is a call of the C ABI with live handles and true lengths")]

#[path = "support/capi.rs"]
mod capi;

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex};

use capi::selecting::{Policy, Selection, Selector, request};
use capi::{Batch, ItemBuilder, Scorer};
use cupel::capi as c;

fn batch(tokens: &[i64]) -> Batch {
    let mut batch = Batch::new(0).unwrap();
    for (row, &tokens) in tokens.iter().enumerate() {
        let mut item = ItemBuilder::new(&format!("content {row}"), tokens).unwrap();
        item.set_priority(row as i64).unwrap();
        batch.push(&item.build().unwrap()).unwrap();
    }
    batch
}

fn zeroed_policy() -> c::cupel_policy {
    let mut policy: c::cupel_policy = unsafe { std::mem::zeroed() };
    policy.struct_size = size_of::<c::cupel_policy>();
    policy
}

#[track_caller]
fn assert_refused(change: impl FnOnce(&mut c::cupel_policy), name: &str, message: &str) {
    let mut policy = zeroed_policy();
    change(&mut policy);
    let error = Selector::of_raw(&policy).map(drop).unwrap_err();
    assert_eq!((error.name.as_str(), error.message.as_str()), (name, message));
}

#[test]
fn a_bad_policy_names_field_and_entry() {
    let kind = |kind: &'static str, max| c::cupel_quota {
        kind: kind.as_ptr().cast(),
        kind_len: kind.len(),
        min_percent: 0.0,
        max_percent: max,
    };
    let quotas = [kind("a", 10.0), kind("b", 120.0)];
    let invalid = "CUPEL_STATUS_INVALID_ARGUMENT";
    let range = "CUPEL_STATUS_OUT_OF_RANGE";
    let put = |policy: &mut c::cupel_policy, quotas: &[c::cupel_quota]| {
        (policy.quotas, policy.quotas_len) = (quotas.as_ptr(), quotas.len());
    };
    assert_refused(
        |policy| put(policy, &quotas),
        invalid,
        "quotas[1].max_percent is 120.0: a percentage must lie from 0 to 100",
    );
    assert_refused(|policy| policy.quotas_len = 1, "CUPEL_STATUS_NULL_ARGUMENT", "quotas is NULL");
    assert_refused(|policy| policy.bucket_size = -1, invalid, "bucket_size is -1: a bucket must hold 1 token or more");
    assert_refused(
        |policy| policy.slicer = 4,
        range,
        "slicer is 4: it must be CUPEL_SLICER_GREEDY, _KNAPSACK, _RANKED or _PREFIX",
    );
    assert_refused(|policy| policy.pinned_first = 2, range, "pinned_first is 2: it must be 0 or 1");
    assert_refused(|policy| policy.keep_duplicates = -1, range, "keep_duplicates is -1: it must be 0 or 1");
    assert_refused(
        |policy| policy.struct_size = 4,
        invalid,
        "policy.struct_size is 4: it must be sizeof(cupel_policy)",
    );
}

#[test]
fn a_bad_request_names_its_field() {
    let selector = Selector::new(&Policy::default(), None).unwrap();
    let batch = batch(&[1, 2]);
    let scores = [0.5, 0.25];
    let mut selection = Selection::new().unwrap();
    let mut refused = |change: &dyn Fn(&mut c::cupel_request)| {
        let mut asked = request(10, 5);
        (asked.scores, asked.scores_len) = (scores.as_ptr(), 2);
        change(&mut asked);
        let error = selector.select(&batch, &asked, &mut selection).unwrap_err();
        format!("{} {}", error.name.trim_start_matches("CUPEL_STATUS_"), error.message)
    };
    assert_eq!(refused(&|asked| asked.max_tokens = -1), "INVALID_ARGUMENT max_tokens is -1: it must be 0 or more");
    assert_eq!(
        refused(&|asked| asked.target_tokens = 11),
        "INVALID_ARGUMENT target_tokens is 11: it must not exceed max_tokens"
    );
    assert_eq!(
        refused(&|asked| asked.safety_margin_percent = f64::NAN),
        "INVALID_ARGUMENT safety_margin_percent is NaN: a percentage must lie from 0 to 100"
    );
    assert_eq!(
        refused(&|asked| asked.scores_len = 1),
        "LENGTH_MISMATCH scores_len is 1: it must be 2, the length of the batch"
    );
    assert_eq!(
        refused(&|asked| asked.scores = ptr::null()),
        "INVALID_ARGUMENT the selector has no scorer: the request must bring scores"
    );
}

#[test]
fn a_budget_that_cannot_be_met_says_by_how_much() {
    let mut batch = Batch::new(0).unwrap();
    for row in 0..12 {
        let mut item = ItemBuilder::new(&format!("pinned {row}"), 10).unwrap();
        item.set_pinned(row > 0).unwrap();
        batch.push(&item.build().unwrap()).unwrap();
    }
    let selector = Selector::new(&Policy::default(), Some(&Scorer::recency().unwrap())).unwrap();
    let mut selection = Selection::new().unwrap();
    let error = selector.select(&batch, &request(100, 0), &mut selection).unwrap_err();
    assert_eq!(error.name, "CUPEL_STATUS_OVER_BUDGET");
    assert_eq!(
        error.message,
        "the rows to keep have 110 tokens: 10 more than the limit of 100; pinned rows alone exceed it: rows 1, 2, 3, 4, 5, 6, 7, 8 and 3 more"
    );
}

#[test]
fn groups_that_cannot_be_selected_are_named() {
    let selector = Selector::new(&Policy::default(), Some(&Scorer::priority().unwrap())).unwrap();
    let mut batch = batch(&[10, 20, 30, 40]);
    let mut pinned = ItemBuilder::new("pinned", 60).unwrap();
    pinned.set_pinned(true).unwrap();
    batch.push(&pinned.build().unwrap()).unwrap();
    let mut selection = Selection::new().unwrap();
    let groups = [0, 2, 2, 5];
    selector.select_groups(&batch, &groups, &request(100, 0), &mut selection).unwrap();
    let first = selection.read();
    assert_eq!((&*first.rows, &*first.offsets), (&[1, 0, 4, 3][..], &[0, 2, 2, 4][..]));
    assert_eq!((first.kept_tokens, first.effective_target), (130, 240));

    let mut refused = |groups: &[i64], asked: &c::cupel_request| {
        let error = selector.select_groups(&batch, groups, asked, &mut selection).unwrap_err();
        assert_eq!(selection.read(), first, "a failed call changes nothing");
        format!("{} {}", error.name.trim_start_matches("CUPEL_STATUS_"), error.message)
    };
    assert_eq!(
        refused(&groups, &request(50, 0)),
        "OVER_BUDGET group 2, rows 2 to before 5: the rows to keep have 60 tokens: 10 more than the limit of 50; \
         pinned rows alone exceed it: row 4"
    );
    assert_eq!(
        refused(&[0, 4], &request(100, 0)),
        "INVALID_ARGUMENT groups[1] is 4: the last offset must be the length of the batch"
    );
    assert_eq!(refused(&groups, &request(-1, 0)), "INVALID_ARGUMENT max_tokens is -1: it must be 0 or more");
    let other = Selection::new().unwrap();
    let mut asked = request(100, 0);
    asked.previous = other.as_ptr();
    assert_eq!(
        refused(&groups, &asked),
        "INVALID_ARGUMENT the request has an earlier selection: groups are selected without one"
    );
    let mut asked = request(100, 0);
    (asked.scores, asked.scores_len) = ([0.5].as_ptr(), 1);
    assert_eq!(refused(&groups, &asked), "LENGTH_MISMATCH scores_len is 1: it must be 5, the length of the batch");

    // A selection of groups stands for no batch.
    let mut asked = request(1_000, 0);
    asked.previous = selection.as_ptr();
    for error in
        [selector.select(&batch, &asked, &mut selection).unwrap_err(), selector.needed(&batch, &selection).unwrap_err()]
    {
        assert_eq!(error.name, "CUPEL_STATUS_INVALID_ARGUMENT");
        assert_eq!(error.message, "the selection is of groups: it must be of a whole batch");
    }
    assert_eq!(selection.read(), first);
}

#[test]
fn a_custom_scorer_selects_groups_by_the_requests_scores_alone() {
    let scorer = Scorer::composite(&[(&Scorer::custom(|_, _| panic!("it is not called")).unwrap(), 1.0)]).unwrap();
    let selector = Selector::new(&Policy::default(), Some(&scorer)).unwrap();
    let (batch, groups) = (batch(&[10, 20, 30, 40]), [0, 2, 4]);
    let mut selection = Selection::new().unwrap();
    let mut asked = request(30, 0);
    let error = selector.select_groups(&batch, &groups, &asked, &mut selection).unwrap_err();
    assert_eq!(error.name, "CUPEL_STATUS_INVALID_ARGUMENT");
    assert_eq!(error.message, "a custom scorer cannot score groups: it has no view of a part of a batch");
    let scores = [0.1, 0.2, 0.3, 0.4];
    (asked.scores, asked.scores_len) = (scores.as_ptr(), scores.len());
    selector.select_groups(&batch, &groups, &asked, &mut selection).unwrap();
    assert_eq!((selection.read().rows, selection.read().offsets), (vec![1, 0, 2], vec![0, 2, 3]));
}

/// The scores and the rows of the selection that is selected into.
#[test]
fn a_selection_may_be_its_own_input() {
    let selector = Selector::new(&Policy::default(), Some(&Scorer::priority().unwrap())).unwrap();
    let mut batch = batch(&[10, 20, 30]);
    let mut selection = Selection::new().unwrap();
    selector.select(&batch, &request(100, 45), &mut selection).unwrap();
    let first = selection.read();
    let view = selection.view();
    let mut asked = request(100, 45);
    (asked.scores, asked.scores_len) = (view.scores, view.batch_len);
    for _ in 0..3 {
        selector.select(&batch, &asked, &mut selection).unwrap();
        assert_eq!(selection.read(), first);
        let view = selection.view();
        (asked.scores, asked.scores_len) = (view.scores, view.batch_len);
    }
    batch.push(&ItemBuilder::new("new", 5).unwrap().build().unwrap()).unwrap();
    let mut asked = request(100, 45);
    asked.previous = selection.as_ptr();
    selector.select(&batch, &asked, &mut selection).unwrap();
    let second = selection.read();
    assert!(second.stable && second.rows.starts_with(&first.rows) && second.rows.ends_with(&[3]), "{second:?}");

    let shorter = self::batch(&[1]);
    let error = selector.select(&shorter, &asked, &mut selection).unwrap_err();
    assert_eq!(error.name, "CUPEL_STATUS_LENGTH_MISMATCH");
    assert_eq!(error.message, "the earlier selection is over 4 rows: the batch has 1");
    assert_eq!(selection.read(), second);
}

/// A custom scorer that is called while a selection is selected into can neither use it nor pull it away.
#[test]
fn a_callback_cannot_reach_the_selection() {
    let target: Arc<AtomicPtr<c::cupel_selection>> = Arc::default();
    let seen: Arc<Mutex<Vec<i32>>> = Arc::default();
    let (in_callback, statuses) = (Arc::clone(&target), Arc::clone(&seen));
    let plain = Selector::new(&Policy::default(), Some(&Scorer::priority().unwrap())).unwrap();
    let scorer = Scorer::custom(move |batch, scores| {
        scores.fill(0.5);
        let selection = in_callback.load(Ordering::Relaxed);
        let mut view: c::cupel_selection_view = unsafe { std::mem::zeroed() };
        view.struct_size = size_of::<c::cupel_selection_view>();
        let mut tokens = [0; 2];
        let asked = request(100, 100);
        let found = unsafe {
            [
                c::cupel_selection_read(selection, &mut view, ptr::null_mut()),
                c::cupel_selector_select(plain.as_ptr(), batch.0, &asked, selection, ptr::null_mut()),
                c::cupel_selector_needed(plain.as_ptr(), batch.0, selection, tokens.as_mut_ptr(), 2, ptr::null_mut()),
            ]
        };
        statuses.lock().unwrap().extend(found);
        Ok(())
    })
    .unwrap();
    let selector = Selector::new(&Policy::default(), Some(&scorer)).unwrap();
    let mut selection = Selection::new().unwrap();
    target.store(selection.as_mut_ptr(), Ordering::Relaxed);
    selector.select(&batch(&[1, 2]), &request(10, 10), &mut selection).unwrap();
    assert_eq!(*seen.lock().unwrap(), [c::CUPEL_STATUS_BUSY; 3]);
    assert_eq!(selection.read().rows, [0, 1]);

    let freed: Arc<AtomicPtr<c::cupel_selection>> = Arc::default();
    let in_callback = Arc::clone(&freed);
    let scorer = Scorer::custom(move |_, scores| {
        scores.fill(0.5);
        unsafe { c::cupel_selection_free(in_callback.load(Ordering::Relaxed)) };
        Ok(())
    })
    .unwrap();
    let selector = Selector::new(&Policy::default(), Some(&scorer)).unwrap();
    let gone = Selection::new().unwrap().into_raw();
    freed.store(gone, Ordering::Relaxed);
    let batch = batch(&[1, 2]);
    let asked = request(10, 10);
    // The call frees the selection at its end; a leak or a second free is the sanitizers' to find.
    let status = unsafe { c::cupel_selector_select(selector.as_ptr(), batch.as_ptr(), &asked, gone, ptr::null_mut()) };
    assert_eq!(status, c::CUPEL_STATUS_OK);
}

#[test]
fn a_table_that_is_too_large_names_a_bucket_that_is_not() {
    // Values in proportion to sizes that no bound tells apart.
    let tokens: Vec<i64> = (0..9_000).map(|row| 2_000 + row * 7_919 % 100_003).collect();
    let scores: Vec<f64> = tokens.iter().map(|&tokens| tokens as f64 / 10_000.0).collect();
    let batch = batch(&tokens);
    let mut selection = Selection::new().unwrap();
    let mut asked = request(i64::MAX, 2_500_000);
    (asked.scores, asked.scores_len) = (scores.as_ptr(), scores.len());
    let policy = |bucket_size| Policy { slicer: 1, bucket_size, ..Policy::default() };
    let error = Selector::new(&policy(1), None).unwrap().select(&batch, &asked, &mut selection).unwrap_err();
    assert_eq!(error.name, "CUPEL_STATUS_TOO_LARGE", "{error}");
    let words = error.message.split_once("a bucket_size of ").unwrap().1;
    let bucket: i64 = words.split_once(' ').unwrap().0.parse().unwrap();
    Selector::new(&policy(bucket), None).unwrap().select(&batch, &asked, &mut selection).unwrap();
    assert!(selection.read().kept_tokens > 2_400_000);
}

#[test]
fn children_explain_a_composite() {
    let children = [Scorer::recency().unwrap(), Scorer::priority().unwrap()];
    let composite = Scorer::composite(&[(&children[0], 3.0), (&children[1], 1.0)]).unwrap();
    let batch = batch(&[1, 2, 3]);
    let type_of = |scorer: &Scorer| unsafe { std::ffi::CStr::from_ptr(c::cupel_scorer_type(scorer.as_ptr())) };
    assert_eq!(type_of(&composite), c"composite");
    assert_eq!(unsafe { c::cupel_scorer_children_len(composite.as_ptr()) }, 2);
    let mut sums = [0.0; 3];
    for index in 0..2 {
        let mut weight = f64::NAN;
        let child = capi::create(|out, error| unsafe {
            c::cupel_scorer_child(composite.as_ptr(), index, out, &mut weight, error)
        });
        let child = Scorer::from_raw(child.unwrap());
        assert_eq!((type_of(&child), weight), ([c"recency", c"priority"][index], [0.75, 0.25][index]));
        for (sum, score) in sums.iter_mut().zip(child.score_batch(&batch).unwrap()) {
            *sum += score * weight;
        }
    }
    assert_eq!(sums.to_vec(), composite.score_batch(&batch).unwrap());
    let error =
        capi::create(|out, error| unsafe { c::cupel_scorer_child(composite.as_ptr(), 2, out, ptr::null_mut(), error) });
    assert_eq!(error.unwrap_err().name, "CUPEL_STATUS_OUT_OF_RANGE");
}
