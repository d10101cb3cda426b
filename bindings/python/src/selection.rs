//! `Selection`: the rows to keep, and why.

use std::sync::Arc;

use cupel::select::{NO_CAUSE, Reason};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyTuple};

use crate::export::{self, Buffer, Exported};
use crate::scores::Scores;

/// The rows to keep, in order, and for every row its score and a reason. Immutable.
///
/// It is a table as well: `pyarrow.record_batch(selection)` has for each row its `position` among the kept rows of its group, null
/// if it was dropped, its `score`, `reason` and `cause`.
#[pyclass(frozen, module = "libcupel")]
pub struct Selection {
    selection: cupel::select::Selection,
    scores: Arc<Vec<f64>>,
    rows: PyOnceLock<Py<PyTuple>>,
    reasons: PyOnceLock<Py<PyTuple>>,
    causes: PyOnceLock<Py<PyTuple>>,
}

/// A count quota that could not be met.
#[pyclass(frozen, get_all, eq, module = "libcupel")]
#[derive(Clone, PartialEq, Eq)]
pub struct Shortfall {
    /// The position of the quota in the policy.
    entry: usize,
    /// How many units it requires.
    required: usize,
    /// How many candidates there were.
    found: usize,
}

#[pymethods]
impl Shortfall {
    fn __repr__(&self) -> String {
        format!("Shortfall(entry={}, required={}, found={})", self.entry, self.required, self.found)
    }
}

/// A reason as Python calls it.
fn name(reason: Reason) -> &'static str {
    match reason {
        Reason::Scored => "scored",
        Reason::Pinned => "pinned",
        Reason::ZeroTokens => "zero_tokens",
        Reason::Group => "group",
        Reason::Budget => "budget",
        Reason::Duplicate => "duplicate",
        Reason::NegativeTokens => "negative_tokens",
        Reason::PinnedOverride => "pinned_override",
        Reason::CountCap => "count_cap",
        Reason::RowLimit => "row_limit",
        _ => "unknown",
    }
}

impl Selection {
    pub fn new(selection: cupel::select::Selection) -> Self {
        let scores = Arc::new(selection.scores().to_vec());
        let (rows, reasons, causes) = (PyOnceLock::new(), PyOnceLock::new(), PyOnceLock::new());
        Self { selection, scores, rows, reasons, causes }
    }

    pub fn inner(&self) -> &cupel::select::Selection {
        &self.selection
    }
}

