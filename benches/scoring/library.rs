//! The library, through its C ABI.

use std::ffi::{c_char, c_void};
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::{null, null_mut};

use cupel::capi::*;

use crate::data::{NOW, Row};

pub fn check(status: cupel_status, error: *mut cupel_error) {
    if status != CUPEL_STATUS_OK {
        // SAFETY: a call that failed has set the error.
        let message = unsafe { std::ffi::CStr::from_ptr(cupel_error_message(error)) };
        panic!("{}", message.to_string_lossy());
    }
}

/// Calls a function of the ABI that takes an error last.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        let mut error = null_mut();
        // SAFETY: handles are live and lengths are those of what the pointers point at.
        let status = unsafe { $function($($argument,)* &raw mut error) };
        crate::library::check(status, error);
    }};
}

pub struct Batch(*mut cupel_batch);

/// How many builders there are for the items of a batch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Builders {
    OneForAll,
    OneForEach,
}

impl Batch {
    pub fn new(capacity: usize) -> Self {
        let mut batch = null_mut();
        call!(cupel_batch_new(capacity, &raw mut batch));
        Self(batch)
    }

    pub fn len(&self) -> usize {
        // SAFETY: a live handle.
        unsafe { cupel_batch_len(self.0) }
    }

    pub fn as_ptr(&self) -> *mut cupel_batch {
        self.0
    }

    /// One C call for each field of each item; one builder for all of them, or a new one for each. The fields come from the same
    /// arrays as for [`by_columns`](Self::by_columns): what a host's own items would take to read is the host's.
    pub fn by_item(columns: &Columns, builders: Builders) -> Self {
        let batch = Self::new(columns.rows);
        let mut builder = null_mut();
        for row in 0..columns.rows {
            let (content, content_len) = columns.content.get(row);
            if row == 0 || builders == Builders::OneForEach {
                call!(cupel_item_builder_new(content, content_len, columns.tokens[row], &raw mut builder));
            } else {
                call!(cupel_item_builder_reset(builder, content, content_len, columns.tokens[row]));
            }
            if columns.kind.validity[row] == 1 {
                let (kind, kind_len) = columns.kind.get(row);
                call!(cupel_item_builder_set_kind(builder, kind, kind_len));
            }
            for slot in slots(&columns.tag_lists, row) {
                let (tag, tag_len) = columns.tags.get(slot);
                call!(cupel_item_builder_add_tag(builder, tag, tag_len));
            }
            if columns.priority.1[row] == 1 {
                call!(cupel_item_builder_set_priority(builder, columns.priority.0[row]));
            }
            if columns.timestamp.1[row] == 1 {
                call!(cupel_item_builder_set_timestamp(builder, columns.timestamp.0[row]));
            }
            if columns.hint.1[row] == 1 {
                call!(cupel_item_builder_set_future_relevance_hint(builder, columns.hint.0[row]));
            }
            for slot in slots(&columns.metadata_lists, row) {
                let (key, key_len) = columns.keys.get(slot);
                if cupel_metadata_type::from(columns.types[slot]) == CUPEL_METADATA_TYPE_DOUBLE {
                    let number = columns.numbers[slot];
                    call!(cupel_item_builder_set_metadata_double(builder, key, key_len, number));
                } else {
                    let (value, value_len) = columns.values.get(slot);
                    call!(cupel_item_builder_set_metadata_string(builder, key, key_len, value, value_len));
                }
            }
            let mut item = null_mut();
            call!(cupel_item_builder_build(builder, &raw mut item));
            call!(cupel_batch_push(batch.0, item));
            // SAFETY: a live handle that is not used again.
            unsafe { cupel_item_free(item) };
            if builders == Builders::OneForEach {
                // SAFETY: as above; the next row makes another one.
                unsafe { cupel_item_builder_free(builder) };
                builder = null_mut();
            }
        }
        // SAFETY: as above, or NULL.
        unsafe { cupel_item_builder_free(builder) };
        batch
    }

    /// One C call for a JSON text.
    pub fn by_json(json: &str) -> Self {
        let batch = Self::new(0);
        call!(cupel_batch_append_json(batch.0, json.as_ptr().cast(), json.len()));
        batch
    }

    /// One C call for all rows.
    pub fn by_columns(columns: &Columns) -> Self {
        let batch = Self::new(columns.rows);
        batch.append(columns);
        batch
    }

