//! What the boundary does with calls that must be refused, for every exported function.

// One reason holds for all: pointers and lengths come from live Rust values but for the fault that is tried, which the library
// has to find before it follows them.
#![allow(clippy::undocumented_unsafe_blocks)]

#[path = "support/arrow.rs"]
mod arrow;
#[path = "support/capi.rs"]
mod capi;
#[path = "support/columns.rs"]
mod columns;
#[path = "support/header.rs"]
mod header;

use std::cell::UnsafeCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use arrow::{Array, Exported};
use capi::selecting::{Policy, Selection, Selector, request};
use capi::{Batch, Clock, Item, ItemBuilder, Scorer, check};
use columns::{append, columns};
use cupel::arrow::{ArrowArray, ArrowArrayStream, ArrowSchema};
use cupel::capi as c;

const TOO_LONG: [usize; 2] = [usize::MAX, isize::MAX as usize + 1];

/// Two bytes of text and one that is none.
const BAD_TEXT: &[u8] = b"ab\xffcd";

/// What is wrong with one call.
#[derive(Clone, Copy, Debug)]
enum Fault<'a> {
    None,
    /// A pointer is NULL.
    Null(&'a str),
    /// A text is not UTF-8.
    BadText(&'a str),
    /// A length or a count is this.
    Size(&'a str, usize),
}

/// An argument that a fault may replace.
trait Argument: Sized {
    fn or(self, name: &str, fault: Fault) -> Self;
}

impl<T> Argument for *const T {
    fn or(self, name: &str, fault: Fault) -> Self {
        match fault {
            Fault::Null(null) if null == name => ptr::null(),
            Fault::BadText(text) if text == name => BAD_TEXT.as_ptr().cast(),
            _ => self,
        }
    }
}

impl<T> Argument for *mut T {
    fn or(self, name: &str, fault: Fault) -> Self {
        if matches!(fault, Fault::Null(null) if null == name) { ptr::null_mut() } else { self }
    }
}

impl<T> Argument for Option<T> {
    fn or(self, name: &str, fault: Fault) -> Self {
        self.filter(|_| !matches!(fault, Fault::Null(null) if null == name))
    }
}

impl Argument for usize {
    fn or(self, name: &str, fault: Fault) -> Self {
        match fault {
            Fault::Size(size, value) if size == name => value,
            Fault::BadText(text) if name.strip_suffix("_len") == Some(text) => BAD_TEXT.len(),
            _ => self,
        }
    }
}

macro_rules! plain {
    ($($type:ty),+) => {
        $(impl Argument for $type {
            fn or(self, _: &str, _: Fault) -> Self {
                self
            }
        })+
    };
}

plain!(i64, i32, f64, u8);

/// Where results go: slots that hold a known pattern until a call writes them.
struct Slots(UnsafeCell<[u64; SLOTS]>);

const SLOTS: usize = 8;

const UNWRITTEN: u64 = 0x5a5a_5a5a_5a5a_5a5a;

impl Slots {
    fn new() -> Self {
        Self(UnsafeCell::new([UNWRITTEN; SLOTS]))
    }

    fn at<T>(&self, slot: usize) -> *mut T {
        assert!(slot < SLOTS && size_of::<T>() <= 8);
        self.0.get().cast::<u64>().wrapping_add(slot).cast()
    }

    fn get(&self) -> [u64; SLOTS] {
        unsafe { *self.0.get() }
    }
}

/// Live handles for the calls.
struct Fixture {
    builder: *mut c::cupel_item_builder,
    item: *mut c::cupel_item,
    batch: *mut c::cupel_batch,
    scorer: *mut c::cupel_scorer,
    clock: *mut c::cupel_clock,
    parent: Scorer,
    selector: Selector,
    selection: Selection,
    view: UnsafeCell<c::cupel_selection_view>,
    table: Exported,
    stream: UnsafeCell<ArrowArrayStream>,
}

unsafe extern "C" fn get_schema(_: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    let own = Array::table(vec![Array::int64("tokens", &[])]).export();
    // The schema moves to the consumer, which releases it.
    unsafe {
        ptr::copy_nonoverlapping(own.schema, out, 1);
        (*own.schema).release = None;
    }
    0
}

unsafe extern "C" fn get_next(_: *mut ArrowArrayStream, _: *mut ArrowArray) -> c_int {
    0
}

unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    unsafe { (*stream).release = None };
}

/// A stream without arrays.
fn empty_stream() -> ArrowArrayStream {
    ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: None,
        release: Some(release_stream),
        private_data: ptr::null_mut(),
    }
}

impl Fixture {
    fn new() -> Self {
        let mut builder = ItemBuilder::new("content", 7).unwrap();
        builder.set_kind("Memory").unwrap();
        builder.add_tag("tag").unwrap();
        builder.set_metadata("key", &capi::Metadata::String("value".into())).unwrap();
        builder.set_future_relevance_hint(0.25).unwrap();
        let item = builder.build().unwrap();
        let mut batch = Batch::new(2).unwrap();
        batch.push(&item).unwrap();
        batch.push(&item).unwrap();
        let scorer = Scorer::reflexive().unwrap();
        let selector = Selector::new(&Policy::default(), Some(&scorer)).unwrap();
        let mut selection = Selection::new().unwrap();
        selector.select(&batch, &REQUEST.0, &mut selection).unwrap();
        Self {
            parent: Scorer::scaled(&scorer).unwrap(),
            selector,
            view: UnsafeCell::new(selection.view()),
            selection,
            table: Array::table(vec![Array::int64("tokens", &[1, 2])]).export(),
            stream: UnsafeCell::new(empty_stream()),
            builder: builder.into_raw(),
            item: item.into_raw(),
            batch: batch.into_raw(),
            scorer: scorer.into_raw(),
            clock: Clock::fixed(0).unwrap().into_raw(),
        }
    }

    /// What a refused call must leave alone.
    fn state(&self) -> (usize, Vec<f64>, Vec<String>) {
        unsafe {
            let rows = c::cupel_batch_len(self.batch);
            let mut scores = vec![f64::NAN; rows];
            check(|error| c::cupel_scorer_score_batch(self.scorer, self.batch, scores.as_mut_ptr(), rows, error))
                .unwrap();
            let item =
                capi::create(|out, error| c::cupel_item_builder_build(self.builder, out, error)).map(Item::from_raw);
            let item = item.unwrap();
            let mut texts = item.tags().unwrap();
            texts.extend([item.content().unwrap(), item.kind().unwrap(), item.source().unwrap()]);
            texts.push(format!(
                "{:?} {:?} {:?}",
                item.metadata().unwrap(),
                item.priority().unwrap(),
                item.timestamp().unwrap()
            ));
            (rows, scores, texts)
        }
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        unsafe {
            c::cupel_clock_free(self.clock);
            c::cupel_scorer_free(self.scorer);
            c::cupel_batch_free(self.batch);
            c::cupel_item_free(self.item);
            c::cupel_item_builder_free(self.builder);
        }
    }
}

type Call = fn(&Fixture, &Slots, Fault, *mut *mut c::cupel_error) -> i32;

/// A call of a function that can fail: its arguments, each by the name that the header has for it.
struct Entry {
    name: &'static str,
    call: Call,
    /// Frees what a call that succeeds hands over in the first slot.
    free: Option<fn(*mut c_void)>,
}

macro_rules! entry {
    ($function:ident($($name:ident: $value:expr),* $(,)?) $(frees $free:ident)?; $f:ident, $o:ident) => {{
        #[allow(unused_mut, unused_assignments)]
        let mut free: Option<fn(*mut c_void)> = None;
        $(free = Some(|handle| unsafe { c::$free(handle.cast()) });)?
        Entry {
            name: stringify!($function),
            call: |$f, $o, fault, error| {
                let _ = ($f, $o);
                unsafe { c::$function($(Argument::or($value, stringify!($name), fault),)* error) }
            },
            free,
        }
    }};
}

const TEXT: &str = "text";

fn text() -> *const c_char {
    TEXT.as_ptr().cast()
}

fn weight() -> *const c::cupel_weight {
    static WEIGHT: Shared<c::cupel_weight> =
        Shared(c::cupel_weight { name: c"name".as_ptr(), name_len: 4, weight: 1.0 });
    &raw const WEIGHT.0
}

/// A value that threads may share, for statics.
struct Shared<T>(T);
unsafe impl<T> Sync for Shared<T> {}

static POLICY: Shared<c::cupel_policy> = Shared({
    // All zeros but for the size: no scorer, and all defaults.
    let mut policy: c::cupel_policy = unsafe { std::mem::zeroed() };
    policy.struct_size = size_of::<c::cupel_policy>();
    policy
});
static REQUEST: Shared<c::cupel_request> = Shared({
    let mut request: c::cupel_request = unsafe { std::mem::zeroed() };
    (request.struct_size, request.max_tokens) = (size_of::<c::cupel_request>(), 100);
    request
});
static OPTIONS: Shared<c::cupel_arrow_options> = Shared(c::cupel_arrow_options {
    struct_size: size_of::<c::cupel_arrow_options>(),
    flags: 0,
    group: ptr::null(),
    group_len: 0,
});
static GROUPS: [i64; 2] = [0, 2];