#[pymethods]
impl Selection {
    /// The rows that are kept, in order; those of one group after those of another.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let rows = self.rows.get_or_try_init(py, || PyTuple::new(py, self.selection.rows()).map(Bound::unbind))?;
        Ok(rows.bind(py).clone())
    }

    /// A score for each row: 1 in pinned units, 0 for negative tokens.
    #[getter]
    fn scores(&self) -> Scores {
        Scores::shared(self.scores.clone())
    }

    /// Why each row was kept ("scored", "pinned", "zero_tokens", "group") or dropped ("budget", "duplicate", "negative_tokens",
    /// "pinned_override", "count_cap", "row_limit").
    #[getter]
    fn reasons<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let make = || {
            let reasons = self.selection.reasons().map(|reason| PyString::intern(py, name(reason)));
            PyTuple::new(py, reasons.collect::<Vec<_>>()).map(Bound::unbind)
        };
        Ok(self.reasons.get_or_try_init(py, make)?.bind(py).clone())
    }

    /// For each row the row that caused its reason, or None.
    #[getter]
    fn causes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let make = || {
            let causes = self.selection.causes().iter().map(|&cause| (cause != NO_CAUSE).then_some(cause));
            PyTuple::new(py, causes.collect::<Vec<_>>()).map(Bound::unbind)
        };
        Ok(self.causes.get_or_try_init(py, make)?.bind(py).clone())
    }

    /// Where the rows of each group begin in `rows`, and where the last ones end. A selection without groups has one.
    #[getter]
    fn offsets(&self) -> Vec<i64> {
        self.selection.offsets().to_vec()
    }

    /// The count quotas that could not be met.
    #[getter]
    fn shortfalls(&self) -> Vec<Shortfall> {
        let shortfalls = self.selection.shortfalls().iter();
        shortfalls.map(|one| Shortfall { entry: one.entry, required: one.required, found: one.found }).collect()
    }

    /// The tokens of the kept rows.
    #[getter]
    fn kept_tokens(&self) -> i64 {
        self.selection.tokens().kept
    }

    /// The tokens of pinned rows and of those in a group with them.
    #[getter]
    fn pinned_tokens(&self) -> i64 {
        self.selection.tokens().pinned
    }

    /// The tokens of all rows.
    #[getter]
    fn considered_tokens(&self) -> i64 {
        self.selection.tokens().considered
    }

    /// What there was to fill beside pinned rows and reserves.
    #[getter]
    fn effective_target(&self) -> i64 {
        self.selection.tokens().effective_target
    }

    /// What is left of it.
    #[getter]
    fn available_tokens(&self) -> i64 {
        self.selection.tokens().available
    }

    /// By how much the kept rows exceeded the target, before any were dropped for that.
    #[getter]
    fn overflow_tokens(&self) -> i64 {
        self.selection.tokens().overflow
    }

    /// Whether the rows of an earlier selection were left as they were.
    #[getter]
    fn stable(&self) -> bool {
        self.selection.is_stable()
    }

    /// How many rows there are, kept or dropped.
    fn __len__(&self) -> usize {
        self.selection.batch_len()
    }

    /// The table of all rows, as capsules of its schema and of the array.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        // A producer may ignore the schema that it is asked for.
        let _ = requested_schema;
        let (len, kept) = (self.selection.batch_len(), self.selection.rows());
        let (mut positions, mut is_kept) = (vec![0; len], vec![0; len.div_ceil(8)]);
        for ends in self.selection.offsets().windows(2) {
            for (position, &row) in kept[ends[0] as usize..ends[1] as usize].iter().enumerate() {
                positions[row as usize] = position as u32;
                is_kept[row as usize / 8] |= 1 << (row % 8);
            }
        }
        let (mut names, mut ends) = (Vec::new(), vec![0]);
        for reason in self.selection.reasons() {
            names.extend_from_slice(name(reason).as_bytes());
            // 100 million rows of the longest name have 1.5 GB.
            ends.push(i32::try_from(names.len()).map_err(|_| crate::error::out_of_memory(names.len()))?);
        }
        let (mut causes, mut has_cause) = (self.selection.causes().to_vec(), vec![0; len.div_ceil(8)]);
        let mut caused = 0;
        for (row, cause) in causes.iter_mut().enumerate() {
            if *cause == NO_CAUSE {
                *cause = 0;
            } else {
                has_cause[row / 8] |= 1 << (row % 8);
                caused += 1;
            }
        }
        let nulls = |present: usize| (len - present) as i64;
        let columns = vec![
            Exported {
                name: c"position",
                format: c"I",
                validity: Some(is_kept),
                buffers: vec![Buffer::U32(positions)],
                null_count: nulls(kept.len()),
            },
            Exported::doubles(c"score", &self.scores),
            Exported {
                name: c"reason",
                format: c"u",
                validity: None,
                buffers: vec![Buffer::I32(ends), Buffer::Bytes(names)],
                null_count: 0,
            },
            Exported {
                name: c"cause",
                format: c"I",
                validity: Some(has_cause),
                buffers: vec![Buffer::U32(causes)],
                null_count: nulls(caused),
            },
        ];
        export::table(py, len, columns)
    }

    fn __repr__(&self) -> String {
        let (kept, all, tokens) =
            (self.selection.rows().len(), self.selection.batch_len(), self.selection.tokens().kept);
        format!("<Selection of {kept} of {all} rows with {tokens} tokens>")
    }
}
