//! `cupel_item_builder`: puts an item together, field by field.

use libc::c_char;

use crate::batch::{Fields, ItemBuilder, MetadataValue, Value};
use crate::capi::boundary::{guard, guard_value, succeed};
use crate::capi::error::{Refusal, cupel_error};
use crate::capi::item::cupel_item;
use crate::capi::ownership::{Handle, Out, short_text, text};
use crate::capi::status::cupel_status;
use crate::error::Error;
use crate::text::{InlineText, ShortText};

/// Puts an item together, field by field; may be used for one item after another.
///
/// Threads: mutable, one thread at a time. Lifetime: it belongs to the caller of cupel_item_builder_new(), who frees it once
/// with cupel_item_builder_free(); the items that it built live on without it.
#[allow(non_camel_case_types, reason = "the name is the C name")]
#[derive(Debug)]
pub struct cupel_item_builder(ItemBuilder);

impl Handle for cupel_item_builder {
    const NAME: &'static str = "builder";
}

/// Changes a builder: `at_once`, if that can be, or else `in_full`, which checks everything and says what is wrong.
///
/// Most calls set a number or a short text in a builder that shares its memory with no item. The first way is theirs: it calls no
/// other function, so that nothing in it can panic and no registers have to be saved.
///
/// # Safety
///
/// The pointers are as the header says.
#[inline(always)]
unsafe fn change(
    builder: *mut cupel_item_builder,
    out_error: *mut *mut cupel_error,
    at_once: impl FnOnce(&mut Fields) -> Option<()>,
    in_full: impl FnOnce(&mut ItemBuilder) -> Result<(), Refusal>,
) -> cupel_status {
    // SAFETY: the caller's promise.
    unsafe {
        let fields = builder.as_mut().and_then(|builder| builder.0.unshared());
        match fields.and_then(at_once) {
            Some(()) => succeed(out_error),
            None => change_in_full(builder, out_error, in_full),
        }
    }
}

/// The second way of [`change`].
///
/// # Safety
///
/// As for [`change`].
#[inline(never)]
unsafe fn change_in_full(
    builder: *mut cupel_item_builder,
    out_error: *mut *mut cupel_error,
    change: impl FnOnce(&mut ItemBuilder) -> Result<(), Refusal>,
) -> cupel_status {
    // SAFETY: the caller's promise.
    unsafe { guard(out_error, || change(&mut cupel_item_builder::borrow_mut(builder)?.0)) }
}

/// Sets a field that is no text.
///
/// # Safety
///
/// As for [`change`].
#[inline(always)]
unsafe fn set(
    builder: *mut cupel_item_builder,
    out_error: *mut *mut cupel_error,
    set: impl FnOnce(&mut Fields) + Copy,
) -> cupel_status {
    let in_full = move |builder: &mut ItemBuilder| {
        set(builder.change()?);
        Ok(())
    };
    let at_once = move |fields: &mut Fields| {
        set(fields);
        Some(())
    };
    // SAFETY: the caller's promise.
    unsafe { change(builder, out_error, at_once, in_full) }
}

/// Sets a text, whose argument has a name.
///
/// # Safety
///
/// As for [`change`].
#[inline(always)]
unsafe fn set_text(
    builder: *mut cupel_item_builder,
    (data, len, name): (*const c_char, usize, &'static str),
    out_error: *mut *mut cupel_error,
    at_once: impl FnOnce(&mut Fields, ShortText) -> Option<()>,
    in_full: impl for<'a> FnOnce(&'a mut ItemBuilder, &str) -> Result<&'a mut ItemBuilder, Error>,
) -> cupel_status {
    // SAFETY: the caller's promise.
    unsafe {
        let at_once = move |fields: &mut Fields| at_once(fields, short_text(data, len)?);
        change(builder, out_error, at_once, move |builder| {
            in_full(builder, text(data, len, name)?)?;
            Ok(())
        })
    }
}

