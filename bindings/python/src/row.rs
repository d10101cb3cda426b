//! Reading items from Python: dicts, other mappings, objects with attributes.

use std::ptr;

use cupel::batch::ItemBuilder;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyType};

use crate::convert::{At, boolean, instant, integer, metadata, number, text, wrong_type};
use crate::error::{exception, exception_at};
use crate::item::Item;

/// How many fields an item has.
pub const FIELDS: usize = 11;

/// The fields of an item as Python values, in the order of [`field_names`]. `None` is absent.
pub type Fields<'py> = [Option<Bound<'py, PyAny>>; FIELDS];

/// Keys with values.
type Entries<'py> = Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>;

/// Reads items from Python, one after another, through one builder.
pub struct Row<'py> {
    py: Python<'py>,
    builder: Option<ItemBuilder>,
    keys: Keys<'py>,
    /// The metadata of the row.
    entries: Entries<'py>,
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
pub fn field_names(py: Python<'_>) -> [&Bound<'_, PyString>; FIELDS] {
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
        Self { py, builder: None, keys: Keys::new(py), entries: Vec::new(), shape: None }
    }

    /// Reads an `Item`, a mapping, or an object with the attributes of an item.
    pub fn item(&mut self, value: &Bound<'py, PyAny>, at: At<'_>) -> PyResult<cupel::Item> {
        if let Ok(dict) = value.cast::<PyDict>() {
            if dict.len() > Keys::FEW_ENTRIES {
                return self.look_up(at, |name| dict.get_item(name));
            }
            let fields = self.keys.fields(dict);
            return self.fields(&fields, at);
        }
        if let Ok(item) = value.cast::<Item>() {
            return Ok(item.get().0.clone());
        }
        let py = self.py;
        let shape = match self.shape.take() {
            Some(shape) if shape.of.is(value.get_type()) => shape,
            _ => Shape::new(value)?,
        };
        let own = match shape.in_type {
            Some(_) => value.getattr(intern!(py, "__dict__"))?.cast_into::<PyDict>().ok(),
            None => None,
        };
        let item = if shape.is_mapping {
            self.look_up(at, |name| match value.contains(name)? {
                true => value.get_item(name).map(Some),
                false => Ok(None),
            })?
        } else if shape.get(value, own.as_ref(), intern!(py, "content"))?.is_some() {
            self.look_up(at, |name| shape.get(value, own.as_ref(), name))?
        } else {
            return Err(wrong_type(at, "an Item, a mapping or an object with the attributes of an item", value));
        };
        self.shape = Some(shape);
        Ok(item)
    }

    /// Reads the fields that `get` finds by name.
    fn look_up(&mut self, at: At<'_>, get: impl Fn(&Bound<'py, PyString>) -> Found<'py>) -> PyResult<cupel::Item> {
        let mut fields = Fields::default();
        for (field, name) in fields.iter_mut().zip(field_names(self.py)) {
            *field = get(name)?.filter(|value| !value.is_none());
        }
        self.fields(&fields, at)
    }

    /// An item with these fields.
    pub fn fields(&mut self, fields: &Fields<'py>, at: At<'_>) -> PyResult<cupel::Item> {
        let py = self.py;
        let refused = |error: cupel::Error| exception(py, error);
        let [content, tokens, kind, source, priority, tags, entries, timestamp, hint, pinned, original_tokens] = fields;
        let lacks = |name: &str| PyTypeError::new_err(format!("{at} lacks {name}"));
        let content = content.as_ref().ok_or_else(|| lacks("content"))?;
        let tokens = tokens.as_ref().ok_or_else(|| lacks("tokens"))?;
        let (content, tokens) = (text(content, at.field("content"))?, integer(tokens, at.field("tokens"))?);
        let builder = match &mut self.builder {
            Some(builder) => {
                builder.reset(content, tokens).map_err(|error| refused_at(py, error, at))?;
                builder
            }
            none => none.insert(ItemBuilder::new(content, tokens).map_err(|error| refused_at(py, error, at))?),
        };
        if let Some(kind) = kind {
            builder.kind(text(kind, at.field("kind"))?).map_err(|error| refused_at(py, error, at))?;
        }
        if let Some(source) = source {
            builder.source(text(source, at.field("source"))?).map_err(|error| refused_at(py, error, at))?;
        }
        if let Some(priority) = priority {
            builder.priority(integer(priority, at.field("priority"))?).map_err(refused)?;
        }
        if let Some(timestamp) = timestamp {
            builder.timestamp(instant(timestamp, at.field("timestamp"))?).map_err(refused)?;
        }
        if let Some(hint) = hint {
            builder.future_relevance_hint(number(hint, at.field("future_relevance_hint"))?).map_err(refused)?;
        }
        if let Some(pinned) = pinned {
            builder.pinned(boolean(pinned, at.field("pinned"))?).map_err(refused)?;
        }
        if let Some(tokens) = original_tokens {
            builder.original_tokens(integer(tokens, at.field("original_tokens"))?).map_err(refused)?;
        }
        if let Some(tags) = tags {
            // A text is a sequence of texts, which nobody means.
            if tags.is_instance_of::<PyString>() {
                return Err(wrong_type(at.field("tags"), "an iterable of str", tags));
            }
            let at = at.field("tags");
            let mut add = |index: usize, tag: &Bound<'py, PyAny>| -> PyResult<()> {
                builder.tag(text(tag, format_args!("{at}[{index}]"))?).map_err(refused)?;
                Ok(())
            };
            if let Ok(list) = tags.cast_exact::<PyList>() {
                list.iter().enumerate().try_for_each(|(index, tag)| add(index, &tag))?;
            } else {
                let tags = tags.try_iter().map_err(|_| wrong_type(at, "an iterable of str", tags))?;
                tags.enumerate().try_for_each(|(index, tag)| add(index, &tag?))?;
            }
        }
        if let Some(entries) = entries {
            let at = at.field("metadata");
            // To read a value can run Python code, which could change the mapping.
            self.entries.clear();
            if let Ok(dict) = entries.cast_exact::<PyDict>() {
                for_each_entry(dict, |key, value| self.entries.push((key.to_owned(), value.to_owned())));
            } else {
                let items = entries.cast::<PyMapping>().map_err(|_| wrong_type(at, "a mapping", entries))?.items()?;
                for entry in items {
                    self.entries.push(entry.extract()?);
                }
            }
            for (key, value) in &self.entries {
                let key = text(key, At { field: "a key of metadata", ..at })?;
                let value = metadata(value, format_args!("{at}[{key:?}]"))?;
                builder.metadata(key, value.as_value()).map_err(refused)?;
            }
        }
        builder.build().map_err(refused)
    }
}

