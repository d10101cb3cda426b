//! `Item`: a piece of context.

use cupel::batch::{ItemBuilder, MetadataValue};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString, PyTuple};

use crate::convert::{At, boolean, instant, integer, metadata, number, text, wrong_type};
use crate::error::{exception, exception_at};

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
        let mut row = Row::new(py);
        let fields = Fields {
            content,
            tokens,
            kind,
            source,
            priority,
            tags,
            metadata,
            timestamp,
            future_relevance_hint,
            pinned: Some(pinned.into_pyobject(py)?.to_owned().into_any()),
            original_tokens,
        };
        row.read(fields, at)?;
        Ok(Self(row.build()?))
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

/// The fields of an item as Python values. `None` is absent.
struct Fields<'py> {
    content: Bound<'py, PyAny>,
    tokens: Bound<'py, PyAny>,
    kind: Option<Bound<'py, PyAny>>,
    source: Option<Bound<'py, PyAny>>,
    priority: Option<Bound<'py, PyAny>>,
    tags: Option<Bound<'py, PyAny>>,
    metadata: Option<Bound<'py, PyAny>>,
    timestamp: Option<Bound<'py, PyAny>>,
    future_relevance_hint: Option<Bound<'py, PyAny>>,
    pinned: Option<Bound<'py, PyAny>>,
    original_tokens: Option<Bound<'py, PyAny>>,
}

/// Reads items from Python, one after another, through one builder.
pub struct Row<'py> {
    py: Python<'py>,
    builder: Option<ItemBuilder>,
}

impl<'py> Row<'py> {
    pub fn new(py: Python<'py>) -> Self {
        Self { py, builder: None }
    }

    /// Reads an `Item`, a mapping, or an object with the attributes of an item.
    pub fn item(&mut self, value: &Bound<'py, PyAny>, at: At<'_>) -> PyResult<cupel::Item> {
        if let Ok(item) = value.cast::<Item>() {
            return Ok(item.get().0.clone());
        }
        let py = self.py;
        if let Ok(dict) = value.cast::<PyDict>() {
            self.read_fields(at, |name| dict.get_item(name))?;
        } else if let Ok(mapping) = value.cast::<PyMapping>() {
            self.read_fields(
                at,
                |name| {
                    if mapping.contains(name)? { mapping.get_item(name).map(Some) } else { Ok(None) }
                },
            )?;
        } else if value.hasattr(intern!(py, "content"))? {
            self.read_fields(at, |name| value.getattr_opt(name))?;
        } else {
            return Err(wrong_type(at, "an Item, a mapping or an object with the attributes of an item", value));
        }
        self.build()
    }

    fn read_fields(
        &mut self,
        at: At<'_>,
        get: impl Fn(&Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>>,
    ) -> PyResult<()> {
        let py = self.py;
        let field = |name: &Bound<'py, PyString>| Ok::<_, PyErr>(get(name)?.filter(|value| !value.is_none()));
        let needed = |name: &Bound<'py, PyString>| {
            field(name)?.ok_or_else(|| PyTypeError::new_err(format!("{at} lacks {name}")))
        };
        let fields = Fields {
            content: needed(intern!(py, "content"))?,
            tokens: needed(intern!(py, "tokens"))?,
            kind: field(intern!(py, "kind"))?,
            source: field(intern!(py, "source"))?,
            priority: field(intern!(py, "priority"))?,
            tags: field(intern!(py, "tags"))?,
            metadata: field(intern!(py, "metadata"))?,
            timestamp: field(intern!(py, "timestamp"))?,
            future_relevance_hint: field(intern!(py, "future_relevance_hint"))?,
            pinned: field(intern!(py, "pinned"))?,
            original_tokens: field(intern!(py, "original_tokens"))?,
        };
        self.read(fields, at)
    }

    fn read(&mut self, fields: Fields<'py>, at: At<'_>) -> PyResult<()> {
        let py = self.py;
        let refused = |error: cupel::Error| exception(py, error);
        let content = text(&fields.content, at.field("content"))?;
        let tokens = integer(&fields.tokens, at.field("tokens"))?;
        let builder = match &mut self.builder {
            Some(builder) => {
                builder.reset(content, tokens).map_err(|error| refused_at(py, error, at))?;
                builder
            }
            none => none.insert(ItemBuilder::new(content, tokens).map_err(|error| refused_at(py, error, at))?),
        };
        if let Some(kind) = &fields.kind {
            builder.kind(text(kind, at.field("kind"))?).map_err(|error| refused_at(py, error, at))?;
        }
        if let Some(source) = &fields.source {
            builder.source(text(source, at.field("source"))?).map_err(|error| refused_at(py, error, at))?;
        }
        if let Some(priority) = &fields.priority {
            builder.priority(integer(priority, at.field("priority"))?).map_err(refused)?;
        }
        if let Some(timestamp) = &fields.timestamp {
            builder.timestamp(instant(timestamp, at.field("timestamp"))?).map_err(refused)?;
        }
        if let Some(hint) = &fields.future_relevance_hint {
            builder.future_relevance_hint(number(hint, at.field("future_relevance_hint"))?).map_err(refused)?;
        }
        if let Some(pinned) = &fields.pinned {
            builder.pinned(boolean(pinned, at.field("pinned"))?).map_err(refused)?;
        }
        if let Some(tokens) = &fields.original_tokens {
            builder.original_tokens(integer(tokens, at.field("original_tokens"))?).map_err(refused)?;
        }
        if let Some(tags) = &fields.tags {
            // A text is a sequence of texts, which nobody means.
            if tags.is_instance_of::<PyString>() {
                return Err(wrong_type(at.field("tags"), "an iterable of str", tags));
            }
            let tags = tags.try_iter().map_err(|_| wrong_type(at.field("tags"), "an iterable of str", tags))?;
            for (index, tag) in tags.enumerate() {
                let tag = tag?;
                builder.tag(text(&tag, at.field(&format!("tags[{index}]")))?).map_err(refused)?;
            }
        }
        if let Some(entries) = &fields.metadata {
            let wrong = || wrong_type(at.field("metadata"), "a mapping", entries);
            let entries = entries.cast::<PyMapping>().map_err(|_| wrong())?.items()?;
            for entry in entries {
                let (key, value) = entry.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>()?;
                let key = text(&key, at.field("a key of metadata"))?;
                let value = metadata(&value, at.field(&format!("metadata[{key:?}]")))?;
                builder.metadata(key, value.as_value()).map_err(refused)?;
            }
        }
        Ok(())
    }

    fn build(&self) -> PyResult<cupel::Item> {
        let builder = self.builder.as_ref().ok_or_else(|| PyTypeError::new_err("nothing was read"))?;
        builder.build().map_err(|error| exception(self.py, error))
    }
}

/// The exception for what the library refused of an item.
#[cold]
fn refused_at(py: Python<'_>, error: cupel::Error, at: At<'_>) -> PyErr {
    exception_at(py, error, &format!("{at}."))
}
