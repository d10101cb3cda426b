//! The rows that are scored together.

use std::fmt;
use std::sync::atomic::AtomicUsize;

use crate::batch::item::{Item, ItemBuilder};
use crate::batch::kind::{DEFAULT_KIND, DEFAULT_SOURCE};
use crate::batch::metadata::MetadataTable;
use crate::batch::tags::TagTable;
use crate::batch::value::ValueKey;
use crate::batch::workspace::WorkspaceCell;
use crate::column::DictionaryColumn;
use crate::column::Nullable;
use crate::column::Packed;
use crate::error::{Error, Excerpt, Parameter};
use crate::ingest::columns::{BLOCK_ROWS, CodeMap, Columns, TextSlots};
use crate::memory::{OutOfMemory, try_extend, try_pad};
use crate::text::{TextColumn, TextKey, is_blank};

/// A list of rows, kept by column.
///
/// An item is its row: pushing an item twice gives two rows that are each other's peers. Every scorer runs down a column
/// or two, so a column holds numbers only; texts that repeat are numbered as rows come in.
pub struct Batch {
    len: usize,
    content: TextColumn,
    tokens: Packed,
    kinds: DictionaryColumn,
    sources: DictionaryColumn,
    priority: Nullable<Packed>,
    timestamp: Nullable<Vec<i64>>,
    future_relevance_hint: Nullable<Vec<f64>>,
    /// 1 where a row is pinned, up to the last row that is.
    pinned: Vec<u8>,
    original_tokens: Nullable<Packed>,
    tags: TagTable,
    metadata: MetadataTable,
    workspace: WorkspaceCell,
    holds: AtomicUsize,
    /// So many rows its owner wanted room for.
    expected: usize,
}