/// Finds the fields of dicts.
struct Keys<'py> {
    /// The last key of each field. The keys of most dicts are the same objects.
    last: [Bound<'py, PyString>; FIELDS],
    /// The entries of a dict with other keys.
    others: Entries<'py>,
}

impl<'py> Keys<'py> {
    /// Above this many entries the fields are looked up.
    const FEW_ENTRIES: usize = 2 * FIELDS;

    fn new(py: Python<'py>) -> Self {
        Self { last: field_names(py).map(Bound::clone), others: Vec::new() }
    }

    /// The fields of a dict with few entries: one pass over them is faster than a lookup for each field.
    fn fields(&mut self, dict: &Bound<'py, PyDict>) -> Fields<'py> {
        let mut fields = Fields::default();
        let mut next = 0;
        for_each_entry(dict, |key, value| {
            let is_it = |last: &Bound<'py, PyString>| last.is(key);
            // Dicts tend to have their fields in one order.
            let expected = self.last.get(next).is_some_and(is_it).then_some(next);
            match expected.or_else(|| self.last.iter().position(is_it)) {
                Some(field) => {
                    if !value.is_none() {
                        fields[field] = Some(value.to_owned());
                    }
                    next = field + 1;
                }
                None => self.others.push((key.to_owned(), value.to_owned())),
            }
        });
        if !self.others.is_empty() {
            self.read_others(&mut fields);
        }
        fields
    }

    /// Takes the fields from the other entries of a dict, and remembers their keys.
    fn read_others(&mut self, fields: &mut Fields<'py>) {
        for (key, value) in self.others.drain(..) {
            let Ok(key) = key.cast_into::<PyString>() else { continue };
            let Ok(text) = key.to_str() else { continue };
            let is_it = |name: &&Bound<'py, PyString>| name.to_str().is_ok_and(|name| name == text);
            if let Some(field) = field_names(key.py()).iter().position(is_it) {
                fields[field] = Some(value).filter(|value| !value.is_none());
                self.last[field] = key;
            }
        }
    }
}

/// Calls `each` with the keys and values of a dict. `each` must not run Python code, which could change the dict.
fn for_each_entry<'py>(
    dict: &Bound<'py, PyDict>,
    mut each: impl FnMut(Borrowed<'_, 'py, PyAny>, Borrowed<'_, 'py, PyAny>),
) {
    with_critical_section(dict, || {
        let (mut position, mut key, mut value) = (0, ptr::null_mut(), ptr::null_mut());
        // SAFETY: nothing changes the dict, so its keys and values live during the loop.
        while unsafe { ffi::PyDict_Next(dict.as_ptr(), &raw mut position, &raw mut key, &raw mut value) } != 0 {
            // SAFETY: as above, and the pointers of an entry are not null.
            let (key, value) = unsafe { (Borrowed::from_ptr(dict.py(), key), Borrowed::from_ptr(dict.py(), value)) };
            each(key, value);
        }
    });
}

/// The exception for what the library refused of an item.
#[cold]
fn refused_at(py: Python<'_>, error: cupel::Error, at: At<'_>) -> PyErr {
    exception_at(py, error, &format!("{at}."))
}
