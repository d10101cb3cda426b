//! Appending rows: all of them, or none.

use crate::batch::item::Item;
use crate::batch::rows::{Batch, BatchMark};
use crate::batch::value::ValueKey;
use crate::column::DictionaryColumn;
use crate::column::{Nullable, Storage};
use crate::error::{Error, Excerpt, Parameter};
use crate::ingest::{BLOCK_ROWS, Checked, CheckedTexts, CodeMap, Flags, Numbers, Values};
use crate::memory::{OutOfMemory, try_pad, try_reserve};
use crate::text::{TextKey, is_blank};

/// The fields of a row that are neither tags nor metadata.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowFields<'a> {
    /// The content; none for a row that is there for its score only.
    pub content: Option<&'a str>,
    /// The size in tokens.
    pub tokens: i64,
    /// The code of the kind.
    pub kind: u32,
    /// The code of the source.
    pub source: u32,
    /// The priority.
    pub priority: Option<i64>,
    /// The instant, in nanoseconds since the Unix epoch.
    pub timestamp: Option<i64>,
    /// The host's hint.
    pub future_relevance_hint: Option<f64>,
    /// Whether the host wants the row kept.
    pub pinned: bool,
    /// The size in tokens before the host shortened the item.
    pub original_tokens: Option<i64>,
}

/// Appends the texts of `count` rows.
fn extend_dictionary(
    column: &mut DictionaryColumn,
    count: usize,
    texts: Option<(CheckedTexts<'_>, Option<Flags<'_>>)>,
) -> Result<(), OutOfMemory> {
    if count == 0 {
        return Ok(());
    }
    let Some((texts, validity)) = texts else {
        let default = column.intern(None)?;
        return column.extend(std::iter::repeat_n(default, count));
    };
    let validity = validity.filter(|validity| !validity.all(count));
    let mut code_map = CodeMap::new(texts)?;
    let mut codes = Numbers::new();
    for first in (0..count).step_by(BLOCK_ROWS) {
        let rows = first..count.min(first + BLOCK_ROWS);
        match validity {
            None => code_map.number(column.texts_mut(), rows, &mut codes)?,
            Some(validity) => {
                codes.clear();
                for row in rows {
                    let present = validity.get(row);
                    let code = if present { code_map.get(column.texts_mut(), row)? } else { column.intern(None)? };
                    codes.try_reserve(1).map_err(|_| OutOfMemory)?;
                    codes.push(code);
                }
            }
        }
        column.extend(codes.iter().copied())?;
    }
    Ok(())
}

/// Appends the values of `count` rows from `row`, the next one, on.
fn extend_nullable<C: Storage>(
    column: &mut Nullable<C>,
    row: usize,
    count: usize,
    values: Option<Values<'_, C::Value>>,
) -> Result<(), OutOfMemory> {
    let Some(Values { values, validity }) = values else { return column.extend_missing(row, count) };
    // One loop for each representation, so that it is chosen outside the loop.
    match validity {
        None => column.extend(row, values, |_| true),
        Some(Flags::Bytes(bytes)) => column.extend(row, values, |index| bytes[index] == 1),
        Some(bits) => column.extend(row, values, |index| bits.get(index)),
    }
}

/// An append that is rolled back when it is dropped, unless it is committed. After an error it must be dropped.
#[derive(Debug)]
pub struct Appender<'a> {
    batch: &'a mut Batch,
    mark: BatchMark,
}

impl<'a> Appender<'a> {
    /// Begins an append.
    #[inline]
    pub fn new(batch: &'a mut Batch) -> Self {
        Self { mark: batch.mark(), batch }
    }

    /// Keeps the rows.
    pub fn commit(self) {
        // Dropping it would roll back.
        std::mem::forget(self);
    }

    /// Appends a row with the fields of an item.
    pub fn item(&mut self, item: &Item) -> Result<(), Error> {
        let (kind, source) = self.stage(item)?;
        let content = item.content();
        self.end_row(RowFields {
            content: (!content.is_empty()).then_some(content),
            tokens: item.tokens(),
            kind,
            source,
            priority: item.priority(),
            timestamp: item.timestamp(),
            future_relevance_hint: item.future_relevance_hint(),
            pinned: item.pinned(),
            original_tokens: item.original_tokens(),
        })
    }

