//! `Item`: a piece of context.

use cupel::batch::{ItemBuilder, MetadataValue};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString, PyTuple, PyType};

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
    /// The type of the last object that was neither an `Item` nor a dict.
    shape: Option<Shape<'py>>,
}

/// How objects of a type are read.
struct Shape<'py> {
    of: Bound<'py, PyType>,
    is_mapping: bool,
    /// Of the fields, in their order, whether the type itself has an attribute; none where it makes attributes up. What neither the
    /// type nor the dict of an object has need not be asked for, which would raise an exception each time.
    in_type: Option<Vec<(Bound<'py, PyString>, bool)>>,
}

impl<'py> Shape<'py> {
    fn new(value: &Bound<'py, PyAny>) -> PyResult<Self> {
        let (py, of) = (value.py(), value.get_type());
        let plain = py.get_type::<PyAny>().getattr(intern!(py, "__getattribute__"))?;
        let makes_up = of.hasattr(intern!(py, "__getattr__"))?
            || !of.getattr(intern!(py, "__getattribute__"))?.is(&plain)
            || !value.hasattr(intern!(py, "__dict__"))?;
        let in_type = match makes_up {
            true => None,
            false => {
                let names = field_names(py);
                Some(names.iter().map(|&name| Ok((name.clone(), of.hasattr(name)?))).collect::<PyResult<_>>()?)
            }
        };
        Ok(Self { of, is_mapping: value.is_instance_of::<PyMapping>(), in_type })
    }

    /// An attribute, if the object has it.
    fn get(
        &self,
        value: &Bound<'py, PyAny>,
        own: Option<&Bound<'py, PyDict>>,
        name: &Bound<'py, PyString>,
    ) -> Found<'py> {
        let in_type = self.in_type.as_ref().and_then(|names| names.iter().find(|(known, _)| known.is(name)));
        match (in_type, own) {
            (Some((_, false)), Some(own)) => own.get_item(name),
            _ => value.getattr_opt(name),
        }
    }
}

/// A field that may be absent.
type Found<'py> = PyResult<Option<Bound<'py, PyAny>>>;

/// The names of the fields.
fn field_names(py: Python<'_>) -> [&Bound<'_, PyString>; 11] {
    [
        intern!(py, "content"),
        intern!(py, "tokens"),
        intern!(py, "kind"),
        intern!(py, "source"),
        intern!(py, "priority"),
        intern!(py, "tags"),
        intern!(py, "metadata"),
        intern!(py, "timestamp"),
        intern!(py, "future_relevance_hint"),
        intern!(py, "pinned"),
        intern!(py, "original_tokens"),
    ]
}

impl<'py> Row<'py> {
    pub fn new(py: Python<'py>) -> Self {
        Self { py, builder: None, shape: None }
    }

    /// Reads an `Item`, a mapping, or an object with the attributes of an item.
    pub fn item(&mut self, value: &Bound<'py, PyAny>, at: At<'_>) -> PyResult<cupel::Item> {
        if let Ok(item) = value.cast::<Item>() {
            return Ok(item.get().0.clone());
        }
        let py = self.py;
        if let Ok(dict) = value.cast::<PyDict>() {
            self.read_fields(at, |name| dict.get_item(name))?;
            return self.build();
        }
        let shape = match self.shape.take() {
            Some(shape) if shape.of.is(value.get_type()) => shape,
            _ => Shape::new(value)?,
        };
        let own = match shape.in_type {
            Some(_) => value.getattr(intern!(py, "__dict__"))?.cast_into::<PyDict>().ok(),
            None => None,
        };
        if shape.is_mapping {
            self.read_fields(at, |name| match value.contains(name)? {
                true => value.get_item(name).map(Some),
                false => Ok(None),
            })?;
        } else if shape.get(value, own.as_ref(), intern!(py, "content"))?.is_some() {
            self.read_fields(at, |name| shape.get(value, own.as_ref(), name))?;
        } else {
            return Err(wrong_type(at, "an Item, a mapping or an object with the attributes of an item", value));
        }
        self.shape = Some(shape);
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
        let [content, tokens, kind, source, priority, tags, metadata, timestamp, hint, pinned, original_tokens] =
            field_names(py);
        let fields = Fields {
            content: needed(content)?,
            tokens: needed(tokens)?,
            kind: field(kind)?,
            source: field(source)?,
            priority: field(priority)?,
            tags: field(tags)?,
            metadata: field(metadata)?,
            timestamp: field(timestamp)?,
            future_relevance_hint: field(hint)?,
            pinned: field(pinned)?,
            original_tokens: field(original_tokens)?,
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