    fn append(&self, columns: &Columns) {
        let columns = columns.as_c();
        call!(cupel_batch_append_columns(self.0, &raw const columns));
    }

    /// Replaces all rows.
    pub fn replace(&self, columns: &Columns) {
        call!(cupel_batch_clear(self.0));
        self.append(columns);
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // SAFETY: a live handle that is not used again.
        unsafe { cupel_batch_free(self.0) };
    }
}

/// Texts as one blob with offsets.
#[derive(Default)]
struct Texts {
    data: Vec<u8>,
    offsets: Vec<i64>,
    validity: Vec<u8>,
}

impl Texts {
    fn push(&mut self, text: Option<&str>) {
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        self.data.extend_from_slice(text.unwrap_or_default().as_bytes());
        self.offsets.push(self.data.len() as i64);
        self.validity.push(text.is_some().into());
    }

    /// Where a text stands, and its length.
    fn get(&self, slot: usize) -> (*const c_char, usize) {
        let (start, end) = (self.offsets[slot] as usize, self.offsets[slot + 1] as usize);
        (self.data[start..end].as_ptr().cast(), end - start)
    }

    fn as_c(&self) -> cupel_text_column {
        let texts_len = self.offsets.len().saturating_sub(1);
        let offsets = if self.offsets.is_empty() { null() } else { self.offsets.as_ptr() };
        cupel_text_column {
            data: self.data.as_ptr().cast(),
            data_len: self.data.len(),
            offsets,
            texts_len,
            codes: null(),
        }
    }
}

/// The slots of a row.
fn slots(lists: &[i64], row: usize) -> Range<usize> {
    lists[row] as usize..lists[row + 1] as usize
}

/// Rows as flat arrays.
#[derive(Default)]
pub struct Columns {
    rows: usize,
    content: Texts,
    tokens: Vec<i64>,
    kind: Texts,
    priority: (Vec<i64>, Vec<u8>),
    timestamp: (Vec<i64>, Vec<u8>),
    hint: (Vec<f64>, Vec<u8>),
    tag_lists: Vec<i64>,
    tags: Texts,
    metadata_lists: Vec<i64>,
    keys: Texts,
    types: Vec<u8>,
    values: Texts,
    numbers: Vec<f64>,
}

impl Columns {
    pub fn new(rows: &[Row]) -> Self {
        let mut columns = Self { rows: rows.len(), tag_lists: vec![0], metadata_lists: vec![0], ..Self::default() };
        for row in rows {
            columns.content.push(Some(&row.content));
            columns.tokens.push(row.tokens);
            columns.kind.push(row.kind);
            columns.priority.0.push(row.priority.unwrap_or_default());
            columns.priority.1.push(row.priority.is_some().into());
            columns.timestamp.0.push(row.timestamp.unwrap_or_default());
            columns.timestamp.1.push(row.timestamp.is_some().into());
            columns.hint.0.push(row.hint.unwrap_or_default());
            columns.hint.1.push(row.hint.is_some().into());
            row.tags.iter().for_each(|tag| columns.tags.push(Some(tag)));
            columns.tag_lists.push(columns.tags.validity.len() as i64);
            if let Some(trust) = row.trust {
                columns.metadata("cupel:trust", CUPEL_METADATA_TYPE_DOUBLE, "", trust);
            }
            if let Some(topic) = row.topic {
                columns.metadata("topic", CUPEL_METADATA_TYPE_STRING, topic, 0.0);
            }
            row.more.iter().for_each(|(key, value)| columns.metadata(key, CUPEL_METADATA_TYPE_STRING, value, 0.0));
            columns.metadata_lists.push(columns.types.len() as i64);
        }
        columns
    }

    fn metadata(&mut self, key: &str, kind: cupel_metadata_type, text: &str, number: f64) {
        self.keys.push(Some(key));
        self.types.push(kind as u8);
        self.values.push(Some(text));
        self.numbers.push(number);
    }

