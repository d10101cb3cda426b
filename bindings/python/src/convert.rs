//! Python values as the library's.

use std::fmt;

use cupel::batch::MetadataValue;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyType};

/// Where a value stood, for messages: `items[3].tags[1]`.
#[derive(Clone, Copy)]
pub struct At<'a> {
    /// The index in a list of items; none for a single item.
    pub row: Option<usize>,
    /// What a list of items is called.
    pub list: &'static str,
    /// The field; empty for the item itself.
    pub field: &'a str,
}

impl<'a> At<'a> {
    /// A field of the item that `self` names.
    pub fn field(self, field: &'a str) -> Self {
        Self { field, ..self }
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.row, self.field) {
            (Some(row), "") => write!(f, "{}[{row}]", self.list),
            (Some(row), field) => write!(f, "{}[{row}].{field}", self.list),
            (None, "") => f.write_str(self.list),
            (None, field) => f.write_str(field),
        }
    }
}

/// A `TypeError` that says where, what was wanted and what stood there.
#[cold]
pub fn wrong_type(at: impl fmt::Display, wanted: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let name = value.get_type().qualname().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{at} must be {wanted}, not {name}"))
}

/// A text.
pub fn text<'a>(value: &'a Bound<'_, PyAny>, at: impl fmt::Display) -> PyResult<&'a str> {
    let Ok(text) = value.cast::<PyString>() else { return Err(wrong_type(at, "str", value)) };
    text.to_str().map_err(|error| PyValueError::new_err(format!("{at} cannot be encoded as UTF-8: {error}")))
}

/// An integer of 64 bits; a bool is none.
pub fn integer(value: &Bound<'_, PyAny>, at: impl fmt::Display) -> PyResult<i64> {
    if value.is_instance_of::<PyBool>() {
        return Err(wrong_type(at, "int", value));
    }
    match value.extract::<i64>() {
        Ok(integer) => Ok(integer),
        Err(_) if value.is_instance_of::<PyInt>() => {
            Err(PyValueError::new_err(format!("{at} is {value}: it must fit in 64 bits")))
        }
        Err(_) => Err(wrong_type(at, "int", value)),
    }
}

/// A number.
pub fn number(value: &Bound<'_, PyAny>, at: impl fmt::Display) -> PyResult<f64> {
    if value.is_instance_of::<PyBool>() || value.is_instance_of::<PyString>() {
        return Err(wrong_type(at, "float", value));
    }
    value.extract::<f64>().map_err(|error| {
        if value.is_instance_of::<PyInt>() {
            PyValueError::new_err(format!("{at}: {error}"))
        } else {
            wrong_type(at, "float", value)
        }
    })
}

/// Whether something is so.
pub fn boolean(value: &Bound<'_, PyAny>, at: impl fmt::Display) -> PyResult<bool> {
    value.extract::<bool>().map_err(|_| wrong_type(at, "bool", value))
}

/// The position that an index of Python means, which counts from the end where it is negative.
pub fn position(index: isize, len: usize) -> Option<usize> {
    let index = if index < 0 { index.checked_add_unsigned(len)? } else { index };
    usize::try_from(index).ok().filter(|&index| index < len)
}

/// Python's date and time types.
struct DateTypes {
    datetime: Py<PyType>,
    date: Py<PyType>,
    timedelta: Py<PyType>,
    epoch: Py<PyAny>,
}

