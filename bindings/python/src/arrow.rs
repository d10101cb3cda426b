//! Data from Python: a batch, items, or a table through Arrow's capsules.

use std::ffi::CStr;
use std::ptr::{self, NonNull};

use cupel::arrow::{
    ArrowArray, ArrowArrayStream, ArrowSchema, Options, Owned, ReadError, Stream, Table, Wanted, append_stream,
    append_table,
};
use cupel::ingest::ColumnSet;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};
use pyo3::{ffi, intern};

use crate::batch::{self, Batch};
use crate::convert::{text, wrong_type};
use crate::error::{arrow_exception, table_exception};

/// A struct of Arrow's C interfaces.
trait Struct: Sized {
    /// The name of the capsules that own one.
    const NAME: &'static CStr;

    /// A struct without content, as one that was released.
    const EMPTY: Self;
}

impl Struct for ArrowSchema {
    const NAME: &'static CStr = c"arrow_schema";
    const EMPTY: Self = Self::empty();
}

impl Struct for ArrowArray {
    const NAME: &'static CStr = c"arrow_array";
    const EMPTY: Self = Self::empty();
}

impl Struct for ArrowArrayStream {
    const NAME: &'static CStr = c"arrow_array_stream";
    const EMPTY: Self = Self::empty();
}

/// The struct of a capsule, for the length of a call. Meanwhile the capsule is as one whose struct was released, so that no other
/// thread can use the struct, or release it.
struct Taken<'py, T: Struct> {
    /// Keeps the struct alive.
    capsule: Bound<'py, PyAny>,
    value: T,
}

impl<'py, T: Struct> Taken<'py, T> {
    fn new(capsule: Bound<'py, PyAny>, method: &str) -> PyResult<Self> {
        let Some(pointer) = pointer::<T>(&capsule) else {
            let name = T::NAME.to_string_lossy();
            return Err(wrong_type(
                format_args!("what {method} returns"),
                &format!("a capsule named {name}"),
                &capsule,
            ));
        };
        // SAFETY: a capsule of this name owns such a struct; the interpreter's lock keeps others away until it is replaced.
        let value = unsafe { pointer.replace(T::EMPTY) };
        Ok(Self { capsule, value })
    }
}

impl<T: Struct> Drop for Taken<'_, T> {
    /// Gives the struct back, for the capsule to release it.
    fn drop(&mut self) {
        if let Some(pointer) = pointer::<T>(&self.capsule) {
            // SAFETY: as above; what is overwritten has no content.
            unsafe { pointer.write(ptr::read(&raw const self.value)) };
        }
    }
}

/// The address in a capsule of the right name.
fn pointer<T: Struct>(capsule: &Bound<'_, PyAny>) -> Option<NonNull<T>> {
    // SAFETY: both functions take any object and a C string.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule.as_ptr(), T::NAME.as_ptr()) == 0 {
            return None;
        }
        NonNull::new(ffi::PyCapsule_GetPointer(capsule.as_ptr(), T::NAME.as_ptr()).cast())
    }
}

/// What goes along while the interpreter is released.
struct Along<T>(T);

// SAFETY: the interpreter is released and taken again on one thread, which is the only one to use the value.
unsafe impl<T> Send for Along<T> {}

impl<T> Along<T> {
    fn into_inner(self) -> T {
        self.0
    }
}

/// Runs with the interpreter released, so that other threads of Python go on. `run` may hold pointers, and no object of Python.
pub fn detach<R>(py: Python<'_>, run: impl FnOnce() -> R) -> R {
    let run = Along(run);
    py.detach(move || Along(run.into_inner()())).into_inner()
}

/// A table that an object gives.
enum Source<'py> {
    Array(Taken<'py, ArrowSchema>, Taken<'py, ArrowArray>),
    Stream(Taken<'py, ArrowArrayStream>),
}