/// Sets a metadata value that has a text.
///
/// # Safety
///
/// As for [`change`].
#[inline(always)]
unsafe fn set_metadata_text<'a>(
    builder: *mut cupel_item_builder,
    (key, key_len): (*const c_char, usize),
    (value, value_len): (*const c_char, usize),
    out_error: *mut *mut cupel_error,
    at_once: impl FnOnce(InlineText) -> Value,
    in_full: impl FnOnce(&'a str) -> MetadataValue<'a>,
) -> cupel_status {
    // SAFETY: the caller's promise.
    unsafe {
        let at_once = move |fields: &mut Fields| {
            let value = short_text(value, value_len)?;
            fields.metadata_at_once(short_text(key, key_len)?, at_once(value.into()))
        };
        change(builder, out_error, at_once, move |builder| {
            let key = text(key, key_len, "key")?;
            builder.metadata(key, in_full(text(value, value_len, "value")?))?;
            Ok(())
        })
    }
}

/// A C `bool`, read as the byte that it is: a host that passes another byte than 0 or 1 must not bring the library down.
#[allow(non_camel_case_types, reason = "stands for the C type")]
pub type c_bool = u8;

/// Makes a builder for an item with this content and every other field at its default.
///
/// @param content      The text itself, UTF-8, not empty. It is copied.
/// @param content_len  Its length in bytes.
/// @param tokens       Its size in tokens, as the host counted it. Any number; never checked.
/// @param out_builder  Where to put the builder, which the caller frees with cupel_item_builder_free().
/// @param out_error  Where to put the error of a call that fails; may be NULL.
/// @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_CONTENT, OUT_OF_RANGE (a length that cannot be), OUT_OF_MEMORY
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_new(
    content: *const c_char,
    content_len: usize,
    tokens: i64,
    out_builder: *mut *mut cupel_item_builder,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    // SAFETY: the contract of the pointers is the header's, and the caller keeps it.
    unsafe {
        guard(out_error, || {
            let out_builder = Out::new(out_builder, "out_builder")?;
            let content = text(content, content_len, "content")?;
            let builder = cupel_item_builder(ItemBuilder::new(content, tokens)?);
            out_builder.write(builder.hand_over()?.as_ptr());
            Ok(())
        })
    }
}

/// Forgets everything that was set and begins another item in the same memory. A call that fails leaves the old one.
///
/// @param builder      The builder.
/// @param content      The text itself, UTF-8, not empty. It is copied.
/// @param content_len  Its length in bytes.
/// @param tokens       Its size in tokens.
/// @param out_error  Where to put the error of a call that fails; may be NULL.
/// @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_CONTENT, OUT_OF_RANGE, OUT_OF_MEMORY
///
/// Threads: one at a time for each builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_reset(
    builder: *mut cupel_item_builder,
    content: *const c_char,
    content_len: usize,
    tokens: i64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    // SAFETY: the contract of the pointers is the header's, and the caller keeps it.
    unsafe {
        guard(out_error, || {
            let builder = cupel_item_builder::borrow_mut(builder)?;
            let content = text(content, content_len, "content")?;
            builder.0.reset(content, tokens)?;
            Ok(())
        })
    }
}

/// Sets the kind; `Message` when it is never set. Kinds are an open set and equal when equal under ASCII case folding; well known are Message, Document, ToolOutput, Memory and SystemPrompt.
///
/// @param builder   The builder.
/// @param kind  The kind, UTF-8, with at least one character that is not white space. It is copied.
/// @param kind_len  Its length in bytes.
/// @param out_error  Where to put the error of a call that fails; may be NULL.
/// @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_KIND, OUT_OF_RANGE, OUT_OF_MEMORY
///
/// Threads: one at a time for each builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_kind(
    builder: *mut cupel_item_builder,
    kind: *const c_char,
    kind_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    // SAFETY: the contract of the pointers is the header's, and the caller keeps it.
    unsafe { set_text(builder, (kind, kind_len, "kind"), out_error, Fields::kind_at_once, ItemBuilder::kind) }
}

/// Sets the source; `Chat` when it is never set. Sources are an open set and equal when equal under ASCII case folding; well known are Chat, Tool and Rag.
///
/// @param builder   The builder.
/// @param source  The source, UTF-8, with at least one character that is not white space. It is copied.
/// @param source_len  Its length in bytes.
/// @param out_error  Where to put the error of a call that fails; may be NULL.
/// @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_SOURCE, OUT_OF_RANGE, OUT_OF_MEMORY
///
/// Threads: one at a time for each builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_source(
    builder: *mut cupel_item_builder,
    source: *const c_char,
    source_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    // SAFETY: the contract of the pointers is the header's, and the caller keeps it.
    unsafe { set_text(builder, (source, source_len, "source"), out_error, Fields::source_at_once, ItemBuilder::source) }
}

