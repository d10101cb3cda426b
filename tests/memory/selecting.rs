//! Selectors and selections: made, selected with, and selected into again.

use std::ptr;

use cupel::capi as c;

use crate::allocator::{Failing, failing};
use crate::attempt::Attempt;
use crate::capi::selecting::{Policy, Selection, Selector, View, request};
use crate::capi::{Batch, Scorer};
use crate::fixtures::batch;

/// Policies that take every path.
fn policies() -> Vec<(String, Policy)> {
    let mut policies = Vec::new();
    for (name, slicer) in [("greedy", 0), ("knapsack", 1), ("ranked", 2), ("prefix", 3)] {
        let plain = Policy { slicer, overflow: 1, bucket_size: 7, placer: slicer, ..Policy::default() };
        let quotas = vec![("message".to_owned(), 20.0, 90.0), ("Memory".to_owned(), 0.0, 40.5)];
        let count_quotas = vec![("memory".to_owned(), 2, 9), ("none".to_owned(), 1, 1)];
        let key = Some("key".to_owned());
        policies.push((name.to_owned(), plain.clone()));
        policies
            .push((format!("{name}, quotas"), Policy { quotas: quotas.clone(), keep_duplicates: 1, ..plain.clone() }));
        policies.push((format!("{name}, all quotas"), Policy { quotas, count_quotas, ..plain.clone() }));
        policies.push((format!("{name}, groups"), Policy { group_key: key.clone(), pinned_first: 1, ..plain.clone() }));
        policies.push((format!("{name}, a duplicate key"), Policy { duplicate_key: key, ..plain }));
    }
    policies
}

fn scorer() -> Scorer {
    Scorer::composite(&[(&Scorer::recency().unwrap(), 2.0), (&Scorer::frequency().unwrap(), 1.0)]).unwrap()
}

/// Room for about a third of the tokens of a batch of so many rows.
fn a_third(rows: i64) -> c::cupel_request {
    request(1 + rows * rows, 1 + rows * rows / 6)
}

#[test]
fn rows_are_selected() {
    let scorer = scorer();
    for rows in [0, 1, 40, 2_000] {
        for (name, policy) in policies() {
            if rows > 1_000 && name.contains(", ") && !name.ends_with("groups") {
                continue;
            }
            let selector = Selector::new(&policy, Some(&scorer)).unwrap();
            Attempt {
                name: &format!("cupel_selector_select, {name}, {rows} rows"),
                set_up: &|| (batch(rows), Selection::new().unwrap()),
                // SAFETY: live handles.
                call: &|(batch, selection), error| unsafe {
                    let asked = a_third(rows);
                    c::cupel_selector_select(selector.as_ptr(), batch.as_ptr(), &asked, selection.as_mut_ptr(), error)
                },
                look: &|(_, selection): &(Batch, Selection)| selection.read(),
                least: if rows == 0 { 0 } else { 5 },
            }
            .run();
        }
    }
}

#[test]
fn groups_are_selected() {
    let (scorer, rows) = (scorer(), 100);
    let groups = [0, 0, 20, 21, 86, 100];
    for (name, policy) in policies() {
        let selector = Selector::new(&policy, Some(&scorer)).unwrap();
        Attempt {
            name: &format!("cupel_selector_select_groups, {name}"),
            set_up: &|| (batch(rows), Selection::new().unwrap()),
            // SAFETY: live handles, and one offset more than there are groups.
            call: &|(batch, selection), error| unsafe {
                let (asked, into) = (a_third(rows), selection.as_mut_ptr());
                let (offsets, len) = (groups.as_ptr(), groups.len() - 1);
                c::cupel_selector_select_groups(selector.as_ptr(), batch.as_ptr(), offsets, len, &asked, into, error)
            },
            look: &|(_, selection): &(Batch, Selection)| selection.read(),
            least: 5,
        }
        .run();
    }
    // The error of a group is on the heap, too.
    let selector = Selector::new(&Policy::default(), Some(&scorer)).unwrap();
    let batch = batch(rows);
    let mut selection = Selection::new().unwrap();
    let asked = request(1, 0);
    for limit in 0.. {
        let (status, usage) = failing(Some(Failing::From(limit)), || {
            // SAFETY: as above.
            unsafe {
                let (into, offsets, len) = (selection.as_mut_ptr(), groups.as_ptr(), groups.len() - 1);
                let (selector, batch) = (selector.as_ptr(), batch.as_ptr());
                c::cupel_selector_select_groups(selector, batch, offsets, len, &asked, into, ptr::null_mut())
            }
        });
        assert_eq!(selection.read(), Selection::new().unwrap().read());
        if usage.asked <= limit {
            assert_eq!(status, c::CUPEL_STATUS_OVER_BUDGET);
            break;
        }
        assert_eq!(status, c::CUPEL_STATUS_OUT_OF_MEMORY);
    }
}

#[test]
fn a_result_is_selected_over() {
    let (scorer, rows) = (scorer(), 60);
    let selector = Selector::new(&Policy::default(), Some(&scorer)).unwrap();
    Attempt {
        name: "cupel_selector_select into a selection of fewer rows, with its own rows in front",
        set_up: &|| {
            let mut selection = Selection::new().unwrap();
            selector.select(&batch(8), &request(100, 100), &mut selection).unwrap();
            (batch(rows), selection)
        },
        // SAFETY: live handles.
        call: &|(batch, selection), error| unsafe {
            let mut asked = request(i64::MAX, 100);
            asked.previous = selection.as_ptr();
            c::cupel_selector_select(selector.as_ptr(), batch.as_ptr(), &asked, selection.as_mut_ptr(), error)
        },
        look: &|(_, selection): &(Batch, Selection)| selection.read(),
        least: 5,
    }
    .run();
}

