//! A piece of context, and the builder that makes one.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

use crate::error::{Error, Excerpt, Place};
use crate::memory::{OutOfMemory, Shared, try_push_str, try_room, try_room_str};
use crate::model::kind::{DEFAULT_KIND, DEFAULT_SOURCE, is_blank};
use crate::model::metadata::MetadataValue;
use crate::model::within::{ValueWithin, Within};

/// An immutable piece of context. A clone is a share of the same item.
#[derive(Clone, Debug)]
pub struct Item(Shared<Fields>);

/// Makes [`Item`]s; may be used for one after another.
#[derive(Debug)]
pub struct ItemBuilder {
    /// What the builder has, and every item that it built since the last change: where no such item is left, the next change is
    /// made in place, and to build and drop one item after another takes no memory but the first one's.
    fields: Shared<Fields>,
    /// Bytes of the text that no span points at any more.
    garbage: usize,
    /// The positions in `Fields::metadata` by key, once there are too many to look through.
    keys: HashTable<u32>,
    hasher: RandomState,
}

/// What an item has.
#[derive(Debug)]
pub(crate) struct Fields {
    /// Every text of the item in one allocation.
    text: String,
    content: Span,
    kind: Option<Span>,
    source: Option<Span>,
    tags: Vec<Span>,
    metadata: Vec<(Span, Value)>,
    tokens: i64,
    priority: Option<i64>,
    timestamp: Option<i64>,
    future_relevance_hint: Option<f64>,
    pinned: bool,
    original_tokens: Option<i64>,
}

/// The place of a text in `Fields::text`.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    end: usize,
}

impl Span {
    const EMPTY: Self = Self { start: 0, end: 0 };
}

#[derive(Clone, Copy, Debug)]
enum Value {
    String(Span),
    Double(f64),
    Other(Span),
}

impl Fields {
    fn new(tokens: i64) -> Self {
        Self {
            text: String::new(),
            content: Span::EMPTY,
            kind: None,
            source: None,
            tags: Vec::new(),
            metadata: Vec::new(),
            tokens,
            priority: None,
            timestamp: None,
            future_relevance_hint: None,
            pinned: false,
            original_tokens: None,
        }
    }

    fn text(&self, span: Span) -> &str {
        self.within(span).text()
    }

    #[inline]
    fn within(&self, span: Span) -> Within<'_> {
        Within::new(&self.text, span.start..span.end)
    }

    #[inline]
    fn is(&self, span: Span, text: &str) -> bool {
        span.end - span.start == text.len() && self.text.as_bytes()[span.start..span.end] == *text.as_bytes()
    }

    fn value(&self, value: Value) -> MetadataValue<'_> {
        match value {
            Value::String(span) => MetadataValue::String(self.text(span)),
            Value::Double(value) => MetadataValue::Double(value),
            Value::Other(span) => MetadataValue::Other(self.text(span)),
        }
    }

    /// How many bytes there are for texts and lists, and how many are used.
    fn room(&self) -> (usize, usize) {
        let (tag, entry) = (size_of::<Span>(), size_of::<(Span, Value)>());
        let room = self.text.capacity() + self.tags.capacity() * tag + self.metadata.capacity() * entry;
        (room, self.text.len() + self.tags.len() * tag + self.metadata.len() * entry)
    }

    /// A copy in which `text` holds what the spans point at, and nothing else.
    fn compacted(&self, garbage: usize) -> Result<Self, OutOfMemory> {
        let mut copy = Self { text: String::new(), tags: Vec::new(), metadata: Vec::new(), ..*self };
        copy.text.try_reserve_exact(self.text.len() - garbage)?;
        copy.tags.try_reserve_exact(self.tags.len())?;
        copy.metadata.try_reserve_exact(self.metadata.len())?;
        copy.tags.extend_from_slice(&self.tags);
        copy.metadata.extend_from_slice(&self.metadata);
        if garbage == 0 {
            copy.text.push_str(&self.text);
        } else {
            copy.move_texts(&self.text);
        }
        Ok(copy)
    }

    /// Adds a text.
    #[inline(always)]
    fn append(&mut self, text: &str) -> Result<Span, OutOfMemory> {
        let start = self.text.len();
        try_push_str(&mut self.text, text)?;
        Ok(Span { start, end: self.text.len() })
    }

    /// Adds the text of a value, if it has one.
    #[inline(always)]
    fn append_value(&mut self, value: MetadataValue<'_>) -> Result<Value, OutOfMemory> {
        Ok(match value {
            MetadataValue::String(text) => Value::String(self.append(text)?),
            MetadataValue::Double(value) => Value::Double(value),
            MetadataValue::Other(text) => Value::Other(self.append(text)?),
        })
    }

    /// Appends what the spans point at in `from` to `text`, and has them point there.
    fn move_texts(&mut self, from: &str) {
        let Self { text, content, kind, source, tags, metadata, .. } = self;
        let mut moved = |span: &mut Span| {
            let start = text.len();
            text.push_str(&from[span.start..span.end]);
            *span = Span { start, end: text.len() };
        };
        moved(content);
        kind.iter_mut().for_each(&mut moved);
        source.iter_mut().for_each(&mut moved);
        tags.iter_mut().for_each(&mut moved);
        for (key, value) in metadata {
            moved(key);
            match value {
                Value::String(span) | Value::Other(span) => moved(span),
                Value::Double(_) => {}
            }
        }
    }
}

