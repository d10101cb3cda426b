//! Owned handles over the exported C functions, for integration tests.
//!
//! Every call goes through the same symbols and signatures that a C host links against. What the
//! wrappers add is ownership, `Result`, and the promises that hold for every function: a success
//! clears the error out-parameter, a failure leaves every other out-parameter untouched and hands
//! over an error with the returned status.

// Each test target uses its own share of this module.
#![allow(dead_code)]
// One reason holds for all: pointers and lengths come from live Rust values, and handles from the
// wrappers that own them. Where there is more to say, it stands at the block.
#![allow(clippy::undocumented_unsafe_blocks)]

use std::ffi::{CStr, c_void};
use std::{fmt, ptr, slice};

use cupel::arrow::{ArrowArray, ArrowSchema};
use cupel::capi as c;

pub type Status = i32;

/// What a refused call reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub status: Status,
    /// `CUPEL_STATUS_...`
    pub name: String,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.message)
    }
}

impl std::error::Error for Error {}

pub type Result<T> = std::result::Result<T, Error>;

/// The name of a status as the library spells it.
pub fn status_name(status: Status) -> String {
    let name = c::cupel_status_name(status);
    // SAFETY: every number has a name, which is static and NUL-terminated.
    unsafe { CStr::from_ptr(name) }.to_str().expect("status names are UTF-8").to_owned()
}

/// Runs one call that can fail.
pub fn check(call: impl FnOnce(*mut *mut c::cupel_error) -> Status) -> Result<()> {
    // Not NULL beforehand, so that a call which forgets to write it is noticed.
    let unwritten: *mut c::cupel_error = ptr::dangling_mut::<u64>().cast();
    let mut error = unwritten;
    let status = call(&mut error);
    if status == 0 {
        assert!(error.is_null(), "a success must set *out_error to NULL");
        return Ok(());
    }
    assert!(!error.is_null() && error != unwritten, "status {status} came without an error object");
    // SAFETY: the call handed over the error; it is read here and freed once.
    unsafe {
        let result = Error {
            status: c::cupel_error_status(error),
            name: status_name(status),
            message: CStr::from_ptr(c::cupel_error_message(error)).to_str().expect("messages are UTF-8").to_owned(),
        };
        c::cupel_error_free(error);
        assert_eq!(result.status, status, "returned status and error status");
        assert!(!result.message.is_empty(), "an error without a message");
        Err(result)
    }
}

/// Runs one constructor and returns the handle it hands over.
pub fn create<T>(call: impl FnOnce(*mut *mut T, *mut *mut c::cupel_error) -> Status) -> Result<*mut T> {
    let unwritten: *mut T = ptr::dangling_mut::<u64>().cast();
    let mut handle = unwritten;
    match check(|error| call(&mut handle, error)) {
        Ok(()) => {
            assert!(!handle.is_null() && handle != unwritten, "no handle on success");
            Ok(handle)
        }
        Err(error) => {
            assert_eq!(handle, unwritten, "a failed constructor wrote its out-parameter");
            Err(error)
        }
    }
}

