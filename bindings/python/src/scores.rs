//! `Scores`: what a scoring call gives.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use cupel::arrow::{ArrowArray, ArrowSchema, Release};
use pyo3::exceptions::{PyBufferError, PyIndexError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

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
        let row = if index < 0 { index.checked_add_unsigned(self.scores.len()) } else { Some(index) };
        let score = row.and_then(|row| usize::try_from(row).ok()).and_then(|row| self.scores.get(row));
        score
            .copied()
            .ok_or_else(|| PyIndexError::new_err(format!("row {index}: there are {} scores", self.scores.len())))
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
        let schema = ArrowSchema {
            format: c"g".as_ptr(),
            name: c"".as_ptr(),
            release: Some(release_schema),
            ..ArrowSchema::empty()
        };
        let mut pointers = Box::new(Buffers {
            pointers: vec![ptr::null(), self.scores.as_ptr().cast()],
            _scores: self.scores.clone(),
        });
        let array = ArrowArray {
            length: self.scores.len() as i64,
            n_buffers: 2,
            buffers: pointers.pointers.as_mut_ptr(),
            release: Some(release_array),
            private_data: Box::into_raw(pointers).cast(),
            ..ArrowArray::empty()
        };
        capsules(py, schema, array)
    }
}

/// Capsules that own a schema and an array.
pub fn capsules(py: Python<'_>, schema: ArrowSchema, array: ArrowArray) -> PyResult<Bound<'_, PyTuple>> {
    let array = capsule(py, Box::new(array), c"arrow_array");
    PyTuple::new(py, [capsule(py, Box::new(schema), c"arrow_schema")?, array?])
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

/// What an array owns: the scores, and the addresses of its buffers, of which the first is that of the validity.
struct Buffers {
    pointers: Vec<*const c_void>,
    _scores: Arc<Vec<f64>>,
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: the consumer passes a struct that was not released.
    unsafe { (*schema).release = None };
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: as above; the buffers were leaked for this struct.
    unsafe {
        (*array).release = None;
        drop(Box::from_raw((*array).private_data.cast::<Buffers>()));
    }
}

/// Releases a struct, unless a consumer took it over, and frees it.
///
/// # Safety
///
/// `value` was leaked from a box.
unsafe fn drop_struct<T: Release>(value: *mut T) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut value = Box::from_raw(value);
        value.release();
    }
}

/// A capsule that owns a struct, and releases it when nobody has taken it over.
fn capsule<'py, T: Release>(py: Python<'py>, value: Box<T>, name: &'static CStr) -> PyResult<Bound<'py, PyAny>> {
    unsafe extern "C" fn destroy<T: Release>(capsule: *mut ffi::PyObject) {
        // SAFETY: the capsule was made with a leaked box under its own name.
        unsafe {
            let value = ffi::PyCapsule_GetPointer(capsule, ffi::PyCapsule_GetName(capsule)).cast::<T>();
            if !value.is_null() {
                drop_struct(value);
            }
        }
    }
    let value = Box::into_raw(value);
    // SAFETY: the pointer is not null and the name is static.
    unsafe {
        let capsule = ffi::PyCapsule_New(value.cast(), name.as_ptr(), Some(destroy::<T>));
        if capsule.is_null() {
            drop_struct(value);
        }
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}