/// Adds a tag after those that are there. Order and duplicates are kept.
///
/// @param builder  The builder.
/// @param tag      The tag, UTF-8; may be empty. It is copied.
/// @param tag_len  Its length in bytes.
/// @param out_error  Where to put the error of a call that fails; may be NULL.
/// @return NULL_ARGUMENT, INVALID_UTF8, OUT_OF_RANGE, OUT_OF_MEMORY
///
/// Threads: one at a time for each builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_add_tag(
    builder: *mut cupel_item_builder,
    tag: *const c_char,
    tag_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    // SAFETY: the contract of the pointers is the header's, and the caller keeps it.
    unsafe { set_text(builder, (tag, tag_len, "tag"), out_error, Fields::tag_at_once, ItemBuilder::tag) }
}

/// Sets the priority: higher is more important.
///
/// @param builder  The builder.
/// @param priority  The value.
/// @param out_error  Where to put the error of a call that fails; may be NULL.
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
///
/// Threads: one at a time for each builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_priority(
    builder: *mut cupel_item_builder,
    priority: i64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    // SAFETY: the contract of the pointers is the header's, and the caller keeps it.
    unsafe { set(builder, out_error, move |fields| fields.priority = Some(priority)) }
}

/// Sets the size in tokens before the host shortened the item.
///
/// @param builder  The builder.
/// @param original_tokens  The value.
/// @param out_error  Where to put the error of a call that fails; may be NULL.
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
///
/// Threads: one at a time for each builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_original_tokens(
    builder: *mut cupel_item_builder,
    original_tokens: i64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    // SAFETY: the contract of the pointers is the header's, and the caller keeps it.
    unsafe { set(builder, out_error, move |fields| fields.original_tokens = Some(original_tokens)) }
}

/// Sets the instant, in nanoseconds since the Unix epoch (1970-01-01T00:00:00Z).
///
/// @param builder  The builder.
/// @param unix_nanoseconds  The value.
/// @param out_error  Where to put the error of a call that fails; may be NULL.
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
///
/// Threads: one at a time for each builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_timestamp(
    builder: *mut cupel_item_builder,
    unix_nanoseconds: i64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    // SAFETY: the contract of the pointers is the header's, and the caller keeps it.
    unsafe { set(builder, out_error, move |fields| fields.timestamp = Some(unix_nanoseconds)) }
}

/// Sets the host's own estimate of how useful the item will be. Any bit pattern is legal; the reflexive scorer clamps it to 0 to 1 and takes what is not finite for 0.
///
/// @param builder  The builder.
/// @param hint  The value.
/// @param out_error  Where to put the error of a call that fails; may be NULL.
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
///
/// Threads: one at a time for each builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_future_relevance_hint(
    builder: *mut cupel_item_builder,
    hint: f64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    // SAFETY: the contract of the pointers is the header's, and the caller keeps it.
    unsafe { set(builder, out_error, move |fields| fields.future_relevance_hint = Some(hint)) }
}

/// Sets whether the host wants the item kept. No scorer reads it; false when it is never set.
///
/// @param builder  The builder.
/// @param pinned  The value.
/// @param out_error  Where to put the error of a call that fails; may be NULL.
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
///
/// Threads: one at a time for each builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_pinned(
    builder: *mut cupel_item_builder,
    pinned: c_bool,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    // SAFETY: the contract of the pointers is the header's, and the caller keeps it.
    unsafe { set(builder, out_error, move |fields| fields.pinned = pinned != 0) }
}

