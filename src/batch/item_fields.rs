//! What an item has.

use crate::batch::few::Few;
use crate::batch::value::MetadataValue;
use crate::memory::OutOfMemory;
use crate::text::{InlineText, Span};
use crate::text::{ShortText, TextKey};

/// What an item has.
#[derive(Debug)]
pub struct Fields {
    /// The content, and every other text that is not short.
    pub long: String,
    /// Where the content is among the long texts.
    pub content: Span,
    /// The kind, if it was set.
    pub kind: Option<InlineText>,
    /// The source, if it was set.
    pub source: Option<InlineText>,
    /// The tags, in order, with duplicates.
    pub tags: Few<InlineText, 4>,
    /// The metadata, in the order in which the keys were first set.
    pub metadata: Few<(InlineText, Value), 3>,
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
    String(InlineText),
    /// A number.
    Double(f64),
    /// The text of another value.
    Other(InlineText),
}

impl Default for Value {
    fn default() -> Self {
        Self::String(InlineText::default())
    }
}

impl Fields {
    /// A content, which takes all of `content`, and a size in tokens; nothing else.
    #[inline(always)]
    pub fn new(content: String, tokens: i64) -> Self {
        Self {
            content: Span { start: 0, end: content.len() },
            long: content,
            kind: None,
            source: None,
            tags: Few::new(),
            metadata: Few::new(),
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

    /// How many bytes there are for texts and lists, and how many are used.
    pub fn room(&self) -> (usize, usize) {
        let ((tags, used_tags), (metadata, used_metadata)) = (self.tags.room(), self.metadata.room());
        (self.long.capacity() + tags + metadata, self.long.len() + used_tags + used_metadata)
    }

    /// A copy in which `long` holds what is pointed at, and nothing else.
    #[cold]
    pub fn compacted(&self, garbage: usize) -> Result<Self, OutOfMemory> {
        let mut copy =
            Self { long: String::new(), tags: self.tags.try_copy()?, metadata: self.metadata.try_copy()?, ..*self };
        copy.long.try_reserve_exact(self.long.len() - garbage)?;
        if garbage == 0 {
            copy.long.push_str(&self.long);
        } else {
            copy.move_texts(&self.long);
        }
        Ok(copy)
    }

    /// Keeps the text of a value, if it has one.
    pub fn keep_value(&mut self, value: MetadataValue<'_>) -> Result<Value, OutOfMemory> {
        Ok(match value {
            MetadataValue::String(text) => Value::String(InlineText::new(text.into(), &mut self.long)?),
            MetadataValue::Double(value) => Value::Double(value),
            MetadataValue::Other(text) => Value::Other(InlineText::new(text.into(), &mut self.long)?),
        })
    }

    /// Appends what is pointed at in `from` to `long`, and points at it there.
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
            if let Some(span) = text.span() {
                *text = moved(span).into();
            }
        }
    }
}

/// What can be set at once: a short text, or a value beside one, that needs no memory and takes no other's place. Where it cannot,
/// nothing is set, and [`ItemBuilder`](crate::batch::ItemBuilder) has a function that sets anything.
impl Fields {
    /// Sets the kind.
    #[inline(always)]
    pub fn kind_at_once(&mut self, kind: ShortText) -> Option<()> {
        set_at_once(&mut self.kind, kind)
    }

    /// Sets the source.
    #[inline(always)]
    pub fn source_at_once(&mut self, source: ShortText) -> Option<()> {
        set_at_once(&mut self.source, source)
    }

    /// Adds a tag.
    #[inline(always)]
    pub fn tag_at_once(&mut self, tag: ShortText) -> Option<()> {
        self.tags.push_few(tag.into())
    }

    /// Sets the value of a key.
    #[inline(always)]
    pub fn metadata_at_once(&mut self, key: ShortText, value: Value) -> Option<()> {
        let is_new = self.metadata.few()?.iter().all(|(known, _)| !known.is(TextKey::Short(key), &self.long));
        if is_new { self.metadata.push_few((key.into(), value)) } else { None }
    }
}

#[inline(always)]
fn set_at_once(place: &mut Option<InlineText>, text: ShortText) -> Option<()> {
    // A text that begins so is not blank.
    if place.is_some() || !text.bytes()[0].is_ascii_graphic() {
        return None;
    }
    *place = Some(text.into());
    Some(())
}