impl Item {
    /// The text itself. Empty only for an item that was read back from a row without content.
    pub fn content(&self) -> &str {
        self.0.text(self.0.content)
    }

    /// The size in tokens, as the host counted it.
    pub fn tokens(&self) -> i64 {
        self.0.tokens
    }

    /// The kind, as it was spelled.
    pub fn kind(&self) -> &str {
        self.0.kind.map_or(DEFAULT_KIND, |span| self.0.text(span))
    }

    /// The source, as it was spelled.
    pub fn source(&self) -> &str {
        self.0.source.map_or(DEFAULT_SOURCE, |span| self.0.text(span))
    }

    /// The priority, higher is more important.
    pub fn priority(&self) -> Option<i64> {
        self.0.priority
    }

    /// The instant, in nanoseconds since the Unix epoch.
    pub fn timestamp(&self) -> Option<i64> {
        self.0.timestamp
    }

    /// The host's own estimate of how useful the item will be.
    pub fn future_relevance_hint(&self) -> Option<f64> {
        self.0.future_relevance_hint
    }

    /// Whether the host wants the item kept.
    pub fn pinned(&self) -> bool {
        self.0.pinned
    }

    /// The size in tokens before the host shortened the item.
    pub fn original_tokens(&self) -> Option<i64> {
        self.0.original_tokens
    }

    /// The tags, in order, with duplicates.
    pub fn tags(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.tags.iter().map(|&span| self.0.text(span))
    }

    /// The tag at a position.
    pub fn tag(&self, index: usize) -> Option<&str> {
        self.0.tags.get(index).map(|&span| self.0.text(span))
    }

    /// The metadata, in the order in which the keys were first set.
    pub fn metadata(&self) -> impl ExactSizeIterator<Item = (&str, MetadataValue<'_>)> {
        self.0.metadata.iter().map(|&(key, value)| (self.0.text(key), self.0.value(value)))
    }

    /// The metadata entry at a position.
    pub fn metadata_entry(&self, index: usize) -> Option<(&str, MetadataValue<'_>)> {
        self.0.metadata.get(index).map(|&(key, value)| (self.0.text(key), self.0.value(value)))
    }

    /// The item as a share of what it has.
    pub(crate) fn into_shared(self) -> Shared<Fields> {
        self.0
    }

    /// The item of a share.
    pub(crate) fn of_shared(fields: Shared<Fields>) -> Self {
        Self(fields)
    }

    /// The kind, if it was set.
    #[inline]
    pub(crate) fn kind_within(&self) -> Option<Within<'_>> {
        self.0.kind.map(|span| self.0.within(span))
    }

    /// The source, if it was set.
    #[inline]
    pub(crate) fn source_within(&self) -> Option<Within<'_>> {
        self.0.source.map(|span| self.0.within(span))
    }

    /// The tags, as parts of the item's text.
    #[inline]
    pub(crate) fn tags_within(&self) -> impl ExactSizeIterator<Item = Within<'_>> {
        self.0.tags.iter().map(|&span| self.0.within(span))
    }

    /// The metadata, as parts of the item's text.
    #[inline]
    pub(crate) fn metadata_within(&self) -> impl ExactSizeIterator<Item = (Within<'_>, ValueWithin<'_>)> {
        self.0.metadata.iter().map(|&(key, value)| {
            let value = match value {
                Value::String(span) => ValueWithin::String(self.0.within(span)),
                Value::Double(value) => ValueWithin::Double(value),
                Value::Other(span) => ValueWithin::Other(self.0.within(span)),
            };
            (self.0.within(key), value)
        })
    }
}

