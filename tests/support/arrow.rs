//! Arrow arrays for tests: a struct of columns over buffers that the test owns.

// Each test target uses its own share of this module.
#![allow(dead_code)]
// One reason holds for all: the structs own what they point at until they are released.
#![allow(clippy::undocumented_unsafe_blocks)]

use std::cell::Cell;
use std::ffi::{CString, c_void};
use std::ptr;
use std::rc::Rc;

use cupel::arrow::{ArrowArray, ArrowSchema};

/// An array of any type, with its children.
#[derive(Clone, Default)]
pub struct Array {
    pub name: &'static str,
    pub format: &'static str,
    pub length: i64,
    pub offset: i64,
    pub null_count: i64,
    pub buffers: Vec<Option<Vec<u8>>>,
    pub children: Vec<Array>,
    pub dictionary: Option<Box<Array>>,
}

/// The array with a change.
pub fn with(mut array: Array, change: impl FnOnce(&mut Array)) -> Array {
    change(&mut array);
    array
}

/// A buffer of these values.
pub fn bytes<T: Copy, const N: usize>(values: &[T], bytes: fn(T) -> [u8; N]) -> Option<Vec<u8>> {
    Some(values.iter().flat_map(|&value| bytes(value)).collect())
}

impl Array {
    /// Values of 64 bits.
    pub fn int64(name: &'static str, values: &[i64]) -> Self {
        let bytes = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
        let buffers = vec![None, Some(bytes)];
        Self { name, format: "l", length: values.len() as i64, buffers, ..Self::default() }
    }

    /// Texts with 32-bit offsets.
    pub fn utf8(name: &'static str, texts: &[&str]) -> Self {
        let mut offsets = 0_i32.to_ne_bytes().to_vec();
        let mut end = 0;
        for text in texts {
            end += text.len() as i32;
            offsets.extend(end.to_ne_bytes());
        }
        let buffers = vec![None, Some(offsets), Some(texts.concat().into_bytes())];
        Self { name, format: "u", length: texts.len() as i64, buffers, ..Self::default() }
    }

    /// Texts as views: short ones in the view, others in one buffer.
    pub fn utf8_view(name: &'static str, texts: &[&str]) -> Self {
        let (mut views, mut data) = (Vec::new(), Vec::new());
        for text in texts {
            let mut view = [0_u8; 16];
            view[..4].copy_from_slice(&(text.len() as i32).to_ne_bytes());
            if text.len() <= 12 {
                view[4..4 + text.len()].copy_from_slice(text.as_bytes());
            } else {
                view[4..8].copy_from_slice(&text.as_bytes()[..4]);
                view[12..].copy_from_slice(&(data.len() as i32).to_ne_bytes());
                data.extend(text.as_bytes());
            }
            views.extend(view);
        }
        let sizes = (data.len() as i64).to_ne_bytes().to_vec();
        let buffers = vec![None, Some(views), Some(data), Some(sizes)];
        Self { name, format: "vu", length: texts.len() as i64, buffers, ..Self::default() }
    }

    /// Values of a dictionary, by codes of 8 bits.
    pub fn coded(name: &'static str, codes: &[u8], values: Self) -> Self {
        let buffers = vec![None, Some(codes.to_vec())];
        let dictionary = Some(Box::new(values));
        Self { name, format: "C", length: codes.len() as i64, buffers, dictionary, ..Self::default() }
    }

    /// Lists with 32-bit offsets.
    pub fn list(name: &'static str, ends: &[i32], child: Self) -> Self {
        let offsets = ends.iter().flat_map(|end| end.to_ne_bytes()).collect();
        let length = ends.len() as i64 - 1;
        Self {
            name,
            format: "+l",
            length,
            buffers: vec![None, Some(offsets)],
            children: vec![child],
            ..Self::default()
        }
    }

    /// The same with another format.
    pub fn of_format(self, format: &'static str) -> Self {
        Self { format, ..self }
    }

    /// The same with a validity buffer.
    pub fn with_validity(mut self, bits: &[u8]) -> Self {
        (self.null_count, self.buffers[0]) = (-1, Some(bits.to_vec()));
        self
    }

    /// A struct, as long as its first child.
    pub fn table(children: Vec<Array>) -> Self {
        let length = children.first().map_or(0, |child| child.length);
        Self { format: "+s", length, buffers: vec![None], children, ..Self::default() }
    }

    /// Makes the C structs.
    pub fn export(&self) -> Exported {
        let released = Rc::new(Cell::new((0, 0)));
        let (schema, array) = (Box::into_raw(self.schema(&released)), Box::into_raw(self.array(&released)));
        Exported { schema, array, released }
    }