/// Appends the texts of `count` rows; `validity` has a byte of 1 for each row that has one, if any has not.
fn extend_dictionary(
    column: &mut DictionaryColumn,
    count: usize,
    (slots, validity): (Option<TextSlots<'_>>, Option<&[u8]>),
) -> Result<(), OutOfMemory> {
    let some_missing = slots.is_none() || validity.is_some_and(|bytes| bytes.contains(&0));
    let default = if some_missing && count > 0 { column.intern(None)? } else { 0 };
    let Some(slots) = slots else { return column.rows.extend(std::iter::repeat_n(default.into(), count)) };
    let mut slot_numbers = CodeMap::new(slots)?;
    let mut numbers = Vec::new();
    for first in (0..count).step_by(BLOCK_ROWS) {
        let rows = first..count.min(first + BLOCK_ROWS);
        match validity.filter(|_| some_missing) {
            None => slot_numbers.number(&mut column.texts, rows, &mut numbers)?,
            Some(validity) => {
                numbers.clear();
                try_pad(&mut numbers, rows.len(), default)?;
                for (slot, number) in rows.zip(&mut numbers).filter(|(slot, _)| validity[*slot] == 1) {
                    *number = slot_numbers.get(&mut column.texts, slot)?;
                }
            }
        }
        column.rows.extend(numbers.iter().map(|&number| number.into()))?;
    }
    Ok(())
}

/// The fields of a row that are neither tags nor metadata.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowFields<'a> {
    /// The content; none for a row that is there for its score only.
    pub content: Option<&'a str>,
    /// The size in tokens.
    pub tokens: i64,
    /// The number of the kind.
    pub kind: u32,
    /// The number of the source.
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

impl Batch {
    /// The most rows of a batch.
    pub const MOST_ROWS: usize = i32::MAX as usize;

    /// A batch without rows. It takes no memory until the first row comes; see [`reserve`](Self::reserve).
    pub fn new() -> Self {
        Self {
            len: 0,
            content: TextColumn::new(),
            tokens: Packed::new(),
            kinds: DictionaryColumn::new(DEFAULT_KIND),
            sources: DictionaryColumn::new(DEFAULT_SOURCE),
            priority: Nullable::new(Packed::new()),
            timestamp: Nullable::new(Vec::new()),
            future_relevance_hint: Nullable::new(Vec::new()),
            pinned: Vec::new(),
            original_tokens: Nullable::new(Packed::new()),
            tags: TagTable::new(),
            metadata: MetadataTable::new(),
            workspace: WorkspaceCell::new(),
            holds: AtomicUsize::new(1),
            expected: 0,
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a row with the fields of `item`, or leaves the batch as it was.
    pub fn push(&mut self, item: &Item) -> Result<(), Error> {
        let mut rows = self.append();
        rows.item(item)?;
        rows.commit();
        Ok(())
    }

    /// Begins to append rows; they are gone again unless they are committed.
    pub fn append(&mut self) -> Appender<'_> {
        Appender { before: self.len, batch: self }
    }

    /// Makes room for `additional` rows in the columns that are in use; in a batch without rows, in those that the first row
    /// will use.
    pub fn reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.make_room(additional)?;
        self.expected = self.len + additional;
        Ok(())
    }

    /// Makes room for `additional` rows in the columns that are in use.
    fn make_room(&mut self, additional: usize) -> Result<(), Error> {
        if self.len.checked_add(additional).is_none_or(|rows| rows > Self::MOST_ROWS) {
            return Err(OutOfMemory.into());
        }
        self.tokens.reserve(additional)?;
        self.kinds.rows.reserve(additional)?;
        self.sources.rows.reserve(additional)?;
        self.priority.reserve(additional)?;
        self.timestamp.reserve(additional)?;
        self.future_relevance_hint.reserve(additional)?;
        self.original_tokens.reserve(additional)?;
        if self.content.len() > 0 {
            self.content.reserve(additional)?;
        }
        self.tags.reserve(additional)?;
        self.metadata.reserve(additional)?;
        Ok(())
    }

    /// Gives back memory that is not in use, the scratch memory of scoring too.
    pub fn shrink(&mut self) {
        self.content.shrink();
        self.tokens.shrink();
        self.kinds.shrink();
        self.sources.shrink();
        self.priority.shrink();
        self.timestamp.shrink();
        self.future_relevance_hint.shrink();
        crate::memory::shrink(&mut self.pinned);
        self.original_tokens.shrink();
        self.tags.shrink();
        self.metadata.shrink();
        self.expected = 0;
        self.workspace = WorkspaceCell::new();
    }

    /// Forgets the rows and keeps the memory.
    pub fn clear(&mut self) {
        self.truncate(0);
        self.kinds.clear();
        self.sources.clear();
        self.tags.clear();
        self.metadata.clear();
    }

    fn truncate(&mut self, len: usize) {
        self.content.truncate(len);
        self.tokens.truncate(len);
        self.kinds.rows.truncate(len);
        self.sources.rows.truncate(len);
        self.priority.truncate(len);
        self.timestamp.truncate(len);
        self.future_relevance_hint.truncate(len);
        self.pinned.truncate(len);
        self.original_tokens.truncate(len);
        self.tags.truncate(len);
        self.metadata.truncate(len);
        self.len = len;
    }

    /// A row as an item of its own. The content is empty for a row that has none, and metadata may come in another order
    /// than it was set in.
    pub fn item(&self, row: usize) -> Result<Item, Error> {
        if row >= self.len {
            return Err(Error::OutOfRange { parameter: Parameter::Row, index: row, len: self.len });
        }
        let content = if row < self.content.len() { self.content.get(row) } else { "" };
        let tokens = self.tokens.get(row);
        let mut builder =
            if content.is_empty() { ItemBuilder::without_content(tokens)? } else { ItemBuilder::new(content, tokens)? };
        builder.kind(self.kinds.get(row))?.source(self.sources.get(row))?;
        builder.pinned(self.pinned.get(row) == Some(&1))?;
        if let Some(priority) = self.priority.get(row) {
            builder.priority(priority)?;
        }
        if let Some(timestamp) = self.timestamp.get(row) {
            builder.timestamp(timestamp)?;
        }
        if let Some(hint) = self.future_relevance_hint.get(row) {
            builder.future_relevance_hint(hint)?;
        }
        if let Some(tokens) = self.original_tokens.get(row) {
            builder.original_tokens(tokens)?;
        }
        for tag in self.tags.row(row) {
            builder.tag(tag)?;
        }
        for (key, value) in self.metadata.row(row) {
            builder.metadata(key, value)?;
        }
        builder.build()
    }

    pub(crate) fn tokens(&self) -> &Packed {
        &self.tokens
    }

    /// 1 for each row that is pinned, up to the last that is.
    pub(crate) fn pinned(&self) -> &[u8] {
        &self.pinned
    }

    /// The content of a row; empty when it has none.
    #[inline(always)]
    pub(crate) fn content(&self, row: usize) -> &str {
        if row < self.content.len() { self.content.get(row) } else { "" }
    }

    pub(crate) fn kinds(&self) -> &DictionaryColumn {
        &self.kinds
    }

    pub(crate) fn priority(&self) -> &Nullable<Packed> {
        &self.priority
    }

    pub(crate) fn timestamp(&self) -> &Nullable<Vec<i64>> {
        &self.timestamp
    }

    pub(crate) fn future_relevance_hint(&self) -> &Nullable<Vec<f64>> {
        &self.future_relevance_hint
    }

    pub(crate) fn tags(&self) -> &TagTable {
        &self.tags
    }

    pub(crate) fn metadata(&self) -> &MetadataTable {
        &self.metadata
    }

    /// Who holds the batch, for the C boundary to keep: its owner at first.
    pub(crate) fn holds(&self) -> &AtomicUsize {
        &self.holds
    }

    pub(crate) fn workspace(&self) -> &WorkspaceCell {
        &self.workspace
    }
}

impl Default for Batch {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("len", &self.len).finish_non_exhaustive()
    }
}