impl ItemBuilder {
    /// Above this many metadata entries, keys are looked up by hash.
    const FEW_KEYS: usize = 16;
    /// Memory that nothing is in is given up once it is so many bytes and more than half of all.
    const MUCH: usize = 1024;

    /// A builder for an item with `content`, which may not be empty, and a size in tokens.
    pub fn new(content: &str, tokens: i64) -> Result<Self, Error> {
        let mut builder = Self::without_content(tokens)?;
        builder.reset(content, tokens)?;
        Ok(builder)
    }

    /// A builder for an item without content, as a row without content gives.
    pub(crate) fn without_content(tokens: i64) -> Result<Self, OutOfMemory> {
        let fields = Shared::try_new(Fields::new(tokens))?;
        Ok(Self { fields, garbage: 0, keys: HashTable::new(), hasher: RandomState::default() })
    }

    /// Forgets everything that was set, to begin another item in the same memory.
    pub fn reset(&mut self, content: &str, tokens: i64) -> Result<&mut Self, Error> {
        if content.is_empty() {
            return Err(Error::EmptyContent { argument: Place::argument("content") });
        }
        if self.fields.get_mut().is_none() {
            // The item that was built has the old memory; there is room for one like it in the new.
            let mut fields = Fields::new(tokens);
            fields.text.try_reserve_exact(content.len().max(self.fields.text.len()))?;
            fields.tags.try_reserve_exact(self.fields.tags.len())?;
            fields.metadata.try_reserve_exact(self.fields.metadata.len())?;
            self.fields = Shared::try_new(fields)?;
        }
        let Some(fields) = self.fields.get_mut() else { return Err(OutOfMemory.into()) };
        // Room first: a builder that has no room for the new content keeps the old item.
        let more = content.len().saturating_sub(fields.text.len());
        try_room_str(&mut fields.text, more)?;
        fields.text.clear();
        fields.text.push_str(content);
        fields.content = Span { start: 0, end: content.len() };
        fields.tags.clear();
        fields.metadata.clear();
        fields.tokens = tokens;
        (fields.kind, fields.source) = (None, None);
        (fields.priority, fields.timestamp, fields.original_tokens) = (None, None, None);
        fields.future_relevance_hint = None;
        fields.pinned = false;
        self.garbage = 0;
        self.keys.clear();
        Ok(self)
    }

    /// Sets the kind; `Message` when it is never set.
    pub fn kind(&mut self, kind: &str) -> Result<&mut Self, Error> {
        if is_blank(kind) {
            return Err(Error::EmptyKind { argument: Place::argument("kind"), value: Excerpt::new(kind) });
        }
        let fields = self.change()?;
        let span = fields.append(kind)?;
        if let Some(old) = fields.kind.replace(span) {
            self.discard(old);
        }
        Ok(self)
    }

    /// Sets the source; `Chat` when it is never set.
    pub fn source(&mut self, source: &str) -> Result<&mut Self, Error> {
        if is_blank(source) {
            return Err(Error::EmptySource { argument: Place::argument("source"), value: Excerpt::new(source) });
        }
        let fields = self.change()?;
        let span = fields.append(source)?;
        if let Some(old) = fields.source.replace(span) {
            self.discard(old);
        }
        Ok(self)
    }

    /// Adds a tag after those that are there; any text, duplicates too.
    pub fn tag(&mut self, tag: &str) -> Result<&mut Self, Error> {
        let fields = self.change()?;
        try_room(&mut fields.tags, 1)?;
        let span = fields.append(tag)?;
        fields.tags.push(span);
        Ok(self)
    }

    /// Sets the priority, higher is more important.
    pub fn priority(&mut self, priority: i64) -> Result<&mut Self, Error> {
        self.change()?.priority = Some(priority);
        Ok(self)
    }

    /// Sets the instant, in nanoseconds since the Unix epoch.
    pub fn timestamp(&mut self, unix_nanoseconds: i64) -> Result<&mut Self, Error> {
        self.change()?.timestamp = Some(unix_nanoseconds);
        Ok(self)
    }

