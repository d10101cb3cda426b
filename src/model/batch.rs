//! The rows that are scored together.

use std::fmt;
use std::sync::atomic::AtomicUsize;

use crate::error::{Error, Excerpt, Place};
use crate::memory::{OutOfMemory, try_extend, try_pad};
use crate::model::item::{Item, ItemBuilder};
use crate::model::kind::{DEFAULT_KIND, DEFAULT_SOURCE, is_blank};
use crate::model::metadata::MetadataValue;
use crate::model::metadata_table::MetadataTable;
use crate::model::optional::Optional;
use crate::model::packed::Packed;
use crate::model::tag_table::TagTable;
use crate::model::text_column::TextColumn;
use crate::model::text_interner::{Match, TextInterner};
use crate::model::workspace::WorkspaceCell;

/// A list of rows, kept by column.
///
/// An item is its row: pushing an item twice gives two rows that are each other's peers. Every scorer runs down a column
/// or two, so a column holds numbers only; texts that repeat are numbered as rows come in.
pub struct Batch {
    len: usize,
    content: TextColumn,
    tokens: Packed,
    kinds: Names,
    sources: Names,
    priority: Optional<Packed>,
    timestamp: Optional<Vec<i64>>,
    future_relevance_hint: Optional<Vec<f64>>,
    /// 1 where a row is pinned, up to the last row that is.
    pinned: Vec<u8>,
    original_tokens: Optional<Packed>,
    tags: TagTable,
    metadata: MetadataTable,
    workspace: WorkspaceCell,
    holds: AtomicUsize,
}

/// Kinds or sources: few texts, one a row.
#[derive(Debug)]
pub struct Names {
    texts: TextInterner,
    rows: Packed,
    last: u32,
    default: &'static str,
}

impl Names {
    fn new(default: &'static str) -> Self {
        Self { texts: TextInterner::new(Match::Exact), rows: Packed::new(), last: 0, default }
    }

    /// The number of a text that is not blank, or of the default.
    #[inline]
    pub fn intern(&mut self, text: Option<&str>) -> Result<u32, OutOfMemory> {
        let text = text.unwrap_or(self.default);
        // Rows come in runs of a kind.
        if (self.last as usize) < self.texts.len() && self.texts.text(self.last) == text {
            return Ok(self.last);
        }
        self.last = self.texts.intern(text)?;
        Ok(self.last)
    }

    /// The distinct texts, in every spelling.
    pub fn texts(&self) -> &TextInterner {
        &self.texts
    }

    /// The number of each row's text.
    pub fn rows(&self) -> &Packed {
        &self.rows
    }

    fn get(&self, row: usize) -> &str {
        self.texts.text(self.rows.get(row) as u32)
    }

    fn clear(&mut self) {
        self.texts.clear();
        self.rows.truncate(0);
        self.last = 0;
    }

    fn shrink(&mut self) {
        self.texts.shrink();
        self.rows.shrink();
    }
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

/// Numbers that may be missing: a value for each row, and a byte of 1 for each row that has one. No values: all are missing. No
/// bytes: none is missing.
pub type OptionalColumn<'a, T> = (Option<&'a [T]>, Option<&'a [u8]>);

/// The content of many rows.
#[derive(Clone, Copy)]
pub enum Content<'a> {
    /// The rows have none.
    None,
    /// Texts one after another, from each offset to the next; the first offset is the beginning of the text.
    Texts {
        /// All texts.
        text: &'a str,
        /// One offset more than rows.
        offsets: &'a [i64],
    },
    /// The text of each row.
    Each(&'a dyn Fn(usize) -> &'a str),
}