/// Rows on their way into a batch: all of them come in, or none.
#[derive(Debug)]
pub struct Appender<'a> {
    batch: &'a mut Batch,
    before: usize,
}

impl Appender<'_> {
    /// How many rows were appended so far.
    pub fn rows(&self) -> usize {
        self.batch.len - self.before
    }

    /// Keeps the rows.
    pub fn commit(self) {
        std::mem::forget(self);
    }

    /// Makes room for `additional` rows.
    pub fn reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.batch.make_room(additional)
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

    /// Begins a row with the lists of an item; gives the numbers of kind and source.
    #[inline(always)]
    fn stage(&mut self, item: &Item) -> Result<(u32, u32), OutOfMemory> {
        self.begin_row();
        for tag in item.tag_keys() {
            self.tag(tag)?;
        }
        // In a large batch the list of tags is far away; the rest of the row is taken in while it comes.
        self.batch.tags.fetch();
        for (key, value) in item.metadata_keys() {
            let key = self.intern_key(key)?;
            self.metadata(key, value)?;
        }
        Ok((self.batch.kinds.intern(item.kind_key())?, self.batch.sources.intern(item.source_key())?))
    }

    /// The number of a kind, or of the default kind.
    pub fn kind(&mut self, kind: Option<&str>) -> Result<u32, Error> {
        if let Some(text) = kind
            && is_blank(text)
        {
            return Err(Error::EmptyKind { parameter: Parameter::Kind, text: Excerpt::new(text) });
        }
        Ok(self.batch.kinds.intern(kind.map(TextKey::from))?)
    }

    /// The number of a source, or of the default source.
    pub fn source(&mut self, source: Option<&str>) -> Result<u32, Error> {
        if let Some(text) = source
            && is_blank(text)
        {
            return Err(Error::EmptySource { parameter: Parameter::Source, text: Excerpt::new(text) });
        }
        Ok(self.batch.sources.intern(source.map(TextKey::from))?)
    }

    /// Appends rows a column at a time.
    pub fn columns(&mut self, columns: &Columns<'_>) -> Result<(), Error> {
        let batch = &mut *self.batch;
        let (row, count) = (batch.len, columns.rows);
        if let Some(content) = columns.content {
            batch.content.pad(row)?;
            match content.codes {
                None => batch.content.extend(content.text, content.offsets)?,
                Some(_) => (0..count).try_for_each(|slot| batch.content.push(content.get(slot).text()))?,
            }
        }
        extend_dictionary(&mut batch.kinds, count, columns.kinds)?;
        extend_dictionary(&mut batch.sources, count, columns.sources)?;
        batch.metadata.extend(row, count, columns.metadata)?;
        batch.tags.extend(count, columns.tags)?;
        match columns.tokens {
            Some(tokens) => batch.tokens.extend(tokens.iter().copied())?,
            None => batch.tokens.pad(row + count)?,
        }
        let (values, validity) = columns.priority;
        batch.priority.extend(row, count, values, validity)?;
        let (values, validity) = columns.timestamp;
        batch.timestamp.extend(row, count, values, validity)?;
        let (values, validity) = columns.future_relevance_hint;
        batch.future_relevance_hint.extend(row, count, values, validity)?;
        let (values, validity) = columns.original_tokens;
        batch.original_tokens.extend(row, count, values, validity)?;
        if let Some(pinned) = columns.pinned.filter(|pinned| pinned.contains(&1)) {
            try_pad(&mut batch.pinned, row, 0)?;
            try_extend(&mut batch.pinned, pinned)?;
        }
        batch.len += count;
        Ok(())
    }

    /// Begins a row: what is not ended is forgotten.
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

    /// Appends the row with the tags and the metadata that were added since it was begun.
    #[inline]
    pub fn end_row(&mut self, fields: RowFields<'_>) -> Result<(), Error> {
        if let Err(error) = self.append_row(fields) {
            // Some columns have the row and some have not; it is taken back from those that have.
            let len = self.batch.len;
            self.batch.truncate(len);
            return Err(error.into());
        }
        self.batch.len += 1;
        if self.batch.len == 1 && self.batch.expected > 1 {
            // The first row shows which columns will be in use. Without room for them all, each grows as it needs.
            let _ = self.batch.make_room(self.batch.expected - 1);
        }
        Ok(())
    }

    #[inline(always)]
    fn append_row(&mut self, fields: RowFields<'_>) -> Result<(), OutOfMemory> {
        let batch = &mut *self.batch;
        let row = batch.len;
        if row == Batch::MOST_ROWS {
            return Err(OutOfMemory);
        }
        if let Some(content) = fields.content {
            batch.content.pad(row)?;
            batch.content.push(content)?;
        }
        batch.tokens.push(fields.tokens)?;
        batch.kinds.rows.push(fields.kind.into())?;
        batch.sources.rows.push(fields.source.into())?;
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
        self.batch.truncate(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::value::MetadataValue;

    fn item(number: i64) -> Item {
        let mut builder = ItemBuilder::new(&format!("content {number}"), number).unwrap();
        if number % 2 == 0 {
            builder.kind("Document").unwrap().priority(number).unwrap().tag("even").unwrap();
            builder.metadata("number", MetadataValue::Double(number as f64)).unwrap();
        }
        if number % 3 == 0 {
            builder.timestamp(number).unwrap().future_relevance_hint(0.5).unwrap();
            builder.pinned(true).unwrap().original_tokens(1 << number).unwrap();
            builder.metadata("cupel:trust", MetadataValue::String("0.5")).unwrap().source("Rag").unwrap();
        }
        builder.build().unwrap()
    }

    fn fields(item: &Item) -> impl PartialEq + fmt::Debug + use<> {
        format!(
            "{} {} {} {} {:?} {:?} {:?} {} {:?} {:?} {:?}",
            item.content(),
            item.tokens(),
            item.kind(),
            item.source(),
            item.priority(),
            item.timestamp(),
            item.future_relevance_hint(),
            item.pinned(),
            item.original_tokens(),
            item.tags().collect::<Vec<_>>(),
            item.metadata().collect::<Vec<_>>(),
        )
    }

    #[test]
    fn rows_read_back_as_the_items_that_were_pushed() {
        let mut batch = Batch::new();
        let items: Vec<Item> = (0..40).map(item).collect();
        for item in &items {
            batch.push(item).unwrap();
        }
        assert_eq!(batch.len(), 40);
        for (row, item) in items.iter().enumerate() {
            assert_eq!(fields(&batch.item(row).unwrap()), fields(item));
        }
        assert!(matches!(batch.item(40), Err(Error::OutOfRange { index: 40, len: 40, .. })));
        batch.clear();
        batch.push(&items[3]).unwrap();
        assert_eq!(fields(&batch.item(0).unwrap()), fields(&items[3]));
    }

    #[test]
    fn rows_that_are_not_committed_are_gone() {
        let mut batch = Batch::new();
        batch.push(&item(1)).unwrap();
        {
            let mut rows = batch.append();
            for number in 2..10 {
                rows.item(&item(number)).unwrap();
            }
            assert!(rows.kind(Some(" ")).is_err());
        }
        assert_eq!(batch.len(), 1);
        batch.push(&item(6)).unwrap();
        assert_eq!(fields(&batch.item(0).unwrap()), fields(&item(1)));
        assert_eq!(fields(&batch.item(1).unwrap()), fields(&item(6)));
    }
}
