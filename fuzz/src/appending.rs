//! What every append promises: all rows or none, and the rows that were there stay as they are.

use cupel::capi as c;

use crate::capi::{self, Batch, Scorer};
use crate::values::{Row, bits, row};

/// A batch with a row, to append to.
pub struct Subject {
    pub batch: Batch,
    first: Row,
    frequency: Scorer,
}

impl Subject {
    pub fn new() -> Self {
        let mut batch = Batch::new(0).unwrap();
        let first = Row { content: "first".into(), tags: vec!["A".into()], ..Row::default() };
        let first = Row { kind: "Memory".into(), source: "Rag".into(), ..first };
        batch.push(&first.item()).unwrap();
        Self { batch, first, frequency: Scorer::frequency().unwrap() }
    }

    /// Appends and checks the result: the rows that are expected, or an error, for which `flawless` must be false. `shown` is
    /// what was appended, for messages.
    pub fn append(
        &mut self,
        append: impl FnOnce(&mut Batch) -> capi::Result<()>,
        expected: Option<Vec<Row>>,
        flawless: impl FnOnce() -> bool,
        shown: impl Fn() -> String,
    ) {
        let Self { batch, first, frequency } = self;
        let rows = batch.len();
        let before = bits(&frequency.score_batch(batch).unwrap());
        match append(batch) {
            Ok(()) => {
                let expected = expected.unwrap_or_else(|| panic!("accepted: {}", shown()));
                assert_eq!(batch.len(), rows + expected.len(), "{}", shown());
                for (index, expected) in expected.iter().enumerate() {
                    row(batch, rows + index).assert_same(expected);
                }
            }
            Err(error) => {
                assert!(!flawless(), "{error}: {}", shown());
                assert_ne!(error.status, c::CUPEL_STATUS_PANIC, "{error}");
                assert_eq!(batch.len(), rows);
                assert_eq!(bits(&frequency.score_batch(batch).unwrap()), before);
            }
        }
        row(batch, 0).assert_same(first);
    }
}
