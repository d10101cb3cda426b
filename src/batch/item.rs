//! A piece of context, and the builder that makes one.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

use crate::batch::item_fields::{Fields, Value};
use crate::batch::kind::{DEFAULT_KIND, DEFAULT_SOURCE};
use crate::batch::value::{MetadataValue, ValueKey};
use crate::error::{Error, Excerpt, Parameter};
use crate::memory::{OutOfMemory, Shared, try_box, try_reserve_str, try_string};
use crate::text::{InlineText, Span};
use crate::text::{ShortText, TextKey, is_blank};

/// An immutable piece of context. A clone is a share of the same item.
#[derive(Clone, Debug)]
pub struct Item(Shared<Fields>);

/// Makes [`Item`]s; may be used for one after another.
#[derive(Debug)]
pub struct ItemBuilder {
    /// What the builder has, and every item that it built since the last change: where no such item is left, the next change is
    /// made in place, and to build and drop one item after another takes no memory but the first one's.
    fields: Shared<Fields>,
    /// Bytes of the long texts that nothing points at any more.
    garbage: usize,
    /// The positions in `Fields::metadata` by key, once there are too many to look through.
    keys: Option<Box<KeyIndex>>,
}

/// The positions of many metadata entries by key.
#[derive(Debug, Default)]
struct KeyIndex {
    positions: HashTable<u32>,
    hasher: RandomState,
}

impl KeyIndex {
    fn find(&self, fields: &Fields, key: TextKey<'_>) -> Option<usize> {
        let hash = key.show(|key| self.hasher.hash_one(key.as_bytes()));
        let is_it = |&position: &u32| fields.metadata[position as usize].0.is(key, &fields.long);
        self.positions.find(hash, is_it).map(|&position| position as usize)
    }

    /// Adds the keys that came since, and makes room for one more.
    fn update(&mut self, fields: &Fields) -> Result<(), OutOfMemory> {
        let (known, len) = (self.positions.len(), fields.metadata.len());
        self.positions.try_reserve(len + 1 - known, |&position| hash_key(&self.hasher, fields, position))?;
        (known as u32..len as u32).for_each(|position| self.add(fields, position));
        Ok(())
    }

    /// Adds the key at a position; there is room for it.
    fn add(&mut self, fields: &Fields, position: u32) {
        let hash = |&position: &u32| hash_key(&self.hasher, fields, position);
        self.positions.insert_unique(hash(&position), position, hash);
    }
}

fn hash_key(hasher: &RandomState, fields: &Fields, position: u32) -> u64 {
    hasher.hash_one(fields.metadata[position as usize].0.get(&fields.long).as_bytes())
}

impl Item {
    /// The text itself. Empty only for an item that was read back from a row without content.
    pub fn content(&self) -> &str {
        self.0.content.get(&self.0.long)
    }

    /// The size in tokens, as the host counted it.
    pub fn tokens(&self) -> i64 {
        self.0.tokens
    }

    /// The kind, as it was spelled.
    pub fn kind(&self) -> &str {
        self.0.kind.as_ref().map_or(DEFAULT_KIND, |kind| kind.get(&self.0.long))
    }

    /// The source, as it was spelled.
    pub fn source(&self) -> &str {
        self.0.source.as_ref().map_or(DEFAULT_SOURCE, |source| source.get(&self.0.long))
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
        self.0.tags.iter().map(|tag| tag.get(&self.0.long))
    }

    /// The tag at a position.
    pub fn tag(&self, index: usize) -> Option<&str> {
        self.0.tags.get(index).map(|tag| tag.get(&self.0.long))
    }

    /// The metadata, in the order in which the keys were first set.
    pub fn metadata(&self) -> impl ExactSizeIterator<Item = (&str, MetadataValue<'_>)> {
        self.0.metadata.iter().map(|(key, value)| (key.get(&self.0.long), self.0.value(value)))
    }

    /// The metadata entry at a position.
    pub fn metadata_entry(&self, index: usize) -> Option<(&str, MetadataValue<'_>)> {
        self.0.metadata.get(index).map(|(key, value)| (key.get(&self.0.long), self.0.value(value)))
    }

    /// The item as a share of what it has.
    pub(crate) fn into_shared(self) -> Shared<Fields> {
        self.0
    }