/// Selecting again into the same selection asks for nothing, and gives the same.
#[test]
fn selecting_again_allocates_nothing() {
    let scorer = scorer();
    for rows in [1, 40, 300, 3_000, 20_000] {
        let batch = batch(rows);
        for (name, policy) in policies() {
            let selector = Selector::new(&policy, Some(&scorer)).unwrap();
            let mut selection = Selection::new().unwrap();
            let groups: Vec<i64> = (0..rows).step_by(20).chain([rows]).collect();
            let mut select = |asked: &c::cupel_request, by_groups: bool| -> (View, usize) {
                let (result, usage) = failing(None, || {
                    let mut error = ptr::null_mut();
                    let (selector, batch, into) = (selector.as_ptr(), batch.as_ptr(), selection.as_mut_ptr());
                    // SAFETY: live handles, and one offset more than there are groups.
                    let status = unsafe {
                        if by_groups {
                            let (offsets, len) = (groups.as_ptr(), groups.len() - 1);
                            c::cupel_selector_select_groups(selector, batch, offsets, len, asked, into, &mut error)
                        } else {
                            c::cupel_selector_select(selector, batch, asked, into, &mut error)
                        }
                    };
                    (status, error)
                });
                assert_eq!(result, (c::CUPEL_STATUS_OK, ptr::null_mut()), "{name}");
                (selection.read(), usage.asked)
            };
            // Knapsack tables of a bucket of 7 are too large for many rows.
            let asked =
                if name.starts_with("knapsack") { request(rows * rows, 3_000.min(rows * rows)) } else { a_third(rows) };
            for by_groups in [false, true] {
                let (first, _) = select(&asked, by_groups);
                for _ in 0..3 {
                    let (again, asked_for) = select(&asked, by_groups);
                    assert_eq!(again, first, "{name}");
                    assert_eq!(asked_for, 0, "{name}, {rows} rows, groups {by_groups}: allocations");
                }
            }
        }
    }
}

#[test]
fn selectors_and_selections_are_made() {
    let scorer = scorer();
    let json = r#"{"scorer": {"type": "recency"}, "slicerType": "prefix", "quotas": [{"kind": "a kind of some length", "minPercent": 5}],
        "countQuotas": [{"kind": "another kind of some length", "minCount": 1}], "groupKey": "cupel:group", "duplicateKey": "document"}"#;
    let made = |name: &str, make: &dyn Fn(*mut *mut c::cupel_selector, *mut *mut c::cupel_error) -> i32| {
        Attempt {
            name,
            set_up: &|| None::<Selector>,
            call: &|made, error| {
                let mut selector = ptr::null_mut();
                let status = make(&mut selector, error);
                *made = (!selector.is_null()).then(|| Selector::from_raw(selector));
                status
            },
            look: &Option::is_some,
            least: 2,
        }
        .run();
    };
    let kind = "a kind of some length";
    let quota =
        c::cupel_quota { kind: kind.as_ptr().cast(), kind_len: kind.len(), min_percent: 1.0, max_percent: 100.0 };
    let count_quota =
        c::cupel_count_quota { kind: kind.as_ptr().cast(), kind_len: kind.len(), min_count: 1, max_count: 2 };
    // SAFETY, for each: live arrays, texts and handles, and out-parameters that are good for writes.
    unsafe {
        let mut policy: c::cupel_policy = std::mem::zeroed();
        policy.struct_size = size_of::<c::cupel_policy>();
        policy.scorer = scorer.as_ptr();
        (policy.quotas, policy.quotas_len) = (&quota, 1);
        (policy.count_quotas, policy.count_quotas_len) = (&count_quota, 1);
        (policy.group_key, policy.group_key_len) = (kind.as_ptr().cast(), kind.len());
        made("cupel_selector_new", &|out, error| c::cupel_selector_new(&policy, out, error));
        made("cupel_selector_from_json", &|out, error| {
            c::cupel_selector_from_json(json.as_ptr().cast(), json.len(), ptr::null(), out, error)
        });
        Attempt {
            name: "cupel_selection_new",
            set_up: &|| None::<Selection>,
            call: &|made, error| {
                let mut selection = ptr::null_mut();
                let status = c::cupel_selection_new(&mut selection, error);
                *made = (!selection.is_null()).then(|| Selection::from_raw(selection));
                status
            },
            look: &Option::is_some,
            least: 1,
        }
        .run();
    }
}

#[test]
fn what_rows_need_is_found() {
    let (scorer, rows) = (scorer(), 40);
    let policy = Policy { group_key: Some("key".to_owned()), ..Policy::default() };
    let selector = Selector::new(&policy, Some(&scorer)).unwrap();
    let mut selection = Selection::new().unwrap();
    selector.select(&batch(rows), &request(1_000, 500), &mut selection).unwrap();
    Attempt {
        name: "cupel_selector_needed",
        set_up: &|| (batch(rows), vec![i64::MIN; rows as usize]),
        // SAFETY: live handles, and as many numbers as rows.
        call: &|(batch, tokens), error| unsafe {
            let (out, len) = (tokens.as_mut_ptr(), tokens.len());
            c::cupel_selector_needed(selector.as_ptr(), batch.as_ptr(), selection.as_ptr(), out, len, error)
        },
        look: &|(_, tokens)| tokens.clone(),
        least: 3,
    }
    .run();
}