    fn schema(&self, released: &Rc<Cell<(usize, usize)>>) -> Box<ArrowSchema> {
        let owned = Box::new(OwnedSchema {
            _format: CString::new(self.format).unwrap(),
            _name: CString::new(self.name).unwrap(),
            children: self.children.iter().map(|child| Box::into_raw(child.schema(released))).collect(),
            dictionary: self.dictionary.as_ref().map(|values| Box::into_raw(values.schema(released))),
            released: released.clone(),
        });
        Box::new(ArrowSchema {
            format: owned._format.as_ptr(),
            name: owned._name.as_ptr(),
            metadata: ptr::null(),
            flags: 2,
            n_children: owned.children.len() as i64,
            children: owned.children.as_ptr().cast_mut(),
            dictionary: owned.dictionary.unwrap_or(ptr::null_mut()),
            release: Some(release_schema),
            private_data: Box::into_raw(owned).cast(),
        })
    }

    fn array(&self, released: &Rc<Cell<(usize, usize)>>) -> Box<ArrowArray> {
        // 64-bit words, so that every buffer is aligned as producers align theirs.
        let words = |bytes: &Vec<u8>| {
            let mut words = vec![0_u64; bytes.len().div_ceil(8).max(1)];
            words.iter_mut().zip(bytes.chunks(8)).for_each(|(word, chunk)| {
                let mut full = [0; 8];
                full[..chunk.len()].copy_from_slice(chunk);
                *word = u64::from_ne_bytes(full);
            });
            words
        };
        let memory: Vec<Option<Vec<u64>>> = self.buffers.iter().map(|buffer| buffer.as_ref().map(words)).collect();
        let owned = Box::new(OwnedArray {
            buffers: memory
                .iter()
                .map(|words| words.as_ref().map_or(ptr::null(), |words| words.as_ptr().cast()))
                .collect(),
            _memory: memory,
            children: self.children.iter().map(|child| Box::into_raw(child.array(released))).collect(),
            dictionary: self.dictionary.as_ref().map(|values| Box::into_raw(values.array(released))),
            released: released.clone(),
        });
        Box::new(ArrowArray {
            length: self.length,
            null_count: self.null_count,
            offset: self.offset,
            n_buffers: owned.buffers.len() as i64,
            n_children: owned.children.len() as i64,
            buffers: owned.buffers.as_ptr().cast_mut(),
            children: owned.children.as_ptr().cast_mut(),
            dictionary: owned.dictionary.unwrap_or(ptr::null_mut()),
            release: Some(release_array),
            private_data: Box::into_raw(owned).cast(),
        })
    }
}

struct OwnedSchema {
    _format: CString,
    _name: CString,
    children: Vec<*mut ArrowSchema>,
    dictionary: Option<*mut ArrowSchema>,
    released: Rc<Cell<(usize, usize)>>,
}

struct OwnedArray {
    _memory: Vec<Option<Vec<u64>>>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
    dictionary: Option<*mut ArrowArray>,
    released: Rc<Cell<(usize, usize)>>,
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    unsafe {
        let owned = Box::from_raw((*schema).private_data.cast::<OwnedSchema>());
        for child in owned.children.iter().copied().chain(owned.dictionary) {
            drop(Released(child));
        }
        let (schemas, arrays) = owned.released.get();
        owned.released.set((schemas + 1, arrays));
        (*schema).release = None;
    }
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    unsafe {
        let owned = Box::from_raw((*array).private_data.cast::<OwnedArray>());
        for child in owned.children.iter().copied().chain(owned.dictionary) {
            drop(ReleasedArray(child));
        }
        let (schemas, arrays) = owned.released.get();
        owned.released.set((schemas, arrays + 1));
        (*array).release = None;
    }
}

/// A struct of the producer, released and freed when it is dropped.
struct Released(*mut ArrowSchema);

impl Drop for Released {
    fn drop(&mut self) {
        unsafe {
            if let Some(release) = (*self.0).release {
                release(self.0);
            }
            drop(Box::from_raw(self.0));
        }
    }
}

struct ReleasedArray(*mut ArrowArray);

impl Drop for ReleasedArray {
    fn drop(&mut self) {
        unsafe {
            if let Some(release) = (*self.0).release {
                release(self.0);
            }
            drop(Box::from_raw(self.0));
        }
    }
}

/// The C structs of an array.
pub struct Exported {
    pub schema: *mut ArrowSchema,
    pub array: *mut ArrowArray,
    released: Rc<Cell<(usize, usize)>>,
}

impl Exported {
    /// How many schemas and arrays were released, children and dictionaries included.
    pub fn released(&self) -> (usize, usize) {
        self.released.get()
    }
}

impl Drop for Exported {
    fn drop(&mut self) {
        drop((Released(self.schema), ReleasedArray(self.array)));
    }
}