    /// The item of a share.
    pub(crate) fn of_shared(fields: Shared<Fields>) -> Self {
        Self(fields)
    }

    /// What the kind is looked up by, if it was set.
    #[inline]
    pub(crate) fn kind_key(&self) -> Option<TextKey<'_>> {
        self.0.kind.map(|kind| kind.key(&self.0.long))
    }

    /// What the source is looked up by, if it was set.
    #[inline]
    pub(crate) fn source_key(&self) -> Option<TextKey<'_>> {
        self.0.source.map(|source| source.key(&self.0.long))
    }

    /// What the tags are looked up by.
    #[inline]
    pub(crate) fn tag_keys(&self) -> impl ExactSizeIterator<Item = TextKey<'_>> {
        self.0.tags.iter().map(|tag| tag.key(&self.0.long))
    }

    /// What the metadata is looked up by.
    #[inline]
    pub(crate) fn metadata_keys(&self) -> impl ExactSizeIterator<Item = (TextKey<'_>, ValueKey<'_>)> {
        let long = &*self.0.long;
        self.0.metadata.iter().map(|(key, value)| {
            let value = match value {
                Value::String(text) => ValueKey::String(text.key(long)),
                Value::Double(value) => ValueKey::Double(*value),
                Value::Other(text) => ValueKey::Other(text.key(long)),
            };
            (key.key(long), value)
        })
    }
}

impl ItemBuilder {
    /// Above this many metadata entries, keys are looked up by hash.
    const FEW_KEYS: usize = 16;
    /// Memory that nothing is in is given up once it is so many bytes and more than half of all.
    const MUCH: usize = 1024;

    /// A builder for an item with `content`, which may not be empty, and a size in tokens.
    #[inline(always)]
    pub fn new(content: &str, tokens: i64) -> Result<Self, Error> {
        check_content(content)?;
        Self::begin(try_string(content)?, tokens).map_err(Error::from)
    }

    /// A builder for an item without content, as a row without content gives.
    pub(crate) fn without_content(tokens: i64) -> Result<Self, OutOfMemory> {
        Self::begin(String::new(), tokens)
    }

    #[inline(always)]
    fn begin(content: String, tokens: i64) -> Result<Self, OutOfMemory> {
        let fields = Shared::try_new_with(|| Fields::new(content, tokens))?;
        Ok(Self { fields, garbage: 0, keys: None })
    }

    /// Forgets everything that was set, to begin another item in the same memory.
    #[inline(always)]
    pub fn reset(&mut self, content: &str, tokens: i64) -> Result<&mut Self, Error> {
        check_content(content)?;
        let fields = self.fields.get_mut_or(|built| {
            // The item that was built has the old memory; there is room for texts like its own in the new.
            let mut long = String::new();
            long.try_reserve_exact(content.len().max(built.long.len()))?;
            Shared::try_new_with(|| Fields::new(long, tokens))
        })?;
        // Room first: a builder that has no room for the new content keeps the old item.
        let more = content.len().saturating_sub(fields.long.len());
        try_reserve_str(&mut fields.long, more)?;
        fields.long.clear();
        fields.long.push_str(content);
        fields.content = Span { start: 0, end: content.len() };
        fields.tags.clear();
        fields.metadata.clear();
        fields.tokens = tokens;
        (fields.kind, fields.source) = (None, None);
        (fields.priority, fields.timestamp, fields.original_tokens) = (None, None, None);
        fields.future_relevance_hint = None;
        fields.pinned = false;
        self.garbage = 0;
        if let Some(keys) = &mut self.keys {
            keys.positions.clear();
        }
        Ok(self)
    }

    /// Sets the kind; `Message` when it is never set.
    pub fn kind(&mut self, kind: &str) -> Result<&mut Self, Error> {
        if is_blank(kind) {
            return Err(Error::EmptyKind { parameter: Parameter::Kind, text: Excerpt::new(kind) });
        }
        let fields = self.change()?;
        let kind = InlineText::new(kind.into(), &mut fields.long)?;
        if let Some(old) = fields.kind.replace(kind) {
            self.discard(old);
        }
        Ok(self)
    }