    /// Begins a row with the tags and the metadata of an item; gives the codes of kind and source.
    #[inline(always)]
    fn stage(&mut self, item: &Item) -> Result<(u32, u32), OutOfMemory> {
        self.begin_row();
        for tag in item.tag_keys() {
            self.tag(tag)?;
        }
        for (key, value) in item.metadata_keys() {
            let key = self.intern_key(key)?;
            self.metadata(key, value)?;
        }
        Ok((self.batch.kinds.intern(item.kind_key())?, self.batch.sources.intern(item.source_key())?))
    }

    /// The code of a kind, or of the default kind.
    pub fn kind(&mut self, kind: Option<&str>) -> Result<u32, Error> {
        if let Some(text) = kind
            && is_blank(text)
        {
            return Err(Error::EmptyKind { parameter: Parameter::Kind, text: Excerpt::new(text) });
        }
        Ok(self.batch.kinds.intern(kind.map(TextKey::from))?)
    }

    /// The code of a source, or of the default source.
    pub fn source(&mut self, source: Option<&str>) -> Result<u32, Error> {
        if let Some(text) = source
            && is_blank(text)
        {
            return Err(Error::EmptySource { parameter: Parameter::Source, text: Excerpt::new(text) });
        }
        Ok(self.batch.sources.intern(source.map(TextKey::from))?)
    }

    /// Appends rows a column at a time.
    pub fn columns(&mut self, columns: &Checked<'_>) -> Result<(), OutOfMemory> {
        let batch = &mut *self.batch;
        let (row, count) = (batch.len, columns.rows);
        batch.reserve_columns(count)?;
        if let Some(content) = columns.content {
            batch.content.pad(row)?;
            if content.codes().is_some() {
                (0..count).try_for_each(|slot| batch.content.push(content.get(slot)))?;
            } else {
                let (text, ends) = content.all();
                batch.content.extend(text, ends)?;
            }
        }
        extend_dictionary(&mut batch.kinds, count, columns.kind)?;
        extend_dictionary(&mut batch.sources, count, columns.source)?;
        batch.metadata.extend(row, count, columns.metadata)?;
        batch.tags.extend(count, columns.tags)?;
        match columns.tokens {
            Some(tokens) => batch.tokens.extend(tokens.iter().copied())?,
            None => batch.tokens.pad(row + count)?,
        }
        extend_nullable(&mut batch.priority, row, count, columns.priority)?;
        extend_nullable(&mut batch.timestamp, row, count, columns.timestamp)?;
        extend_nullable(&mut batch.future_relevance_hint, row, count, columns.future_relevance_hint)?;
        extend_nullable(&mut batch.original_tokens, row, count, columns.original_tokens)?;
        if let Some(pinned) = columns.pinned
            && let Some(last) = (0..count).rfind(|&row| pinned.get(row))
        {
            try_pad(&mut batch.pinned, row, 0)?;
            try_reserve(&mut batch.pinned, last + 1)?;
            batch.pinned.extend((0..=last).map(|row| u8::from(pinned.get(row))));
        }
        batch.len += count;
        Ok(())
    }

    /// Begins a row, which is appended by [`end_row`](Self::end_row).
    #[inline]
    pub fn begin_row(&mut self) {
        self.batch.tags.begin_row();
        self.batch.metadata.begin_row();
    }

    /// Adds a tag to the row.
    #[inline(always)]
    pub fn tag(&mut self, tag: TextKey<'_>) -> Result<(), OutOfMemory> {
        let tag = self.batch.tags.intern(tag)?;
        self.batch.tags.stage(tag)
    }

    /// The number of a metadata key, for [`metadata`](Self::metadata).
    #[inline(always)]
    pub fn intern_key(&mut self, key: TextKey<'_>) -> Result<u32, OutOfMemory> {
        self.batch.metadata.intern_key(key)
    }

    /// Sets the value of a metadata key in the row.
    #[inline(always)]
    pub fn metadata(&mut self, key: u32, value: ValueKey<'_>) -> Result<(), OutOfMemory> {
        self.batch.metadata.stage(key, value)
    }

