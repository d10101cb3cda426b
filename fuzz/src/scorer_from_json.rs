//! Any bytes as the JSON of a scorer.
//!
//! What is accepted is JSON, scores without NaN, and comes back from `to_json` as the same scorer. What is refused is refused
//! with a documented status.

use cupel::capi as c;

use crate::capi::{self, Batch, Clock, Scorer};
use crate::values::{Row, bits};

/// Reads a scorer from bytes that need not be text.
fn read(data: &[u8], clock: &Clock) -> capi::Result<Scorer> {
    capi::create(|out, error| {
        // SAFETY: the bytes are lent for the call, and the out-parameters are good for writes.
        unsafe { c::cupel_scorer_from_json(data.as_ptr().cast(), data.len(), clock.as_ptr(), out, error) }
    })
    .map(Scorer::from_raw)
}

/// A few rows that give every scorer something to tell apart.
fn batch() -> Batch {
    let mut batch = Batch::new(0).unwrap();
    for index in 0..5_i64 {
        let mut row = Row { content: "text".into(), kind: "Message".into(), source: "Chat".into(), ..Row::default() };
        if index > 0 {
            row.timestamp = Some(NOW - index * 40_000_000_000);
            row.priority = Some(index % 3);
            row.hint = Some(index as f64 / 4.0);
            row.tags = vec!["a".into(), format!("tag{}", index % 2)];
            row.set_metadata("cupel:trust".into(), capi::Metadata::Double(index as f64 / 5.0));
            row.kind = if index % 2 == 0 { "Document" } else { "memory" }.into();
        }
        batch.push(&row.item()).unwrap();
    }
    batch
}

const NOW: i64 = 1_750_000_000_000_000_000;

pub fn run(data: &[u8]) {
    let clock = Clock::fixed(NOW).unwrap();
    let scorer = match read(data, &clock) {
        Ok(scorer) => scorer,
        Err(error) => {
            let documented = [c::CUPEL_STATUS_INVALID_UTF8, c::CUPEL_STATUS_INVALID_JSON];
            assert!(documented.contains(&error.status), "{error}");
            assert_eq!(error.status == c::CUPEL_STATUS_INVALID_UTF8, std::str::from_utf8(data).is_err(), "{error}");
            return;
        }
    };
    serde_json::from_slice::<serde_json::Value>(data).expect("what is accepted is JSON");
    let batch = batch();
    let scores = scorer.score_batch(&batch).unwrap();
    assert!(!scores.iter().any(|score| score.is_nan()), "{scores:?}");
    for (row, score) in scores.iter().enumerate() {
        assert_eq!(scorer.score_row(&batch, row).unwrap().to_bits(), score.to_bits());
    }
    let written = scorer.to_json().unwrap();
    let again = read(written.as_bytes(), &clock).unwrap_or_else(|error| panic!("{error}: {written}"));
    assert_eq!(again.to_json().unwrap(), written);
    drop((scorer, clock));
    assert_eq!(bits(&again.score_batch(&batch).unwrap()), bits(&scores));
}
