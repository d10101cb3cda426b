//! The builder of items.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use crate::batch::item::{Item, ItemFields, Value, try_reserve_one};
use crate::batch::value::MetadataValue;
use crate::error::{Error, Excerpt, Parameter};
use crate::memory::{OutOfMemory, Shared, try_box, try_reserve_str, try_string};
use crate::text::{HashState, ItemText, ShortText, Span, Text, TextKey, hash_state, is_blank};

/// Makes [`Item`]s, one after another.
#[derive(Debug)]
pub struct ItemBuilder {
    /// Copy-on-write: shared with the items built since the last change. Once they are dropped, the next change is made in place,
    /// so building and dropping one item after another allocates once.
    fields: Shared<ItemFields>,
    /// Bytes of the text buffer that no text refers to.
    garbage: usize,
    /// Positions in `ItemFields::metadata` by key, once there are too many for a linear search.
    keys: Option<Box<KeyIndex>>,
}

/// Positions of metadata entries by key.
#[derive(Debug)]
struct KeyIndex {
    positions: HashTable<u32>,
    hasher: HashState,
}

impl KeyIndex {
    fn find(&self, fields: &ItemFields, key: TextKey<'_>) -> Option<usize> {
        let hash = self.hasher.hash_one(key.as_str().as_bytes());
        let is_it = |&position: &u32| fields.metadata[position as usize].0.is(key, &fields.long);
        self.positions.find(hash, is_it).map(|&position| position as usize)
    }

    /// Adds the keys that are not in the index, and reserves room for one more.
    fn update(&mut self, fields: &ItemFields) -> Result<(), OutOfMemory> {
        let (known, len) = (self.positions.len(), fields.metadata.len());
        self.positions.try_reserve(len + 1 - known, |&position| hash_key(&self.hasher, fields, position))?;
        (known as u32..len as u32).for_each(|position| self.add(fields, position));
        Ok(())
    }

    /// Adds the key at a position. There is room for it.
    fn add(&mut self, fields: &ItemFields, position: u32) {
        let hash = |&position: &u32| hash_key(&self.hasher, fields, position);
        self.positions.insert_unique(hash(&position), position, hash);
    }
}

fn hash_key(hasher: &HashState, fields: &ItemFields, position: u32) -> u64 {
    hasher.hash_one(fields.metadata[position as usize].0.get(&fields.long).as_bytes())
}

impl ItemBuilder {
    /// Above this many metadata entries keys are looked up by hash.
    const FEW_KEYS: usize = 16;
    /// Unused bytes are given up once they exceed this and half of all.
    const MUCH: usize = 1024;

    /// A builder for an item with `content`, which may not be empty, and a size in tokens.
    #[inline(always)]
    pub fn new(content: &str, tokens: i64) -> Result<Self, Error> {
        check_content(content)?;
        Self::begin(try_string(content)?, tokens).map_err(Error::from)
    }

    /// A builder for an item without content, for a row that is there for its score only.
    pub fn without_content(tokens: i64) -> Result<Self, Error> {
        Self::begin(String::new(), tokens).map_err(Error::from)
    }

    #[inline(always)]
    fn begin(content: String, tokens: i64) -> Result<Self, OutOfMemory> {
        let fields = Shared::try_new_with(|| ItemFields::new(content, tokens))?;
        Ok(Self { fields, garbage: 0, keys: None })
    }

    /// Resets every field, to build another item in the same memory.
    #[inline(always)]
    pub fn reset(&mut self, content: &str, tokens: i64) -> Result<&mut Self, Error> {
        check_content(content)?;
        let fields = self.fields.get_mut_or(|built| {
            // The built item keeps the old buffer. The new one has the same capacity, for texts like the old ones.
            let mut long = String::new();
            long.try_reserve_exact(content.len().max(built.long.len()))?;
            Shared::try_new_with(|| ItemFields::new(long, tokens))
        })?;
        // Reserve first, so that a failure leaves the old item.
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
        let kind = TextKey::from(kind).store(&mut fields.long)?;
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
        let source = TextKey::from(source).store(&mut fields.long)?;
        if let Some(old) = fields.source.replace(source) {
            self.discard(old);
        }
        Ok(self)
    }

    /// Appends a tag; any text. Duplicates are kept.
    pub fn tag(&mut self, tag: &str) -> Result<&mut Self, Error> {
        let fields = self.change()?;
        try_reserve_one(&mut fields.tags)?;
        let tag = TextKey::from(tag).store(&mut fields.long)?;
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

    /// Sets the value of a key; replaces an earlier one.
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
        // Everything that can fail comes before the first change.
        let long = |len| if len > ShortText::CAPACITY { len } else { 0 };
        try_reserve_str(&mut fields.long, long(key_len) + long(text_of(value).len()))?;
        try_reserve_one(&mut fields.metadata)?;
        let key = key.store(&mut fields.long)?;
        let value = fields.store_value(value)?;
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
        let value = fields.store_value(value)?;
        if let Value::String(old) | Value::Other(old) = std::mem::replace(&mut fields.metadata[position].1, value) {
            self.discard(old);
        }
        Ok(())
    }

    /// An item with the fields set so far. The builder keeps them and can go on.
    pub fn build(&self) -> Result<Item, Error> {
        let (allocated, used) = self.fields.usage();
        if allocated > Self::MUCH && allocated > 2 * (used - self.garbage) {
            // An item may live long, and must not hold on to a builder's large buffer.
            return Ok(Item(Shared::try_new(self.fields.compacted(self.garbage)?)?));
        }
        Ok(Item(self.fields.clone()))
    }

    /// The fields for a change: a copy of them if an item shares them.
    fn change(&mut self) -> Result<&mut ItemFields, OutOfMemory> {
        let Self { fields, garbage, .. } = self;
        fields.get_mut_or(|built| compacted(built, garbage))
    }

    /// The position of `key` in the metadata.
    #[inline(always)]
    fn position(&self, key: TextKey<'_>) -> Option<usize> {
        let (entries, long) = (&self.fields.metadata, &*self.fields.long);
        if entries.len() <= Self::FEW_KEYS {
            return entries.iter().position(|(known, _)| known.is(key, long));
        }
        self.keys.as_ref()?.find(&self.fields, key)
    }

    /// Brings the index up to date, with room for one more key.
    #[cold]
    fn index_keys(&mut self) -> Result<(), OutOfMemory> {
        let keys = match &mut self.keys {
            Some(keys) => keys,
            none => none.insert(try_box(KeyIndex { positions: HashTable::new(), hasher: hash_state() })?),
        };
        keys.update(&self.fields)
    }

    /// Adds the key at a position to the index, which has room for it.
    #[cold]
    fn index_key(&mut self, position: u32) {
        if let Some(keys) = &mut self.keys {
            keys.add(&self.fields, position);
        }
    }

    /// Counts a replaced text as garbage, so that a builder whose kind is set again and again does not grow without end.
    fn discard(&mut self, text: ItemText) {
        if let Text::Long(span) = text {
            self.garbage += span.end - span.start;
        }
        if self.garbage > Self::MUCH && self.garbage * 2 > self.fields.long.len() {
            // Without memory for the copy the garbage stays.
            if let Ok(compact) = compacted(&self.fields, &mut self.garbage) {
                self.fields = compact;
            }
        }
    }
}

/// A copy without garbage.
#[cold]
fn compacted(fields: &ItemFields, garbage: &mut usize) -> Result<Shared<ItemFields>, OutOfMemory> {
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
