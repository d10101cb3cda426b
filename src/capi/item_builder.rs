//! `cupel_item_builder`: makes items, field by field.

use std::ffi::c_char;

use crate::batch::{ItemBuilder, MetadataValue};
use crate::capi::boundary::{call, create, free, give};
use crate::capi::error::{Refusal, cupel_error};
use crate::capi::item::cupel_item;
use crate::capi::ownership::{Handle, Host};
use crate::capi::status::cupel_status;

/// Makes items, field by field, one after another.
///
/// Threads: mutable, one thread at a time. Lifetime: it belongs to the caller of cupel_item_builder_new(), who frees it
/// once with cupel_item_builder_free(). The items that it built do not depend on it.
#[derive(Debug)]
pub struct cupel_item_builder(ItemBuilder);

impl Handle for cupel_item_builder {
    const NAME: &'static str = "builder";
}

/// Changes a builder.
///
/// # Safety
///
/// The pointers are as the header says.
#[inline(always)]
unsafe fn change(
    builder: *mut cupel_item_builder,
    out_error: *mut *mut cupel_error,
    change: impl FnOnce(Host, &mut ItemBuilder) -> Result<&mut ItemBuilder, Refusal>,
) -> cupel_status {
    call(out_error, |host| change(host, &mut host.handle_mut(builder)?.0).map(|_| ()))
}

/// A C `bool`, read as a byte: a host may pass a byte other than 0 or 1, which is no value of Rust's `bool`.
pub type c_bool = u8;

/// Makes a builder for an item with this content and the defaults of all other fields.
///
/// @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_CONTENT, OUT_OF_RANGE, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_new(
    content: *const c_char,
    content_len: usize,
    tokens: i64,
    out_builder: *mut *mut cupel_item_builder,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_builder, "out_builder"), |host| {
        Ok(cupel_item_builder(ItemBuilder::new(host.text(content, content_len, "content")?, tokens)?))
    })
}

/// Clears all fields and begins another item, in the same memory. A call that fails leaves the builder as it was.
///
/// @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_CONTENT, OUT_OF_RANGE, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_reset(
    builder: *mut cupel_item_builder,
    content: *const c_char,
    content_len: usize,
    tokens: i64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    change(builder, out_error, |host, builder| Ok(builder.reset(host.text(content, content_len, "content")?, tokens)?))
}

/// Sets the kind; the default is `Message`. Any text is a kind; well known are Message, Document, ToolOutput, Memory
/// and SystemPrompt. Kinds are equal under ASCII case folding.
///
/// @param kind The kind, UTF-8, with at least one character that is not white space. It is copied.
/// @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_KIND, OUT_OF_RANGE, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_kind(
    builder: *mut cupel_item_builder,
    kind: *const c_char,
    kind_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    change(builder, out_error, |host, builder| Ok(builder.kind(host.text(kind, kind_len, "kind")?)?))
}

/// Sets the source; the default is `Chat`. Any text is a source; well known are Chat, Tool and Rag. Sources are equal
/// under ASCII case folding.
///
/// @param source The source, UTF-8, with at least one character that is not white space. It is copied.
/// @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_SOURCE, OUT_OF_RANGE, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_source(
    builder: *mut cupel_item_builder,
    source: *const c_char,
    source_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    change(builder, out_error, |host, builder| Ok(builder.source(host.text(source, source_len, "source")?)?))
}

/// Appends a tag. Order and duplicates are kept.
///
/// @param tag The tag, UTF-8; may be empty. It is copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_add_tag(
    builder: *mut cupel_item_builder,
    tag: *const c_char,
    tag_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    change(builder, out_error, |host, builder| Ok(builder.tag(host.text(tag, tag_len, "tag")?)?))
}

/// Sets the priority.
///
/// @param priority The priority: higher is more important.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_priority(
    builder: *mut cupel_item_builder,
    priority: i64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    change(builder, out_error, |_, builder| Ok(builder.priority(priority)?))
}

/// Sets the original size in tokens, from before the host shortened the item.
///
/// @param original_tokens The size; any number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_original_tokens(
    builder: *mut cupel_item_builder,
    original_tokens: i64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    change(builder, out_error, |_, builder| Ok(builder.original_tokens(original_tokens)?))
}

/// Sets the timestamp.
///
/// @param unix_nanoseconds The timestamp, in nanoseconds since the Unix epoch (1970-01-01T00:00:00Z).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_timestamp(
    builder: *mut cupel_item_builder,
    unix_nanoseconds: i64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    change(builder, out_error, |_, builder| Ok(builder.timestamp(unix_nanoseconds)?))
}

/// Sets the future relevance hint: the host's own estimate of how useful the item will be.
///
/// @param hint The hint; any bit pattern. The reflexive scorer clamps it to 0 to 1 and reads a hint that is not finite
///     as 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_future_relevance_hint(
    builder: *mut cupel_item_builder,
    hint: f64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    change(builder, out_error, |_, builder| Ok(builder.future_relevance_hint(hint)?))
}

/// Sets whether the item is pinned: a selection always keeps it. No scorer reads it. The default is false.
///
/// @param pinned Whether it is pinned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_pinned(
    builder: *mut cupel_item_builder,
    pinned: c_bool,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    change(builder, out_error, |_, builder| Ok(builder.pinned(pinned != 0)?))
}

/// Sets the value of a metadata key to a text. It replaces an earlier value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_metadata_string(
    builder: *mut cupel_item_builder,
    key: *const c_char,
    key_len: usize,
    value: *const c_char,
    value_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    change(builder, out_error, |host, builder| {
        let key = host.text(key, key_len, "key")?;
        Ok(builder.metadata(key, MetadataValue::String(host.text(value, value_len, "value")?))?)
    })
}

/// Sets the value of a metadata key to a host value that is neither text nor number (a boolean, a date, an object),
/// represented by a text. It replaces an earlier value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_metadata_other(
    builder: *mut cupel_item_builder,
    key: *const c_char,
    key_len: usize,
    value: *const c_char,
    value_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    change(builder, out_error, |host, builder| {
        let key = host.text(key, key_len, "key")?;
        Ok(builder.metadata(key, MetadataValue::Other(host.text(value, value_len, "value")?))?)
    })
}

/// Sets the value of a metadata key to a number. It replaces an earlier value. Hosts convert other numeric types to the
/// nearest double.
///
/// @param value The number; any bit pattern.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_set_metadata_double(
    builder: *mut cupel_item_builder,
    key: *const c_char,
    key_len: usize,
    value: f64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    change(builder, out_error, |host, builder| {
        Ok(builder.metadata(host.text(key, key_len, "key")?, MetadataValue::Double(value))?)
    })
}

/// Makes an item with the fields set so far. The builder keeps them and may be used on. An item shares its memory with
/// the builder until the builder is changed: one that is freed before that costs no allocation. Two items built without
/// a change between them may have the same address; each is freed all the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_build(
    builder: *const cupel_item_builder,
    out_item: *mut *mut cupel_item,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    give(out_error, (out_item, "out_item"), |host| Ok(cupel_item::hand_over(host.handle(builder)?.0.build()?)))
}

/// Frees a builder. The items that it built stay valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_item_builder_free(builder: *mut cupel_item_builder) {
    free(builder);
}
