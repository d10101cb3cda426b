//! A batch: rows stored by column.

use std::fmt;

use crate::batch::append::Appender;
use crate::batch::builder::ItemBuilder;
use crate::batch::item::Item;
use crate::batch::kind::{DEFAULT_KIND, DEFAULT_SOURCE};
use crate::batch::metadata::{MetadataTable, MetadataTableMark};
use crate::batch::tags::{TagTable, TagTableMark};
use crate::batch::workspace::Workspace;
use crate::column::TextColumn;
use crate::column::dictionary::DictionaryMark;
use crate::column::nullable::NullableMark;
use crate::column::packed::Width;
use crate::column::{DictionaryColumn, Nullable, Packed, Storage};
use crate::error::{Error, Parameter};
use crate::ingest::{Checked, MAX_ROWS};
use crate::memory::{OutOfMemory, shrink, trim};

/// Rows that are scored together, stored by column.
///
/// A row is an item: pushing an item twice gives two rows that are each other's peers. Columns hold numbers only; texts that
/// repeat are interned as rows are appended.
pub struct Batch {
    pub(super) len: usize,
    pub(super) content: TextColumn,
    pub(super) tokens: Packed,
    pub(super) kinds: DictionaryColumn,
    pub(super) sources: DictionaryColumn,
    pub(super) priority: Nullable<Packed>,
    pub(super) timestamp: Nullable<Vec<i64>>,
    pub(super) future_relevance_hint: Nullable<Vec<f64>>,
    /// 1 where a row is pinned, up to the last row that is.
    pub(super) pinned: Vec<u8>,
    pub(super) original_tokens: Nullable<Packed>,
    pub(super) tags: TagTable,
    pub(super) metadata: MetadataTable,
    workspace: Workspace,
    /// How many rows were removed since the texts and lists that no row has were last dropped.
    pub(super) removed: usize,
    /// Capacity requested, applied at the first row.
    pub(super) expected: usize,
}

/// State of a [`Batch`] that a failed append goes back to. It is made for every row that is pushed, and kept small: what follows
/// from the number of rows is not in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchMark {
    len: usize,
    tokens: Width,
    kinds: DictionaryMark,
    sources: DictionaryMark,
    priority: NullableMark<Width>,
    timestamp: NullableMark<()>,
    future_relevance_hint: NullableMark<()>,
    original_tokens: NullableMark<Width>,
    tags: TagTableMark,
    metadata: MetadataTableMark,
}

impl Batch {
    /// The greatest number of rows.
    pub const MAX_ROWS: usize = MAX_ROWS;

    /// A batch without rows. It allocates nothing until the first row; see [`reserve`](Self::reserve).
    pub const fn new() -> Self {
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
            workspace: Workspace::new(),
            removed: 0,
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

    /// Appends a row with the fields of `item`. On an error the batch is unchanged.
    pub fn push(&mut self, item: &Item) -> Result<(), Error> {
        let mut rows = self.append();
        rows.item(item)?;
        rows.commit();
        Ok(())
    }

    /// Appends a row for each item: all of them, or none when one of them is an error or memory runs out. Items are made one by
    /// one, so that a builder can use the memory of one for the next.
    pub fn try_extend<E: From<Error>>(&mut self, items: impl IntoIterator<Item = Result<Item, E>>) -> Result<(), E> {
        let mut rows = self.append();
        for item in items {
            rows.item(&item?)?;
        }
        rows.commit();
        Ok(())
    }

    /// Appends the rows of `columns`: all of them, or none on an error, which is that memory runs out.
    pub fn append_columns(&mut self, columns: &Checked<'_>) -> Result<(), Error> {
        let mut rows = self.append();
        rows.columns(columns)?;
        rows.commit();
        Ok(())
    }

    /// Begins an append, which is rolled back unless it is committed.
    pub(crate) fn append(&mut self) -> Appender<'_> {
        Appender::new(self)
    }