    /// Sets the host's own estimate of how useful the item will be; any double.
    pub fn future_relevance_hint(&mut self, hint: f64) -> Result<&mut Self, Error> {
        self.change()?.future_relevance_hint = Some(hint);
        Ok(self)
    }

    /// Sets whether the host wants the item kept.
    pub fn pinned(&mut self, pinned: bool) -> Result<&mut Self, Error> {
        self.change()?.pinned = pinned;
        Ok(self)
    }

    /// Sets the size in tokens before the host shortened the item.
    pub fn original_tokens(&mut self, original_tokens: i64) -> Result<&mut Self, Error> {
        self.change()?.original_tokens = Some(original_tokens);
        Ok(self)
    }

    /// Sets the value of a key, in place of the one it had.
    pub fn metadata(&mut self, key: &str, value: MetadataValue<'_>) -> Result<&mut Self, Error> {
        let len = self.fields.metadata.len();
        if let Some(position) = self.position(key) {
            self.replace(position, value)?;
            return Ok(self);
        }
        if len >= Self::FEW_KEYS {
            self.index_keys()?;
        }
        let fields = self.change()?;
        // All that can fail comes before anything that can be seen.
        try_room_str(&mut fields.text, key.len() + text_of(value).len())?;
        try_room(&mut fields.metadata, 1)?;
        let key = fields.append(key)?;
        let value = fields.append_value(value)?;
        fields.metadata.push((key, value));
        if len >= Self::FEW_KEYS {
            self.index_key(len as u32);
        }
        Ok(self)
    }

    /// Sets the value of the entry at a position.
    #[inline(never)]
    fn replace(&mut self, position: usize, value: MetadataValue<'_>) -> Result<(), OutOfMemory> {
        let fields = self.change()?;
        let value = fields.append_value(value)?;
        if let Value::String(old) | Value::Other(old) = std::mem::replace(&mut fields.metadata[position].1, value) {
            self.discard(old);
        }
        Ok(())
    }

    /// An item with what was set so far. The builder keeps it all and can go on.
    pub fn build(&self) -> Result<Item, Error> {
        let (room, used) = self.fields.room();
        if room > Self::MUCH && room > 2 * (used - self.garbage) {
            // An item that may live on does not take a builder's large memory with it.
            return Ok(Item(Shared::try_new(self.fields.compacted(self.garbage)?)?));
        }
        Ok(Item(self.fields.clone()))
    }

    /// The fields, to be changed: a copy of them when an item has them.
    #[inline]
    fn change(&mut self) -> Result<&mut Fields, OutOfMemory> {
        if self.fields.get_mut().is_none() {
            self.part_from_items()?;
        }
        self.fields.get_mut().ok_or(OutOfMemory)
    }

    #[cold]
    fn part_from_items(&mut self) -> Result<(), OutOfMemory> {
        self.fields = Shared::try_new(self.fields.compacted(self.garbage)?)?;
        self.garbage = 0;
        Ok(())
    }

    /// Where `key` stands among the metadata.
    fn position(&self, key: &str) -> Option<usize> {
        let entries = &self.fields.metadata;
        if entries.len() <= Self::FEW_KEYS {
            return entries.iter().position(|&(span, _)| self.fields.is(span, key));
        }
        let hash = self.hasher.hash_one(key.as_bytes());
        let found = self.keys.find(hash, |&position| self.fields.is(entries[position as usize].0, key));
        found.map(|&position| position as usize)
    }

    /// Makes the index ready to take one more key, where the next key is one that needs it.
    #[cold]
    fn index_keys(&mut self) -> Result<(), OutOfMemory> {
        let Self { fields, keys, hasher, .. } = self;
        let len = fields.metadata.len();
        keys.try_reserve(len + 1 - keys.len(), |&position| hash_key(hasher, fields, position))?;
        (keys.len() as u32..len as u32).for_each(|position| self.index_key(position));
        Ok(())
    }

    /// Adds the key at a position to the index, which has room for it.
    #[cold]
    fn index_key(&mut self, position: u32) {
        let Self { fields, keys, hasher, .. } = self;
        keys.insert_unique(hash_key(hasher, fields, position), position, |&other| hash_key(hasher, fields, other));
    }

    /// Counts a span as garbage. A builder whose kind is set again and again must not grow without end.
    fn discard(&mut self, span: Span) {
        self.garbage += span.end - span.start;
        if self.garbage > Self::MUCH && self.garbage * 2 > self.fields.text.len() {
            // Without room for the copy, the garbage stays until there is some.
            let _ = self.part_from_items();
        }
    }
}

