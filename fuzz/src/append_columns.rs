//! Hostile columns: arrays that are as long as the struct says, with anything in them.
//!
//! A reader that goes slot by slot, without any cleverness, says what must come of them.

use std::ptr;

use arbitrary::{Result, Unstructured};
use cupel::capi::{self as c, cupel_columns, cupel_text_column};

use crate::appending::Subject;
use crate::capi::{self, Batch, Metadata};
use crate::values::{self, Row};

/// A column of texts, which owns its arrays.
#[derive(Debug, Default)]
struct Texts {
    data: Vec<u8>,
    offsets: Option<Vec<i64>>,
    codes: Option<Vec<u32>>,
    /// What the struct says where `offsets` is absent or does not fit the slots.
    texts_len: usize,
}

/// Offsets over `len`: mostly good ones.
fn offsets(u: &mut Unstructured<'_>, count: usize, len: usize) -> Result<Vec<i64>> {
    let mut offsets = Vec::with_capacity(count + 1);
    for _ in 0..=count {
        offsets.push(u.int_in_range(0..=len)? as i64);
    }
    if u.ratio(9, 10)? {
        offsets.sort_unstable();
    }
    if u.ratio(1, 12)? {
        let index = u.choose_index(offsets.len())?;
        offsets[index] = values::integer(u)?;
    }
    Ok(offsets)
}

impl Texts {
    fn generate(u: &mut Unstructured<'_>, slots: usize) -> Result<Self> {
        if u.ratio(1, 4)? {
            return Ok(Self::default());
        }
        let mut column = Self { texts_len: slots, ..Self::default() };
        let coded = u.ratio(1, 3)?;
        if coded {
            column.texts_len = values::len(u, 5)?;
        } else if u.ratio(1, 40)? {
            column.texts_len = values::len(u, 9)?;
        }
        if u.ratio(4, 5)? {
            // Texts one after another, as a host has them.
            let mut offsets = vec![0];
            for _ in 0..column.texts_len {
                column.data.extend_from_slice(values::text(u)?.as_bytes());
                offsets.push(column.data.len() as i64);
            }
            if u.ratio(1, 12)? {
                let index = u.choose_index(offsets.len())?;
                offsets[index] = values::integer(u)?;
            }
            column.offsets = Some(offsets);
        } else {
            let len = values::len(u, 24)?.min(u.len());
            column.data = u.bytes(len)?.to_vec();
            column.offsets = Some(offsets(u, column.texts_len, column.data.len())?);
        }
        if coded {
            let mut codes = Vec::new();
            for _ in 0..slots {
                codes.push(match u.ratio(1, 30)? {
                    true => u.arbitrary()?,
                    false => u.int_in_range(0..=column.texts_len.saturating_sub(1) as u32)?,
                });
            }
            column.codes = Some(codes);
        }
        Ok(column)
    }

    fn column(&self) -> cupel_text_column {
        cupel_text_column {
            data: if self.data.is_empty() { ptr::null() } else { self.data.as_ptr().cast() },
            data_len: self.data.len(),
            offsets: pointer(&self.offsets),
            texts_len: self.texts_len,
            codes: pointer(&self.codes),
        }
    }

    /// The text of a slot, when everything about it is in order.
    fn text(&self, slot: usize) -> Option<&str> {
        let text = match &self.codes {
            Some(codes) => codes[slot] as usize,
            None => slot,
        };
        let offsets = self.offsets.as_ref()?;
        if text >= self.texts_len {
            return None;
        }
        let range = usize::try_from(offsets[text]).ok()?..usize::try_from(offsets[text + 1]).ok()?;
        std::str::from_utf8(self.data.get(range)?).ok()
    }

    /// Whether the column as a whole is in order, whatever is used of it.
    fn sound(&self, slots: usize) -> bool {
        let Some(offsets) = &self.offsets else { return true };
        (self.codes.is_some() || self.texts_len == slots)
            && offsets_sound(offsets, self.data.len())
            && offsets
                .windows(2)
                .all(|pair| std::str::from_utf8(&self.data[pair[0] as usize..pair[1] as usize]).is_ok())
    }