    /// Reserves capacity for `additional` rows, in the columns that are in use; in a batch without rows, in those that the first
    /// row uses. On an error the batch is unchanged.
    pub fn reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve(additional)?;
        self.expected = self.len + additional;
        Ok(())
    }

    /// Reserves capacity for `additional` rows in the columns that are in use: in all of them, or in none.
    pub(super) fn try_reserve(&mut self, additional: usize) -> Result<(), OutOfMemory> {
        let mark = self.mark();
        self.reserve_columns(additional).inspect_err(|_| self.restore(&mark))
    }

    /// The same, without a way back.
    pub(super) fn reserve_columns(&mut self, additional: usize) -> Result<(), OutOfMemory> {
        if self.len.checked_add(additional).is_none_or(|rows| rows > Self::MAX_ROWS) {
            return Err(OutOfMemory);
        }
        self.tokens.reserve(additional)?;
        self.kinds.reserve(additional)?;
        self.sources.reserve(additional)?;
        self.priority.reserve(additional)?;
        self.timestamp.reserve(additional)?;
        self.future_relevance_hint.reserve(additional)?;
        self.original_tokens.reserve(additional)?;
        if self.content.len() > 0 {
            self.content.reserve(additional)?;
        }
        self.tags.reserve(additional)?;
        self.metadata.reserve(additional)
    }

    /// The state to go back to.
    #[inline]
    pub(super) fn mark(&self) -> BatchMark {
        BatchMark {
            len: self.len,
            tokens: self.tokens.width(),
            kinds: self.kinds.mark(),
            sources: self.sources.mark(),
            priority: self.priority.mark(),
            timestamp: self.timestamp.mark(),
            future_relevance_hint: self.future_relevance_hint.mark(),
            original_tokens: self.original_tokens.mark(),
            tags: self.tags.mark(),
            metadata: self.metadata.mark(),
        }
    }

    /// Removes everything that was added since the mark, and the memory it took beyond what was reserved.
    #[cold]
    #[inline(never)]
    pub(super) fn restore(&mut self, mark: &BatchMark) {
        let (len, keep) = (mark.len, self.expected);
        self.len = len;
        self.content.truncate(len);
        self.content.trim(keep);
        self.tokens.restore(len, mark.tokens, keep);
        self.kinds.restore(len, mark.kinds, keep);
        self.sources.restore(len, mark.sources, keep);
        self.priority.restore(len, mark.priority, keep);
        self.timestamp.restore(len, mark.timestamp, keep);
        self.future_relevance_hint.restore(len, mark.future_relevance_hint, keep);
        self.pinned.truncate(len);
        trim(&mut self.pinned, keep);
        self.original_tokens.restore(len, mark.original_tokens, keep);
        self.tags.restore(len, mark.tags, keep);
        self.metadata.restore(len, mark.metadata, keep);
    }

    /// Gives back memory that is not in use, the scratch memory of scoring included.
    pub fn shrink(&mut self) {
        self.content.shrink();
        self.tokens.shrink();
        self.kinds.shrink();
        self.sources.shrink();
        self.priority.shrink();
        self.timestamp.shrink();
        self.future_relevance_hint.shrink();
        shrink(&mut self.pinned);
        self.original_tokens.shrink();
        self.tags.shrink();
        self.metadata.shrink();
        self.expected = 0;
        self.clear_workspace();
    }

    /// Gives back the scratch memory of scoring.
    pub(super) fn clear_workspace(&mut self) {
        self.workspace = Workspace::new();
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.len = 0;
        self.removed = 0;
        self.content.truncate(0);
        self.tokens.truncate(0);
        self.kinds.clear();
        self.sources.clear();
        self.priority.clear();
        self.timestamp.clear();
        self.future_relevance_hint.clear();
        self.pinned.clear();
        self.original_tokens.clear();
        self.tags.clear();
        self.metadata.clear();
    }

    /// The item of a row. The content is empty for a row that has none, and the order of metadata is not that in which it was set.
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

    pub(crate) fn sources(&self) -> &DictionaryColumn {
        &self.sources
    }

    pub(crate) fn original_tokens(&self) -> &Nullable<Packed> {
        &self.original_tokens
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

    pub(crate) fn workspace(&self) -> &Workspace {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::value::MetadataValue;

    #[test]
    fn items_are_appended_together() {
        let items = |numbers: std::ops::Range<i64>| numbers.map(|number| Ok::<_, Error>(item(number)));
        let (mut together, mut single) = (Batch::new(), Batch::new());
        together.try_extend(items(0..2)).unwrap();
        together.try_extend(items(2..5).chain([Err(Error::EmptyContent)])).unwrap_err();
        assert_eq!(together.len(), 2);
        together.try_extend(items(2..5)).unwrap();
        items(0..5).for_each(|item| single.push(&item.unwrap()).unwrap());
        let rows =
            |batch: &Batch| (0..batch.len()).map(|row| format!("{:?}", batch.item(row).unwrap())).collect::<Vec<_>>();
        assert_eq!((together.len(), rows(&together)), (5, rows(&single)));
    }

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