impl<'py> Source<'py> {
    /// The table of an object that has one of Arrow's methods.
    fn of(data: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        let py = data.py();
        // A class has the methods of its objects.
        if data.is_instance_of::<PyType>() {
            return Ok(None);
        }
        if let Some(method) = data.getattr_opt(intern!(py, "__arrow_c_array__"))? {
            let given = method.call0()?;
            let Ok((schema, array)) = given.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>() else {
                return Err(wrong_type("what __arrow_c_array__ returns", "a pair of capsules", &given));
            };
            let schema = Taken::new(schema, "__arrow_c_array__")?;
            return Ok(Some(Self::Array(schema, Taken::new(array, "__arrow_c_array__")?)));
        }
        match data.getattr_opt(intern!(py, "__arrow_c_stream__"))? {
            Some(method) => Ok(Some(Self::Stream(Taken::new(method.call0()?, "__arrow_c_stream__")?))),
            None => Ok(None),
        }
    }

    fn append(&mut self, py: Python<'_>, batch: &mut cupel::Batch, naive_is_utc: bool) -> PyResult<()> {
        let options = Options { naive_is_utc, group: None };
        let result = match self {
            Self::Array(schema, array) => {
                let (schema, array) = (&raw const schema.value, &raw const array.value);
                // SAFETY: the structs are the producer's, and live as long as the capsules.
                detach(py, || unsafe { append_table(batch, schema, array, options) })
            }
            Self::Stream(stream) => {
                let stream = NonNull::from(&mut stream.value);
                // SAFETY: as above; nobody else uses the stream while it is taken.
                detach(py, || unsafe { append_stream(batch, stream, options) })
            }
        };
        result.map_err(|error| table_exception(py, error))
    }
}

/// The tables of one object, read, with all that they point at.
pub struct Tables<'py> {
    source: Source<'py>,
    /// What a stream handed out.
    handed: Option<(Owned<ArrowSchema>, Vec<Owned<ArrowArray>>)>,
}

impl<'py> Tables<'py> {
    fn new(py: Python<'py>, mut source: Source<'py>) -> PyResult<Self> {
        let mut handed = None;
        if let Source::Stream(stream) = &mut source {
            let stream = NonNull::from(&mut stream.value);
            // SAFETY: nobody else uses the stream while it is taken. A producer may need the interpreter to go on.
            let read = detach(py, || unsafe { pull(stream) });
            handed = Some(read.map_err(|error| table_exception(py, error))?);
        }
        Ok(Self { source, handed })
    }

    /// Finds the columns of all tables.
    pub fn find<'a>(&'a self, py: Python<'_>, options: Options<'a>, columns: ColumnSet) -> PyResult<Vec<Table<'a>>> {
        let (schema, arrays) = match (&self.source, &self.handed) {
            // The type of a stream without arrays is checked all the same.
            (_, Some((schema, arrays))) if arrays.is_empty() => (schema.as_ptr(), vec![None]),
            (_, Some((schema, arrays))) => (schema.as_ptr(), arrays.iter().map(|array| Some(array.as_ptr())).collect()),
            (Source::Array(schema, array), None) => (&raw const schema.value, vec![Some(&raw const array.value)]),
            // A stream is read before it is here.
            (Source::Stream(_), None) => return Ok(Vec::new()),
        };
        let find = |array: Option<*const ArrowArray>| {
            // SAFETY: the producer filled the structs, which live as long as `self`.
            unsafe { Table::find(schema, array, options, Wanted::Set(columns), true) }
        };
        arrays.into_iter().map(find).collect::<Result<_, _>>().map_err(|error| arrow_exception(py, error))
    }
}

/// Reads all tables of a stream.
///
/// # Safety
///
/// As for [`Stream::new`].
unsafe fn pull(stream: NonNull<ArrowArrayStream>) -> Result<(Owned<ArrowSchema>, Vec<Owned<ArrowArray>>), ReadError> {
    // SAFETY: the caller's promise.
    let stream = unsafe { Stream::new(stream)? };
    Ok((stream.schema()?, stream.rest()?))
}

