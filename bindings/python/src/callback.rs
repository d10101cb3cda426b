//! Custom scorers: a Python function that scores a whole batch.

use cupel::Error;
use cupel::scorer::{Custom, SharedScorer};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::batch::Batch;
use crate::convert::{number, wrong_type};

/// A scorer from a function that takes a `Batch` and returns a score for each row: an iterable of floats, or a buffer of doubles.
pub fn custom(function: Py<PyAny>) -> Result<SharedScorer, Error> {
    Custom::new(move |batch, out| {
        Python::attach(|py| {
            let lent = Bound::new(py, Batch::lent(batch))?;
            let result = function.bind(py).call1((&lent,)).and_then(|scores| copy(&scores, out));
            lent.get().end(py);
            result
        })
        .map_err(|raised: PyErr| Error::Custom(Box::new(raised)))
    })
}

/// Copies what a function returned.
fn copy(scores: &Bound<'_, PyAny>, out: &mut [f64]) -> PyResult<()> {
    let rows = out.len();
    let wrong =
        |len: usize| PyValueError::new_err(format!("a custom scorer returned {len} scores for a batch of {rows} rows"));
    if let Ok(buffer) = PyBuffer::<f64>::get(scores)
        && buffer.dimensions() == 1
    {
        return if buffer.item_count() == rows {
            buffer.copy_to_slice(scores.py(), out)
        } else {
            Err(wrong(buffer.item_count()))
        };
    }
    let mut len = 0;
    let iterator =
        scores.try_iter().map_err(|_| wrong_type("what a custom scorer returns", "an iterable of floats", scores))?;
    for score in iterator {
        let score = number(&score?, format_args!("score {len} of a custom scorer"))?;
        if let Some(slot) = out.get_mut(len) {
            *slot = score;
        }
        len += 1;
    }
    if len == rows { Ok(()) } else { Err(wrong(len)) }
}
