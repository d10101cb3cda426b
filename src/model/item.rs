//! A piece of context, and the builder that makes one.

use std::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

use crate::error::{Error, Excerpt, Place};
use crate::memory::{OutOfMemory, Shared, try_push, try_push_str};
use crate::model::kind::{DEFAULT_KIND, DEFAULT_SOURCE, is_blank};
use crate::model::metadata::MetadataValue;
use crate::model::within::{ValueWithin, Within};

/// An immutable piece of context. A clone is a share of the same item.
#[derive(Clone, Debug)]
pub struct Item(Shared<Fields>);

/// Makes [`Item`]s; may be used for one after another.
#[derive(Debug)]
pub struct ItemBuilder {
    fields: Fields,
    /// Bytes of `fields.text` that no span points at any more.
    garbage: usize,
    /// The positions in `fields.metadata` by key, once there are too many to look through.
    keys: HashTable<u32>,
    hasher: RandomState,
}

#[derive(Debug)]
struct Fields {
    /// Every text of the item in one allocation.
    text: String,
    content: Range<usize>,
    kind: Option<Range<usize>>,
    source: Option<Range<usize>>,
    tags: Vec<Range<usize>>,
    metadata: Vec<(Range<usize>, Value)>,
    tokens: i64,
    priority: Option<i64>,
    timestamp: Option<i64>,
    future_relevance_hint: Option<f64>,
    pinned: bool,
    original_tokens: Option<i64>,
}

#[derive(Clone, Debug)]
enum Value {
    String(Range<usize>),
    Double(f64),
    Other(Range<usize>),
}

impl Fields {
    fn new(tokens: i64) -> Self {
        Self {
            text: String::new(),
            content: 0..0,
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

    fn text(&self, span: &Range<usize>) -> &str {
        &self.text[span.clone()]
    }

    fn value(&self, value: &Value) -> MetadataValue<'_> {
        match value {
            Value::String(span) => MetadataValue::String(self.text(span)),
            Value::Double(value) => MetadataValue::Double(*value),
            Value::Other(span) => MetadataValue::Other(self.text(span)),
        }
    }

    /// A copy in which `text` holds what the spans point at and nothing else.
    fn compacted(&self, garbage: usize) -> Result<Self, OutOfMemory> {
        let mut copy = Self { text: String::new(), tags: Vec::new(), metadata: Vec::new(), ..self.scalars() };
        copy.text.try_reserve_exact(self.text.len() - garbage)?;
        if garbage == 0 {
            copy.text.push_str(&self.text);
            copy.tags = try_clone(&self.tags)?;
            copy.metadata = try_clone(&self.metadata)?;
            return Ok(copy);
        }
        copy.tags.try_reserve_exact(self.tags.len())?;
        copy.metadata.try_reserve_exact(self.metadata.len())?;
        let text = &mut copy.text;
        let mut moved = |span: &Range<usize>| {
            let start = text.len();
            text.push_str(&self.text[span.clone()]);
            start..text.len()
        };
        copy.content = moved(&self.content);
        copy.kind = self.kind.as_ref().map(&mut moved);
        copy.source = self.source.as_ref().map(&mut moved);
        copy.tags.extend(self.tags.iter().map(&mut moved));
        copy.metadata.extend(self.metadata.iter().map(|(key, value)| {
            let key = moved(key);
            let value = match value {
                Value::String(span) => Value::String(moved(span)),
                Value::Double(value) => Value::Double(*value),
                Value::Other(span) => Value::Other(moved(span)),
            };
            (key, value)
        }));
        Ok(copy)
    }

    /// Everything but the lists and the text.
    fn scalars(&self) -> Self {
        Self {
            text: String::new(),
            content: self.content.clone(),
            kind: self.kind.clone(),
            source: self.source.clone(),
            tags: Vec::new(),
            metadata: Vec::new(),
            ..*self
        }
    }
}

fn try_clone<T: Clone>(values: &[T]) -> Result<Vec<T>, OutOfMemory> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(values.len())?;
    copy.extend_from_slice(values);
    Ok(copy)
}

impl Item {
    /// The text itself. Empty only for an item that was read back from a row without content.
    pub fn content(&self) -> &str {
        self.0.text(&self.0.content)
    }

    /// The size in tokens, as the host counted it.
    pub fn tokens(&self) -> i64 {
        self.0.tokens
    }

    /// The kind, as it was spelled.
    pub fn kind(&self) -> &str {
        self.0.kind.as_ref().map_or(DEFAULT_KIND, |span| self.0.text(span))
    }

    /// The source, as it was spelled.
    pub fn source(&self) -> &str {
        self.0.source.as_ref().map_or(DEFAULT_SOURCE, |span| self.0.text(span))
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
        self.0.tags.iter().map(|span| self.0.text(span))
    }

