//! `cupel_item`: a context item.

use std::ffi::c_char;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use crate::batch::{Item, MetadataValue};
use crate::capi::boundary::{call, create, give, guard_value};
use crate::capi::error::{Refusal, cupel_error};
use crate::capi::item_builder::c_bool;
use crate::capi::ownership::{Host, Out};
use crate::capi::status::cupel_status;
use crate::capi::text::cupel_text;
use crate::json;
use crate::memory::Shared;

/// A context item: a text, its size in tokens, and what scorers read. A batch copies the items that are pushed to it.
#[derive(Debug)]
pub struct cupel_item(());

/// The handle is the address of the item, which is reference-counted already: a box around it would be a second
/// allocation.
impl cupel_item {
    /// Makes the handle of an item.
    pub(super) fn hand_over(item: Item) -> *mut Self {
        item.into_shared().into_raw().as_ptr().cast()
    }

    /// Borrows an item. The reference that the handle counts for stays the host's.
    pub(super) fn borrow(_: Host, handle: *const Self) -> Result<ManuallyDrop<Item>, Refusal> {
        let handle = NonNull::new(handle.cast_mut()).ok_or_else(|| Refusal::null("item"))?;
        // SAFETY: the promise that made the `Host`.
        let share = unsafe { Shared::from_raw(handle.cast()) };
        Ok(ManuallyDrop::new(Item::of_shared(share)))
    }

    /// Drops an item. NULL does nothing.
    ///
    /// # Safety
    ///
    /// `handle` is NULL or came from [`hand_over`](Self::hand_over), was not freed, and is not used any more.
    unsafe fn free(handle: *mut Self) {
        if let Some(handle) = NonNull::new(handle) {
            // SAFETY: the host gives its reference back once.
            drop(Item::of_shared(unsafe { Shared::from_raw(handle.cast()) }));
        }
    }
}

/// The type of a metadata value.
pub type cupel_metadata_type = i32;

/// A text.
pub const CUPEL_METADATA_TYPE_STRING: cupel_metadata_type = 0;
/// A number.
pub const CUPEL_METADATA_TYPE_DOUBLE: cupel_metadata_type = 1;
/// A value of the host that is neither text nor number, represented by a text.
pub const CUPEL_METADATA_TYPE_OTHER: cupel_metadata_type = 2;

/// The pointers to the address and the length of a text that belongs to a handle.
struct OutText {
    data: Out<*const c_char>,
    len: Out<usize>,
}

impl OutText {
    fn new(host: Host, out_data: *mut *const c_char, out_len: *mut usize) -> Result<Self, Refusal> {
        Ok(Self { data: host.out(out_data, "out_data")?, len: host.out(out_len, "out_len")? })
    }

    fn write(self, text: Option<&str>) {
        self.data.write(text.map_or(std::ptr::null(), |text| text.as_ptr().cast()));
        self.len.write(text.map_or(0, str::len));
    }
}

/// The body of a function that gives a text.
unsafe fn get_text(
    item: *const cupel_item,
    (out_data, out_len): (*mut *const c_char, *mut usize),
    out_error: *mut *mut cupel_error,
    get: impl FnOnce(&Item) -> Result<&str, Refusal>,
) -> cupel_status {
    call(out_error, |host| {
        let out = OutText::new(host, out_data, out_len)?;
        out.write(Some(get(&*cupel_item::borrow(host, item)?)?));
        Ok(())
    })
}

/// The body of a function that gives a value.
unsafe fn get_value<T>(
    item: *const cupel_item,
    (out, name): (*mut T, &'static str),
    out_error: *mut *mut cupel_error,
    get: impl FnOnce(&Item) -> T,
) -> cupel_status {
    give(out_error, (out, name), |host| Ok(get(&*cupel_item::borrow(host, item)?)))
}

/// The body of a function that gives a value that may be missing.
unsafe fn get_optional<T: Default>(
    item: *const cupel_item,
    (out, name): (*mut T, &'static str),
    out_present: *mut c_bool,
    out_error: *mut *mut cupel_error,
    get: impl FnOnce(&Item) -> Option<T>,
) -> cupel_status {
    call(out_error, |host| {
        let (out, out_present) = (host.out(out, name)?, host.out(out_present, "out_present")?);
        let value = get(&*cupel_item::borrow(host, item)?);
        out_present.write(value.is_some().into());
        out.write(value.unwrap_or_default());
        Ok(())
    })
}

fn tag_at(item: &Item, index: usize) -> Result<&str, Refusal> {
    item.tag(index).ok_or_else(|| Refusal::no_such_index(index, item.tags().len()))
}

fn metadata_at(item: &Item, index: usize) -> Result<(&str, MetadataValue<'_>), Refusal> {
    item.metadata_entry(index).ok_or_else(|| Refusal::no_such_index(index, item.metadata().len()))
}

/// Gives the content. It is empty only if the item was made from a batch row without content.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_content(
    item: *const cupel_item,
    out_data: *mut *const c_char,
    out_len: *mut usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    get_text(item, (out_data, out_len), out_error, |item| Ok(item.content()))
}

/// Gives the kind as it was set, in its letter case.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_kind(
    item: *const cupel_item,
    out_data: *mut *const c_char,
    out_len: *mut usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    get_text(item, (out_data, out_len), out_error, |item| Ok(item.kind()))
}

