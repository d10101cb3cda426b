//! JSON: every allocation may fail, of reading and of writing, of what is accepted and of what is refused.

use std::ptr;

use cupel::capi as c;

use crate::allocator::{Failing, failing, without_leak};
use crate::attempt::Attempt;
use crate::capi::{Batch, Clock, Scorer};
use crate::fixtures::{NOW, View, batch, bits, scorers, view};

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

fn append<'a>(name: &'a str, json: &'a str, run: impl FnOnce(&Attempt<'_, Batch, View>) -> usize) -> usize {
    run(&Attempt {
        name,
        set_up: &|| batch(3),
        // SAFETY: a live handle and a live text.
        call: &|batch, error| unsafe {
            c::cupel_batch_append_json(batch.as_mut_ptr(), json.as_ptr().cast(), json.len(), error)
        },
        look: &view,
        least: 1,
    })
}

#[test]
fn every_allocation_of_reading_items_may_fail() {
    append("items as an array", ITEMS, |attempt| attempt.run());
    let names: Vec<_> = (0..40).map(|name| format!(r#""\u006b{name}":{name}"#)).collect();
    let escapes = format!(
        r#"{{"content": "\ud83d\ude00 {}", "tokens": 1, "kind": "\u004bind", "tags": ["\n", "long {}"], "metadata": {{"o": [{{{}}}], {}}}}}"#,
        "\\n".repeat(50),
        "tag ".repeat(10),
        names.join(","),
        names.join(","),
    );
    append("one row with escapes", &escapes, |attempt| attempt.run());
}

#[test]
fn large_items_may_be_refused() {
    let long = "a long text, ".repeat(3000);
    let within = |name: &str, json: &str| {
        let failures = append(name, json, |attempt| attempt.run_within(64));
        assert!(failures > 10, "{name}: {failures}");
    };
    within("one long content", &format!(r#"{{"content": "{long}", "tokens": 1}}"#));
    within("one long content with an escape", &format!(r#"{{"content": "{long}\n{long}", "tokens": 1}}"#));
    within("one long tag", &format!(r#"{{"content": "a", "tokens": 1, "tags": ["b", "\u00e9{long}"]}}"#));
    within(
        "one long value",
        &format!(r#"{{"content": "a", "tokens": 1, "metadata": {{"k": ["{long}"], "l": "{long}"}}}}"#),
    );
    let digits = "1234567890".repeat(3000);
    within(
        "long numbers",
        &format!(r#"{{"content": "a", "tokens": 1, "metadata": {{"i": {digits}, "f": 0.{digits}}}}}"#),
    );
    let many = (0..2000).map(|row| format!(r#"{{"content": "{row}", "tokens": {row}, "tags": ["t{row}"]}}"#));
    within("many items in lines", &many.clone().collect::<Vec<_>>().join("\n"));
    within("many items in an array", &format!("[{}]", many.collect::<Vec<_>>().join(",")));
    let tags: Vec<_> = (0..3000).map(|tag| format!(r#""tag {tag}""#)).collect();
    within("many tags", &format!(r#"{{"content": "a", "tokens": 1, "tags": [{}]}}"#, tags.join(",")));
}

/// Texts that are refused, however little memory there is to read them and to say why.
#[test]
fn hostile_texts_are_refused_without_memory() {
    let row = |metadata: &str| format!(r#"{{"content": "a", "tokens": 1, "metadata": {{"k": {metadata}}}}}"#);
    let texts = [
        "[".repeat(2 << 20),
        r#"{"a":"#.repeat(1 << 14),
        row(&"[".repeat(2 << 20)),
        row(&r#"{"a":"#.repeat(1 << 14)),
        row(&format!("\"{}", r"\n".repeat(1 << 14))),
        row(&format!("{}.", "1".repeat(1 << 14))),
        row(&format!(
            r#"[{{"a": 1, {} "a": 2}}]"#,
            (0..1000).map(|name| format!("\"\\u006b{name}\": 1,")).collect::<String>()
        )),
    ];
    for (number, json) in texts.iter().enumerate() {
        let mut batch = batch(3);
        let before = view(&batch);
        let mut refusals = 0;
        for limit in
            std::iter::successors(Some(16_usize), |limit| Some(limit + limit / 4)).take_while(|limit| *limit < 1 << 20)
        {
            let (mut error, mut scorer) = (ptr::null_mut(), ptr::null_mut());
            let items = || {
                // SAFETY: a live handle, a live text, and an out-parameter that is good for writes.
                unsafe { c::cupel_batch_append_json(batch.as_mut_ptr(), json.as_ptr().cast(), json.len(), &mut error) }
            };
            let (status, usage) = failing(Some(Failing::Beyond(limit)), items);
            let expected = if usage.failed > 0 { c::CUPEL_STATUS_OUT_OF_MEMORY } else { c::CUPEL_STATUS_INVALID_JSON };
            assert_eq!(status, expected, "text {number} within {limit} bytes");
            refusals += usage.failed;
            // SAFETY: the call handed the error over.
            unsafe { c::cupel_error_free(error) };
            let make = || {
                // SAFETY: a live text, and out-parameters that are good for writes.
                unsafe {
                    c::cupel_scorer_from_json(json.as_ptr().cast(), json.len(), ptr::null(), &mut scorer, &mut error)
                }
            };
            let (status, usage) = failing(Some(Failing::Beyond(limit)), make);
            let expected = if usage.failed > 0 { c::CUPEL_STATUS_OUT_OF_MEMORY } else { c::CUPEL_STATUS_INVALID_JSON };
            assert_eq!(status, expected, "text {number} as a scorer within {limit} bytes");
            refusals += usage.failed;
            // SAFETY: the call handed the error over.
            unsafe { c::cupel_error_free(error) };
        }
        assert!(refusals > 10, "text {number}: {refusals} allocations failed");
        assert_eq!(view(&batch), before);
    }
}

#[test]
fn every_allocation_of_reading_scorers_may_fail() {
    let weights: Vec<_> = (0..200).map(|tag| format!(r#""tag {tag}": {}"#, tag % 7)).collect();
    let tags = format!(r#"{{"type": "tag", "tagWeights": {{{}, "\u00e9": 1}}, "weight": 1}}"#, weights.join(","));
    let decay = r#"{"type": "decay", "curve": {"step": [{"maxAge": "1h", "score": 1}, {"maxAge": "\u0032h", "score": 0}]}, "weight": 2}"#;
    let key = r#"{"type": "scaled", "innerScorer": {"type": "metadataKey", "key": "k", "value": "a\nb", "boost": 2}, "weight": 3}"#;
    let json = format!(r#"{{"name": "policy", "scorers": [{tags}, {decay}, {key}]}}"#);
    let rows = batch(20);
    Attempt {
        name: "a policy",
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
        least: 20,
    }
    .run();
}

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

#[test]
fn rows_are_written() {
    use crate::capi::Item;
    // The texts that a call makes, to look at and to free.
    type Made = (Batch, Item, *mut c::cupel_text);
    let set_up = || -> Made { (batch(20), crate::fixtures::full_item(), ptr::null_mut()) };
    let look = |(_, _, text): &Made| {
        // SAFETY: NULL, or a text that the call handed over, which is freed here once.
        unsafe {
            let len = c::cupel_text_len(*text);
            c::cupel_text_free(*text);
            len
        }
    };
    // SAFETY: live handles, and a pointer that is good for a write.
    let of_batch =
        |(batch, _, text): &mut Made, error| unsafe { c::cupel_batch_to_json(batch.as_ptr(), 3, 17, text, error) };
    // SAFETY: as above.
    let of_item = |(_, item, text): &mut Made, error| unsafe { c::cupel_item_to_json(item.as_ptr(), text, error) };
    Attempt { name: "cupel_batch_to_json", set_up: &set_up, call: &of_batch, look: &look, least: 3 }.run();
    Attempt { name: "cupel_item_to_json", set_up: &set_up, call: &of_item, look: &look, least: 2 }.run();
}
