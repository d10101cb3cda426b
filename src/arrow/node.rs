//! A type and its array, checked as far as the interface allows.

use std::ffi::CStr;

use bytemuck::Pod;

use crate::arrow::buffer::Buffer;
use crate::arrow::error::{ArrowError, Fault};
use crate::arrow::ffi::{ArrowArray, ArrowSchema};
use crate::error::Excerpt;
use crate::ingest::Flags;
use crate::memory::OutOfMemory;

pub(super) type Result<T> = std::result::Result<T, ArrowError>;

/// A part of an array with its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'a> {
    pub schema: &'a ArrowSchema,
    /// None for a type alone, which is read as an array without slots.
    array: Option<&'a ArrowArray>,
    /// The column, for messages.
    pub column: &'a str,
    pub format: &'a str,
    /// The first value, counted from the beginning of the buffers.
    pub offset: usize,
    pub len: usize,
    all_valid: bool,
    /// Whether texts under nulls are left out, whose bytes may be anything.
    pub blank_nulls: bool,
}

/// An error of a part, by the rows of the whole.
pub(super) fn at_row(error: ArrowError, first: usize) -> ArrowError {
    ArrowError { row: error.row.map(|row| row + first), ..error }
}

impl<'a> Node<'a> {
    /// A type, and an array of it if there is one.
    ///
    /// # Safety
    ///
    /// Both are NULL, released, or as the interface demands, and so is everything below them; they live as long as the result.
    pub unsafe fn new(schema: *const ArrowSchema, array: Option<*const ArrowArray>, column: &'a str) -> Result<Self> {
        let malformed = |what| ArrowError::column(column, None, Fault::Malformed(what));
        let no_struct = || malformed("a struct is NULL");
        // SAFETY: the caller's promise.
        let schema = unsafe { schema.as_ref() }.ok_or_else(no_struct)?;
        // SAFETY: as above.
        let array = array.map(|array| unsafe { array.as_ref() }.ok_or_else(no_struct)).transpose()?;
        if schema.release.is_none() || array.is_some_and(|array| array.release.is_none()) {
            return Err(ArrowError::column(column, None, Fault::Released));
        }
        if schema.format.is_null() {
            return Err(malformed("the format is NULL"));
        }
        // SAFETY: not null, and a C string by the interface.
        let format =
            unsafe { CStr::from_ptr(schema.format) }.to_str().map_err(|_| malformed("the format is not UTF-8"))?;
        let list_is_null = schema.children.is_null() || array.is_some_and(|array| array.children.is_null());
        if schema.n_children < 0 || (schema.n_children > 0 && list_is_null) {
            return Err(malformed("the list of children is NULL, or their count negative"));
        }
        let mut node = Self { schema, array, column, format, offset: 0, len: 0, all_valid: false, blank_nulls: false };
        let Some(array) = array else { return Ok(node) };
        let size = |value: i64, what| usize::try_from(value).map_err(|_| malformed(what));
        node.len = size(array.length, "the length is negative")?;
        node.offset = size(array.offset, "the offset is negative")?;
        // So that no address or bit below overflows.
        if node.len.checked_add(node.offset).is_none_or(|end| end > isize::MAX as usize / 32) {
            return Err(malformed("the length and the offset overflow"));
        }
        if array.n_buffers > 0 && array.buffers.is_null() {
            return Err(malformed("the list of buffers is NULL"));
        }
        if schema.n_children != array.n_children {
            return Err(malformed("the type and the array have different numbers of children"));
        }
        if schema.dictionary.is_null() != array.dictionary.is_null() {
            return Err(malformed("either the type or the array has a dictionary, and the other has none"));
        }
        Ok(node)
    }

    /// A fault of this column.
    pub fn fault(&self, row: Option<usize>, fault: Fault) -> ArrowError {
        ArrowError::column(self.column, row, fault)
    }

    /// A type that the column does not take.
    #[cold]
    pub fn wrong_type(&self, wanted: &'static str) -> ArrowError {
        self.fault(None, Fault::Type { format: Excerpt::new(self.format), wanted })
    }

    /// Checks the counts of buffers and children.
    pub fn expect(&self, buffers: i64, children: i64) -> Result<()> {
        if self.array.is_some_and(|array| array.n_buffers != buffers) {
            return Err(self.fault(None, Fault::Malformed("the number of buffers does not fit the type")));
        }
        // The array has as many, which was checked.
        if self.schema.n_children != children {
            return Err(self.fault(None, Fault::Malformed("the number of children does not fit the type")));
        }
        Ok(())
    }

    /// How many buffers there are; none for a type alone.
    pub fn buffers_len(&self) -> Option<usize> {
        self.array.map(|array| usize::try_from(array.n_buffers).unwrap_or(0))
    }

    /// How many children there are.
    pub fn children_len(&self) -> usize {
        // Not negative, as it was checked.
        self.schema.n_children as usize
    }

    /// The address of a buffer; NULL where it has none.
    pub fn buffer<T>(&self, index: usize) -> *const T {
        let Some(array) = self.array.filter(|_| self.buffers_len() > Some(index)) else { return std::ptr::null() };
        // SAFETY: the list has as many buffers, by the interface.
        unsafe { *array.buffers.add(index) }.cast()
    }