/// Gives the source as it was set, in its letter case.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_source(
    item: *const cupel_item,
    out_data: *mut *const c_char,
    out_len: *mut usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    get_text(item, (out_data, out_len), out_error, |item| Ok(item.source()))
}

/// Gives the size in tokens.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_tokens(
    item: *const cupel_item,
    out_tokens: *mut i64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    get_value(item, (out_tokens, "out_tokens"), out_error, |item| item.tokens())
}

/// Gives whether the item is pinned.
///
/// @param out_pinned Where to put whether it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_pinned(
    item: *const cupel_item,
    out_pinned: *mut c_bool,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    get_value(item, (out_pinned, "out_pinned"), out_error, |item| item.pinned().into())
}

/// Gives the number of tags.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_tags_len(
    item: *const cupel_item,
    out_len: *mut usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    get_value(item, (out_len, "out_len"), out_error, |item| item.tags().len())
}

/// Gives the number of metadata entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_metadata_len(
    item: *const cupel_item,
    out_len: *mut usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    get_value(item, (out_len, "out_len"), out_error, |item| item.metadata().len())
}

/// Gives the priority, if it is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_priority(
    item: *const cupel_item,
    out_priority: *mut i64,
    out_present: *mut c_bool,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    get_optional(item, (out_priority, "out_priority"), out_present, out_error, |item| item.priority())
}

/// Gives the original size in tokens, from before the host shortened the item, if it is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_original_tokens(
    item: *const cupel_item,
    out_original_tokens: *mut i64,
    out_present: *mut c_bool,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    get_optional(item, (out_original_tokens, "out_original_tokens"), out_present, out_error, |item| {
        item.original_tokens()
    })
}

/// Gives the timestamp, in nanoseconds since the Unix epoch, if it is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_timestamp(
    item: *const cupel_item,
    out_unix_nanoseconds: *mut i64,
    out_present: *mut c_bool,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    get_optional(item, (out_unix_nanoseconds, "out_unix_nanoseconds"), out_present, out_error, |item| item.timestamp())
}

/// Gives the future relevance hint, if it is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_future_relevance_hint(
    item: *const cupel_item,
    out_hint: *mut f64,
    out_present: *mut c_bool,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    get_optional(item, (out_hint, "out_hint"), out_present, out_error, |item| item.future_relevance_hint())
}

/// Gives a tag.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_tag(
    item: *const cupel_item,
    index: usize,
    out_data: *mut *const c_char,
    out_len: *mut usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    get_text(item, (out_data, out_len), out_error, |item| tag_at(item, index))
}

/// Gives the key of a metadata entry. Entries are in the order in which their keys were first set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_metadata_key(
    item: *const cupel_item,
    index: usize,
    out_data: *mut *const c_char,
    out_len: *mut usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    get_text(item, (out_data, out_len), out_error, |item| Ok(metadata_at(item, index)?.0))
}

/// Gives the value of a metadata entry.
///
/// @param out_type Where to put a cupel_metadata_type.
/// @param out_data Where to put the address of the text, which belongs to the item; NULL for a double.
/// @param out_len Where to put its length in bytes; 0 for a double.
/// @param out_number Where to put the number; 0 for a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_metadata_value(
    item: *const cupel_item,
    index: usize,
    out_type: *mut cupel_metadata_type,
    out_data: *mut *const c_char,
    out_len: *mut usize,
    out_number: *mut f64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let out_type = host.out(out_type, "out_type")?;
        let out_text = OutText::new(host, out_data, out_len)?;
        let out_number = host.out(out_number, "out_number")?;
        let item = cupel_item::borrow(host, item)?;
        let (kind, text, number) = match metadata_at(&item, index)?.1 {
            MetadataValue::String(text) => (CUPEL_METADATA_TYPE_STRING, Some(text), 0.0),
            MetadataValue::Double(number) => (CUPEL_METADATA_TYPE_DOUBLE, None, number),
            MetadataValue::Other(text) => (CUPEL_METADATA_TYPE_OTHER, Some(text), 0.0),
        };
        out_type.write(kind);
        out_text.write(text);
        out_number.write(number);
        Ok(())
    })
}

/// Writes an item as JSON: an object of the fields that are set, which cupel_batch_append_json() reads.
///
/// A metadata value of the type *other* is written as it is if that reads back as the same value, or else as a string.
///
/// @return NULL_ARGUMENT, INVALID_ARGUMENT (what JSON cannot express: an empty content, a double that is not finite, a
///         trust of the type *other* that would read back as a number), OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_to_json(
    item: *const cupel_item,
    out_text: *mut *mut cupel_text,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_text, "out_text"), |host| {
        Ok(cupel_text::new(json::write_item(&*cupel_item::borrow(host, item)?)?)?)
    })
}

/// Frees an item.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_free(item: *mut cupel_item) {
    guard_value((), || cupel_item::free(item));
}