/// What is scored, or selected from.
pub enum Data<'py> {
    Batch(Bound<'py, Batch>),
    Tables(Tables<'py>),
    Items(Box<cupel::Batch>),
}

/// What data may be, for messages.
const DATA: &str = "a Batch, an iterable of items, or a table with __arrow_c_array__ or __arrow_c_stream__";

impl<'py> Data<'py> {
    pub fn of(data: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(batch) = data.cast::<Batch>() {
            return Ok(Self::Batch(batch.clone()));
        }
        if let Some(source) = Source::of(data)? {
            return Ok(Self::Tables(Tables::new(data.py(), source)?));
        }
        if data.is_instance_of::<PyString>() || data.is_instance_of::<PyDict>() || data.try_iter().is_err() {
            return Err(wrong_type("data", DATA, data));
        }
        let mut items = Box::new(cupel::Batch::new());
        batch::append(&mut items, data)?;
        Ok(Self::Items(items))
    }
}

/// Appends the rows of an object that has one of Arrow's methods.
pub fn append(py: Python<'_>, batch: &mut cupel::Batch, data: &Bound<'_, PyAny>, naive_is_utc: bool) -> PyResult<()> {
    match Source::of(data)? {
        Some(mut source) => source.append(py, batch, naive_is_utc),
        None => Err(wrong_type("data", "a table with __arrow_c_array__ or __arrow_c_stream__", data)),
    }
}

/// Reads the rows of tables into a batch of their own.
pub fn read(py: Python<'_>, tables: &[Table<'_>]) -> PyResult<cupel::Batch> {
    let mut batch = cupel::Batch::new();
    let mut first = 0;
    for table in tables {
        let read = detach(py, || table.read(0, table.rows(), |columns| batch.append_columns(columns)));
        read.map_err(|error| table_exception(py, later(error, first)))?;
        first += table.rows();
    }
    Ok(batch)
}

/// An error of a table by the rows of all tables.
fn later(error: ReadError, first: usize) -> ReadError {
    match error {
        ReadError::Table(error) => {
            ReadError::Table(cupel::arrow::ArrowError { row: error.row.map(|row| row + first), ..error })
        }
        other => other,
    }
}

/// Whether timestamps without a zone are UTC.
pub fn naive_is_utc(naive: &str) -> PyResult<bool> {
    match naive {
        "error" => Ok(false),
        "utc" => Ok(true),
        _ => Err(PyValueError::new_err(format!("naive is {naive:?}: it must be \"error\" or \"utc\""))),
    }
}

/// The name of a group column.
pub fn group_name<'a>(group: Option<&'a Bound<'_, PyAny>>) -> PyResult<Option<&'a str>> {
    group.map(|name| text(name, "group")).transpose()
}

/// Offsets of groups: integers, or a buffer of them.
pub fn offsets(groups: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    if let Ok(buffer) = pyo3::buffer::PyBuffer::<i64>::get(groups)
        && buffer.dimensions() == 1
    {
        return buffer.to_vec(groups.py());
    }
    let iterator = groups.try_iter().map_err(|_| wrong_type("groups", "an iterable of int", groups))?;
    iterator
        .enumerate()
        .map(|(index, offset)| crate::convert::integer(&offset?, format_args!("groups[{index}]")))
        .collect()
}

/// Refuses a way to say groups that does not fit the data.
pub fn check_groups(
    data: &Data<'_>,
    group: Option<&Bound<'_, PyAny>>,
    groups: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    match data {
        Data::Tables(_) if groups.is_some() => {
            Err(PyTypeError::new_err("groups is for a Batch or items: give a table group, the name of a column"))
        }
        Data::Batch(_) | Data::Items(_) if group.is_some() => {
            Err(PyTypeError::new_err("group is for a table: give a Batch or items groups, the offsets of their groups"))
        }
        _ => Ok(()),
    }
}
