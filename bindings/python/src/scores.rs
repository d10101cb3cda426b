//! `Scores`: what a scoring call gives.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;

use pyo3::exceptions::{PyBufferError, PyIndexError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::convert::position;
use crate::export::{self, Exported};

/// A score for each row. Read-only: a sequence of floats, a buffer of doubles, an Arrow array.
#[pyclass(frozen, module = "libcupel", sequence)]
pub struct Scores {
    scores: Arc<Vec<f64>>,
    /// The length, as a buffer's shape points at it.
    shape: ffi::Py_ssize_t,
}

impl Scores {
    pub fn new(scores: Vec<f64>) -> Self {
        Self::shared(Arc::new(scores))
    }

    /// Scores that others hold as well.
    pub fn shared(scores: Arc<Vec<f64>>) -> Self {
        // A vector's length fits.
        let shape = ffi::Py_ssize_t::try_from(scores.len()).unwrap_or(ffi::Py_ssize_t::MAX);
        Self { scores, shape }
    }
}

#[pymethods]
impl Scores {
    fn __len__(&self) -> usize {
        self.scores.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<f64> {
        let len = self.scores.len();
        match position(index, len) {
            Some(row) => Ok(self.scores[row]),
            None => Err(PyIndexError::new_err(format!("row {index}: there are {len} scores"))),
        }
    }

    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.scores.iter())
    }

    /// The rows of the k greatest scores, the best first; ties go to the lower row, NaN comes last.
    fn top(&self, k: usize) -> Vec<usize> {
        let key = |row: &usize| (std::cmp::Reverse(key(self.scores[*row])), *row);
        let mut rows: Vec<usize> = (0..self.scores.len()).collect();
        if k < rows.len() && k > 0 {
            rows.select_nth_unstable_by_key(k - 1, key);
        }
        rows.truncate(k);
        rows.sort_unstable_by_key(key);
        rows
    }

    fn __repr__(&self) -> String {
        let shown: Vec<String> = self.scores.iter().take(5).map(|score| format!("{score:?}")).collect();
        let more = if self.scores.len() > 5 { ", ..." } else { "" };
        format!("<Scores of {} rows: [{}{more}]>", self.scores.len(), shown.join(", "))
    }

    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("there is no view"));
        }
        if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            return Err(PyBufferError::new_err("scores are read-only"));
        }
        let this = slf.get();
        let asks = |what: c_int| flags & what == what;
        // SAFETY: the view is Python's to be filled; what it points at lives as long as the object that it holds.
        unsafe {
            (*view).buf = this.scores.as_ptr().cast::<c_void>().cast_mut();
            (*view).len = this.shape * 8;
            (*view).readonly = 1;
            (*view).itemsize = 8;
            (*view).format = if asks(ffi::PyBUF_FORMAT) { c"d".as_ptr().cast_mut() } else { ptr::null_mut() };
            (*view).ndim = 1;
            (*view).shape = if asks(ffi::PyBUF_ND) { (&raw const this.shape).cast_mut() } else { ptr::null_mut() };
            (*view).strides = if asks(ffi::PyBUF_STRIDES) { &raw mut (*view).itemsize } else { ptr::null_mut() };
            (*view).suboffsets = ptr::null_mut();
            (*view).internal = ptr::null_mut();
            (*view).obj = slf.into_any().into_ptr();
        }
        Ok(())
    }

    /// The scores as an Arrow array of doubles, without a copy: capsules of its schema and of the array.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        // A producer may ignore the schema that it is asked for.
        let _ = requested_schema;
        export::array(py, self.scores.len(), Exported::doubles(c"", &self.scores))
    }
}

/// The order of scores as a number, greater for better: NaN is the least, and the two zeros are equal.
fn key(score: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    let bits = (score + 0.0).to_bits();
    match score {
        _ if score.is_nan() => 0,
        _ if bits & SIGN == 0 => bits | SIGN,
        _ => !bits,
    }
}