    /// Appends the row with the tags and the metadata added since it was begun.
    #[inline]
    pub fn end_row(&mut self, fields: RowFields<'_>) -> Result<(), Error> {
        self.append_row(fields)?;
        self.batch.len += 1;
        if self.batch.len == 1 && self.batch.expected > 1 {
            // The first row shows which columns are in use. The request is a hint: without memory, columns grow as they need.
            let _ = self.batch.try_reserve(self.batch.expected - 1);
        }
        Ok(())
    }

    #[inline(always)]
    fn append_row(&mut self, fields: RowFields<'_>) -> Result<(), OutOfMemory> {
        let batch = &mut *self.batch;
        let row = batch.len;
        if row == Batch::MAX_ROWS {
            return Err(OutOfMemory);
        }
        if let Some(content) = fields.content {
            batch.content.pad(row)?;
            batch.content.push(content)?;
        }
        batch.tokens.push(fields.tokens)?;
        batch.kinds.push(fields.kind)?;
        batch.sources.push(fields.source)?;
        batch.priority.push(row, fields.priority)?;
        batch.timestamp.push(row, fields.timestamp)?;
        batch.future_relevance_hint.push(row, fields.future_relevance_hint)?;
        if fields.pinned {
            try_pad(&mut batch.pinned, row, 0)?;
            try_pad(&mut batch.pinned, row + 1, 1)?;
        }
        batch.original_tokens.push(row, fields.original_tokens)?;
        batch.metadata.end_row(row)?;
        batch.tags.end_row()
    }
}

impl Drop for Appender<'_> {
    fn drop(&mut self) {
        self.batch.restore(&self.mark);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::{Array, Codes, Column, Columns, Metadata, Offsets, Tags, Texts};

    /// Slots 2 to 4 are good; those before and after them are wrong in every way.
    #[test]
    fn only_slots_that_rows_reach_are_checked() {
        let offsets = Offsets::I64(&[9, -4, 3, 4, 6, 9, 2, 1_000]);
        let texts = Texts { data: b"...abcdef\xFF", offsets, codes: None };
        let good = Offsets::I32(&[2, 3, 5]);
        let metadata = |lists| Metadata {
            lists,
            keys: texts,
            types: Some(&[9, 9, 0, 1, 2, 9, 9]),
            texts: Some(texts),
            numbers: Some(&[0.5; 7]),
        };
        let columns = Columns {
            rows: 2,
            tags: Some(Tags { lists: good, tags: texts }),
            metadata: Some(metadata(good)),
            ..Columns::default()
        };
        let mut batch = Batch::new();
        batch.append_columns(&columns.check().unwrap()).unwrap();
        assert_eq!(batch.item(0).unwrap().tags().collect::<Vec<_>>(), ["a"]);
        assert_eq!(batch.item(1).unwrap().tags().collect::<Vec<_>>(), ["bc", "def"]);
        assert_eq!(batch.item(1).unwrap().metadata().map(|(key, _)| key).collect::<Vec<_>>(), ["bc", "def"]);

        for bad in [Offsets::I32(&[1, 3, 5]), Offsets::I32(&[2, 3, 6]), Offsets::I32(&[2, 3, 7])] {
            let columns = Columns { rows: 2, tags: Some(Tags { lists: bad, tags: texts }), ..Columns::default() };
            let error = columns.check().unwrap_err();
            assert_eq!((error.column, error.array), (Column::Tags, Array::Offsets));
            let columns = Columns { rows: 2, metadata: Some(metadata(bad)), ..Columns::default() };
            assert_eq!(columns.check().unwrap_err().column, Column::MetadataKeys);
        }
        // Of a dictionary the codes that are reached are checked, and all texts.
        let dictionary =
            |codes| Texts { data: b"ab", offsets: Offsets::I64(&[0, 1, 2]), codes: Some(Codes::U8(codes)) };
        let check = |lists, codes| {
            let tags = Some(Tags { lists, tags: dictionary(codes) });
            Columns { rows: 1, tags, ..Columns::default() }.check().map(|_| ()).map_err(|error| error.index)
        };
        assert_eq!(check(Offsets::I32(&[1, 3]), &[7, 1, 0, 7]), Ok(()));
        assert_eq!(check(Offsets::I32(&[1, 4]), &[7, 1, 0, 7]), Err(Some(3)));
    }
}