    /// Whether every slot has a text.
    fn full(&self, slots: usize) -> bool {
        self.offsets.is_none() || (0..slots).all(|slot| self.text(slot).is_some())
    }
}

fn offsets_sound(offsets: &[i64], len: usize) -> bool {
    offsets[0] >= 0
        && offsets.windows(2).all(|pair| pair[0] <= pair[1])
        && offsets.last().is_some_and(|&end| end as u64 <= len as u64)
}

fn pointer<T>(values: &Option<Vec<T>>) -> *const T {
    values.as_ref().map_or(ptr::null(), |values| values.as_ptr())
}

/// An array that may be absent.
fn optional<T>(
    u: &mut Unstructured<'_>,
    len: usize,
    mut value: impl FnMut(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Option<Vec<T>>> {
    if u.arbitrary()? { (0..len).map(|_| value(u)).collect::<Result<_>>().map(Some) } else { Ok(None) }
}

fn validity(u: &mut Unstructured<'_>) -> Result<u8> {
    if u.ratio(1, 60)? { u.arbitrary() } else { u.int_in_range(0..=1) }
}

fn valid(validity: &Option<Vec<u8>>, row: usize) -> bool {
    validity.as_ref().is_none_or(|bytes| bytes[row] == 1)
}

#[derive(Debug)]
struct Columns {
    rows: usize,
    content: Texts,
    tokens: Option<Vec<i64>>,
    kind: Texts,
    kind_validity: Option<Vec<u8>>,
    source: Texts,
    source_validity: Option<Vec<u8>>,
    priority: Option<Vec<i64>>,
    priority_validity: Option<Vec<u8>>,
    timestamp: Option<Vec<i64>>,
    timestamp_validity: Option<Vec<u8>>,
    hint: Option<Vec<f64>>,
    hint_validity: Option<Vec<u8>>,
    pinned: Option<Vec<u8>>,
    original_tokens: Option<Vec<i64>>,
    original_tokens_validity: Option<Vec<u8>>,
    tag_lists: Option<Vec<i64>>,
    tags_len: usize,
    tags: Texts,
    metadata_lists: Option<Vec<i64>>,
    metadata_len: usize,
    metadata_keys: Texts,
    metadata_types: Option<Vec<u8>>,
    metadata_texts: Texts,
    metadata_numbers: Option<Vec<f64>>,
}

impl Columns {
    fn generate(u: &mut Unstructured<'_>) -> Result<Self> {
        let rows = values::len(u, 8)?;
        let (tags_len, metadata_len) = (values::len(u, 12)?, values::len(u, 8)?);
        Ok(Self {
            rows,
            content: Texts::generate(u, rows)?,
            tokens: optional(u, rows, values::integer)?,
            kind: Texts::generate(u, rows)?,
            kind_validity: optional(u, rows, validity)?,
            source: Texts::generate(u, rows)?,
            source_validity: optional(u, rows, validity)?,
            priority: optional(u, rows, values::integer)?,
            priority_validity: optional(u, rows, validity)?,
            timestamp: optional(u, rows, values::integer)?,
            timestamp_validity: optional(u, rows, validity)?,
            hint: optional(u, rows, values::double)?,
            hint_validity: optional(u, rows, validity)?,
            pinned: optional(u, rows, validity)?,
            original_tokens: optional(u, rows, values::integer)?,
            original_tokens_validity: optional(u, rows, validity)?,
            tag_lists: if u.arbitrary()? { Some(offsets(u, rows, tags_len)?) } else { None },
            tags_len,
            tags: Texts::generate(u, tags_len)?,
            metadata_lists: if u.arbitrary()? { Some(offsets(u, rows, metadata_len)?) } else { None },
            metadata_len,
            metadata_keys: Texts::generate(u, metadata_len)?,
            metadata_types: optional(u, metadata_len, |u| {
                if u.ratio(1, 60)? { u.arbitrary() } else { u.int_in_range(0..=2) }
            })?,
            metadata_texts: Texts::generate(u, metadata_len)?,
            metadata_numbers: optional(u, metadata_len, values::double)?,
        })
    }

    fn columns(&self) -> cupel_columns {
        cupel_columns {
            struct_size: size_of::<cupel_columns>(),
            rows: self.rows,
            content: self.content.column(),
            tokens: pointer(&self.tokens),
            kind: self.kind.column(),
            kind_validity: pointer(&self.kind_validity),
            source: self.source.column(),
            source_validity: pointer(&self.source_validity),
            priority: pointer(&self.priority),
            priority_validity: pointer(&self.priority_validity),
            timestamp: pointer(&self.timestamp),
            timestamp_validity: pointer(&self.timestamp_validity),
            future_relevance_hint: pointer(&self.hint),
            future_relevance_hint_validity: pointer(&self.hint_validity),
            pinned: pointer(&self.pinned),
            original_tokens: pointer(&self.original_tokens),
            original_tokens_validity: pointer(&self.original_tokens_validity),
            tag_lists: pointer(&self.tag_lists),
            tags_len: self.tags_len,
            tags: self.tags.column(),
            metadata_lists: pointer(&self.metadata_lists),
            metadata_len: self.metadata_len,
            metadata_keys: self.metadata_keys.column(),
            metadata_types: pointer(&self.metadata_types),
            metadata_texts: self.metadata_texts.column(),
            metadata_numbers: pointer(&self.metadata_numbers),
        }
    }

    /// The columns of texts, and how many slots each has.
    fn texts(&self) -> [(&Texts, usize); 6] {
        [
            (&self.content, self.rows),
            (&self.kind, self.rows),
            (&self.source, self.rows),
            (&self.tags, self.tags_len),
            (&self.metadata_keys, self.metadata_len),
            (&self.metadata_texts, self.metadata_len),
        ]
    }

    /// Whether nothing at all is wrong with the columns, be it used or not.
    fn flawless(&self) -> bool {
        let validities = [
            &self.kind_validity,
            &self.source_validity,
            &self.priority_validity,
            &self.timestamp_validity,
            &self.hint_validity,
            &self.pinned,
            &self.original_tokens_validity,
        ];
        validities.iter().all(|bytes| bytes.iter().flatten().all(|&byte| byte <= 1))
            && self.texts().iter().all(|(column, slots)| column.sound(*slots) && column.full(*slots))
            && [(&self.tag_lists, self.tags_len), (&self.metadata_lists, self.metadata_len)]
                .iter()
                .all(|(lists, len)| lists.as_ref().is_none_or(|lists| offsets_sound(lists, *len)))
            && self.metadata_types.iter().flatten().all(|&kind| kind <= 2)
            && self.expected().is_some()
    }

    /// Whether no column is there in part alone: validity without values, texts without offsets, slots without lists, lists
    /// without slots.
    fn whole(&self) -> bool {
        let values = [
            (&self.kind_validity, self.kind.offsets.is_some()),
            (&self.source_validity, self.source.offsets.is_some()),
            (&self.priority_validity, self.priority.is_some()),
            (&self.timestamp_validity, self.timestamp.is_some()),
            (&self.hint_validity, self.hint.is_some()),
            (&self.original_tokens_validity, self.original_tokens.is_some()),
        ];
        let lists = [
            (&self.tag_lists, self.tags_len, &self.tags),
            (&self.metadata_lists, self.metadata_len, &self.metadata_keys),
        ];
        values.iter().all(|(validity, present)| validity.is_none() || *present || self.rows == 0)
            && self.texts().iter().all(|(texts, slots)| {
                let nothing = texts.data.is_empty() && texts.texts_len == 0;
                texts.offsets.is_some() || nothing && (texts.codes.is_none() || *slots == 0)
            })
            && lists.iter().all(|(lists, slots, texts)| match lists {
                None => *slots == 0 && (texts.offsets.is_none() || texts.texts_len == 0),
                Some(lists) => texts.offsets.is_some() || *slots == 0 && lists.first() == lists.last(),
            })
    }

    /// The slots of a row, when the list is in order.
    fn slots(lists: &Option<Vec<i64>>, len: usize, row: usize) -> Option<std::ops::Range<usize>> {
        let Some(lists) = lists else { return Some(0..0) };
        offsets_sound(lists, len).then(|| lists[row] as usize..lists[row + 1] as usize)
    }

    /// The rows that must come of it, or nothing when what is used of it is not in order.
    fn expected(&self) -> Option<Vec<Row>> {
        if !self.whole() {
            return None;
        }
        (0..self.rows).map(|row| self.expected_row(row)).collect()
    }

    fn expected_row(&self, row: usize) -> Option<Row> {
        let mut expected = Row {
            kind: "Message".to_owned(),
            source: "Chat".to_owned(),
            tokens: self.tokens.as_ref().map_or(0, |tokens| tokens[row]),
            pinned: self.pinned.as_ref().is_some_and(|pinned| pinned[row] == 1),
            priority: self.priority.as_ref().filter(|_| valid(&self.priority_validity, row)).map(|values| values[row]),
            timestamp: self
                .timestamp
                .as_ref()
                .filter(|_| valid(&self.timestamp_validity, row))
                .map(|values| values[row]),
            hint: self.hint.as_ref().filter(|_| valid(&self.hint_validity, row)).map(|values| values[row]),
            original_tokens: self
                .original_tokens
                .as_ref()
                .filter(|_| valid(&self.original_tokens_validity, row))
                .map(|values| values[row]),
            ..Row::default()
        };
        if self.content.offsets.is_some() {
            expected.content = self.content.text(row).filter(|text| !text.is_empty())?.to_owned();
        }
        if self.kind.offsets.is_some() && valid(&self.kind_validity, row) {
            expected.kind = self.kind.text(row).filter(|text| !text.trim().is_empty())?.to_owned();
        }
        if self.source.offsets.is_some() && valid(&self.source_validity, row) {
            expected.source = self.source.text(row).filter(|text| !text.trim().is_empty())?.to_owned();
        }
        for slot in Self::slots(&self.tag_lists, self.tags_len, row)? {
            expected.tags.push(self.tags.text(slot)?.to_owned());
        }
        for slot in Self::slots(&self.metadata_lists, self.metadata_len, row)? {
            let key = self.metadata_keys.text(slot)?.to_owned();
            let value = match self.metadata_types.as_ref().map_or(0, |types| types[slot]) {
                0 => Metadata::String(self.metadata_texts.text(slot)?.to_owned()),
                1 => Metadata::Double(self.metadata_numbers.as_ref()?[slot]),
                2 => Metadata::Other(self.metadata_texts.text(slot)?.to_owned()),
                _ => return None,
            };
            expected.set_metadata(key, value);
        }
        Some(expected)
    }
}

fn append(batch: &mut Batch, columns: &cupel_columns) -> capi::Result<()> {
    // SAFETY: every array is NULL or as long as the struct says.
    capi::check(|error| unsafe { c::cupel_batch_append_columns(batch.as_mut_ptr(), columns, error) })
}

pub fn run(data: &[u8]) {
    let _ = attempt(&mut Unstructured::new(data));
}

fn attempt(u: &mut Unstructured<'_>) -> Result<()> {
    let mut subject = Subject::new();
    // Several in a row: what the batch has kept from one must not confuse the next.
    for _ in 0..=values::len(u, 2)? {
        let columns = Columns::generate(u)?;
        let expected = columns.expected();
        let append = |batch: &mut Batch| append(batch, &columns.columns());
        subject.append(append, expected, || columns.flawless(), || format!("{columns:?}"));
    }
    Ok(())
}
