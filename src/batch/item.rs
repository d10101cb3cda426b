//! An item: one row with its fields.

use smallvec::{Array, SmallVec};

use crate::batch::kind::{DEFAULT_KIND, DEFAULT_SOURCE};
use crate::batch::value::{MetadataValue, ValueKey};
use crate::memory::{OutOfMemory, Shared};
use crate::text::{ItemText, Span, Text, TextKey};

/// An immutable piece of context. A clone is a share of the same item.
#[derive(Clone, Debug)]
pub struct Item(pub(super) Shared<ItemFields>);

impl Item {
    /// The text itself. Empty only for an item without content.
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

    /// The item as a share of its fields.
    pub(crate) fn into_shared(self) -> Shared<ItemFields> {
        self.0
    }

    /// The item of a share.
    pub(crate) fn of_shared(fields: Shared<ItemFields>) -> Self {
        Self(fields)
    }

    /// The lookup key of the kind, if it was set.
    #[inline]
    pub(crate) fn kind_key(&self) -> Option<TextKey<'_>> {
        self.0.kind.map(|kind| kind.key(&self.0.long))
    }

    /// The lookup key of the source, if it was set.
    #[inline]
    pub(crate) fn source_key(&self) -> Option<TextKey<'_>> {
        self.0.source.map(|source| source.key(&self.0.long))
    }

    /// The lookup keys of the tags.
    #[inline]
    pub(crate) fn tag_keys(&self) -> impl ExactSizeIterator<Item = TextKey<'_>> {
        self.0.tags.iter().map(|tag| tag.key(&self.0.long))
    }

    /// The lookup keys of the metadata.
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

/// The fields of an item, shared by a builder and the items it built.
#[derive(Debug)]
pub struct ItemFields {
    /// Text buffer: the content, and every other text that does not fit inline.
    pub long: String,
    /// Where the content is in the buffer.
    pub content: Span,
    /// The kind, if it was set.
    pub kind: Option<ItemText>,
    /// The source, if it was set.
    pub source: Option<ItemText>,
    /// The tags, in order, with duplicates.
    pub tags: SmallVec<[ItemText; 4]>,
    /// The metadata, in the order in which the keys were first set.
    pub metadata: SmallVec<[(ItemText, Value); 3]>,
    /// The size in tokens.
    pub tokens: i64,
    /// The priority.
    pub priority: Option<i64>,
    /// The instant, in nanoseconds since the Unix epoch.
    pub timestamp: Option<i64>,
    /// The host's hint.
    pub future_relevance_hint: Option<f64>,
    /// Whether the host wants the item kept.
    pub pinned: bool,
    /// The size in tokens before the host shortened the item.
    pub original_tokens: Option<i64>,
}

/// A metadata value of an item.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// A text.
    String(ItemText),
    /// A number.
    Double(f64),
    /// The text of another value.
    Other(ItemText),
}

impl ItemFields {
    /// Content and size in tokens; every other field at its default.
    #[inline(always)]
    pub fn new(content: String, tokens: i64) -> Self {
        Self {
            content: Span { start: 0, end: content.len() },
            long: content,
            kind: None,
            source: None,
            tags: SmallVec::new(),
            metadata: SmallVec::new(),
            tokens,
            priority: None,
            timestamp: None,
            future_relevance_hint: None,
            pinned: false,
            original_tokens: None,
        }
    }

    /// A value with its text.
    pub fn value<'a>(&'a self, value: &'a Value) -> MetadataValue<'a> {
        match value {
            Value::String(text) => MetadataValue::String(text.get(&self.long)),
            Value::Double(value) => MetadataValue::Double(*value),
            Value::Other(text) => MetadataValue::Other(text.get(&self.long)),
        }
    }

    /// Bytes allocated for texts and lists, and bytes used.
    pub fn usage(&self) -> (usize, usize) {
        fn usage<A: Array>(list: &SmallVec<A>) -> (usize, usize) {
            let size = size_of::<A::Item>();
            if list.spilled() { (list.capacity() * size, list.len() * size) } else { (0, 0) }
        }
        let ((tags, used_tags), (metadata, used_metadata)) = (usage(&self.tags), usage(&self.metadata));
        (self.long.capacity() + tags + metadata, self.long.len() + used_tags + used_metadata)
    }

    /// A copy without spare capacity. `garbage` is the number of bytes of the buffer that no text refers to.
    #[cold]
    pub fn compacted(&self, garbage: usize) -> Result<Self, OutOfMemory> {
        let mut copy =
            Self { long: String::new(), tags: try_copy(&self.tags)?, metadata: try_copy(&self.metadata)?, ..*self };
        copy.long.try_reserve_exact(self.long.len() - garbage)?;
        if garbage == 0 {
            copy.long.push_str(&self.long);
        } else {
            copy.move_texts(&self.long);
        }
        Ok(copy)
    }

    /// Stores a value.
    #[inline(always)]
    pub fn store_value(&mut self, value: MetadataValue<'_>) -> Result<Value, OutOfMemory> {
        Ok(match value {
            MetadataValue::String(text) => Value::String(TextKey::from(text).store(&mut self.long)?),
            MetadataValue::Double(value) => Value::Double(value),
            MetadataValue::Other(text) => Value::Other(TextKey::from(text).store(&mut self.long)?),
        })
    }

    /// Moves every text that refers to `from` to the own buffer.
    fn move_texts(&mut self, from: &str) {
        let Self { long, content, kind, source, tags, metadata, .. } = self;
        let mut moved = |span: Span| {
            let start = long.len();
            long.push_str(span.get(from));
            Span { start, end: long.len() }
        };
        *content = moved(*content);
        let values = metadata.iter_mut().flat_map(|(key, value)| match value {
            Value::String(text) | Value::Other(text) => [Some(key), Some(text)],
            Value::Double(_) => [Some(key), None],
        });
        let texts = kind.iter_mut().chain(source).chain(tags.iter_mut()).chain(values.flatten());
        for text in texts {
            if let Text::Long(span) = text {
                *span = moved(*span);
            }
        }
    }
}

/// A copy without spare capacity.
fn try_copy<A: Array<Item: Copy>>(list: &SmallVec<A>) -> Result<SmallVec<A>, OutOfMemory> {
    let mut copy = SmallVec::new();
    copy.try_reserve_exact(list.len()).map_err(|_| OutOfMemory)?;
    copy.extend_from_slice(list);
    Ok(copy)
}

/// Reserves room for one more entry.
#[inline(always)]
pub fn try_reserve_one<A: Array>(list: &mut SmallVec<A>) -> Result<(), OutOfMemory> {
    list.try_reserve(1).map_err(|_| OutOfMemory)
}