    /// The tag at a position.
    pub fn tag(&self, index: usize) -> Option<&str> {
        self.0.tags.get(index).map(|span| self.0.text(span))
    }

    /// The metadata, in the order in which the keys were first set.
    pub fn metadata(&self) -> impl ExactSizeIterator<Item = (&str, MetadataValue<'_>)> {
        self.0.metadata.iter().map(|(key, value)| (self.0.text(key), self.0.value(value)))
    }

    /// The metadata entry at a position.
    pub fn metadata_entry(&self, index: usize) -> Option<(&str, MetadataValue<'_>)> {
        self.0.metadata.get(index).map(|(key, value)| (self.0.text(key), self.0.value(value)))
    }

    fn within(&self, span: &Range<usize>) -> Within<'_> {
        Within::new(&self.0.text, span.clone())
    }

    /// The kind, if it was set.
    pub(crate) fn kind_within(&self) -> Option<Within<'_>> {
        self.0.kind.as_ref().map(|span| self.within(span))
    }

    /// The source, if it was set.
    pub(crate) fn source_within(&self) -> Option<Within<'_>> {
        self.0.source.as_ref().map(|span| self.within(span))
    }

    /// The tags, as parts of the item's text.
    pub(crate) fn tags_within(&self) -> impl ExactSizeIterator<Item = Within<'_>> {
        self.0.tags.iter().map(|span| self.within(span))
    }

    /// The metadata, as parts of the item's text.
    pub(crate) fn metadata_within(&self) -> impl ExactSizeIterator<Item = (Within<'_>, ValueWithin<'_>)> {
        self.0.metadata.iter().map(|(key, value)| {
            let value = match value {
                Value::String(span) => ValueWithin::String(self.within(span)),
                Value::Double(value) => ValueWithin::Double(*value),
                Value::Other(span) => ValueWithin::Other(self.within(span)),
            };
            (self.within(key), value)
        })
    }
}

impl ItemBuilder {
    /// Above this many metadata entries, keys are looked up by hash.
    const FEW_KEYS: usize = 16;
    /// Replaced texts are cleared away once they are this much and more than half of all.
    const MUCH_GARBAGE: usize = 1024;

    /// A builder for an item with `content`, which may not be empty, and a size in tokens.
    pub fn new(content: &str, tokens: i64) -> Result<Self, Error> {
        let mut builder =
            Self { fields: Fields::new(tokens), garbage: 0, keys: HashTable::new(), hasher: RandomState::default() };
        builder.reset(content, tokens)?;
        Ok(builder)
    }

    /// A builder for an item without content, as a row without content gives.
    pub(crate) fn without_content(tokens: i64) -> Self {
        Self { fields: Fields::new(tokens), garbage: 0, keys: HashTable::new(), hasher: RandomState::default() }
    }

    /// Forgets everything that was set, to begin another item in the same memory.
    pub fn reset(&mut self, content: &str, tokens: i64) -> Result<&mut Self, Error> {
        if content.is_empty() {
            return Err(Error::EmptyContent { argument: Place::argument("content") });
        }
        // Room first: a builder that has no room for the new content keeps the old item.
        self.fields.text.try_reserve(content.len().saturating_sub(self.fields.text.len()))?;
        let mut text = std::mem::take(&mut self.fields.text);
        let mut tags = std::mem::take(&mut self.fields.tags);
        let mut metadata = std::mem::take(&mut self.fields.metadata);
        text.clear();
        tags.clear();
        metadata.clear();
        text.push_str(content);
        self.fields = Fields { text, content: 0..content.len(), tags, metadata, ..Fields::new(tokens) };
        self.garbage = 0;
        self.keys.clear();
        Ok(self)
    }

    /// Sets the kind; `Message` when it is never set.
    pub fn kind(&mut self, kind: &str) -> Result<&mut Self, Error> {
        if is_blank(kind) {
            return Err(Error::EmptyKind { argument: Place::argument("kind"), value: Excerpt::new(kind) });
        }
        let span = self.append(kind)?;
        if let Some(old) = self.fields.kind.replace(span) {
            self.discard(&old);
        }
        Ok(self)
    }

    /// Sets the source; `Chat` when it is never set.
    pub fn source(&mut self, source: &str) -> Result<&mut Self, Error> {
        if is_blank(source) {
            return Err(Error::EmptySource { argument: Place::argument("source"), value: Excerpt::new(source) });
        }
        let span = self.append(source)?;
        if let Some(old) = self.fields.source.replace(span) {
            self.discard(&old);
        }
        Ok(self)
    }

    /// Adds a tag after those that are there; any text, duplicates too.
    pub fn tag(&mut self, tag: &str) -> Result<&mut Self, Error> {
        let span = self.append(tag)?;
        try_push(&mut self.fields.tags, span)?;
        Ok(self)
    }