    fn as_c(&self) -> cupel_columns {
        // SAFETY: NULL and 0 everywhere is what an empty struct of columns is.
        let mut columns: cupel_columns = unsafe { std::mem::zeroed() };
        columns.struct_size = size_of::<cupel_columns>();
        columns.rows = self.rows;
        columns.content = self.content.as_c();
        columns.tokens = self.tokens.as_ptr();
        columns.kind = self.kind.as_c();
        columns.kind_validity = self.kind.validity.as_ptr();
        columns.priority = self.priority.0.as_ptr();
        columns.priority_validity = self.priority.1.as_ptr();
        columns.timestamp = self.timestamp.0.as_ptr();
        columns.timestamp_validity = self.timestamp.1.as_ptr();
        columns.future_relevance_hint = self.hint.0.as_ptr();
        columns.future_relevance_hint_validity = self.hint.1.as_ptr();
        columns.tag_lists = self.tag_lists.as_ptr();
        columns.tags_len = self.tags.validity.len();
        columns.tags = self.tags.as_c();
        columns.metadata_lists = self.metadata_lists.as_ptr();
        columns.metadata_len = self.types.len();
        columns.metadata_keys = self.keys.as_c();
        columns.metadata_types = self.types.as_ptr();
        columns.metadata_texts = self.values.as_c();
        columns.metadata_numbers = self.numbers.as_ptr();
        columns
    }
}

pub struct Scorer(*mut cupel_scorer);

impl Scorer {
    pub fn new(json: &str) -> Self {
        let (mut clock, mut scorer) = (null_mut(), null_mut());
        call!(cupel_clock_fixed_new(NOW, &raw mut clock));
        call!(cupel_scorer_from_json(json.as_ptr().cast(), json.len(), clock, &raw mut scorer));
        // SAFETY: a live handle that is not used again.
        unsafe { cupel_clock_free(clock) };
        Self(scorer)
    }

    pub fn as_ptr(&self) -> *const cupel_scorer {
        self.0
    }

    /// A custom scorer that reads the priority of every row, item by item.
    pub fn custom_by_item() -> Self {
        let mut scorer = null_mut();
        call!(cupel_scorer_custom_new(Some(priorities_by_item), null_mut(), None, &raw mut scorer));
        Self(scorer)
    }

    /// A custom scorer that reads the column of the priorities.
    pub fn custom_by_column() -> Self {
        let mut scorer = null_mut();
        call!(cupel_scorer_custom_new(Some(priorities_by_column), null_mut(), None, &raw mut scorer));
        Self(scorer)
    }

    pub fn score(&self, batch: &Batch, out: &mut [f64]) {
        // Not inlined, as no host's call is.
        let score_batch = black_box(
            cupel_scorer_score_batch
                as unsafe extern "C" fn(
                    *const cupel_scorer,
                    *const cupel_batch,
                    *mut f64,
                    usize,
                    *mut *mut cupel_error,
                ) -> i32,
        );
        let mut error = null_mut();
        // SAFETY: live handles, and a buffer of the length that is given.
        let status = unsafe { score_batch(self.0, batch.0, out.as_mut_ptr(), out.len(), &raw mut error) };
        check(status, error);
    }
}

impl Drop for Scorer {
    fn drop(&mut self) {
        // SAFETY: a live handle that is not used again.
        unsafe { cupel_scorer_free(self.0) };
    }
}

/// Writes the priority of every row, 0 where there is none, read item by item.
unsafe extern "C" fn priorities_by_item(
    _: *mut c_void,
    batch: *const cupel_batch,
    out_scores: *mut f64,
    out_scores_len: usize,
) -> cupel_status {
    for row in 0..out_scores_len {
        let (mut item, mut priority, mut present) = (null_mut(), 0, MaybeUninit::uninit());
        call!(cupel_batch_item(batch, row, &raw mut item));
        call!(cupel_item_priority(item, &raw mut priority, present.as_mut_ptr()));
        // SAFETY: the buffer has as many scores, and the item is not used again.
        unsafe {
            *out_scores.add(row) = priority as f64;
            cupel_item_free(item);
        }
    }
    CUPEL_STATUS_OK
}

/// Writes the priority of every row, 0 where there is none, read as a column in blocks.
unsafe extern "C" fn priorities_by_column(
    _: *mut c_void,
    batch: *const cupel_batch,
    out_scores: *mut f64,
    out_scores_len: usize,
) -> cupel_status {
    let mut block = [0; 1024];
    // SAFETY: the buffer has as many scores.
    let scores = unsafe { std::slice::from_raw_parts_mut(out_scores, out_scores_len) };
    for (number, scores) in scores.chunks_mut(block.len()).enumerate() {
        let first_row = number * block.len();
        call!(cupel_batch_read_priority(batch, first_row, scores.len(), block.as_mut_ptr(), null_mut()));
        scores.iter_mut().zip(&block).for_each(|(score, &priority)| *score = priority as f64);
    }
    CUPEL_STATUS_OK
}
