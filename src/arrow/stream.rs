//! Streams of tables, and appending tables to a batch.

use std::ffi::CStr;
use std::ptr::NonNull;

use crate::arrow::error::{ArrowError, Fault};
use crate::arrow::ffi::{ArrowArray, ArrowArrayStream, ArrowSchema, Release};
use crate::arrow::table::{Options, ReadError, Table, Wanted};
use crate::batch::{Appender, Batch};
use crate::error::Error;
use crate::memory::{TryWriter, try_box, try_push, try_push_str};

/// Appends the rows of a table: all of them, or none on an error.
///
/// # Safety
///
/// As for [`Table::find`].
pub unsafe fn append_table(
    batch: &mut Batch,
    schema: *const ArrowSchema,
    array: *const ArrowArray,
    options: Options<'_>,
) -> Result<(), ReadError> {
    let mut rows = batch.append();
    // SAFETY: the caller's promise.
    unsafe { append(&mut rows, schema, Some(array), options)? };
    rows.commit();
    Ok(())
}

/// Appends the rows of all tables that a stream still has: all of them, or none on an error.
///
/// # Safety
///
/// As for [`Stream::new`].
pub unsafe fn append_stream(
    batch: &mut Batch,
    stream: NonNull<ArrowArrayStream>,
    options: Options<'_>,
) -> Result<(), ReadError> {
    // SAFETY: the caller's promise.
    let stream = unsafe { Stream::new(stream)? };
    let schema = stream.schema()?;
    let mut rows = batch.append();
    // The type is checked once, so that it is where no array follows.
    // SAFETY: as below.
    unsafe { append(&mut rows, schema.as_ptr(), None, options)? };
    while let Some(array) = stream.next()? {
        // SAFETY: the stream gave both structs, which live until they are dropped.
        unsafe { append(&mut rows, schema.as_ptr(), Some(array.as_ptr()), options)? };
    }
    rows.commit();
    Ok(())
}

/// Appends rows, which stay once `rows` is committed.
///
/// # Safety
///
/// As for [`Table::find`].
unsafe fn append(
    rows: &mut Appender<'_>,
    schema: *const ArrowSchema,
    array: Option<*const ArrowArray>,
    options: Options<'_>,
) -> Result<(), ReadError> {
    let options = Options { group: None, ..options };
    // SAFETY: the caller's promise.
    let table = unsafe { Table::find(schema, array, options, Wanted::All, false)? };
    table.read(0, table.rows(), |columns| Ok(rows.columns(columns)?))
}

/// What a stream handed out. It is released when it is dropped.
#[derive(Debug)]
pub struct Owned<T: Release>(T);

impl<T: Release> Owned<T> {
    /// The struct, which lives as long as this.
    pub fn as_ptr(&self) -> *const T {
        &raw const self.0
    }
}

impl<T: Release> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the producer filled the struct, or left it empty; nobody else has it.
        unsafe { self.0.release() };
    }
}

/// A stream, borrowed from the host, which releases it.
#[derive(Debug)]
pub struct Stream(NonNull<ArrowArrayStream>);

impl Stream {
    /// A stream that is read from where it stands.
    ///
    /// # Safety
    ///
    /// The stream is as Arrow's C stream interface demands, or was released; nobody else uses it while the result lives.
    pub unsafe fn new(stream: NonNull<ArrowArrayStream>) -> Result<Self, ReadError> {
        // SAFETY: the caller's promise.
        let (released, callbacks) = unsafe {
            (stream.as_ref().release.is_none(), stream.as_ref().get_schema.and(stream.as_ref().get_next.map(|_| ())))
        };
        match (released, callbacks) {
            (true, _) => Err(ArrowError::of_stream(Fault::Released).into()),
            (false, None) => Err(ArrowError::of_stream(Fault::Malformed("a callback of the stream is NULL")).into()),
            (false, Some(())) => Ok(Self(stream)),
        }
    }

    /// The type of the tables.
    pub fn schema(&self) -> Result<Owned<ArrowSchema>, ReadError> {
        let mut schema = Owned(ArrowSchema::empty());
        // SAFETY: the stream is live, by the promise of `new`.
        let status = unsafe { self.0.as_ref().get_schema.map_or(-1, |get| get(self.0.as_ptr(), &raw mut schema.0)) };
        if status == 0 { Ok(schema) } else { Err(self.failed(status)) }
    }

    /// The next table; none at the end.
    pub fn next(&self) -> Result<Option<Owned<ArrowArray>>, ReadError> {
        let mut array = Owned(ArrowArray::empty());
        // SAFETY: as above.
        let status = unsafe { self.0.as_ref().get_next.map_or(-1, |get| get(self.0.as_ptr(), &raw mut array.0)) };
        match status {
            0 => Ok(array.0.release.is_some().then_some(array)),
            _ => Err(self.failed(status)),
        }
    }

    /// All tables that are left.
    pub fn rest(&self) -> Result<Vec<Owned<ArrowArray>>, ReadError> {
        let mut arrays = Vec::new();
        while let Some(array) = self.next()? {
            try_push(&mut arrays, array).map_err(Error::from)?;
        }
        Ok(arrays)
    }

    /// The failure of a callback, with the stream's own message.
    fn failed(&self, status: i32) -> ReadError {
        let mut message = TryWriter::default();
        // SAFETY: as above; the message is a C string that lives until the next call, or NULL.
        unsafe {
            let text = self.0.as_ref().get_last_error.map_or(std::ptr::null(), |last| last(self.0.as_ptr()));
            if !text.is_null() {
                for chunk in CStr::from_ptr(text).to_bytes().utf8_chunks() {
                    // Without memory the message is cut.
                    let _ = try_push_str(&mut message.0, chunk.valid());
                }
            }
        }
        Error::CallbackFailed { callback: "stream", status, source: Message::boxed(message.0) }.into()
    }
}

/// A message as an error.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Message(String);

impl Message {
    /// None for an empty message, and without memory.
    fn boxed(message: String) -> Option<Box<dyn std::error::Error + Send + Sync>> {
        if message.is_empty() {
            return None;
        }
        try_box(Self(message)).ok().map(|message| message as _)
    }
}