static STEP: c::cupel_decay_step = c::cupel_decay_step { max_age_nanoseconds: 1, score: 0.5 };
static CHILD_WEIGHT: f64 = 1.0;
static KEEP: [u8; 2] = [1, 0];
static ROW: u32 = 1;

unsafe extern "C" fn score(_: *mut c_void, _: *const c::cupel_batch, _: *mut f64, _: usize) -> i32 {
    0
}

unsafe extern "C" fn now(_: *mut c_void, _: *mut i64) -> i32 {
    0
}

unsafe extern "C" fn fallible_score(
    _: *mut c_void,
    _: *const c::cupel_batch,
    _: *mut f64,
    _: usize,
    _: *mut *mut c::cupel_error,
) -> i32 {
    0
}

unsafe extern "C" fn fallible_now(_: *mut c_void, _: *mut i64, _: *mut *mut c::cupel_error) -> i32 {
    0
}

unsafe extern "C" fn destroy(_: *mut c_void) {}

const ITEM_JSON: &str = r#"{"content": "a", "tokens": 1}"#;
const SELECTOR_JSON: &str = r#"{"scorers": [{"type": "recency", "weight": 1}]}"#;
const SCORER_JSON: &str = r#"{"type": "recency"}"#;

fn entries() -> Vec<Entry> {
    macro_rules! list {
        ($($function:ident($($name:ident: $value:expr),* $(,)?) $(frees $free:ident)?;)* | $f:ident, $o:ident) => {
            vec![$(entry!($function($($name: $value),*) $(frees $free)?; $f, $o)),*]
        };
    }
    list! {
        cupel_item_builder_new(content: text(), content_len: 4_usize, tokens: 1_i64, out_builder: o.at(0))
            frees cupel_item_builder_free;
        cupel_item_builder_reset(builder: f.builder, content: text(), content_len: 4_usize, tokens: 1_i64);
        cupel_item_builder_set_kind(builder: f.builder, kind: text(), kind_len: 4_usize);
        cupel_item_builder_set_source(builder: f.builder, source: text(), source_len: 4_usize);
        cupel_item_builder_add_tag(builder: f.builder, tag: text(), tag_len: 4_usize);
        cupel_item_builder_set_priority(builder: f.builder, priority: 1_i64);
        cupel_item_builder_set_original_tokens(builder: f.builder, original_tokens: 1_i64);
        cupel_item_builder_set_timestamp(builder: f.builder, unix_nanoseconds: 1_i64);
        cupel_item_builder_set_future_relevance_hint(builder: f.builder, hint: 1_f64);
        cupel_item_builder_set_pinned(builder: f.builder, pinned: 1_u8);
        cupel_item_builder_set_metadata_string(
            builder: f.builder, key: text(), key_len: 4_usize, value: text(), value_len: 4_usize);
        cupel_item_builder_set_metadata_other(
            builder: f.builder, key: text(), key_len: 4_usize, value: text(), value_len: 4_usize);
        cupel_item_builder_set_metadata_double(builder: f.builder, key: text(), key_len: 4_usize, value: 1_f64);
        cupel_item_builder_build(builder: f.builder, out_item: o.at(0)) frees cupel_item_free;
        cupel_item_content(item: f.item, out_data: o.at(0), out_len: o.at(1));
        cupel_item_kind(item: f.item, out_data: o.at(0), out_len: o.at(1));
        cupel_item_source(item: f.item, out_data: o.at(0), out_len: o.at(1));
        cupel_item_tokens(item: f.item, out_tokens: o.at(0));
        cupel_item_pinned(item: f.item, out_pinned: o.at(0));
        cupel_item_tags_len(item: f.item, out_len: o.at(0));
        cupel_item_metadata_len(item: f.item, out_len: o.at(0));
        cupel_item_priority(item: f.item, out_priority: o.at(0), out_present: o.at(1));
        cupel_item_original_tokens(item: f.item, out_original_tokens: o.at(0), out_present: o.at(1));
        cupel_item_timestamp(item: f.item, out_unix_nanoseconds: o.at(0), out_present: o.at(1));
        cupel_item_future_relevance_hint(item: f.item, out_hint: o.at(0), out_present: o.at(1));
        cupel_item_tag(item: f.item, index: 0_usize, out_data: o.at(0), out_len: o.at(1));
        cupel_item_metadata_key(item: f.item, index: 0_usize, out_data: o.at(0), out_len: o.at(1));
        cupel_item_metadata_value(
            item: f.item, index: 0_usize, out_type: o.at(0), out_data: o.at(1), out_len: o.at(2),
            out_number: o.at(3));
        cupel_item_to_json(item: f.item, out_text: o.at(0)) frees cupel_text_free;
        cupel_batch_to_json(batch: f.batch, first_row: 1_usize, rows: 1_usize, out_text: o.at(0)) frees cupel_text_free;
        cupel_batch_new(capacity: 1_usize, out_batch: o.at(0)) frees cupel_batch_free;
        cupel_batch_push(batch: f.batch, item: f.item);
        cupel_batch_append_columns(batch: f.batch, columns: ptr::from_ref(&columns(1)));
        cupel_batch_append_json(batch: f.batch, json: ITEM_JSON.as_ptr().cast::<c_char>(), json_len: ITEM_JSON.len());
        cupel_batch_append_arrow(
            batch: f.batch, schema: f.table.schema, array: f.table.array,
            options: &raw const OPTIONS.0);
        cupel_batch_append_arrow_stream(batch: f.batch, stream: f.stream.get(), options: &raw const OPTIONS.0);
        cupel_batch_item(batch: f.batch, row: 1_usize, out_item: o.at(0)) frees cupel_item_free;
        cupel_batch_reserve(batch: f.batch, additional_rows: 1_usize);
        cupel_batch_shrink(batch: f.batch);
        cupel_batch_clear(batch: f.batch);
        cupel_batch_retain(batch: f.batch, keep: &raw const KEEP[0], keep_len: 2_usize);
        cupel_batch_retain_rows(batch: f.batch, rows: &raw const ROW, rows_len: 1_usize);
        cupel_batch_keep_last(batch: f.batch, rows: 1_usize);
        cupel_batch_read_tokens(batch: f.batch, first_row: 1_usize, rows: 1_usize, out_tokens: o.at(0));
        cupel_batch_read_pinned(batch: f.batch, first_row: 1_usize, rows: 1_usize, out_pinned: o.at(0));
        cupel_batch_read_priority(batch: f.batch, first_row: 1_usize, rows: 1_usize, out_priorities: o.at(0), out_validity: o.at(1));
        cupel_batch_read_timestamp(batch: f.batch, first_row: 1_usize, rows: 1_usize, out_unix_nanoseconds: o.at(0), out_validity: o.at(1));
        cupel_batch_read_original_tokens(batch: f.batch, first_row: 1_usize, rows: 1_usize, out_original_tokens: o.at(0), out_validity: o.at(1));
        cupel_batch_read_future_relevance_hint(batch: f.batch, first_row: 1_usize, rows: 1_usize, out_hints: o.at(0), out_validity: o.at(1));
        cupel_batch_read_kind_codes(batch: f.batch, first_row: 1_usize, rows: 1_usize, out_codes: o.at(0));
        cupel_batch_read_source_codes(batch: f.batch, first_row: 1_usize, rows: 1_usize, out_codes: o.at(0));
        cupel_batch_read_content(batch: f.batch, first_row: 1_usize, rows: 1_usize, out_offsets: o.at(0), out_data: o.at(2), out_data_len: 8_usize);
        cupel_batch_read_kind(batch: f.batch, first_row: 1_usize, rows: 1_usize, out_offsets: o.at(0), out_data: o.at(2), out_data_len: 8_usize);
        cupel_batch_read_source(batch: f.batch, first_row: 1_usize, rows: 1_usize, out_offsets: o.at(0), out_data: o.at(2), out_data_len: 8_usize);
        cupel_batch_read_kind_texts(batch: f.batch, out_offsets: o.at(0), out_offsets_len: 2_usize, out_data: o.at(2), out_data_len: 8_usize);
        cupel_batch_read_source_texts(batch: f.batch, out_offsets: o.at(0), out_offsets_len: 2_usize, out_data: o.at(2), out_data_len: 8_usize);
        cupel_batch_read_metadata_keys(batch: f.batch, out_offsets: o.at(0), out_offsets_len: 2_usize, out_data: o.at(2), out_data_len: 8_usize);
        cupel_batch_read_tags(batch: f.batch, first_row: 1_usize, rows: 1_usize, out_lists: o.at(0), out_offsets: o.at(2), out_offsets_len: 2_usize, out_data: o.at(4), out_data_len: 8_usize);
        cupel_batch_read_metadata(batch: f.batch, first_row: 1_usize, rows: 1_usize, out_lists: o.at(0), out_keys: o.at(2), out_types: o.at(3), out_numbers: o.at(4), out_offsets: o.at(5), out_entries_len: 1_usize, out_data: o.at(7), out_data_len: 8_usize);
        cupel_batch_read_metadata_key(batch: f.batch, key: text(), key_len: 4_usize, first_row: 1_usize, rows: 1_usize, out_types: o.at(0), out_validity: o.at(1), out_numbers: o.at(2), out_offsets: o.at(3), out_data: o.at(5), out_data_len: 8_usize);
        cupel_clock_system_new(out_clock: o.at(0)) frees cupel_clock_free;
        cupel_clock_fixed_new(unix_nanoseconds: 1_i64, out_clock: o.at(0)) frees cupel_clock_free;
        cupel_clock_custom_new(
            callback: Some(now as unsafe extern "C" fn(_, _) -> _), user_data: ptr::null_mut::<c_void>(),
            destroy: Some(destroy as unsafe extern "C" fn(_)), out_clock: o.at(0)) frees cupel_clock_free;
        cupel_clock_custom_fallible_new(
            callback: Some(fallible_now as unsafe extern "C" fn(_, _, _) -> _), user_data: ptr::null_mut::<c_void>(),
            destroy: Some(destroy as unsafe extern "C" fn(_)), out_clock: o.at(0)) frees cupel_clock_free;
        cupel_scorer_recency_new(out_scorer: o.at(0)) frees cupel_scorer_free;
        cupel_scorer_priority_new(out_scorer: o.at(0)) frees cupel_scorer_free;
        cupel_scorer_frequency_new(out_scorer: o.at(0)) frees cupel_scorer_free;
        cupel_scorer_reflexive_new(out_scorer: o.at(0)) frees cupel_scorer_free;
        cupel_scorer_kind_default_new(out_scorer: o.at(0)) frees cupel_scorer_free;
        cupel_scorer_kind_new(weights: weight(), weights_len: 1_usize, out_scorer: o.at(0)) frees cupel_scorer_free;
        cupel_scorer_tag_new(weights: weight(), weights_len: 1_usize, r#match: 0_i32, out_scorer: o.at(0))
            frees cupel_scorer_free;
        cupel_scorer_metadata_trust_new(default_score: 0.5_f64, out_scorer: o.at(0)) frees cupel_scorer_free;
        cupel_scorer_metadata_key_new(
            key: text(), key_len: 4_usize, value: text(), value_len: 4_usize, boost: 1_f64, out_scorer: o.at(0))
            frees cupel_scorer_free;
        cupel_scorer_decay_exponential_new(
            clock: f.clock, half_life_nanoseconds: 1_i64, null_timestamp_score: 0.5_f64, out_scorer: o.at(0))
            frees cupel_scorer_free;
        cupel_scorer_decay_window_new(
            clock: f.clock, max_age_nanoseconds: 1_i64, null_timestamp_score: 0.5_f64, out_scorer: o.at(0))
            frees cupel_scorer_free;
        cupel_scorer_decay_step_new(
            clock: f.clock, steps: &raw const STEP, steps_len: 1_usize, null_timestamp_score: 0.5_f64,
            out_scorer: o.at(0)) frees cupel_scorer_free;
        cupel_scorer_composite_new(
            children: (&raw const f.scorer).cast::<*const c::cupel_scorer>(), weights: &raw const CHILD_WEIGHT,
            children_len: 1_usize, out_scorer: o.at(0)) frees cupel_scorer_free;
        cupel_scorer_scaled_new(inner: f.scorer, out_scorer: o.at(0)) frees cupel_scorer_free;
        cupel_scorer_custom_new(
            callback: Some(score as unsafe extern "C" fn(_, _, _, _) -> _), user_data: ptr::null_mut::<c_void>(),
            destroy: Some(destroy as unsafe extern "C" fn(_)), out_scorer: o.at(0)) frees cupel_scorer_free;
        cupel_scorer_custom_fallible_new(
            callback: Some(fallible_score as unsafe extern "C" fn(_, _, _, _, _) -> _),
            user_data: ptr::null_mut::<c_void>(), destroy: Some(destroy as unsafe extern "C" fn(_)),
            out_scorer: o.at(0)) frees cupel_scorer_free;
        cupel_scorer_from_json(
            json: SCORER_JSON.as_ptr().cast::<c_char>(), json_len: SCORER_JSON.len(), clock: f.clock,
            out_scorer: o.at(0)) frees cupel_scorer_free;
        cupel_scorer_to_json(scorer: f.scorer, out_text: o.at(0)) frees cupel_text_free;
        cupel_scorer_score_batch(
            scorer: f.scorer, batch: f.batch, out_scores: o.at(0), out_scores_len: 2_usize);
        cupel_scorer_score_row(
            scorer: f.scorer, batch: f.batch, row: 1_usize, out_score: o.at(0));
        cupel_scorer_score_groups(
            scorer: f.scorer, batch: f.batch, groups: GROUPS.as_ptr(), groups_len: 1_usize,
            out_scores: o.at(0), out_scores_len: 2_usize);
        cupel_scorer_score_arrow(
            scorer: f.scorer, schema: f.table.schema, array: f.table.array,
            options: &raw const OPTIONS.0, out_scores: o.at(0), out_scores_len: 2_usize);
        cupel_scorer_columns(scorer: f.scorer, out_columns: o.at(0));
        cupel_scorer_child(scorer: f.parent.as_ptr(), index: 0_usize, out_child: o.at(0), out_weight: o.at(1))
            frees cupel_scorer_free;
        cupel_selector_new(policy: &raw const POLICY.0, out_selector: o.at(0)) frees cupel_selector_free;
        cupel_selector_from_json(
            json: SELECTOR_JSON.as_ptr().cast::<c_char>(), json_len: SELECTOR_JSON.len(), clock: f.clock,
            out_selector: o.at(0)) frees cupel_selector_free;
        cupel_selector_to_json(selector: f.selector.as_ptr(), out_text: o.at(0)) frees cupel_text_free;
        cupel_selector_select(
            selector: f.selector.as_ptr(), batch: f.batch, request: &raw const REQUEST.0,
            selection: f.selection.as_ptr().cast_mut());
        cupel_selector_select_groups(
            selector: f.selector.as_ptr(), batch: f.batch, groups: GROUPS.as_ptr(), groups_len: 1_usize,
            request: &raw const REQUEST.0, selection: f.selection.as_ptr().cast_mut());
        cupel_selector_needed(
            selector: f.selector.as_ptr(), batch: f.batch, selection: f.selection.as_ptr(),
            out_tokens: o.at(0), out_tokens_len: 2_usize);
        cupel_selection_new(out_selection: o.at(0)) frees cupel_selection_free;
        cupel_selection_read(selection: f.selection.as_ptr(), out_view: f.view.get());
        | f, o
    }
}

/// The functions that cannot fail; [`functions_that_cannot_fail_take_null`] calls each.
const TOTAL: [&str; 26] = [
    "cupel_version",
    "cupel_abi_version",
    "cupel_status_name",
    "cupel_error_new",
    "cupel_error_with_payload_new",
    "cupel_error_payload",
    "cupel_error_status",
    "cupel_error_message",
    "cupel_error_free",
    "cupel_item_builder_free",
    "cupel_item_free",
    "cupel_batch_len",
    "cupel_batch_kinds_len",
    "cupel_batch_sources_len",
    "cupel_batch_metadata_keys_len",
    "cupel_batch_free",
    "cupel_clock_free",
    "cupel_scorer_type",
    "cupel_scorer_children_len",
    "cupel_scorer_free",
    "cupel_reason_name",
    "cupel_selector_free",
    "cupel_selection_free",
    "cupel_text_data",
    "cupel_text_len",
    "cupel_text_free",
];

/// Pointers that may be NULL.
fn may_be_null(function: &str, parameter: &str) -> bool {
    matches!(parameter, "out_error" | "user_data" | "destroy" | "options" | "out_weight" | "out_validity")
        || (function.starts_with("cupel_batch_read_metadata")
            && matches!(parameter, "out_keys" | "out_types" | "out_numbers"))
        || (function.ends_with("_from_json") && parameter == "clock")
}

fn parameters() -> BTreeMap<String, Vec<header::Parameter>> {
    header::functions().into_iter().map(|function| (function.name, function.parameters)).collect()
}

/// Makes a call that must be refused, and checks what holds for every refusal.
#[track_caller]
fn refused(entry: &Entry, fault: Fault) -> capi::Error {
    let fixture = Fixture::new();
    let before = fixture.state();
    let slots = Slots::new();
    let error = match check(|error| (entry.call)(&fixture, &slots, fault, error)) {
        Err(error) => error,
        Ok(()) => panic!("{}, {fault:?}: it was accepted", entry.name),
    };
    assert_eq!(slots.get(), [UNWRITTEN; SLOTS], "{}, {fault:?}: an out-parameter was written", entry.name);
    assert_eq!(fixture.state(), before, "{}, {fault:?}: something changed", entry.name);
    // The same without anywhere to put the error.
    let status = (entry.call)(&fixture, &slots, fault, ptr::null_mut());
    assert_eq!(status, error.status, "{}, {fault:?}", entry.name);
    assert_eq!(slots.get(), [UNWRITTEN; SLOTS], "{}, {fault:?}", entry.name);
    error
}

#[test]
fn every_exported_function_is_tried() {
    let tried: BTreeSet<String> = entries().iter().map(|entry| entry.name).chain(TOTAL).map(str::to_owned).collect();
    assert_eq!(tried, header::exported());
    assert_eq!(tried, parameters().into_keys().collect());
    for entry in entries() {
        assert_eq!(parameters()[entry.name].last().expect("it has parameters").name, "out_error", "{}", entry.name);
    }
}

#[test]
fn a_call_without_a_fault_succeeds() {
    for entry in entries() {
        for with_error in [true, false] {
            let fixture = Fixture::new();
            let slots = Slots::new();
            if with_error {
                check(|error| (entry.call)(&fixture, &slots, Fault::None, error)).unwrap();
            } else {
                assert_eq!((entry.call)(&fixture, &slots, Fault::None, ptr::null_mut()), 0, "{}", entry.name);
            }
            // A view is written to a struct of its own.
            let is_result = |name: &str| name.starts_with("out_") && !matches!(name, "out_error" | "out_view");
            let results = parameters()[entry.name].iter().filter(|it| is_result(&it.name) && it.is_pointer()).count();
            assert!(
                slots.get()[..results].iter().all(|&slot| slot != UNWRITTEN),
                "{}: a result was not written",
                entry.name
            );
            if let Some(free) = entry.free {
                free(slots.get()[0] as *mut c_void);
            }
        }
    }
}

#[test]
fn null_in_place_of_each_pointer() {
    let mut tried = 0;
    for entry in entries() {
        for parameter in parameters()[entry.name].iter().filter(|parameter| parameter.is_pointer()) {
            let name = parameter.name.as_str();
            if may_be_null(entry.name, name) {
                continue;
            }
            let error = refused(&entry, Fault::Null(name));
            assert_eq!(error.name, "CUPEL_STATUS_NULL_ARGUMENT", "{}: {name}", entry.name);
            assert_eq!(error.message, format!("{name} is NULL"), "{}", entry.name);
            tried += 1;
        }
    }
    assert!(tried >= 118, "{tried}");
}

#[test]
fn null_where_it_is_allowed() {
    for entry in entries() {
        for parameter in &parameters()[entry.name] {
            if parameter.name != "out_error" && may_be_null(entry.name, &parameter.name) {
                let (fixture, slots) = (Fixture::new(), Slots::new());
                check(|error| (entry.call)(&fixture, &slots, Fault::Null(&parameter.name), error)).unwrap();
                if let Some(free) = entry.free {
                    free(slots.get()[0] as *mut c_void);
                }
            }
        }
    }
}

#[test]
fn bad_utf8_in_each_text() {
    let mut tried = 0;
    for entry in entries() {
        for parameter in parameters()[entry.name].iter().filter(|parameter| parameter.is_text()) {
            let error = refused(&entry, Fault::BadText(&parameter.name));
            assert_eq!(error.name, "CUPEL_STATUS_INVALID_UTF8", "{}", entry.name);
            assert_eq!(error.message, format!("{} is not valid UTF-8 at byte 2", parameter.name), "{}", entry.name);
            tried += 1;
        }
    }
    assert!(tried >= 14, "{tried}");
}

#[test]
fn lengths_that_no_array_can_have() {
    let mut tried = 0;
    for entry in entries() {
        for parameter in parameters()[entry.name].iter().filter(|parameter| parameter.is_size()) {
            let name = parameter.name.as_str();
            if entry.name == "cupel_batch_keep_last" {
                // It keeps all rows when there are no more.
                continue;
            }
            for size in TOO_LONG {
                let error = refused(&entry, Fault::Size(name, size));
                let (status, message) = match name {
                    "capacity" | "additional_rows" => {
                        ("CUPEL_STATUS_OUT_OF_MEMORY", format!("out of memory: {name} is {size}"))
                    }
                    "out_scores_len" => {
                        let of = match entry.name {
                            "cupel_scorer_score_arrow" => "the number of rows",
                            _ => "the length of the batch",
                        };
                        ("CUPEL_STATUS_LENGTH_MISMATCH", format!("{name} is {size}: it must be 2, {of}"))
                    }
                    "first_row" => {
                        ("CUPEL_STATUS_OUT_OF_RANGE", format!("first_row is {size}: the batch has fewer rows"))
                    }
                    "rows" => (
                        "CUPEL_STATUS_OUT_OF_RANGE",
                        format!("rows is {size}: the batch has fewer rows from first_row on"),
                    ),
                    "row" => ("CUPEL_STATUS_OUT_OF_RANGE", format!("row is {size}: there are 2, counted from 0")),
                    "index" => ("CUPEL_STATUS_OUT_OF_RANGE", format!("index is {size}: there are 1, counted from 0")),
                    _ => {
                        let array = name.strip_suffix("_len").expect("it is the length of something");
                        (
                            "CUPEL_STATUS_OUT_OF_RANGE",
                            format!("the length of {array} is {size}: no array can be so long"),
                        )
                    }
                };
                assert_eq!((error.name.as_str(), error.message.as_str()), (status, message.as_str()), "{}", entry.name);
                tried += 1;
            }
        }
    }
    assert!(tried >= 48, "{tried}");
}

#[test]
fn an_index_just_past_the_end() {
    for (name, parameter, len) in [
        ("cupel_item_tag", "index", 1),
        ("cupel_item_metadata_key", "index", 1),
        ("cupel_item_metadata_value", "index", 1),
        ("cupel_batch_item", "row", 2),
        ("cupel_scorer_score_row", "row", 2),
        ("cupel_scorer_child", "index", 1),
    ] {
        let entry = entries().into_iter().find(|entry| entry.name == name).unwrap();
        let error = refused(&entry, Fault::Size(parameter, len));
        assert_eq!(error.name, "CUPEL_STATUS_OUT_OF_RANGE");
        assert_eq!(error.message, format!("{parameter} is {len}: there are {len}, counted from 0"));
    }
}

#[test]
fn a_length_that_is_not_the_batch_s() {
    for (name, parameter, of) in [
        ("cupel_scorer_score_batch", "out_scores_len", "the length of the batch"),
        ("cupel_scorer_score_groups", "out_scores_len", "the length of the batch"),
        ("cupel_scorer_score_arrow", "out_scores_len", "the number of rows"),
        ("cupel_selector_needed", "out_tokens_len", "the length of the batch"),
    ] {
        let entry = entries().into_iter().find(|entry| entry.name == name).unwrap();
        for len in [0, 1, 3] {
            let error = refused(&entry, Fault::Size(parameter, len));
            assert_eq!(error.name, "CUPEL_STATUS_LENGTH_MISMATCH");
            assert_eq!(error.message, format!("{parameter} is {len}: it must be 2, {of}"));
        }
    }
}

#[test]
fn rows_to_keep_that_are_not_there() {
    let retain = |keep: &[u8]| batch_of_two().retain(keep);
    says(retain(&[1]), "LENGTH_MISMATCH", "keep_len is 1: it must be 2, the length of the batch");
    says(retain(&[]), "LENGTH_MISMATCH", "keep_len is 0: it must be 2, the length of the batch");
    says(retain(&[1, 2]), "INVALID_ARGUMENT", "keep[1] is 2: it must be 0 or 1");
    let retain_rows = |rows: &[u32]| batch_of_two().retain_rows(rows);
    says(retain_rows(&[0, 2]), "OUT_OF_RANGE", "rows[1] is 2: there are 2, counted from 0");
    says(retain_rows(&[u32::MAX]), "OUT_OF_RANGE", "rows[0] is 4294967295: there are 2, counted from 0");
    says(retain_rows(&[1, 0]), "INVALID_ARGUMENT", "rows[1] is 0: it must be greater than the row before it");
    says(retain_rows(&[1, 1]), "INVALID_ARGUMENT", "rows[1] is 1: it must be greater than the row before it");
    for kept in [&[][..], &[1], &[0, 1]] {
        let mut batch = batch_of_two();
        batch.retain_rows(kept).unwrap();
        assert_eq!(batch.len(), kept.len());
    }
    for rows in [0, 1, 2, 3, usize::MAX] {
        let mut batch = batch_of_two();
        batch.keep_last(rows).unwrap();
        assert_eq!(batch.len(), rows.min(2));
        if rows == 1 {
            assert_eq!(batch.item(0).unwrap().content().unwrap(), "b");
        }
    }
}

fn batch_of_two() -> Batch {
    let mut batch = Batch::new(0).unwrap();
    batch.append_json(r#"[{"content": "a", "tokens": 1}, {"content": "b", "tokens": 2}]"#).unwrap();
    batch
}

#[test]
fn functions_that_cannot_fail_take_null() {
    unsafe {
        assert_eq!(CStr::from_ptr(c::cupel_version()).to_str(), Ok(env!("CARGO_PKG_VERSION")));
        assert_eq!(c::cupel_abi_version(), 1);
        for (status, name) in STATUSES.into_iter().enumerate() {
            assert_eq!(capi::status_name(status as i32), name);
        }
        for unknown in [-1, STATUSES.len() as i32, i32::MIN, i32::MAX] {
            assert_eq!(capi::status_name(unknown), "CUPEL_STATUS_UNKNOWN");
        }
        assert_eq!(c::cupel_error_status(ptr::null()), 0);
        assert_eq!(CStr::from_ptr(c::cupel_error_message(ptr::null())), c"");
        let error = c::cupel_error_new(0, ptr::null(), 5);
        assert_eq!((c::cupel_error_status(error), CStr::from_ptr(c::cupel_error_message(error))), (9, c""));
        assert_eq!(c::cupel_error_payload(error, 0), ptr::null_mut());
        c::cupel_error_free(error);
        let error = c::cupel_error_with_payload_new(0, ptr::null(), 5, 0, ptr::null_mut(), None);
        assert_eq!((c::cupel_error_status(error), CStr::from_ptr(c::cupel_error_message(error))), (9, c""));
        assert_eq!(c::cupel_error_payload(error, 0), ptr::null_mut());
        c::cupel_error_free(error);
        assert_eq!(c::cupel_error_payload(ptr::null(), 0), ptr::null_mut());
        c::cupel_error_free(ptr::null_mut());
        c::cupel_item_builder_free(ptr::null_mut());
        c::cupel_item_free(ptr::null_mut());
        assert_eq!(c::cupel_batch_len(ptr::null()), 0);
        assert_eq!(c::cupel_batch_kinds_len(ptr::null()), 0);
        assert_eq!(c::cupel_batch_sources_len(ptr::null()), 0);
        assert_eq!(c::cupel_batch_metadata_keys_len(ptr::null()), 0);
        c::cupel_batch_free(ptr::null_mut());
        c::cupel_clock_free(ptr::null_mut());
        assert_eq!(CStr::from_ptr(c::cupel_scorer_type(ptr::null())), c"");
        assert_eq!(c::cupel_scorer_children_len(ptr::null()), 0);
        c::cupel_scorer_free(ptr::null_mut());
        assert_eq!(CStr::from_ptr(c::cupel_reason_name(-1)), c"CUPEL_REASON_UNKNOWN");
        c::cupel_selector_free(ptr::null_mut());
        c::cupel_selection_free(ptr::null_mut());
        assert_eq!(CStr::from_ptr(c::cupel_text_data(ptr::null())), c"");
        assert_eq!(c::cupel_text_len(ptr::null()), 0);
        c::cupel_text_free(ptr::null_mut());
    }
}

const STATUSES: [&str; 17] = [
    "CUPEL_STATUS_OK",
    "CUPEL_STATUS_NULL_ARGUMENT",
    "CUPEL_STATUS_INVALID_UTF8",
    "CUPEL_STATUS_INVALID_ARGUMENT",
    "CUPEL_STATUS_EMPTY_CONTENT",
    "CUPEL_STATUS_EMPTY_KIND",
    "CUPEL_STATUS_EMPTY_SOURCE",
    "CUPEL_STATUS_OUT_OF_RANGE",
    "CUPEL_STATUS_LENGTH_MISMATCH",
    "CUPEL_STATUS_CALLBACK_FAILED",
    "CUPEL_STATUS_OUT_OF_MEMORY",
    "CUPEL_STATUS_PANIC",
    "CUPEL_STATUS_INVALID_JSON",
    "CUPEL_STATUS_BUSY",
    "CUPEL_STATUS_OVER_BUDGET",
    "CUPEL_STATUS_SHORTFALL",
    "CUPEL_STATUS_TOO_LARGE",
];

/// Rows of so many tokens, all of them pinned or none.
fn rows(tokens: impl IntoIterator<Item = i64>, pinned: bool) -> Batch {
    let mut batch = Batch::new(0).unwrap();
    for (row, tokens) in tokens.into_iter().enumerate() {
        let mut item = ItemBuilder::new(&format!("content {row}"), tokens).unwrap();
        item.set_pinned(pinned).unwrap();
        batch.push(&item.build().unwrap()).unwrap();
    }
    batch
}

/// The refusal of selecting with a policy.
fn not_selected(policy: &Policy, batch: &Batch, max_tokens: i64, scores: &[f64]) -> capi::Error {
    let mut asked = request(max_tokens, 0);
    (asked.scores, asked.scores_len) = (scores.as_ptr(), scores.len());
    let selector = Selector::new(policy, None).unwrap();
    selector.select(batch, &asked, &mut Selection::new().unwrap()).unwrap_err()
}

fn over_budget() -> capi::Error {
    not_selected(&Policy::default(), &rows([11], true), 10, &[0.0])
}

fn shortfall() -> capi::Error {
    let policy = Policy { count_quotas: vec![("Memory".into(), 1, 2)], scarcity: 1, ..Policy::default() };
    not_selected(&policy, &rows([1], false), 10, &[0.0])
}

/// A knapsack with values in proportion to sizes, which no bound tells apart.
fn too_large() -> capi::Error {
    let tokens: Vec<i64> = (0..9_000).map(|row| 2_000 + row * 7_919 % 100_003).collect();
    let scores: Vec<f64> = tokens.iter().map(|&tokens| tokens as f64 / 10_000.0).collect();
    not_selected(&Policy { slicer: 1, bucket_size: 1, ..Policy::default() }, &rows(tokens, false), 2_500_000, &scores)
}

/// Every status but OK and PANIC, which no call from outside may bring about: the boundary's own tests do.
#[test]
fn every_status_can_be_had() {
    let mut batch = Batch::new(0).unwrap();
    batch.append_json(ITEM_JSON).unwrap();
    let mut builder = ItemBuilder::new("content", 1).unwrap();
    let reflexive = Scorer::reflexive().unwrap();
    let failing = Scorer::custom(|_, _| Err(1)).unwrap();
    let pointer = batch.as_mut_ptr().addr();
    let busy = std::sync::Arc::new(std::sync::Mutex::new(None));
    let seen = busy.clone();
    let changing = Scorer::custom(move |_, _| {
        let batch = ptr::with_exposed_provenance_mut(pointer);
        *seen.lock().unwrap() = check(|error| unsafe { c::cupel_batch_clear(batch, error) }).err();
        Ok(())
    })
    .unwrap();
    batch.as_mut_ptr().expose_provenance();
    changing.score_batch(&batch).unwrap();
    let errors = [
        check(|error| unsafe { c::cupel_batch_clear(ptr::null_mut(), error) }).unwrap_err(),
        check(|error| unsafe {
            c::cupel_item_builder_add_tag(builder.as_mut_ptr(), BAD_TEXT.as_ptr().cast(), 5, error)
        })
        .unwrap_err(),
        Scorer::metadata_trust(2.0).unwrap_err(),
        ItemBuilder::new("", 1).unwrap_err(),
        builder.set_kind(" \u{2003}").unwrap_err(),
        builder.set_source("").unwrap_err(),
        batch.item(1).unwrap_err(),
        check(|error| unsafe { c::cupel_scorer_score_batch(reflexive.as_ptr(), batch.as_ptr(), &mut 0.0, 2, error) })
            .unwrap_err(),
        failing.score_batch(&batch).unwrap_err(),
        Batch::new(usize::MAX).unwrap_err(),
        batch.append_json("{").unwrap_err(),
        busy.lock().unwrap().take().unwrap(),
        over_budget(),
        shortfall(),
        too_large(),
    ];
    let names: Vec<&str> = errors.iter().map(|error| error.name.as_str()).collect();
    let expected: Vec<&str> = STATUSES.into_iter().skip(1).filter(|&name| name != "CUPEL_STATUS_PANIC").collect();
    assert_eq!(names, expected);
}

#[track_caller]
fn says<T>(result: capi::Result<T>, status: &str, message: &str) {
    let error = result.err().expect("it is refused");
    assert_eq!((error.name.strip_prefix("CUPEL_STATUS_").unwrap(), error.message.as_str()), (status, message));
}

fn named(list: &[(&str, f64)]) -> Vec<(String, f64)> {
    list.iter().map(|&(name, weight)| (name.to_owned(), weight)).collect()
}

#[test]
fn construction_errors_name_the_argument_the_place_and_the_value() {
    const INVALID: &str = "INVALID_ARGUMENT";
    let bad_weights =
        [(-0.5, "-0.5"), (f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf"), (-5e-324, "-5e-324")];
    for (weight, text) in bad_weights {
        let list = named(&[("a", 1.0), ("b", weight)]);
        let message = format!("weights[1].weight is {text} (for \"b\"): a weight must be zero or more and finite");
        says(Scorer::kind(&list), INVALID, &message);
        says(Scorer::tag(&list, 0), INVALID, &message);
        says(Scorer::tag(&list, 1), INVALID, &message);
    }
    for zero in [0.0, -0.0] {
        Scorer::kind(&named(&[("a", zero)])).unwrap();
        Scorer::tag(&named(&[("a", zero)]), 0).unwrap();
    }

    let twice = |name| format!("weights[2].name is {name:?}, a duplicate of position 0: each name may occur once");
    says(Scorer::kind(&named(&[("Memory", 1.0), ("b", 1.0), ("mEMORY", 1.0)])), INVALID, &twice("mEMORY"));
    says(Scorer::tag(&named(&[("a", 1.0), ("b", 1.0), ("a", 1.0)]), 0), INVALID, &twice("a"));
    says(Scorer::tag(&named(&[("a", 1.0), ("b", 1.0), ("A", 1.0)]), 1), INVALID, &twice("A"));
    Scorer::tag(&named(&[("a", 1.0), ("A", 1.0)]), 0).unwrap();
    // Folding stops at ASCII.
    Scorer::tag(&named(&[("é", 1.0), ("É", 1.0)]), 1).unwrap();

    let overflow = "weights[1].weight is 1e308: with it the sum of the weights overflows to infinity";
    says(Scorer::tag(&named(&[("a", f64::MAX), ("b", 1e308)]), 0), INVALID, overflow);
    for blank in ["", " ", "\t\n", "\u{3000}"] {
        let message = format!("weights[1].name is blank ({blank:?}): a kind needs a character that is not white space");
        says(Scorer::kind(&named(&[("a", 1.0), (blank, 1.0)])), "EMPTY_KIND", &message);
    }
    for unknown in [-1, 2, i32::MIN, i32::MAX] {
        let rule = "it must be CUPEL_TEXT_MATCH_EXACT or CUPEL_TEXT_MATCH_ASCII_CASE_INSENSITIVE";
        says(Scorer::tag(&[], unknown), "OUT_OF_RANGE", &format!("match is {unknown}: {rule}"));
    }

    let clock = Clock::fixed(0).unwrap();
    for (score, text) in
        [(-0.1, "-0.1"), (1.0_f64.next_up(), "1.0000000000000002"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")]
    {
        let rule = "a score that stands in for a missing value must lie from 0 to 1";
        says(Scorer::metadata_trust(score), INVALID, &format!("default_score is {text}: {rule}"));
        let message = format!("null_timestamp_score is {text}: {rule}");
        says(Scorer::decay_exponential(&clock, 1, score), INVALID, &message);
        says(Scorer::decay_window(&clock, 1, score), INVALID, &message);
        says(Scorer::decay_step(&clock, &[(1, 1.0)], score), INVALID, &message);
    }
    for boost in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = Scorer::metadata_key("k", "v", boost).unwrap_err();
        assert_eq!(error.name, "CUPEL_STATUS_INVALID_ARGUMENT");
        assert!(error.message.starts_with(&format!("boost is {boost:?}: ")), "{error}");
    }
    for duration in [0, -1, i64::MIN] {
        let rule = "a duration must be more than zero";
        says(
            Scorer::decay_exponential(&clock, duration, 0.5),
            INVALID,
            &format!("half_life_nanoseconds is {duration}: {rule}"),
        );
        says(
            Scorer::decay_window(&clock, duration, 0.5),
            INVALID,
            &format!("max_age_nanoseconds is {duration}: {rule}"),
        );
        let message = format!("steps[0].max_age_nanoseconds is {duration}: {rule}");
        says(Scorer::decay_step(&clock, &[(duration, 0.5)], 0.5), INVALID, &message);
    }
    says(Scorer::decay_step(&clock, &[], 0.5), INVALID, "steps_len is 0: a step curve needs at least one step");
    for age in [5, 4] {
        let rule = "steps come youngest first: it must be more than that of the step before";
        let message = format!("steps[1].max_age_nanoseconds is {age}: {rule}");
        says(Scorer::decay_step(&clock, &[(5, 1.0), (age, 0.5)], 0.5), INVALID, &message);
    }
    for (score, text) in [(f64::NAN, "NaN"), (f64::NEG_INFINITY, "-inf")] {
        let message = format!("steps[1].score is {text}: the score of a step must be finite");
        says(Scorer::decay_step(&clock, &[(1, 1.0), (2, score)], 0.5), INVALID, &message);
    }

    let leaf = Scorer::reflexive().unwrap();
    says(Scorer::composite(&[]), INVALID, "children_len is 0: a composite needs at least one child");
    for (weight, text) in bad_weights.into_iter().chain([(0.0, "0.0"), (-0.0, "-0.0")]) {
        let message = format!("weights[1] is {text}: the weight of a child must be more than zero and finite");
        says(Scorer::composite(&[(&leaf, 1.0), (&leaf, weight)]), INVALID, &message);
    }
    let overflow = "weights[1] is 1e308: with it the sum of the weights overflows to infinity";
    says(Scorer::composite(&[(&leaf, f64::MAX), (&leaf, 1e308)]), INVALID, overflow);
    let children = [leaf.as_ptr(), ptr::null()];
    let null = capi::create(|out, error| unsafe {
        c::cupel_scorer_composite_new(children.as_ptr(), [1.0, 1.0].as_ptr(), 2, out, error)
    });
    says(null, "NULL_ARGUMENT", "children[1] is NULL");
}

#[test]
fn names_in_a_list_of_weights() {
    let entry = |name: &[u8]| c::cupel_weight { name: name.as_ptr().cast(), name_len: name.len(), weight: 1.0 };
    let make = |list: &[c::cupel_weight]| {
        let kind =
            capi::create(|out, error| unsafe { c::cupel_scorer_kind_new(list.as_ptr(), list.len(), out, error) });
        let tag =
            capi::create(|out, error| unsafe { c::cupel_scorer_tag_new(list.as_ptr(), list.len(), 0, out, error) });
        [kind.map(Scorer::from_raw), tag.map(Scorer::from_raw)]
    };
    for result in make(&[entry(b"a"), entry(b"\xc3\xa9 \xc3")]) {
        says(result, "INVALID_UTF8", "weights[1].name is not valid UTF-8 at byte 3");
    }
    for result in make(&[entry(b"a"), c::cupel_weight { name: ptr::null(), name_len: 1, weight: 1.0 }]) {
        let error = result.unwrap_err();
        assert_eq!(error.name, "CUPEL_STATUS_NULL_ARGUMENT");
        assert_eq!(error.message, "weights[1].name is NULL");
    }
    for len in TOO_LONG {
        for result in make(&[entry(b"a"), c::cupel_weight { name: c"b".as_ptr(), name_len: len, weight: 1.0 }]) {
            says(result, "OUT_OF_RANGE", &format!("the length of weights[1].name is {len}: no array can be so long"));
        }
    }
    // NULL with length 0 is the empty text.
    let [kind, tag] = make(&[c::cupel_weight { name: ptr::null(), name_len: 0, weight: 1.0 }]);
    says(kind, "EMPTY_KIND", "weights[0].name is blank (\"\"): a kind needs a character that is not white space");
    tag.unwrap();
}

#[test]
fn null_with_length_zero_is_the_empty_text() {
    let mut builder = ItemBuilder::new("content", 1).unwrap();
    let handle = builder.as_mut_ptr();
    unsafe {
        check(|error| c::cupel_item_builder_add_tag(handle, ptr::null(), 0, error)).unwrap();
        check(|error| c::cupel_item_builder_set_metadata_string(handle, ptr::null(), 0, ptr::null(), 0, error))
            .unwrap();
        let new = capi::create(|out, error| c::cupel_item_builder_new(ptr::null(), 0, 1, out, error));
        says(new, "EMPTY_CONTENT", "content is empty: an item needs content");
    }
    let item = builder.build().unwrap();
    assert_eq!(item.tags().unwrap(), [""]);
    assert_eq!(item.metadata().unwrap(), [(String::new(), capi::Metadata::String(String::new()))]);
    // Nothing to write, nowhere to write it.
    let (scorer, batch) = (Scorer::reflexive().unwrap(), Batch::new(0).unwrap());
    check(|error| unsafe { c::cupel_scorer_score_batch(scorer.as_ptr(), batch.as_ptr(), ptr::null_mut(), 0, error) })
        .unwrap();
}

#[test]
fn item_errors_quote_what_stood_there() {
    let mut builder = ItemBuilder::new("content", 1).unwrap();
    says(builder.reset("", 1), "EMPTY_CONTENT", "content is empty: an item needs content");
    says(
        builder.set_kind("\t"),
        "EMPTY_KIND",
        "kind is blank (\"\\t\"): a kind needs a character that is not white space",
    );
    says(
        builder.set_source(""),
        "EMPTY_SOURCE",
        "source is blank (\"\"): a source needs a character that is not white space",
    );
    let item = builder.build().unwrap();
    assert_eq!(
        (item.content().unwrap(), item.kind().unwrap(), item.source().unwrap()),
        ("content".into(), "Message".into(), "Chat".into())
    );
}

/// Columns of one text column and its arrays, which stay where they are.
fn text_column(data: &[u8], offsets: &[i64]) -> c::cupel_text_column {
    c::cupel_text_column {
        data: data.as_ptr().cast(),
        data_len: data.len(),
        offsets: offsets.as_ptr(),
        texts_len: offsets.len() - 1,
        codes: ptr::null(),
    }
}

/// Offers columns that must be refused to a batch with a row in it, which must be as before.
#[track_caller]
fn refused_columns(status: &str, message: &str, set: &c::cupel_columns) {
    let mut batch = Batch::new(0).unwrap();
    batch.append_json(r#"{"content": "a", "tokens": 1, "futureRelevanceHint": 0.25}"#).unwrap();
    let error = append(&mut batch, set).unwrap_err();
    assert_eq!((error.name.strip_prefix("CUPEL_STATUS_").unwrap(), error.message.as_str()), (status, message));
    assert_eq!(batch.len(), 1);
    assert_eq!(Scorer::reflexive().unwrap().score_batch(&batch).unwrap(), [0.25]);
    append(&mut batch, &columns(1)).unwrap();
    assert_eq!(Scorer::reflexive().unwrap().score_batch(&batch).unwrap(), [0.25, 0.0]);
}

#[test]
fn hostile_columns() {
    let good = [0_i64, 1, 2];
    for (offsets, index, value, rule) in [
        ([-1_i64, 1, 2], 0, -1_i64, "the first offset must be 0 or above"),
        ([i64::MIN, 1, 2], 0, i64::MIN, "the first offset must be 0 or above"),
        ([0, 2, 1], 2, 1, "offsets must never go down"),
        ([0, -1, 2], 1, -1, "offsets must never go down"),
        ([0, 1, 3], 2, 3, "offsets must end inside what they point into"),
        ([0, 1, i64::MAX], 2, i64::MAX, "offsets must end inside what they point into"),
    ] {
        let mut set = columns(2);
        set.content = text_column(b"ab", &offsets);
        refused_columns("OUT_OF_RANGE", &format!("columns.content.offsets[{index}] is {value}: {rule}"), &set);
        let mut set = columns(2);
        set.tag_lists = offsets.as_ptr();
        set.tags_len = 2;
        set.tags = text_column(b"ab", &good);
        refused_columns("OUT_OF_RANGE", &format!("columns.tag_lists[{index}] is {value}: {rule}"), &set);
        let mut set = columns(2);
        set.metadata_lists = offsets.as_ptr();
        set.metadata_len = 2;
        set.metadata_keys = text_column(b"ab", &good);
        set.metadata_texts = text_column(b"ab", &good);
        refused_columns("OUT_OF_RANGE", &format!("columns.metadata_lists[{index}] is {value}: {rule}"), &set);
    }

    let mut set = columns(2);
    set.content = text_column(b"ab\xff", &[0, 1, 3]);
    refused_columns("INVALID_UTF8", "columns.content[1] is not valid UTF-8 at byte 1", &set);
    // The whole is UTF-8, but an offset falls inside a character.
    set.content = text_column("aé".as_bytes(), &[0, 2, 3]);
    refused_columns("INVALID_UTF8", "columns.content[0] is not valid UTF-8 at byte 1", &set);
    set.content = text_column(b"ab", &[0, 1, 1]);
    refused_columns("EMPTY_CONTENT", "columns.content[1] is empty: an item needs content", &set);

    let mut set = columns(2);
    set.kind = text_column(b"a ", &good);
    refused_columns(
        "EMPTY_KIND",
        "columns.kind[1] is blank (\" \"): it needs a character that is not white space",
        &set,
    );
    let mut set = columns(2);
    set.source = text_column(b"a\t", &good);
    refused_columns(
        "EMPTY_SOURCE",
        "columns.source[1] is blank (\"\\t\"): it needs a character that is not white space",
        &set,
    );

    let mut set = columns(3);
    set.kind = text_column(b"ab", &good);
    refused_columns(
        "LENGTH_MISMATCH",
        "columns.kind.texts_len is 2: it must be 3, one text for each row, as there are no codes",
        &set,
    );
    let codes = [0_u32, 1, 2];
    set.kind.codes = codes.as_ptr();
    refused_columns("OUT_OF_RANGE", "columns.kind.codes[2] is 2: a code must be below the number of texts", &set);

    let validity = [1_u8, 2, 255];
    let mut set = columns(3);
    set.pinned = validity.as_ptr();
    refused_columns("OUT_OF_RANGE", "columns.pinned[1] is 2: it must be 0 or 1", &set);
    let numbers = [1_i64; 3];
    let mut set = columns(3);
    (set.priority, set.priority_validity) = (numbers.as_ptr(), validity.as_ptr());
    refused_columns("OUT_OF_RANGE", "columns.priority_validity[1] is 2: it must be 0 or 1", &set);

    let types = [0_u8, 3];
    let mut set = columns(2);
    set.metadata_lists = good.as_ptr();
    set.metadata_len = 2;
    refused_columns("NULL_ARGUMENT", "columns.metadata_keys.offsets is NULL", &set);
    set.metadata_keys = text_column(b"ab", &good);
    refused_columns("NULL_ARGUMENT", "columns.metadata_texts.offsets is NULL", &set);
    set.metadata_texts = text_column(b"ab", &good);
    set.metadata_types = types.as_ptr();
    refused_columns(
        "OUT_OF_RANGE",
        "columns.metadata_types[1] is 3: it must be a type of metadata value, 0 to 2",
        &set,
    );
    let types = [0_u8, 1];
    set.metadata_types = types.as_ptr();
    refused_columns("NULL_ARGUMENT", "columns.metadata_numbers is NULL", &set);

    let mut set = columns(2);
    set.tag_lists = good.as_ptr();
    set.tags_len = 2;
    refused_columns("NULL_ARGUMENT", "columns.tags.offsets is NULL", &set);

    for rows in [i32::MAX as usize + 1, usize::MAX / 8 - 1, usize::MAX] {
        let message = format!("columns.rows is {rows}: a batch has at most 2147483647 rows");
        refused_columns("OUT_OF_RANGE", &message, &columns(rows));
    }
    let mut set = columns(1);
    set.content = text_column(b"a", &[0, 1]);
    set.content.data_len = usize::MAX;
    refused_columns(
        "OUT_OF_RANGE",
        &format!("the length of columns.content is {}: no array can be so long", usize::MAX),
        &set,
    );
    let mut set = columns(1);
    set.content = text_column(b"a", &[0, 1]);
    set.content.data = ptr::null();
    refused_columns("NULL_ARGUMENT", "columns.content.data is NULL", &set);
}

/// Columns of which a part is missing are refused, not ignored.
#[test]
fn incomplete_columns() {
    let refused = |message: &str, rows: usize, set: &dyn Fn(&mut c::cupel_columns)| {
        let mut columns = columns(rows);
        set(&mut columns);
        refused_columns("NULL_ARGUMENT", message, &columns);
    };
    let (offsets, codes, validity, numbers) = ([0_i64, 1, 2], [0_u32, 0], [1_u8, 1], [0.5_f64, 0.25]);
    type Field = fn(&mut c::cupel_columns) -> &mut c::cupel_text_column;
    let fields: [(&str, Field); 3] =
        [("content", |set| &mut set.content), ("kind", |set| &mut set.kind), ("source", |set| &mut set.source)];
    for (name, field) in fields {
        let message = format!("columns.{name}.offsets is NULL");
        refused(&message, 2, &|set| {
            *field(set) = text_column(b"ab", &offsets);
            field(set).offsets = ptr::null();
        });
        refused(&message, 2, &|set| field(set).codes = codes.as_ptr());
        refused(&message, 2, &|set| field(set).texts_len = 2);
    }
    let validity = validity.as_ptr();
    refused("columns.kind.offsets is NULL", 2, &|set| set.kind_validity = validity);
    refused("columns.source.offsets is NULL", 2, &|set| set.source_validity = validity);
    refused("columns.priority is NULL", 2, &|set| set.priority_validity = validity);
    refused("columns.timestamp is NULL", 2, &|set| set.timestamp_validity = validity);
    refused("columns.future_relevance_hint is NULL", 2, &|set| set.future_relevance_hint_validity = validity);
    refused("columns.original_tokens is NULL", 2, &|set| set.original_tokens_validity = validity);
    refused("columns.tag_lists is NULL", 2, &|set| set.tags_len = 2);
    refused("columns.tag_lists is NULL", 2, &|set| {
        (set.tags, set.tags_len) = (text_column(b"ab", &offsets), 2);
    });
    refused("columns.tags.offsets is NULL", 2, &|set| (set.tag_lists, set.tags_len) = (offsets.as_ptr(), 2));
    refused("columns.metadata_lists is NULL", 2, &|set| {
        (set.metadata_keys, set.metadata_len) = (text_column(b"ab", &offsets), 2);
        set.metadata_numbers = numbers.as_ptr();
    });
    refused("columns.metadata_keys.offsets is NULL", 2, &|set| {
        (set.metadata_lists, set.metadata_len) = (offsets.as_ptr(), 2);
        set.metadata_numbers = numbers.as_ptr();
    });
    // Without rows nothing is lost: hosts pass the addresses of empty arrays.
    let mut set = columns(0);
    (set.kind_validity, set.priority_validity, set.kind.codes) = (validity, validity, codes.as_ptr());
    append(&mut Batch::new(0).unwrap(), &set).unwrap();
}

/// Slices of a host's buffers may start at any address.
#[test]
fn misaligned_arrays() {
    /// The address of a copy that is not aligned for its type.
    fn misaligned<T: Copy>(store: &mut Vec<Vec<u8>>, values: &[T]) -> *const T {
        let bytes = size_of_val(values);
        let mut copy = vec![0_u8; bytes + 16];
        let start = 1 + copy.as_ptr().align_offset(8) % 8;
        // SAFETY: there is room for the bytes, and any type may be read as bytes.
        unsafe { values.as_ptr().cast::<u8>().copy_to_nonoverlapping(copy[start..].as_mut_ptr(), bytes) };
        let address = copy[start..].as_ptr().cast();
        store.push(copy);
        address
    }
    fn texts(store: &mut Vec<Vec<u8>>, data: &'static str, offsets: &[i64], codes: &[u32]) -> c::cupel_text_column {
        let offsets = misaligned(store, offsets);
        let codes = misaligned(store, codes);
        c::cupel_text_column { codes, offsets, texts_len: 2, ..text_column(data.as_bytes(), &[0]) }
    }
    let mut store = Vec::new();
    let mut set = columns(2);
    set.content = texts(&mut store, "onetwo", &[0, 3, 6], &[1, 0]);
    set.tokens = misaligned(&mut store, &[7_i64, 8]);
    set.kind = texts(&mut store, "MemoryTool", &[0, 6, 10], &[1, 0]);
    set.source = texts(&mut store, "RagTool", &[0, 3, 7], &[0, 1]);
    set.priority = misaligned(&mut store, &[3_i64, 4]);
    set.timestamp = misaligned(&mut store, &[5_i64, 6]);
    set.future_relevance_hint = misaligned(&mut store, &[0.5_f64, 0.25]);
    set.original_tokens = misaligned(&mut store, &[9_i64, 10]);
    set.tag_lists = misaligned(&mut store, &[0_i64, 1, 2]);
    set.tags_len = 2;
    set.tags = texts(&mut store, "ab", &[0, 1, 2], &[1, 0]);
    set.metadata_lists = misaligned(&mut store, &[0_i64, 1, 2]);
    set.metadata_len = 2;
    set.metadata_keys = texts(&mut store, "kl", &[0, 1, 2], &[1, 0]);
    set.metadata_texts = texts(&mut store, "xy", &[0, 1, 2], &[0, 1]);
    let types = [0_u8, 1];
    set.metadata_types = types.as_ptr();
    set.metadata_numbers = misaligned(&mut store, &[0.0_f64, 1.5]);
    let (mut by_columns, mut by_json) = (Batch::new(0).unwrap(), Batch::new(0).unwrap());
    // The struct itself too.
    let set: *const c::cupel_columns = misaligned(&mut store, &[set]);
    check(|error| unsafe { c::cupel_batch_append_columns(by_columns.as_mut_ptr(), set, error) }).unwrap();
    by_json
        .append_json(
            r#"[{"content": "two", "tokens": 7, "kind": "Tool", "source": "Rag", "priority": 3, "tags": ["b"],
                 "timestamp": "1970-01-01T00:00:00.000000005Z", "futureRelevanceHint": 0.5, "originalTokens": 9,
                 "metadata": {"l": "x"}},
                {"content": "one", "tokens": 8, "kind": "Memory", "source": "Tool", "priority": 4, "tags": ["a"],
                 "timestamp": "1970-01-01T00:00:00.000000006Z", "futureRelevanceHint": 0.25, "originalTokens": 10,
                 "metadata": {"k": 1.5}}]"#,
        )
        .unwrap();
    for row in 0..2 {
        let [a, b] = [&by_columns, &by_json].map(|batch| batch.item(row).unwrap());
        assert_eq!((a.content(), a.tokens(), a.kind(), a.source()), (b.content(), b.tokens(), b.kind(), b.source()));
        assert_eq!((a.priority(), a.timestamp(), a.tags()), (b.priority(), b.timestamp(), b.tags()));
        assert_eq!((a.original_tokens(), a.metadata().unwrap()), (b.original_tokens(), b.metadata().unwrap()));
        assert_eq!(a.future_relevance_hint(), b.future_relevance_hint());
    }
    // Arrays of structs and of results are refused.
    let weights = misaligned(&mut store, &[c::cupel_weight { name: c"a".as_ptr(), name_len: 1, weight: 1.0 }]);
    let mut scorer = ptr::null_mut();
    let made = check(|error| unsafe { c::cupel_scorer_kind_new(weights, 1, &mut scorer, error) });
    says(made, "INVALID_ARGUMENT", "weights is not aligned: its address must be a multiple of 8");
    let scores = misaligned(&mut store, &[0.0_f64; 2]).cast_mut();
    let scorer = Scorer::reflexive().unwrap();
    let scored =
        check(|error| unsafe { c::cupel_scorer_score_batch(scorer.as_ptr(), by_columns.as_ptr(), scores, 2, error) });
    says(scored, "INVALID_ARGUMENT", "out_scores is not aligned: its address must be a multiple of 8");
}

/// A struct that ends before fields that were added later.
#[test]
fn a_smaller_struct_from_an_older_caller() {
    let offsets = [0_i64, 1];
    let mut set = columns(1);
    set.kind = text_column(b"a", &offsets);
    set.priority = offsets.as_ptr();
    let mut batch = Batch::new(0).unwrap();
    let fields = [
        (std::mem::offset_of!(c::cupel_columns, content), "Message", None),
        (std::mem::offset_of!(c::cupel_columns, kind_validity), "a", None),
        (std::mem::offset_of!(c::cupel_columns, priority_validity), "a", Some(0)),
    ];
    for (row, (size, kind, priority)) in fields.into_iter().enumerate() {
        // What lies past the end is not the struct's, and must not be read.
        let mut older = vec![usize::MAX; size_of::<c::cupel_columns>() / size_of::<usize>()];
        set.struct_size = size;
        // SAFETY: as many bytes as the struct has.
        unsafe { ptr::from_ref(&set).cast::<u8>().copy_to_nonoverlapping(older.as_mut_ptr().cast(), size) };
        let columns = older.as_ptr().cast();
        check(|error| unsafe { c::cupel_batch_append_columns(batch.as_mut_ptr(), columns, error) }).unwrap();
        let item = batch.item(row).unwrap();
        assert_eq!((item.kind().unwrap().as_str(), item.priority().unwrap()), (kind, priority));
    }
}

#[test]
fn a_larger_struct_from_a_newer_caller() {
    #[repr(C)]
    struct Newer {
        known: c::cupel_columns,
        more: [u64; 4],
    }
    let mut newer = Newer { known: columns(1), more: [0; 4] };
    newer.known.struct_size = size_of::<Newer>();
    let mut batch = Batch::new(0).unwrap();
    let offer = |batch: &mut Batch, newer: &Newer| {
        let (batch, newer) = (batch.as_mut_ptr(), ptr::from_ref(newer).cast());
        check(|error| unsafe { c::cupel_batch_append_columns(batch, newer, error) })
    };
    offer(&mut batch, &newer).unwrap();
    assert_eq!(batch.len(), 1);
    newer.more[3] = 1 << 63;
    let size = size_of::<Newer>();
    let rule = "it is greater than this library knows, and what lies past that is not zero";
    says(offer(&mut batch, &newer), "INVALID_ARGUMENT", &format!("columns.struct_size is {size}: {rule}"));
    for size in [0, 8, 17, size_of::<c::cupel_columns>() - 1, size_of::<c::cupel_columns>() + 1, 4104, usize::MAX] {
        newer.known.struct_size = size;
        let error = offer(&mut batch, &newer).unwrap_err();
        assert_eq!(error.name, "CUPEL_STATUS_INVALID_ARGUMENT");
        assert_eq!(error.message, format!("columns.struct_size is {size}: it must be sizeof(cupel_columns)"));
    }
    assert_eq!(batch.len(), 1);
}