/// The fields of many rows that are not lists.
#[derive(Clone, Copy)]
pub struct FieldColumns<'a> {
    /// How many rows there are.
    pub rows: usize,
    /// The content.
    pub content: Content<'a>,
    /// The number of each row's kind.
    pub kinds: &'a [u32],
    /// The number of each row's source.
    pub sources: &'a [u32],
    /// The sizes in tokens.
    pub tokens: Option<&'a [i64]>,
    /// The priorities.
    pub priority: OptionalColumn<'a, i64>,
    /// The instants, in nanoseconds since the Unix epoch.
    pub timestamp: OptionalColumn<'a, i64>,
    /// The host's hints.
    pub future_relevance_hint: OptionalColumn<'a, f64>,
    /// Which rows the host wants kept, 0 or 1.
    pub pinned: Option<&'a [u8]>,
    /// The sizes in tokens before the host shortened the items.
    pub original_tokens: OptionalColumn<'a, i64>,
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
            kinds: Names::new(DEFAULT_KIND),
            sources: Names::new(DEFAULT_SOURCE),
            priority: Optional::new(Packed::new()),
            timestamp: Optional::new(Vec::new()),
            future_relevance_hint: Optional::new(Vec::new()),
            pinned: Vec::new(),
            original_tokens: Optional::new(Packed::new()),
            tags: TagTable::new(),
            metadata: MetadataTable::new(),
            workspace: WorkspaceCell::new(),
            holds: AtomicUsize::new(1),
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

    /// Makes room for `additional` rows in the columns that are in use.
    pub fn reserve(&mut self, additional: usize) -> Result<(), Error> {
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
            return Err(Error::NoSuchIndex { argument: "row", index: row, len: self.len });
        }
        let content = if row < self.content.len() { self.content.get(row) } else { "" };
        let tokens = self.tokens.get(row);
        let mut builder =
            if content.is_empty() { ItemBuilder::without_content(tokens) } else { ItemBuilder::new(content, tokens)? };
        builder.kind(self.kinds.get(row))?.source(self.sources.get(row))?;
        builder.pinned(self.pinned.get(row) == Some(&1));
        self.priority.get(row).map(|priority| builder.priority(priority));
        self.timestamp.get(row).map(|timestamp| builder.timestamp(timestamp));
        self.future_relevance_hint.get(row).map(|hint| builder.future_relevance_hint(hint));
        self.original_tokens.get(row).map(|tokens| builder.original_tokens(tokens));
        for tag in self.tags.row(row) {
            builder.tag(tag)?;
        }
        for (key, value) in self.metadata.row(row) {
            builder.metadata(key, value)?;
        }
        builder.build()
    }

    pub(crate) fn kinds(&self) -> &Names {
        &self.kinds
    }

    pub(crate) fn priority(&self) -> &Optional<Packed> {
        &self.priority
    }

    pub(crate) fn timestamp(&self) -> &Optional<Vec<i64>> {
        &self.timestamp
    }

    pub(crate) fn future_relevance_hint(&self) -> &Optional<Vec<f64>> {
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
        self.batch.reserve(additional)
    }

    /// Appends a row with the fields of an item.
    pub fn item(&mut self, item: &Item) -> Result<(), Error> {
        self.begin_row();
        for tag in item.tags() {
            self.tag(tag)?;
        }
        for (key, value) in item.metadata() {
            self.metadata(key, value)?;
        }
        let kind = self.batch.kinds.intern(Some(item.kind()))?;
        let source = self.batch.sources.intern(Some(item.source()))?;
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

    /// The number of a kind, or of the default kind.
    pub fn kind(&mut self, kind: Option<&str>, place: Place) -> Result<u32, Error> {
        if let Some(text) = kind
            && is_blank(text)
        {
            return Err(Error::EmptyKind { argument: place, value: Excerpt::new(text) });
        }
        self.checked_kind(kind)
    }

    /// The number of a kind that is known not to be blank, or of the default kind.
    #[inline]
    pub fn checked_kind(&mut self, kind: Option<&str>) -> Result<u32, Error> {
        Ok(self.batch.kinds.intern(kind)?)
    }

    /// The number of a source, or of the default source.
    pub fn source(&mut self, source: Option<&str>, place: Place) -> Result<u32, Error> {
        if let Some(text) = source
            && is_blank(text)
        {
            return Err(Error::EmptySource { argument: place, value: Excerpt::new(text) });
        }
        self.checked_source(source)
    }

    /// The number of a source that is known not to be blank, or of the default source.
    #[inline]
    pub fn checked_source(&mut self, source: Option<&str>) -> Result<u32, Error> {
        Ok(self.batch.sources.intern(source)?)
    }

    /// Appends the numbers of tags to `numbers`, for [`columns`](Self::columns).
    pub fn intern_tags<'a>(
        &mut self,
        tags: impl ExactSizeIterator<Item = &'a str>,
        numbers: &mut Vec<u32>,
    ) -> Result<(), Error> {
        Ok(self.batch.tags.intern_all(tags, numbers)?)
    }

    /// Appends rows a column at a time. `tags` gives the numbers of each row's tags, `metadata` its entries.
    pub fn columns<'a, M>(
        &mut self,
        columns: &FieldColumns<'_>,
        tags: impl ExactSizeIterator<Item = &'a [u32]>,
        metadata: impl ExactSizeIterator<Item = M>,
    ) -> Result<(), Error>
    where
        M: Iterator<Item = (&'a str, MetadataValue<'a>)>,
    {
        let batch = &mut *self.batch;
        let (row, count) = (batch.len, columns.rows);
        match columns.content {
            Content::None => {}
            Content::Texts { text, offsets } => {
                batch.content.pad(row)?;
                batch.content.extend(text, offsets)?;
            }
            Content::Each(contents) => {
                batch.content.pad(row)?;
                for index in 0..count {
                    batch.content.push(contents(index))?;
                }
            }
        }
        batch.kinds.rows.extend(columns.kinds.iter().map(|&number| number.into()))?;
        batch.sources.rows.extend(columns.sources.iter().map(|&number| number.into()))?;
        batch.metadata.extend(row, metadata)?;
        batch.tags.extend(tags)?;
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
    #[inline]
    pub fn tag(&mut self, tag: &str) -> Result<(), Error> {
        let tag = self.batch.tags.intern(tag)?;
        Ok(self.batch.tags.stage(tag)?)
    }

    /// Sets the value of a metadata key in the row.
    #[inline]
    pub fn metadata(&mut self, key: &str, value: MetadataValue<'_>) -> Result<(), Error> {
        let key = self.intern_key(key)?;
        self.metadata_number(key, value)
    }

    /// The number of a metadata key, for [`metadata_number`](Self::metadata_number).
    #[inline]
    pub fn intern_key(&mut self, key: &str) -> Result<Option<u32>, Error> {
        Ok(self.batch.metadata.intern_key(key)?)
    }

    /// Sets the value of a metadata key in the row, by the key's number.
    #[inline]
    pub fn metadata_number(&mut self, key: Option<u32>, value: MetadataValue<'_>) -> Result<(), Error> {
        Ok(self.batch.metadata.stage(key, value)?)
    }

    /// Appends the row with the tags and the metadata that were added since it was begun.
    pub fn end_row(&mut self, fields: RowFields<'_>) -> Result<(), Error> {
        if let Err(error) = self.append_row(fields) {
            // Some columns have the row and some have not; it is taken back from those that have.
            let len = self.batch.len;
            self.batch.truncate(len);
            return Err(error.into());
        }
        self.batch.len += 1;
        Ok(())
    }

    #[inline]
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

    fn item(number: i64) -> Item {
        let mut builder = ItemBuilder::new(&format!("content {number}"), number).unwrap();
        if number % 2 == 0 {
            builder.kind("Document").unwrap().priority(number).tag("even").unwrap();
            builder.metadata("number", MetadataValue::Double(number as f64)).unwrap();
        }
        if number % 3 == 0 {
            builder.timestamp(number).future_relevance_hint(0.5).pinned(true).original_tokens(1 << number);
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
        assert!(matches!(batch.item(40), Err(Error::NoSuchIndex { index: 40, len: 40, .. })));
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
            assert!(rows.kind(Some(" "), Place::entry("kind", 9)).is_err());
        }
        assert_eq!(batch.len(), 1);
        batch.push(&item(6)).unwrap();
        assert_eq!(fields(&batch.item(0).unwrap()), fields(&item(1)));
        assert_eq!(fields(&batch.item(1).unwrap()), fields(&item(6)));
    }
}
