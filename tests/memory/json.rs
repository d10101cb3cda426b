//! JSON. The parser aborts when it is refused the few hundred bytes that it keeps for itself, so that not every allocation can be
//! failed here: those are that grow with the text. docs/reliability.md has more.

use std::ptr;

use cupel::capi as c;

use crate::allocator::without_leak;
use crate::attempt::Attempt;
use crate::capi::{Batch, Clock, Scorer};
use crate::fixtures::{NOW, batch, bits, scorers, view};

/// More than the parser asks for without having been granted it.
const LARGE: usize = 1024;

const ITEMS: &str = r#"[
    {"content": "a", "tokens": 1, "kind": "AKindOfJson", "tags": ["a", "b"], "metadata": {"k": "\u00e9", "n": 1, "o": [true]}},
    {"content": "b", "tokens": 2, "timestamp": "2026-01-01T09:00:00Z", "futureRelevanceHint": 0.5}
]"#;

#[test]
fn items_leak_nothing() {
    let read = || {
        let mut batch = Batch::new(0).unwrap();
        batch.append_json(ITEMS).unwrap();
        let before = view(&batch);
        for end in (0..ITEMS.len()).filter(|&end| ITEMS.is_char_boundary(end)) {
            let empty = ITEMS[..end].trim().is_empty();
            assert_eq!(batch.append_json(&ITEMS[..end]).is_ok(), empty, "{end}");
        }
        for (right, wrong) in [("2026-01-01", "2026-13-01"), ("\"b\"", "7"), ("kind", "kin"), ("0.5", "1e999")] {
            batch.append_json(&ITEMS.replace(right, wrong)).unwrap_err();
        }
        assert_eq!(view(&batch), before);
    };
    read();
    without_leak("items", read);
}

#[test]
fn scorers_leak_nothing() {
    let read = || {
        let mut read = 0;
        for (_, scorer) in scorers() {
            let Ok(json) = scorer.to_json() else { continue };
            let clock = Clock::fixed(NOW).unwrap();
            let again = Scorer::from_json(&json, Some(&clock)).unwrap();
            assert_eq!(again.to_json().unwrap(), json);
            for end in 0..json.len() {
                Scorer::from_json(&json[..end], None).unwrap_err();
            }
            read += 1;
        }
        // All but the custom scorer and what has it below.
        assert_eq!(read, 14);
    };
    read();
    without_leak("scorers", read);
}

/// Tries to append a text, with less and less memory.
fn append(name: &str, json: &str) {
    let failures = Attempt {
        name,
        set_up: &|| batch(3),
        // SAFETY: a live handle and a live text.
        call: &|batch, error| unsafe {
            c::cupel_batch_append_json(batch.as_mut_ptr(), json.as_ptr().cast(), json.len(), error)
        },
        look: &view,
        least: 1,
    }
    .run_by_size(LARGE);
    assert!(failures > 10, "{name}: {failures}");
}

#[test]
fn large_items_may_be_refused() {
    let long = "a long text, ".repeat(3000);
    append("one long content", &format!(r#"{{"content": "{long}", "tokens": 1}}"#));
    append("one long content with an escape", &format!(r#"{{"content": "{long}\n{long}", "tokens": 1}}"#));
    append("one long tag", &format!(r#"{{"content": "a", "tokens": 1, "tags": ["b", "\u00e9{long}"]}}"#));
    append(
        "one long value",
        &format!(r#"{{"content": "a", "tokens": 1, "metadata": {{"k": ["{long}"], "l": "{long}"}}}}"#),
    );
    let many = (0..2000).map(|row| format!(r#"{{"content": "{row}", "tokens": {row}, "tags": ["t{row}"]}}"#));
    append("many items in lines", &many.clone().collect::<Vec<_>>().join("\n"));
    append("many items in an array", &format!("[{}]", many.collect::<Vec<_>>().join(",")));
    let tags: Vec<_> = (0..3000).map(|tag| format!(r#""tag {tag}""#)).collect();
    append("many tags", &format!(r#"{{"content": "a", "tokens": 1, "tags": [{}]}}"#, tags.join(",")));
}

#[test]
fn large_scorers_may_be_refused() {
    let weights: Vec<_> = (0..2000).map(|tag| format!(r#""tag {tag}": {}"#, tag % 7)).collect();
    let json = format!(r#"{{"type": "tag", "tagWeights": {{{}}}}}"#, weights.join(","));
    let rows = batch(20);
    let failures = Attempt {
        name: "a scorer with many tags",
        set_up: &|| None::<Scorer>,
        call: &|made, error| {
            let mut scorer = ptr::null_mut();
            // SAFETY: a live text, and out-parameters that are good for writes.
            let status =
                unsafe { c::cupel_scorer_from_json(json.as_ptr().cast(), json.len(), ptr::null(), &mut scorer, error) };
            *made = (!scorer.is_null()).then(|| Scorer::from_raw(scorer));
            status
        },
        look: &|made| made.as_ref().map(|scorer| bits(&scorer.score_batch(&rows).unwrap())),
        least: 1,
    }
    .run_by_size(LARGE);
    assert!(failures > 10, "{failures}");
}

/// Writing has no parser in it: every allocation may fail.
#[test]
fn scorers_are_written() {
    for (name, scorer) in scorers() {
        if scorer.to_json().is_err() {
            continue;
        }
        Attempt {
            name: &format!("cupel_scorer_to_json of {name}"),
            set_up: &|| None::<crate::capi::Text>,
            call: &|made, error| {
                let mut text = ptr::null_mut();
                // SAFETY: a live handle, and out-parameters that are good for writes.
                let status = unsafe { c::cupel_scorer_to_json(scorer.as_ptr(), &mut text, error) };
                *made = (!text.is_null()).then(|| crate::capi::Text::from_raw(text));
                status
            },
            look: &|made| {
                made.as_ref().map(|text| {
                    // SAFETY: a live handle, whose text is NUL-terminated.
                    unsafe { std::ffi::CStr::from_ptr(c::cupel_text_data(text.as_ptr())) }.to_str().unwrap().to_owned()
                })
            },
            least: 2,
        }
        .run();
    }
}
