//! `Batch`: the rows that are scored together.

use std::sync::RwLock;

use cupel::json::append_items;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::arrow;
use crate::convert::{At, position};
use crate::error::{exception, json_exception, refused};
use crate::groups::CallGroups;
use crate::item::Item;
use crate::messages::{self, Beside};
use crate::row::Row;

/// The rows that are scored together.
#[pyclass(frozen, module = "libcupel")]
pub struct Batch(Rows);

/// Where the rows are.
enum Rows {
    Own(Box<RwLock<Own>>),
    /// The batch that is being scored, for the length of a callback.
    Lent(RwLock<Option<Lent>>),
}

/// A batch, and the groups of the tool calls in it.
#[derive(Default)]
struct Own {
    batch: cupel::Batch,
    groups: CallGroups,
}

/// A batch that outlives the callback which it is lent to.
struct Lent(*const cupel::Batch);

// SAFETY: a batch may be read by any thread, and the address is read under a lock that the callback's end takes as well.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl Batch {
    /// A batch with the groups of the tool calls in it.
    pub fn with_groups(batch: cupel::Batch, groups: CallGroups) -> Self {
        Self(Rows::Own(Box::new(RwLock::new(Own { batch, groups }))))
    }

    /// A batch for a callback, which ends with [`end`](Self::end).
    pub fn lent(batch: &cupel::Batch) -> Self {
        Self(Rows::Lent(RwLock::new(Some(Lent(batch)))))
    }

    /// Takes a lent batch back, once no other thread reads it any more.
    pub fn end(&self, py: Python<'_>) {
        if let Rows::Lent(lent) = &self.0 {
            // A thread that reads may need the interpreter to get on.
            py.detach(|| *lent.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = None);
        }
    }

    /// Reads the batch.
    pub fn read<T>(&self, py: Python<'_>, read: impl FnOnce(&cupel::Batch) -> PyResult<T>) -> PyResult<T> {
        match &self.0 {
            Rows::Own(batch) => match batch.try_read() {
                Ok(own) => read(&own.batch),
                Err(_) => Err(busy(py, "batch is being changed by another thread")),
            },
            Rows::Lent(lent) => match lent.try_read().as_deref() {
                // SAFETY: the batch is there until `end` has the lock.
                Ok(Some(lent)) => read(unsafe { &*lent.0 }),
                _ => Err(busy(py, "batch was lent to a callback, which is over")),
            },
        }
    }

    /// Changes the batch.
    fn change<T>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut cupel::Batch, &mut CallGroups) -> PyResult<T>,
    ) -> PyResult<T> {
        let Rows::Own(batch) = &self.0 else {
            return Err(busy(py, "batch is being scored: it cannot be changed until that call returns"));
        };
        match batch.try_write() {
            Ok(mut own) => {
                let Own { batch, groups } = &mut *own;
                change(batch, groups)
            }
            Err(_) => Err(busy(py, "batch is being scored or changed: it cannot be changed until that call returns")),
        }
    }
}

fn busy(py: Python<'_>, message: &str) -> PyErr {
    refused(py, "BUSY", message.to_owned())
}

/// Appends the items of an iterable, all of them or none.
pub fn append(batch: &mut cupel::Batch, items: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = items.py();
    let mut row = Row::new(py);
    let items = items.try_iter()?.enumerate().map(|(index, item)| {
        row.item(&item?, At { row: Some(index), list: "items", field: "" }).map_err(Refused::Python)
    });
    batch.try_extend(items).map_err(|refused| match refused {
        Refused::Python(error) => error,
        Refused::Core(error) => exception(py, error),
    })
}

/// Why items are not appended.
enum Refused {
    Python(PyErr),
    Core(cupel::Error),
}

impl From<PyErr> for Refused {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<cupel::Error> for Refused {
    fn from(error: cupel::Error) -> Self {
        Self::Core(error)
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (items=None))]
    fn new(items: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let mut batch = cupel::Batch::new();
        if let Some(items) = items {
            append(&mut batch, items)?;
        }
        Ok(Self::with_groups(batch, CallGroups::default()))
    }

    /// Appends items: all of them, or none when one is refused.
    fn append(&self, items: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change(items.py(), |batch, _| append(batch, items))
    }

    /// Appends chat messages, one row each; see `from_messages`.
    ///
    /// Timestamps by position go on from the rows that are there, and results find the calls of earlier messages.
    #[pyo3(signature = (messages, *, tokens=None, timestamps=None, kinds=None, pinned=None))]
    fn append_messages(
        &self,
        messages: &Bound<'_, PyAny>,
        tokens: Option<&Bound<'_, PyAny>>,
        timestamps: Option<&Bound<'_, PyAny>>,
        kinds: Option<&Bound<'_, PyAny>>,
        pinned: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = messages.py();
        let rows = self.read(py, |batch| Ok(batch.len()))?;
        let messages = messages::read(messages, &Beside { tokens, timestamps, kinds, pinned }, rows)?;
        self.change(py, |batch, groups| messages::append(py, batch, groups, &messages))
    }

    /// Appends the items of a JSON text: an array, one object, or JSON Lines.
    fn append_json(&self, py: Python<'_>, json: &str) -> PyResult<()> {
        self.change(py, |batch, _| py.detach(|| append_items(batch, json)).map_err(|error| json_exception(py, error)))
    }

    /// Appends the rows of a table: anything with `__arrow_c_array__` or `__arrow_c_stream__`. All of them, or none.
    ///
    /// Columns are found by name. `naive="utc"` takes timestamps without a zone as UTC, which are refused otherwise.
    #[pyo3(signature = (data, *, naive="error"))]
    fn append_arrow(&self, data: &Bound<'_, PyAny>, naive: &str) -> PyResult<()> {
        let naive_is_utc = arrow::naive_is_utc(naive)?;
        self.change(data.py(), |batch, _| arrow::append(data.py(), batch, data, naive_is_utc))
    }

    /// Removes all rows and keeps the memory.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |batch, groups| {
            batch.clear();
            groups.clear();
            Ok(())
        })
    }

    /// Gives back memory that is not in use.
    fn shrink(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py, |batch, _| {
            batch.shrink();
            Ok(())
        })
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.read(py, |batch| Ok(batch.len()))
    }

    fn __getitem__(&self, py: Python<'_>, index: isize) -> PyResult<Item> {
        self.read(py, |batch| {
            let len = batch.len();
            match position(index, len) {
                Some(row) => batch.item(row).map(Item).map_err(|error| exception(py, error)),
                None => Err(PyIndexError::new_err(format!("row {index}: the batch has {len} rows"))),
            }
        })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |batch| Ok(format!("<Batch of {} rows>", batch.len())))
    }
}