    /// Sets the source; `Chat` when it is never set.
    pub fn source(&mut self, source: &str) -> Result<&mut Self, Error> {
        if is_blank(source) {
            return Err(Error::EmptySource { parameter: Parameter::Source, text: Excerpt::new(source) });
        }
        let fields = self.change()?;
        let source = InlineText::new(source.into(), &mut fields.long)?;
        if let Some(old) = fields.source.replace(source) {
            self.discard(old);
        }
        Ok(self)
    }

    /// Adds a tag after those that are there; any text, duplicates too.
    pub fn tag(&mut self, tag: &str) -> Result<&mut Self, Error> {
        let fields = self.change()?;
        fields.tags.try_reserve()?;
        let tag = InlineText::new(tag.into(), &mut fields.long)?;
        fields.tags.push(tag);
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
        let (key, key_len) = (TextKey::from(key), key.len());
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
        let long = |len| if len > ShortText::MOST { len } else { 0 };
        try_reserve_str(&mut fields.long, long(key_len) + long(text_of(value).len()))?;
        fields.metadata.try_reserve()?;
        let key = InlineText::new(key, &mut fields.long)?;
        let value = fields.keep_value(value)?;
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
        let value = fields.keep_value(value)?;
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

    /// The fields, if no item has them.
    #[inline(always)]
    pub(crate) fn unshared(&mut self) -> Option<&mut Fields> {
        self.fields.get_mut()
    }

    /// The fields, to be changed: a copy of them when an item has them.
    pub(crate) fn change(&mut self) -> Result<&mut Fields, OutOfMemory> {
        let Self { fields, garbage, .. } = self;
        fields.get_mut_or(|built| compacted(built, garbage))
    }

    /// Where `key` stands among the metadata.
    fn position(&self, key: TextKey<'_>) -> Option<usize> {
        let (entries, long) = (&self.fields.metadata, &*self.fields.long);
        if entries.len() <= Self::FEW_KEYS {
            return entries.iter().position(|(known, _)| known.is(key, long));
        }
        self.keys.as_ref()?.find(&self.fields, key)
    }

    /// Makes the index ready to take one more key, where the next key is one that needs it.
    #[cold]
    fn index_keys(&mut self) -> Result<(), OutOfMemory> {
        let keys = match &mut self.keys {
            Some(keys) => keys,
            none => none.insert(try_box(KeyIndex::default())?),
        };
        keys.update(&self.fields)
    }

    /// Adds the key at a position to the index, which is ready for it.
    #[cold]
    fn index_key(&mut self, position: u32) {
        if let Some(keys) = &mut self.keys {
            keys.add(&self.fields, position);
        }
    }

    /// Counts a text as garbage. A builder whose kind is set again and again must not grow without end.
    fn discard(&mut self, text: InlineText) {
        self.garbage += text.span().map_or(0, |span| span.end - span.start);
        if self.garbage > Self::MUCH && self.garbage * 2 > self.fields.long.len() {
            // Without room for the copy, the garbage stays until there is some.
            if let Ok(compact) = compacted(&self.fields, &mut self.garbage) {
                self.fields = compact;
            }
        }
    }
}

/// A copy without the garbage, of which there is none any more.
#[cold]
fn compacted(fields: &Fields, garbage: &mut usize) -> Result<Shared<Fields>, OutOfMemory> {
    let copy = Shared::try_new(fields.compacted(*garbage)?)?;
    *garbage = 0;
    Ok(copy)
}

fn check_content(content: &str) -> Result<(), Error> {
    if content.is_empty() {
        return Err(Error::EmptyContent);
    }
    Ok(())
}

fn text_of(value: MetadataValue<'_>) -> &str {
    match value {
        MetadataValue::String(text) | MetadataValue::Other(text) => text,
        MetadataValue::Double(_) => "",
    }
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

    /// Sets something at once in one builder, and in full in another if that could be.
    fn set_twice(
        builders: &mut [ItemBuilder; 2],
        at_once: impl FnOnce(&mut Fields) -> Option<()>,
        in_full: impl FnOnce(&mut ItemBuilder) -> Result<&mut ItemBuilder, Error>,
    ) -> Option<()> {
        let [quick, full] = builders;
        let set = at_once(quick.unshared().unwrap());
        if set.is_some() {
            in_full(full).unwrap();
        }
        assert_eq!(format!("{:?}", quick.fields), format!("{:?}", full.fields));
        set
    }

    #[test]
    fn what_is_set_at_once_is_what_is_set_in_full() {
        let texts = ["Memory", "", "\0", " ", " a", "~", "0123456789abcdef", "Rag", "Rag"];
        for first in 0..texts.len() {
            let mut builders = [(); 2].map(|()| ItemBuilder::new("text", 1).unwrap());
            let mut set = Vec::new();
            for text in texts.iter().cycle().skip(first).take(texts.len()) {
                let short = ShortText::new(text).unwrap();
                let string = Value::String(short.into());
                let kind = set_twice(&mut builders, |fields| fields.kind_at_once(short), |full| full.kind(text));
                let source = set_twice(&mut builders, |fields| fields.source_at_once(short), |full| full.source(text));
                let tag = set_twice(&mut builders, |fields| fields.tag_at_once(short), |full| full.tag(text));
                let entry = set_twice(
                    &mut builders,
                    |fields| fields.metadata_at_once(short, string),
                    |full| full.metadata(text, MetadataValue::String(text)),
                );
                set.push((kind.is_some(), source.is_some(), tag.is_some(), entry.is_some()));
            }
            let count = |what: fn(&(bool, bool, bool, bool)) -> bool| set.iter().filter(|set| what(set)).count();
            assert_eq!([count(|set| set.0), count(|set| set.1), count(|set| set.2), count(|set| set.3)], [1, 1, 4, 3]);
            // What an item shares is not set at once.
            let item = builders[0].build().unwrap();
            assert!(builders[0].unshared().is_none());
            drop(item);
            assert!(builders[0].unshared().is_some());
        }
    }

    #[test]
    fn many_keys_are_found_again() {
        let mut builder = ItemBuilder::new("text", 1).unwrap();
        for round in 0..2 {
            for key in 0..100 {
                let key_text = format!("{}key {key}", if key % 2 == 0 { "" } else { "a very long " });
                builder.metadata(&key_text, MetadataValue::Double(f64::from(key + round))).unwrap();
            }
        }
        let item = builder.build().unwrap();
        assert_eq!(item.metadata().len(), 100);
        for (index, (key, value)) in item.metadata().enumerate() {
            assert_eq!(key, format!("{}key {index}", if index % 2 == 0 { "" } else { "a very long " }));
            assert_eq!(value, MetadataValue::Double(index as f64 + 1.0));
        }
    }

    #[test]
    fn replaced_texts_do_not_pile_up() {
        let mut builder = ItemBuilder::new("text", 1).unwrap();
        builder.tag("kept as it is, and too long").unwrap();
        for round in 0..10_000 {
            builder.kind(&format!("a kind with a long name {round}")).unwrap();
            builder
                .metadata("a key that is not short", MetadataValue::String(&format!("a value with many words {round}")))
                .unwrap();
        }
        assert!(builder.fields.long.capacity() < 16_384, "{}", builder.fields.long.capacity());
        let item = builder.build().unwrap();
        assert_eq!(
            (item.content(), item.kind(), item.tag(0)),
            ("text", "a kind with a long name 9999", Some("kept as it is, and too long"))
        );
        assert_eq!(
            item.metadata_entry(0),
            Some(("a key that is not short", MetadataValue::String("a value with many words 9999")))
        );
    }

    #[test]
    fn blank_texts_are_refused_and_change_nothing() {
        assert!(matches!(ItemBuilder::new("", 1), Err(Error::EmptyContent)));
        let mut builder = ItemBuilder::new("text", 1).unwrap();
        builder.kind("Memory").unwrap();
        for blank in ["", " ", "\t\n", "\u{2003}"] {
            assert!(matches!(builder.kind(blank), Err(Error::EmptyKind { .. })));
            assert!(matches!(builder.source(blank), Err(Error::EmptySource { .. })));
        }
        assert!(matches!(builder.reset("", 2), Err(Error::EmptyContent)));
        let item = builder.build().unwrap();
        assert_eq!((item.kind(), item.source(), item.tokens()), ("Memory", "Chat", 1));
    }
}