fn date_types(py: Python<'_>) -> PyResult<&'static DateTypes> {
    static TYPES: PyOnceLock<DateTypes> = PyOnceLock::new();
    TYPES.get_or_try_init(py, || {
        let module = py.import("datetime")?;
        let get = |name: &str| -> PyResult<Py<PyType>> { Ok(module.getattr(name)?.cast_into::<PyType>()?.unbind()) };
        let utc = module.getattr("timezone")?.getattr("utc")?;
        Ok(DateTypes {
            datetime: get("datetime")?,
            date: get("date")?,
            timedelta: get("timedelta")?,
            epoch: module.getattr("datetime")?.call1((1970, 1, 1, 0, 0, 0, 0, utc))?.unbind(),
        })
    })
}

/// The nanoseconds of a `timedelta`.
fn nanoseconds_of(delta: &Bound<'_, PyAny>, at: impl fmt::Display) -> PyResult<i64> {
    let days: i64 = delta.getattr("days")?.extract()?;
    let seconds: i64 = delta.getattr("seconds")?.extract()?;
    let microseconds: i64 = delta.getattr("microseconds")?.extract()?;
    let total = (i128::from(days) * 86_400 + i128::from(seconds)) * 1_000_000_000 + i128::from(microseconds) * 1_000;
    i64::try_from(total)
        .map_err(|_| PyValueError::new_err(format!("{at} lies outside what 64 bits of nanoseconds hold: {delta}")))
}

/// An instant in nanoseconds since the Unix epoch: an aware `datetime`, or an `int`.
pub fn instant(value: &Bound<'_, PyAny>, at: impl fmt::Display + Copy) -> PyResult<i64> {
    if value.is_instance_of::<PyInt>() {
        return integer(value, at);
    }
    let types = date_types(value.py())?;
    if !value.is_instance(types.datetime.bind(value.py()))? {
        return Err(wrong_type(at, "an aware datetime or an int of nanoseconds since the Unix epoch", value));
    }
    if value.call_method0("utcoffset")?.is_none() {
        return Err(PyValueError::new_err(format!("{at} is a naive datetime: give it a time zone")));
    }
    nanoseconds_of(&value.call_method1("__sub__", (&types.epoch,))?, at)
}

/// A duration in nanoseconds: a `timedelta`, an `int`, or a text such as `"24h"`.
pub fn duration(value: &Bound<'_, PyAny>, at: impl fmt::Display + Copy) -> PyResult<i64> {
    if value.is_instance_of::<PyInt>() {
        return integer(value, at);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return duration_of_text(text.to_str()?).ok_or_else(|| {
            PyValueError::new_err(format!(
                "{at} is {}: write durations as \"90s\" or \"1h30m\", with the units ns us ms s m h d w",
                text.repr().map_or_else(|_| String::new(), |repr| repr.to_string())
            ))
        });
    }
    if value.is_instance(date_types(value.py())?.timedelta.bind(value.py()))? {
        return nanoseconds_of(value, at);
    }
    Err(wrong_type(at, "a timedelta, an int of nanoseconds, or a str such as \"24h\"", value))
}

/// The grammar of durations in the library's JSON.
fn duration_of_text(text: &str) -> Option<i64> {
    let mut total: i64 = 0;
    let mut rest = text;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (amount, after) = rest.split_at(digits);
        let letters = after.len() - after.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let (unit, after) = after.split_at(letters);
        let unit: i64 = match unit {
            "ns" => 1,
            "us" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60 * 1_000_000_000,
            "h" => 3_600 * 1_000_000_000,
            "d" => 86_400 * 1_000_000_000,
            "w" => 7 * 86_400 * 1_000_000_000,
            _ => return None,
        };
        total = amount.parse::<i64>().ok()?.checked_mul(unit)?.checked_add(total)?;
        rest = after;
    }
    Some(total)
}

/// A metadata value, with its text where it has one.
pub enum Metadata<'a> {
    String(&'a str),
    Double(f64),
    Other(String),
}

impl Metadata<'_> {
    /// The value for a call of the library.
    pub fn as_value(&self) -> MetadataValue<'_> {
        match self {
            Self::String(text) => MetadataValue::String(text),
            Self::Double(number) => MetadataValue::Double(*number),
            Self::Other(text) => MetadataValue::Other(text),
        }
    }
}

/// A metadata value: a `str` is a string, a number is a double if a double holds it exactly or it has a fraction, and anything
/// else is *other*, with the text that JSON has for it.
pub fn metadata<'a>(value: &'a Bound<'_, PyAny>, at: impl fmt::Display + Copy) -> PyResult<Metadata<'a>> {
    let py = value.py();
    if value.is_instance_of::<PyString>() {
        return Ok(Metadata::String(text(value, at)?));
    }
    if value.is_none() {
        return Ok(Metadata::Other("null".to_owned()));
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(Metadata::Other(if value.is_truthy()? { "true" } else { "false" }.to_owned()));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Metadata::Double(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() {
        // Python compares an int with a float exactly.
        return match value.extract::<f64>() {
            Ok(number) if value.eq(number)? => Ok(Metadata::Double(number)),
            _ => Ok(Metadata::Other(value.str()?.to_str()?.to_owned())),
        };
    }
    let types = date_types(py)?;
    if value.is_instance(types.date.bind(py))? {
        return Ok(Metadata::Other(date_text(value.call_method0("isoformat")?.extract::<String>()?)));
    }
    // Decimals, NumPy's scalars and other numbers convert themselves.
    if value.hasattr("__float__")? {
        return Ok(Metadata::Double(value.extract()?));
    }
    let json = py.import("json")?.getattr("dumps")?;
    let options = pyo3::types::PyDict::new(py);
    options.set_item("ensure_ascii", false)?;
    options.set_item("separators", (",", ":"))?;
    let dumped = json.call((value,), Some(&options)).or_else(|_| value.str().map(Bound::into_any))?;
    Ok(Metadata::Other(text(&dumped, at)?.to_owned()))
}

/// Python's ISO 8601 as RFC 3339: UTC is `Z`, and a fraction has no zeros at its end.
fn date_text(mut text: String) -> String {
    if text.ends_with("+00:00") {
        text.truncate(text.len() - 6);
        text.push('Z');
    }
    let Some(point) = text.find('.') else { return text };
    let end = text[point + 1..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |end| point + 1 + end);
    let digits = text[point + 1..end].trim_end_matches('0').len();
    let start = if digits == 0 { point } else { point + 1 + digits };
    text.replace_range(start..end, "");
    text
}