fn text_of(value: MetadataValue<'_>) -> &str {
    match value {
        MetadataValue::String(text) | MetadataValue::Other(text) => text,
        MetadataValue::Double(_) => "",
    }
}

fn hash_key(hasher: &RandomState, fields: &Fields, position: u32) -> u64 {
    hasher.hash_one(fields.text(fields.metadata[position as usize].0).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_builder_sets_every_field() {
        let mut builder = ItemBuilder::new("text", -3).unwrap();
        let plain = builder.build().unwrap();
        assert_eq!((plain.kind(), plain.source(), plain.tokens()), ("Message", "Chat", -3));
        assert_eq!((plain.priority(), plain.timestamp(), plain.pinned()), (None, None, false));
        builder.kind("Document").unwrap().source("Rag").unwrap().tag("a").unwrap().tag("a").unwrap();
        builder.priority(1).unwrap().timestamp(2).unwrap().future_relevance_hint(0.5).unwrap();
        builder.pinned(true).unwrap().original_tokens(9).unwrap();
        builder.metadata("k", MetadataValue::Double(1.0)).unwrap().metadata("", MetadataValue::Other("x")).unwrap();
        builder.metadata("k", MetadataValue::String("v")).unwrap();
        let item = builder.build().unwrap();
        assert_eq!((item.content(), item.kind(), item.source()), ("text", "Document", "Rag"));
        assert_eq!(item.tags().collect::<Vec<_>>(), ["a", "a"]);
        assert_eq!(
            item.metadata().collect::<Vec<_>>(),
            [("k", MetadataValue::String("v")), ("", MetadataValue::Other("x"))]
        );
        assert_eq!((item.priority(), item.timestamp(), item.original_tokens()), (Some(1), Some(2), Some(9)));
        assert_eq!((item.future_relevance_hint(), item.pinned()), (Some(0.5), true));
        builder.reset("other", 1).unwrap();
        let other = builder.build().unwrap();
        assert_eq!(
            (other.content(), other.kind(), other.tags().len(), other.metadata().len()),
            ("other", "Message", 0, 0)
        );
    }

    #[test]
    fn many_keys_are_found_again() {
        let mut builder = ItemBuilder::new("text", 1).unwrap();
        for round in 0..2 {
            for key in 0..100 {
                builder.metadata(&format!("key {key}"), MetadataValue::Double(f64::from(key + round))).unwrap();
            }
        }
        let item = builder.build().unwrap();
        assert_eq!(item.metadata().len(), 100);
        for (index, (key, value)) in item.metadata().enumerate() {
            assert_eq!(key, format!("key {index}"));
            assert_eq!(value, MetadataValue::Double(index as f64 + 1.0));
        }
    }

    #[test]
    fn replaced_texts_do_not_pile_up() {
        let mut builder = ItemBuilder::new("text", 1).unwrap();
        builder.tag("kept").unwrap();
        for round in 0..10_000 {
            builder.kind(&format!("kind {round}")).unwrap();
            builder.metadata("key", MetadataValue::String(&format!("value {round}"))).unwrap();
        }
        assert!(builder.fields.text.capacity() < 16_384, "{}", builder.fields.text.capacity());
        let item = builder.build().unwrap();
        assert_eq!((item.content(), item.kind(), item.tag(0)), ("text", "kind 9999", Some("kept")));
        assert_eq!(item.metadata_entry(0), Some(("key", MetadataValue::String("value 9999"))));
    }

    #[test]
    fn blank_texts_are_refused_and_change_nothing() {
        assert!(matches!(ItemBuilder::new("", 1), Err(Error::EmptyContent { .. })));
        let mut builder = ItemBuilder::new("text", 1).unwrap();
        builder.kind("Memory").unwrap();
        for blank in ["", " ", "\t\n", "\u{2003}"] {
            assert!(matches!(builder.kind(blank), Err(Error::EmptyKind { .. })));
            assert!(matches!(builder.source(blank), Err(Error::EmptySource { .. })));
        }
        assert!(matches!(builder.reset("", 2), Err(Error::EmptyContent { .. })));
        let item = builder.build().unwrap();
        assert_eq!((item.kind(), item.source(), item.tokens()), ("Memory", "Chat", 1));
    }
}
