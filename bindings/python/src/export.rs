//! Exports arrays and tables as capsules of Arrow's C data interface.

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::Arc;

use cupel::arrow::{ArrowArray, ArrowSchema, Release};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A column of a table, or an array by itself.
pub struct Exported {
    pub name: &'static CStr,
    pub format: &'static CStr,
    /// Bits, where values may be null.
    pub validity: Option<Vec<u8>>,
    /// The other buffers, in Arrow's order.
    pub buffers: Vec<Buffer>,
    pub null_count: i64,
}

impl Exported {
    /// Doubles, none of them null.
    pub fn doubles(name: &'static CStr, values: &Arc<Vec<f64>>) -> Self {
        let buffers = vec![Buffer::F64(values.clone())];
        Self { name, format: c"g", validity: None, buffers, null_count: 0 }
    }

    /// The structs of Arrow's interface.
    fn into_structs(self, len: usize) -> (ArrowSchema, ArrowArray) {
        const NULLABLE: i64 = 2;
        let schema = ArrowSchema {
            format: self.format.as_ptr(),
            name: self.name.as_ptr(),
            flags: if self.validity.is_some() { NULLABLE } else { 0 },
            release: Some(release_schema),
            ..ArrowSchema::empty()
        };
        let null_count = self.null_count;
        let mut pointers = vec![self.validity.as_ref().map_or(ptr::null(), |bits| bits.as_ptr().cast())];
        pointers.extend(self.buffers.iter().map(Buffer::as_ptr));
        let mut owned = Box::new(ColumnExport { pointers, _column: self });
        let array = ArrowArray {
            length: len as i64,
            null_count,
            n_buffers: owned.pointers.len() as i64,
            buffers: owned.pointers.as_mut_ptr(),
            release: Some(release_column),
            private_data: Box::into_raw(owned).cast(),
            ..ArrowArray::empty()
        };
        (schema, array)
    }
}

/// A buffer of an exported column.
pub enum Buffer {
    Bytes(Vec<u8>),
    U32(Vec<u32>),
    I32(Vec<i32>),
    F64(Arc<Vec<f64>>),
}

impl Buffer {
    fn as_ptr(&self) -> *const c_void {
        match self {
            Self::Bytes(values) => values.as_ptr().cast(),
            Self::U32(values) => values.as_ptr().cast(),
            Self::I32(values) => values.as_ptr().cast(),
            Self::F64(values) => values.as_ptr().cast(),
        }
    }
}

/// What an exported column owns.
struct ColumnExport {
    pointers: Vec<*const c_void>,
    _column: Exported,
}

/// What an exported struct owns: the arrays of its columns and what they point at.
struct Export {
    children: Vec<*mut ArrowArray>,
    buffers: Vec<*const c_void>,
}

unsafe extern "C" fn release_column(array: *mut ArrowArray) {
    // SAFETY: the consumer passes a struct that was not released; what it owns was leaked for it.
    unsafe {
        (*array).release = None;
        drop(Box::from_raw((*array).private_data.cast::<ColumnExport>()));
    }
}

unsafe extern "C" fn release_table(array: *mut ArrowArray) {
    // SAFETY: as above. A consumer may have moved a child, which is released already then.
    unsafe {
        (*array).release = None;
        let export = Box::from_raw((*array).private_data.cast::<Export>());
        for &child in &export.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
    }
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: as above.
    unsafe {
        (*schema).release = None;
        if (*schema).n_children == 0 {
            return;
        }
        let children = Box::from_raw((*schema).private_data.cast::<Vec<*mut ArrowSchema>>());
        for &child in &*children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
    }
}

/// One column as a capsule of its schema and one of its array.
pub fn array(py: Python<'_>, len: usize, column: Exported) -> PyResult<Bound<'_, PyTuple>> {
    let (schema, array) = column.into_structs(len);
    capsules(py, schema, array)
}

/// Columns of one length as a struct array: a capsule of its schema and one of the array.
pub fn table(py: Python<'_>, len: usize, columns: Vec<Exported>) -> PyResult<Bound<'_, PyTuple>> {
    let (mut schemas, mut arrays) = (Vec::new(), Vec::new());
    for column in columns {
        let (schema, array) = column.into_structs(len);
        schemas.push(Box::into_raw(Box::new(schema)));
        arrays.push(Box::into_raw(Box::new(array)));
    }
    let mut schemas = Box::new(schemas);
    let schema = ArrowSchema {
        format: c"+s".as_ptr(),
        name: c"".as_ptr(),
        n_children: schemas.len() as i64,
        children: schemas.as_mut_ptr(),
        release: Some(release_schema),
        private_data: Box::into_raw(schemas).cast(),
        ..ArrowSchema::empty()
    };
    let mut owned = Box::new(Export { children: arrays, buffers: vec![ptr::null()] });
    let array = ArrowArray {
        length: len as i64,
        n_buffers: 1,
        n_children: owned.children.len() as i64,
        buffers: owned.buffers.as_mut_ptr(),
        children: owned.children.as_mut_ptr(),
        release: Some(release_table),
        private_data: Box::into_raw(owned).cast(),
        ..ArrowArray::empty()
    };
    capsules(py, schema, array)
}

/// Capsules that own a schema and an array.
fn capsules(py: Python<'_>, schema: ArrowSchema, array: ArrowArray) -> PyResult<Bound<'_, PyTuple>> {
    let array = capsule(py, Box::new(array), c"arrow_array");
    PyTuple::new(py, [capsule(py, Box::new(schema), c"arrow_schema")?, array?])
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