/// Sets the value of a metadata key to a text, in place of the value that it had.
///
/// @param builder    The builder.
/// @param key        The key, UTF-8; may be empty. It is copied. Keys that begin with `cupel:` are reserved for conventions.
/// @param key_len    Its length in bytes.
/// @param value      The text, UTF-8; may be empty. It is copied.
/// @param value_len  Its length in bytes.
/// @param out_error  Where to put the error of a call that fails; may be NULL.
/// @return NULL_ARGUMENT, INVALID_UTF8, OUT_OF_RANGE, OUT_OF_MEMORY
///
/// Threads: one at a time for each builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_metadata_string(
    builder: *mut cupel_item_builder,
    key: *const c_char,
    key_len: usize,
    value: *const c_char,
    value_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    // SAFETY: the contract of the pointers is the header's, and the caller keeps it.
    unsafe {
        set_metadata_text(builder, (key, key_len), (value, value_len), out_error, Value::String, MetadataValue::String)
    }
}

/// Sets the value of a metadata key to a host value that is neither text nor number (a boolean, a date, an object), by the text that the host writes for it, in place of the value that it had.
///
/// @param builder    The builder.
/// @param key        The key, UTF-8; may be empty. It is copied. Keys that begin with `cupel:` are reserved for conventions.
/// @param key_len    Its length in bytes.
/// @param value      The text, UTF-8; may be empty. It is copied.
/// @param value_len  Its length in bytes.
/// @param out_error  Where to put the error of a call that fails; may be NULL.
/// @return NULL_ARGUMENT, INVALID_UTF8, OUT_OF_RANGE, OUT_OF_MEMORY
///
/// Threads: one at a time for each builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_metadata_other(
    builder: *mut cupel_item_builder,
    key: *const c_char,
    key_len: usize,
    value: *const c_char,
    value_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    // SAFETY: the contract of the pointers is the header's, and the caller keeps it.
    unsafe {
        set_metadata_text(builder, (key, key_len), (value, value_len), out_error, Value::Other, MetadataValue::Other)
    }
}

/// Sets the value of a metadata key to a number, in place of the value that it had. Hosts convert their other numeric types
/// to the nearest double.
///
/// @param builder  The builder.
/// @param key      The key, UTF-8; may be empty. It is copied.
/// @param key_len  Its length in bytes.
/// @param value    The number; any bit pattern is legal.
/// @param out_error  Where to put the error of a call that fails; may be NULL.
/// @return NULL_ARGUMENT, INVALID_UTF8, OUT_OF_RANGE, OUT_OF_MEMORY
///
/// Threads: one at a time for each builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_metadata_double(
    builder: *mut cupel_item_builder,
    key: *const c_char,
    key_len: usize,
    value: f64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    // SAFETY: the contract of the pointers is the header's, and the caller keeps it.
    unsafe {
        let at_once =
            move |fields: &mut Fields| fields.metadata_at_once(short_text(key, key_len)?, Value::Double(value));
        change(builder, out_error, at_once, move |builder| {
            builder.metadata(text(key, key_len, "key")?, MetadataValue::Double(value))?;
            Ok(())
        })
    }
}

/// Makes an item with what was set so far. The builder keeps it all, and can go on. An item shares its memory with the builder
/// until the builder is changed: one that is freed before that costs no allocation. Two that are built without a change between
/// may have the same address; each is freed all the same.
///
/// @param builder   The builder.
/// @param out_item  Where to put the item, which the caller frees with cupel_item_free().
/// @param out_error  Where to put the error of a call that fails; may be NULL.
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
///
/// Threads: any number at once, while nobody changes the builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_build(
    builder: *const cupel_item_builder,
    out_item: *mut *mut cupel_item,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    // SAFETY: the contract of the pointers is the header's, and the caller keeps it.
    unsafe {
        guard(out_error, || {
            let out_item = Out::new(out_item, "out_item")?;
            let item = cupel_item_builder::borrow(builder)?.0.build()?;
            out_item.write(cupel_item::hand_over(item).as_ptr());
            Ok(())
        })
    }
}

/// Frees a builder.
///
/// @param builder  A builder; NULL does nothing. It must not be freed twice.
///
/// The items that it built live on.
///
/// Threads: one at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_free(builder: *mut cupel_item_builder) {
    guard_value((), || {
        // SAFETY: the contract of the pointer is the header's, and the caller keeps it.
        unsafe { cupel_item_builder::free(builder) }
    });
}
