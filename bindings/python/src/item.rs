//! `Item`: a piece of context.

use cupel::batch::MetadataValue;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::convert::At;
use crate::row::Row;

/// A piece of context. Immutable.
#[pyclass(frozen, module = "libcupel")]
pub struct Item(pub cupel::Item);

#[pymethods]
impl Item {
    #[new]
    #[pyo3(signature = (content, tokens, *, kind=None, source=None, priority=None, tags=None, metadata=None, timestamp=None,
        future_relevance_hint=None, pinned=false, original_tokens=None))]
    #[expect(clippy::too_many_arguments, reason = "one for each field of an item")]
    fn new(
        py: Python<'_>,
        content: Bound<'_, PyAny>,
        tokens: Bound<'_, PyAny>,
        kind: Option<Bound<'_, PyAny>>,
        source: Option<Bound<'_, PyAny>>,
        priority: Option<Bound<'_, PyAny>>,
        tags: Option<Bound<'_, PyAny>>,
        metadata: Option<Bound<'_, PyAny>>,
        timestamp: Option<Bound<'_, PyAny>>,
        future_relevance_hint: Option<Bound<'_, PyAny>>,
        pinned: bool,
        original_tokens: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let at = At { row: None, list: "item", field: "" };
        let pinned = pinned.into_pyobject(py)?.to_owned().into_any();
        let fields = [
            Some(content),
            Some(tokens),
            kind,
            source,
            priority,
            tags,
            metadata,
            timestamp,
            future_relevance_hint,
            Some(pinned),
            original_tokens,
        ];
        Ok(Self(Row::new(py).fields(&fields, at)?))
    }

    #[getter]
    fn content(&self) -> &str {
        self.0.content()
    }

    #[getter]
    fn tokens(&self) -> i64 {
        self.0.tokens()
    }

    #[getter]
    fn kind(&self) -> &str {
        self.0.kind()
    }

    #[getter]
    fn source(&self) -> &str {
        self.0.source()
    }

    #[getter]
    fn priority(&self) -> Option<i64> {
        self.0.priority()
    }

    /// Nanoseconds since the Unix epoch.
    #[getter]
    fn timestamp(&self) -> Option<i64> {
        self.0.timestamp()
    }

    #[getter]
    fn future_relevance_hint(&self) -> Option<f64> {
        self.0.future_relevance_hint()
    }

    #[getter]
    fn pinned(&self) -> bool {
        self.0.pinned()
    }

    #[getter]
    fn original_tokens(&self) -> Option<i64> {
        self.0.original_tokens()
    }

    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.tags())
    }

    /// Strings as `str`, doubles as `float`, other values as the `str` of their text.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (key, value) in self.0.metadata() {
            match value {
                MetadataValue::String(text) | MetadataValue::Other(text) => dict.set_item(key, text)?,
                MetadataValue::Double(number) => dict.set_item(key, number)?,
            }
        }
        Ok(dict)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let content = PyString::new(py, self.0.content()).repr()?;
        let kind = PyString::new(py, self.0.kind()).repr()?;
        Ok(format!("Item({content}, {}, kind={kind})", self.0.tokens()))
    }
}