/// A type that owns one C handle and frees it once.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $raw:ident, $free:ident) => {
        $(#[$doc])*
        pub struct $name(*mut c::$raw);

        // SAFETY: no handle is tied to the thread that made it, and a call through a const pointer
        // may be made by any number of threads. Mutating methods take `&mut self`.
        unsafe impl Send for $name {}
        unsafe impl Sync for $name {}

        impl $name {
            pub fn as_ptr(&self) -> *const c::$raw {
                self.0
            }

            pub fn as_mut_ptr(&mut self) -> *mut c::$raw {
                self.0
            }

            /// Takes over a handle that the caller owns.
            pub fn from_raw(raw: *mut c::$raw) -> Self {
                assert!(!raw.is_null());
                Self(raw)
            }

            /// Gives the handle up; the caller frees it.
            pub fn into_raw(self) -> *mut c::$raw {
                let raw = self.0;
                std::mem::forget(self);
                raw
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the handle is owned and was not freed before.
                unsafe { c::$free(self.0) }
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}

#[path = "selecting.rs"]
pub mod selecting;

handle!(
    /// Collects the fields of an item.
    ItemBuilder, cupel_item_builder, cupel_item_builder_free
);
handle!(
    /// An immutable item.
    Item, cupel_item, cupel_item_free
);
handle!(
    /// The rows that are scored together.
    Batch, cupel_batch, cupel_batch_free
);
handle!(
    /// An immutable scorer.
    Scorer, cupel_scorer, cupel_scorer_free
);
handle!(
    /// A source of the present instant.
    Clock, cupel_clock, cupel_clock_free
);
handle!(
    /// Text that the library handed over.
    Text, cupel_text, cupel_text_free
);

/// A metadata value, as it is set and as it is read.
#[derive(Debug, Clone, PartialEq)]
pub enum Metadata {
    String(String),
    Double(f64),
    Other(String),
}

impl ItemBuilder {
    pub fn new(content: &str, tokens: i64) -> Result<Self> {
        create(|out, error| unsafe {
            c::cupel_item_builder_new(content.as_ptr().cast(), content.len(), tokens, out, error)
        })
        .map(Self)
    }

    pub fn reset(&mut self, content: &str, tokens: i64) -> Result<()> {
        check(|error| unsafe {
            c::cupel_item_builder_reset(self.0, content.as_ptr().cast(), content.len(), tokens, error)
        })
    }

    pub fn set_kind(&mut self, kind: &str) -> Result<()> {
        check(|error| unsafe { c::cupel_item_builder_set_kind(self.0, kind.as_ptr().cast(), kind.len(), error) })
    }

    pub fn set_source(&mut self, source: &str) -> Result<()> {
        check(|error| unsafe { c::cupel_item_builder_set_source(self.0, source.as_ptr().cast(), source.len(), error) })
    }

    pub fn add_tag(&mut self, tag: &str) -> Result<()> {
        check(|error| unsafe { c::cupel_item_builder_add_tag(self.0, tag.as_ptr().cast(), tag.len(), error) })
    }

    pub fn set_priority(&mut self, priority: i64) -> Result<()> {
        check(|error| unsafe { c::cupel_item_builder_set_priority(self.0, priority, error) })
    }

    pub fn set_original_tokens(&mut self, tokens: i64) -> Result<()> {
        check(|error| unsafe { c::cupel_item_builder_set_original_tokens(self.0, tokens, error) })
    }

    pub fn set_timestamp(&mut self, unix_nanoseconds: i64) -> Result<()> {
        check(|error| unsafe { c::cupel_item_builder_set_timestamp(self.0, unix_nanoseconds, error) })
    }

    pub fn set_future_relevance_hint(&mut self, hint: f64) -> Result<()> {
        check(|error| unsafe { c::cupel_item_builder_set_future_relevance_hint(self.0, hint, error) })
    }

    pub fn set_pinned(&mut self, pinned: bool) -> Result<()> {
        check(|error| unsafe { c::cupel_item_builder_set_pinned(self.0, pinned.into(), error) })
    }

    pub fn set_metadata(&mut self, key: &str, value: &Metadata) -> Result<()> {
        let (data, len) = (key.as_ptr().cast(), key.len());
        check(|error| unsafe {
            match value {
                Metadata::String(text) => c::cupel_item_builder_set_metadata_string(
                    self.0,
                    data,
                    len,
                    text.as_ptr().cast(),
                    text.len(),
                    error,
                ),
                Metadata::Double(number) => {
                    c::cupel_item_builder_set_metadata_double(self.0, data, len, *number, error)
                }
                Metadata::Other(text) => {
                    c::cupel_item_builder_set_metadata_other(self.0, data, len, text.as_ptr().cast(), text.len(), error)
                }
            }
        })
    }

    pub fn build(&self) -> Result<Item> {
        create(|out, error| unsafe { c::cupel_item_builder_build(self.0, out, error) }).map(Item)
    }
}

/// Reads a borrowed text out of a pair of out-parameters.
fn text(
    call: impl FnOnce(*mut *const std::ffi::c_char, *mut usize, *mut *mut c::cupel_error) -> Status,
) -> Result<String> {
    let (mut data, mut len) = (ptr::null(), 0usize);
    check(|error| call(&mut data, &mut len, error))?;
    Ok(copy_text(data, len))
}

fn copy_text(data: *const std::ffi::c_char, len: usize) -> String {
    if len == 0 {
        return String::new();
    }
    // SAFETY: the library lends `len` bytes for the lifetime of the handle, which the caller holds.
    let bytes = unsafe { slice::from_raw_parts(data.cast::<u8>(), len) };
    String::from_utf8(bytes.to_vec()).expect("the library returns UTF-8")
}

/// Reads an optional field. `B` is how a C `bool` comes across.
fn optional<T: Default, B: Default + PartialEq>(
    call: impl FnOnce(*mut T, *mut B, *mut *mut c::cupel_error) -> Status,
) -> Result<Option<T>> {
    let (mut value, mut present) = (T::default(), B::default());
    check(|error| call(&mut value, &mut present, error))?;
    Ok((present != B::default()).then_some(value))
}

/// Reads a field that is always there.
fn required<T: Default>(call: impl FnOnce(*mut T, *mut *mut c::cupel_error) -> Status) -> Result<T> {
    let mut value = T::default();
    check(|error| call(&mut value, error))?;
    Ok(value)
}

impl Item {
    pub fn content(&self) -> Result<String> {
        text(|data, len, error| unsafe { c::cupel_item_content(self.0, data, len, error) })
    }

    pub fn kind(&self) -> Result<String> {
        text(|data, len, error| unsafe { c::cupel_item_kind(self.0, data, len, error) })
    }

    pub fn source(&self) -> Result<String> {
        text(|data, len, error| unsafe { c::cupel_item_source(self.0, data, len, error) })
    }

    pub fn tokens(&self) -> Result<i64> {
        required(|out, error| unsafe { c::cupel_item_tokens(self.0, out, error) })
    }

    pub fn pinned(&self) -> Result<bool> {
        required(|out, error| unsafe { c::cupel_item_pinned(self.0, out, error) }).map(|pinned: c::c_bool| pinned != 0)
    }

    pub fn priority(&self) -> Result<Option<i64>> {
        optional(|out, present, error| unsafe { c::cupel_item_priority(self.0, out, present, error) })
    }

    pub fn original_tokens(&self) -> Result<Option<i64>> {
        optional(|out, present, error| unsafe { c::cupel_item_original_tokens(self.0, out, present, error) })
    }

    pub fn timestamp(&self) -> Result<Option<i64>> {
        optional(|out, present, error| unsafe { c::cupel_item_timestamp(self.0, out, present, error) })
    }

    pub fn future_relevance_hint(&self) -> Result<Option<f64>> {
        optional(|out, present, error| unsafe { c::cupel_item_future_relevance_hint(self.0, out, present, error) })
    }

    pub fn to_json(&self) -> Result<String> {
        text_of(|out, error| unsafe { c::cupel_item_to_json(self.0, out, error) })
    }

    pub fn tags(&self) -> Result<Vec<String>> {
        let len = required(|out, error| unsafe { c::cupel_item_tags_len(self.0, out, error) })?;
        (0..len)
            .map(|index| text(|data, len, error| unsafe { c::cupel_item_tag(self.0, index, data, len, error) }))
            .collect()
    }

    pub fn metadata(&self) -> Result<Vec<(String, Metadata)>> {
        let len = required(|out, error| unsafe { c::cupel_item_metadata_len(self.0, out, error) })?;
        (0..len).map(|index| Ok((self.metadata_key(index)?, self.metadata_value(index)?))).collect()
    }

    fn metadata_key(&self, index: usize) -> Result<String> {
        text(|data, len, error| unsafe { c::cupel_item_metadata_key(self.0, index, data, len, error) })
    }

    fn metadata_value(&self, index: usize) -> Result<Metadata> {
        let (mut kind, mut data, mut len, mut number) = (-1, ptr::null(), 0usize, f64::NAN);
        check(|error| unsafe {
            c::cupel_item_metadata_value(self.0, index, &mut kind, &mut data, &mut len, &mut number, error)
        })?;
        Ok(match kind {
            0 => Metadata::String(copy_text(data, len)),
            1 => Metadata::Double(number),
            2 => Metadata::Other(copy_text(data, len)),
            other => panic!("metadata type {other} is not one of the documented ones"),
        })
    }
}

/// Every field of an item. Metadata is sorted, as its order in a row of a batch means nothing.
pub fn fields(item: &Item) -> String {
    let mut metadata: Vec<_> = item.metadata().unwrap().iter().map(|entry| format!("{entry:?}")).collect();
    metadata.sort();
    format!(
        "{:?} {} {:?} {:?} {:?} {:?} {metadata:?} {:?} {:?} {} {:?}",
        item.content().unwrap(),
        item.tokens().unwrap(),
        item.kind().unwrap(),
        item.source().unwrap(),
        item.priority().unwrap(),
        item.tags().unwrap(),
        item.timestamp().unwrap(),
        item.future_relevance_hint().unwrap().map(f64::to_bits),
        item.pinned().unwrap(),
        item.original_tokens().unwrap(),
    )
}

/// A text that a call makes.
fn text_of(call: impl FnOnce(*mut *mut c::cupel_text, *mut *mut c::cupel_error) -> Status) -> Result<String> {
    let owned = create(call).map(Text)?;
    // SAFETY: the text lives until the end of this function.
    Ok(unsafe { copy_text(c::cupel_text_data(owned.0), c::cupel_text_len(owned.0)) })
}

impl Batch {
    pub fn new(capacity: usize) -> Result<Self> {
        create(|out, error| unsafe { c::cupel_batch_new(capacity, out, error) }).map(Self)
    }

    pub fn push(&mut self, item: &Item) -> Result<()> {
        check(|error| unsafe { c::cupel_batch_push(self.0, item.0, error) })
    }

    pub fn append_json(&mut self, json: &str) -> Result<()> {
        check(|error| unsafe { c::cupel_batch_append_json(self.0, json.as_ptr().cast(), json.len(), error) })
    }

    pub fn len(&self) -> usize {
        unsafe { c::cupel_batch_len(self.0) }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One row as an item of its own.
    pub fn item(&self, row: usize) -> Result<Item> {
        create(|out, error| unsafe { c::cupel_batch_item(self.0, row, out, error) }).map(Item)
    }

    pub fn clear(&mut self) -> Result<()> {
        check(|error| unsafe { c::cupel_batch_clear(self.0, error) })
    }

    /// A range of rows as JSON Lines.
    pub fn to_json(&self, first_row: usize, rows: usize) -> Result<String> {
        text_of(|out, error| unsafe { c::cupel_batch_to_json(self.0, first_row, rows, out, error) })
    }

    /// Keeps the rows whose byte is 1.
    pub fn retain(&mut self, keep: &[u8]) -> Result<()> {
        check(|error| unsafe { c::cupel_batch_retain(self.0, keep.as_ptr(), keep.len(), error) })
    }

    /// Keeps rows by their numbers.
    pub fn retain_rows(&mut self, rows: &[u32]) -> Result<()> {
        check(|error| unsafe { c::cupel_batch_retain_rows(self.0, rows.as_ptr(), rows.len(), error) })
    }

    pub fn keep_last(&mut self, rows: usize) -> Result<()> {
        check(|error| unsafe { c::cupel_batch_keep_last(self.0, rows, error) })
    }
}

impl Clock {
    pub fn system() -> Result<Self> {
        create(|out, error| unsafe { c::cupel_clock_system_new(out, error) }).map(Self)
    }

    pub fn fixed(unix_nanoseconds: i64) -> Result<Self> {
        create(|out, error| unsafe { c::cupel_clock_fixed_new(unix_nanoseconds, out, error) }).map(Self)
    }

    /// A clock that asks `now`. An `Err` is the status that the callback returns.
    pub fn custom<F>(now: F) -> Result<Self>
    where
        F: Fn() -> std::result::Result<i64, Status> + Send + Sync + 'static,
    {
        unsafe extern "C" fn call<F: Fn() -> std::result::Result<i64, Status>>(
            user_data: *mut c_void,
            out: *mut i64,
        ) -> Status {
            // SAFETY: user_data is the box that was given at construction.
            match unsafe { &*user_data.cast::<F>() }() {
                Ok(now) => {
                    unsafe { out.write(now) };
                    0
                }
                Err(status) => status,
            }
        }
        create_custom(now, |user_data, destroy, out, error| unsafe {
            c::cupel_clock_custom_new(Some(call::<F>), user_data, destroy, out, error)
        })
        .map(Self)
    }
}

/// Makes a handle whose callbacks are given the address of `callback`, which is dropped when the library is done with it.
fn create_custom<F, T>(
    callback: F,
    call: impl FnOnce(*mut c_void, c::cupel_destroy_callback, *mut *mut T, *mut *mut c::cupel_error) -> Status,
) -> Result<*mut T> {
    unsafe extern "C" fn destroy<F>(user_data: *mut c_void) {
        // SAFETY: called once, when nothing uses the box any more.
        drop(unsafe { Box::from_raw(user_data.cast::<F>()) });
    }
    let user_data = Box::into_raw(Box::new(callback)).cast();
    create(|out, error| call(user_data, Some(destroy::<F>), out, error))
        .inspect_err(|_| unsafe { destroy::<F>(user_data) })
}

/// What a custom scorer sees of the batch that is being scored.
#[derive(Debug, Clone, Copy)]
pub struct BatchRef(pub *const c::cupel_batch);

impl BatchRef {
    pub fn len(&self) -> usize {
        unsafe { c::cupel_batch_len(self.0) }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn item(&self, row: usize) -> Result<Item> {
        create(|out, error| unsafe { c::cupel_batch_item(self.0, row, out, error) }).map(Item)
    }
}

/// Text and weight pairs as the C structs that borrow from them.
fn weights(list: &[(String, f64)]) -> Vec<c::cupel_weight> {
    list.iter()
        .map(|(name, weight)| c::cupel_weight { name: name.as_ptr().cast(), name_len: name.len(), weight: *weight })
        .collect()
}

impl Scorer {
    pub fn recency() -> Result<Self> {
        create(|out, error| unsafe { c::cupel_scorer_recency_new(out, error) }).map(Self)
    }

    pub fn priority() -> Result<Self> {
        create(|out, error| unsafe { c::cupel_scorer_priority_new(out, error) }).map(Self)
    }

    pub fn frequency() -> Result<Self> {
        create(|out, error| unsafe { c::cupel_scorer_frequency_new(out, error) }).map(Self)
    }

    pub fn reflexive() -> Result<Self> {
        create(|out, error| unsafe { c::cupel_scorer_reflexive_new(out, error) }).map(Self)
    }

    pub fn kind_default() -> Result<Self> {
        create(|out, error| unsafe { c::cupel_scorer_kind_default_new(out, error) }).map(Self)
    }

    pub fn kind(list: &[(String, f64)]) -> Result<Self> {
        let list = weights(list);
        create(|out, error| unsafe { c::cupel_scorer_kind_new(list.as_ptr(), list.len(), out, error) }).map(Self)
    }

    /// `text_match` is passed as it is, so that values out of range can be tried.
    pub fn tag(list: &[(String, f64)], text_match: i32) -> Result<Self> {
        let list = weights(list);
        create(|out, error| unsafe { c::cupel_scorer_tag_new(list.as_ptr(), list.len(), text_match, out, error) })
            .map(Self)
    }

    pub fn metadata_trust(default_score: f64) -> Result<Self> {
        create(|out, error| unsafe { c::cupel_scorer_metadata_trust_new(default_score, out, error) }).map(Self)
    }

    pub fn metadata_key(key: &str, value: &str, boost: f64) -> Result<Self> {
        create(|out, error| unsafe {
            c::cupel_scorer_metadata_key_new(
                key.as_ptr().cast(),
                key.len(),
                value.as_ptr().cast(),
                value.len(),
                boost,
                out,
                error,
            )
        })
        .map(Self)
    }

    pub fn decay_exponential(clock: &Clock, half_life: i64, null_score: f64) -> Result<Self> {
        create(|out, error| unsafe {
            c::cupel_scorer_decay_exponential_new(clock.0, half_life, null_score, out, error)
        })
        .map(Self)
    }

    pub fn decay_window(clock: &Clock, max_age: i64, null_score: f64) -> Result<Self> {
        create(|out, error| unsafe { c::cupel_scorer_decay_window_new(clock.0, max_age, null_score, out, error) })
            .map(Self)
    }

    pub fn decay_step(clock: &Clock, steps: &[(i64, f64)], null_score: f64) -> Result<Self> {
        let steps: Vec<_> = steps
            .iter()
            .map(|&(max_age_nanoseconds, score)| c::cupel_decay_step { max_age_nanoseconds, score })
            .collect();
        create(|out, error| unsafe {
            c::cupel_scorer_decay_step_new(clock.0, steps.as_ptr(), steps.len(), null_score, out, error)
        })
        .map(Self)
    }

    pub fn composite(children: &[(&Scorer, f64)]) -> Result<Self> {
        let handles: Vec<_> = children.iter().map(|(child, _)| child.as_ptr()).collect();
        let weights: Vec<_> = children.iter().map(|(_, weight)| *weight).collect();
        create(|out, error| unsafe {
            c::cupel_scorer_composite_new(handles.as_ptr(), weights.as_ptr(), handles.len(), out, error)
        })
        .map(Self)
    }

    pub fn scaled(inner: &Scorer) -> Result<Self> {
        create(|out, error| unsafe { c::cupel_scorer_scaled_new(inner.0, out, error) }).map(Self)
    }

    /// A scorer that calls `score`. An `Err` is the status that the callback returns.
    pub fn custom<F>(score: F) -> Result<Self>
    where
        F: Fn(BatchRef, &mut [f64]) -> std::result::Result<(), Status> + Send + Sync + 'static,
    {
        unsafe extern "C" fn call<F: Fn(BatchRef, &mut [f64]) -> std::result::Result<(), Status>>(
            user_data: *mut c_void,
            batch: *const c::cupel_batch,
            out_scores: *mut f64,
            len: usize,
        ) -> Status {
            // SAFETY: user_data is the box that was given at construction; the library lends a buffer
            // of len doubles, which may be NULL only when it is empty.
            let scores = if len == 0 { &mut [] } else { unsafe { slice::from_raw_parts_mut(out_scores, len) } };
            let score = unsafe { &*user_data.cast::<F>() };
            score(BatchRef(batch), scores).err().unwrap_or(0)
        }
        create_custom(score, |user_data, destroy, out, error| unsafe {
            c::cupel_scorer_custom_new(Some(call::<F>), user_data, destroy, out, error)
        })
        .map(Self)
    }

    /// A scorer from its JSON; without a clock, the system's.
    pub fn from_json(json: &str, clock: Option<&Clock>) -> Result<Self> {
        let clock = clock.map_or(ptr::null(), Clock::as_ptr);
        create(|out, error| unsafe { c::cupel_scorer_from_json(json.as_ptr().cast(), json.len(), clock, out, error) })
            .map(Self)
    }

    pub fn to_json(&self) -> Result<String> {
        text_of(|out, error| unsafe { c::cupel_scorer_to_json(self.0, out, error) })
    }

    pub fn score_batch(&self, batch: &Batch) -> Result<Vec<f64>> {
        scores(batch.len(), |out, len, error| unsafe { c::cupel_scorer_score_batch(self.0, batch.0, out, len, error) })
    }

    pub fn score_groups(&self, batch: &Batch, groups: &[i64]) -> Result<Vec<f64>> {
        let groups_len = groups.len() - 1;
        scores(batch.len(), |out, len, error| unsafe {
            c::cupel_scorer_score_groups(self.0, batch.0, groups.as_ptr(), groups_len, out, len, error)
        })
    }

    /// Scores a table of so many rows, with the rows in groups by a column, if one is named.
    ///
    /// # Safety
    ///
    /// The structs are as Arrow's C data interface demands.
    pub unsafe fn score_arrow(
        &self,
        (schema, array): (*const ArrowSchema, *const ArrowArray),
        rows: usize,
        group: Option<&str>,
    ) -> Result<Vec<f64>> {
        let options = c::cupel_arrow_options {
            struct_size: size_of::<c::cupel_arrow_options>(),
            flags: 0,
            group: group.map_or(ptr::null(), |group| group.as_ptr().cast()),
            group_len: group.map_or(0, str::len),
        };
        scores(rows, |out, len, error| unsafe {
            c::cupel_scorer_score_arrow(self.0, schema, array, &options, out, len, error)
        })
    }

    pub fn columns(&self) -> u32 {
        required(|out, error| unsafe { c::cupel_scorer_columns(self.0, out, error) })
            .expect("a live scorer has columns")
    }

    pub fn score_row(&self, batch: &Batch, row: usize) -> Result<f64> {
        required(|out, error| unsafe { c::cupel_scorer_score_row(self.0, batch.0, row, out, error) })
    }
}

/// The scores of a call, of which each is written, or none when it fails.
fn scores(rows: usize, call: impl FnOnce(*mut f64, usize, *mut *mut c::cupel_error) -> Status) -> Result<Vec<f64>> {
    // A bit pattern that no scorer writes, so that a row left out, or written on failure, shows.
    let untouched = f64::from_bits(0x7ff8_dead_beef_0001);
    let mut scores = vec![untouched; rows];
    let result = check(|error| call(scores.as_mut_ptr(), rows, error));
    let count = scores.iter().filter(|score| score.to_bits() != untouched.to_bits()).count();
    match result {
        Ok(()) => {
            assert_eq!(count, rows, "rows were left without a score");
            Ok(scores)
        }
        Err(error) => {
            assert_eq!(count, 0, "a failed call wrote scores");
            Err(error)
        }
    }
}

/// The bits of scores, which tell NaNs and zeros apart.
pub fn bits(scores: &[f64]) -> Vec<u64> {
    scores.iter().map(|score| score.to_bits()).collect()
}