    /// Sets the priority, higher is more important.
    pub fn priority(&mut self, priority: i64) -> &mut Self {
        self.fields.priority = Some(priority);
        self
    }

    /// Sets the instant, in nanoseconds since the Unix epoch.
    pub fn timestamp(&mut self, unix_nanoseconds: i64) -> &mut Self {
        self.fields.timestamp = Some(unix_nanoseconds);
        self
    }

    /// Sets the host's own estimate of how useful the item will be; any double.
    pub fn future_relevance_hint(&mut self, hint: f64) -> &mut Self {
        self.fields.future_relevance_hint = Some(hint);
        self
    }

    /// Sets whether the host wants the item kept.
    pub fn pinned(&mut self, pinned: bool) -> &mut Self {
        self.fields.pinned = pinned;
        self
    }

    /// Sets the size in tokens before the host shortened the item.
    pub fn original_tokens(&mut self, original_tokens: i64) -> &mut Self {
        self.fields.original_tokens = Some(original_tokens);
        self
    }

    /// Sets the value of a key, in place of the one it had.
    pub fn metadata(&mut self, key: &str, value: MetadataValue<'_>) -> Result<&mut Self, Error> {
        let known = self.position(key);
        let value_text = match value {
            MetadataValue::String(text) | MetadataValue::Other(text) => text,
            MetadataValue::Double(_) => "",
        };
        // All that can fail comes before anything that can be seen.
        let new_text = value_text.len() + if known.is_none() { key.len() } else { 0 };
        self.fields.text.try_reserve(new_text)?;
        if known.is_none() {
            self.fields.metadata.try_reserve(1)?;
            self.index_keys()?;
        }
        let key_span = if known.is_none() { self.append(key)? } else { 0..0 };
        let value_span = self.append(value_text)?;
        let value = match value {
            MetadataValue::String(_) => Value::String(value_span),
            MetadataValue::Double(value) => Value::Double(value),
            MetadataValue::Other(_) => Value::Other(value_span),
        };
        if let Some(position) = known {
            let old = std::mem::replace(&mut self.fields.metadata[position].1, value);
            if let Value::String(span) | Value::Other(span) = old {
                self.discard(&span);
            }
        } else {
            let position = self.fields.metadata.len();
            self.fields.metadata.push((key_span, value));
            if position >= Self::FEW_KEYS {
                let Self { fields, keys, hasher, .. } = self;
                let hash = |position: &u32| hash_key(hasher, fields, *position);
                keys.insert_unique(hash(&(position as u32)), position as u32, hash);
            }
        }
        Ok(self)
    }

    /// An item with what was set so far. The builder keeps it all and can go on.
    pub fn build(&self) -> Result<Item, Error> {
        Ok(Item(Shared::try_new(self.fields.compacted(self.garbage)?)?))
    }

    /// Where `key` stands among the metadata.
    fn position(&self, key: &str) -> Option<usize> {
        let entries = &self.fields.metadata;
        if entries.len() <= Self::FEW_KEYS {
            return entries.iter().position(|(span, _)| self.fields.text(span) == key);
        }
        let hash = self.hasher.hash_one(key.as_bytes());
        let found = self.keys.find(hash, |&position| self.fields.text(&entries[position as usize].0) == key);
        found.map(|&position| position as usize)
    }

    /// Makes the index ready to take one more key, if the next key is one that needs it.
    fn index_keys(&mut self) -> Result<(), OutOfMemory> {
        let len = self.fields.metadata.len();
        if len < Self::FEW_KEYS {
            return Ok(());
        }
        let Self { fields, keys, hasher, .. } = self;
        let hash = |position: &u32| hash_key(hasher, fields, *position);
        keys.try_reserve(len + 1 - keys.len(), hash)?;
        for position in keys.len() as u32..len as u32 {
            keys.insert_unique(hash(&position), position, hash);
        }
        Ok(())
    }

    fn append(&mut self, text: &str) -> Result<Range<usize>, OutOfMemory> {
        let start = self.fields.text.len();
        try_push_str(&mut self.fields.text, text)?;
        Ok(start..self.fields.text.len())
    }

    /// Counts a span as garbage. A builder whose kind is set again and again must not grow without end.
    fn discard(&mut self, span: &Range<usize>) {
        self.garbage += span.len();
        if self.garbage > Self::MUCH_GARBAGE && self.garbage * 2 > self.fields.text.len() {
            // Without room for the copy, the garbage stays until there is some.
            if let Ok(fields) = self.fields.compacted(self.garbage) {
                self.fields = fields;
                self.garbage = 0;
            }
        }
    }
}

fn hash_key(hasher: &RandomState, fields: &Fields, position: u32) -> u64 {
    hasher.hash_one(fields.text(&fields.metadata[position as usize].0).as_bytes())
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
        builder.priority(1).timestamp(2).future_relevance_hint(0.5).pinned(true).original_tokens(9);
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