    /// The address of a buffer that `needed` values are read from.
    pub fn needed_buffer<T>(&self, index: usize, needed: usize) -> Result<*const T> {
        let buffer = self.buffer::<T>(index);
        if buffer.is_null() && needed > 0 {
            return Err(self.fault(None, Fault::Malformed("a buffer is NULL")));
        }
        Ok(buffer)
    }

    /// The values of a buffer of fixed width, one for each slot.
    pub fn values<T: Pod>(&self, index: usize) -> Result<Buffer<'a, T>> {
        self.values_at(index, self.offset, self.len)
    }

    /// Some values of a buffer.
    pub fn values_at<T: Pod>(&self, index: usize, first: usize, len: usize) -> Result<Buffer<'a, T>> {
        let start = self.needed_buffer(index, len)?;
        // SAFETY: the producer's promise: the buffer is as long as the array's length demands.
        Ok(unsafe { Buffer::read(start, first, len) }?)
    }

    /// The same as if no slot were null.
    pub fn without_validity(self) -> Self {
        Self { all_valid: true, ..self }
    }

    /// Which slots have a value; none where all have one.
    pub fn validity(&self) -> Option<Flags<'a>> {
        if self.all_valid {
            return None;
        }
        let bits = self.buffer::<u8>(0);
        let has_nulls = self.array.is_some_and(|array| array.null_count != 0) && self.len > 0;
        (has_nulls && !bits.is_null()).then(|| self.bits_at(bits))
    }

    /// Whether a slot has a value.
    pub fn presence(&self) -> impl Fn(usize) -> bool + use<'a> {
        let validity = self.validity();
        move |slot| validity.is_none_or(|validity| validity.get(slot))
    }

    /// The bits of the slots in a buffer that is not NULL.
    pub fn bits_at(&self, start: *const u8) -> Flags<'a> {
        let (first, end) = (self.offset / 8, (self.offset + self.len).div_ceil(8));
        // SAFETY: the producer's promise: a bit for each slot.
        let bytes = unsafe { std::slice::from_raw_parts(start.add(first), end - first) };
        Flags::Bits { bytes, offset: self.offset % 8 }
    }

    /// The first slot without a value.
    pub fn first_null(&self) -> Option<usize> {
        let validity = self.validity()?;
        (0..self.len).find(|&slot| !validity.get(slot))
    }

    /// A child, cut to the slots of this node.
    pub fn child(&self, index: usize) -> Result<Self> {
        self.child_at(index, self.offset, self.len)
    }

    /// Some slots of a child.
    pub fn child_at(&self, index: usize, first: usize, len: usize) -> Result<Self> {
        self.whole_child(index)?.part(first, len)
    }

    /// All slots of a child.
    pub fn whole_child(&self, index: usize) -> Result<Self> {
        // SAFETY: the lists have as many children, which was checked, and the children are as the interface demands.
        unsafe {
            let array = self.array.map(|array| (*array.children.add(index)).cast_const());
            self.below(*self.schema.children.add(index), array)
        }
    }

    /// A part of this node.
    ///
    /// # Safety
    ///
    /// As for [`new`](Self::new).
    unsafe fn below(&self, schema: *const ArrowSchema, array: Option<*const ArrowArray>) -> Result<Self> {
        // SAFETY: the caller's promise.
        let node = unsafe { Self::new(schema, array, self.column)? };
        Ok(Self { blank_nulls: self.blank_nulls, ..node })
    }

    /// The type of a child.
    pub fn child_schema(&self, index: usize) -> *const ArrowSchema {
        // SAFETY: as above.
        unsafe { *self.schema.children.add(index) }
    }

    /// Some slots.
    pub fn part(self, first: usize, len: usize) -> Result<Self> {
        match first.checked_add(len) {
            Some(end) if end <= self.len => Ok(Self { offset: self.offset + first, len, ..self }),
            end => {
                let expected = end.unwrap_or(usize::MAX);
                Err(self.fault(None, Fault::Short { actual: self.len, expected }))
            }
        }
    }

    /// The same under another name.
    pub fn named(self, column: &'a str) -> Self {
        Self { column, ..self }
    }

    /// The dictionary, if the array has one: its values, whole.
    pub fn dictionary(&self) -> Result<Option<Self>> {
        if self.schema.dictionary.is_null() {
            return Ok(None);
        }
        // SAFETY: not null, and as the interface demands.
        unsafe {
            let array = self.array.map(|array| array.dictionary.cast_const());
            self.below(self.schema.dictionary, array).map(Some)
        }
    }

    /// Whether this is a type of nulls alone.
    pub fn is_null_type(&self) -> bool {
        self.format == "n"
    }
}

/// The name of a field.
///
/// # Safety
///
/// The struct is as the interface demands, and not NULL.
pub(super) unsafe fn name_of<'a>(schema: *const ArrowSchema) -> Option<&'a str> {
    // SAFETY: the caller's promise.
    unsafe {
        let name = (*schema).name;
        if name.is_null() { Some("") } else { CStr::from_ptr(name).to_str().ok() }
    }
}

impl From<OutOfMemory> for Fault {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory(error)
    }
}
