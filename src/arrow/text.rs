//! Texts: utf8, large utf8, views, and dictionaries of these.

use crate::arrow::buffer::{Buffer, try_collect};
use crate::arrow::error::{ArrowError, Fault};
use crate::arrow::node::{Node, Result};
use crate::ingest::{Codes, Flags, NullableTexts, Offsets, Texts};
use crate::memory::{try_extend, try_pad, try_push, try_reserve};

/// What a text column takes, for messages.
pub(super) const TEXT: &str = "utf8, large_utf8, utf8_view, or a dictionary of one of these";
/// The length of the texts, on average, up to which they are copied instead of coded.
const COPIED_BYTES: usize = 64;

/// Texts, one for each slot of a node.
#[derive(Debug)]
pub(super) struct TextArray<'a> {
    data: Buffer<'a, u8>,
    offsets: TextOffsets<'a>,
    codes: Option<CodeArray<'a>>,
    validity: Validity<'a>,
}

#[derive(Debug)]
enum TextOffsets<'a> {
    I32(Buffer<'a, i32>),
    I64(Buffer<'a, i64>),
}

/// Dictionary codes of any width.
#[derive(Debug)]
pub(super) enum CodeArray<'a> {
    I8(Buffer<'a, i8>),
    I16(Buffer<'a, i16>),
    I32(Buffer<'a, i32>),
    I64(Buffer<'a, i64>),
    U8(Buffer<'a, u8>),
    U16(Buffer<'a, u16>),
    U32(Buffer<'a, u32>),
    U64(Buffer<'a, u64>),
}

impl<'a> CodeArray<'a> {
    /// The codes of a node whose type is an integer.
    pub fn read(node: &Node<'a>) -> Result<Self> {
        node.expect(2, 0)?;
        Ok(match node.format {
            "c" => Self::I8(node.values(1)?),
            "C" => Self::U8(node.values(1)?),
            "s" => Self::I16(node.values(1)?),
            "S" => Self::U16(node.values(1)?),
            "i" => Self::I32(node.values(1)?),
            "I" => Self::U32(node.values(1)?),
            "l" => Self::I64(node.values(1)?),
            "L" => Self::U64(node.values(1)?),
            _ => return Err(node.wrong_type("a dictionary with an integer index")),
        })
    }

    pub fn view(&self) -> Codes<'_> {
        match self {
            Self::I8(codes) => Codes::I8(codes),
            Self::I16(codes) => Codes::I16(codes),
            Self::I32(codes) => Codes::I32(codes),
            Self::I64(codes) => Codes::I64(codes),
            Self::U8(codes) => Codes::U8(codes),
            Self::U16(codes) => Codes::U16(codes),
            Self::U32(codes) => Codes::U32(codes),
            Self::U64(codes) => Codes::U64(codes),
        }
    }
}

/// Where texts are copied from. A view has a short text inside, and a longer one in one of several buffers.
enum Source<'a> {
    Offsets(TextArray<'a>),
    Views { node: Node<'a>, views: Buffer<'a, [u8; 16]>, sizes: Buffer<'a, i64> },
}

impl<'a> Source<'a> {
    fn read(node: &Node<'a>) -> Result<Self> {
        match node.format {
            "u" | "z" => return TextArray::of_offsets::<i32>(node, TextOffsets::I32).map(Self::Offsets),
            "U" | "Z" => return TextArray::of_offsets::<i64>(node, TextOffsets::I64).map(Self::Offsets),
            _ => {}
        }
        // Validity, views, any number of buffers, and their sizes.
        let Some(variadic) = node.buffers_len().unwrap_or(3).checked_sub(3).filter(|_| node.children_len() == 0) else {
            return Err(node.fault(None, Fault::Malformed("the number of buffers does not fit the type")));
        };
        Ok(Self::Views { node: *node, views: node.values(1)?, sizes: node.values_at(variadic + 2, 0, variadic)? })
    }

    /// The length of a text; 0 for one that is refused.
    fn text_len(&self, text: usize) -> usize {
        match self {
            Self::Offsets(texts) => texts.bytes(text).map_or(0, <[u8]>::len),
            Self::Views { views, .. } => views.get(text).map_or(0, |view| view_field(view, 0).max(0) as usize),
        }
    }

    /// Appends a text to `data`, for a slot of a node.
    fn append(&self, node: &Node<'_>, text: usize, slot: usize, data: &mut Vec<u8>) -> Result<()> {
        let refuse = |value: i64, rule| node.fault(Some(slot), Fault::OutOfRange { value: value.into(), rule });
        let (views, sizes, node) = match self {
            Self::Views { node, views, sizes } => (views, sizes, node),
            Self::Offsets(texts) => {
                let rule = "an offset must lie inside the data, and not below the one before it";
                return Ok(try_extend(data, texts.bytes(text).ok_or_else(|| refuse(texts.end(text), rule))?)?);
            }
        };
        let view = &views[text];
        let (len, buffer, start) = (view_field(view, 0), view_field(view, 8), view_field(view, 12));
        let len = usize::try_from(len).map_err(|_| refuse(len.into(), "a length must not be negative"))?;
        if len <= 12 {
            return Ok(try_extend(data, &view[4..4 + len])?);
        }
        let refuse = |value: i32| refuse(value.into(), "a view must lie inside one of the buffers");
        let inside = usize::try_from(buffer).ok().filter(|&buffer| buffer < sizes.len());
        let buffer = inside.ok_or_else(|| refuse(buffer))?;
        let first = usize::try_from(start).map_err(|_| refuse(start))?;
        if (first + len) as i128 > i128::from(sizes[buffer]) {
            return Err(refuse(start));
        }
        Ok(try_extend(data, &node.values_at::<u8>(buffer + 2, first, len)?)?)
    }
}

/// Four bytes of a view as an integer.
fn view_field(view: &[u8; 16], at: usize) -> i32 {
    i32::from_ne_bytes([view[at], view[at + 1], view[at + 2], view[at + 3]])
}

/// Which slots have a value.
#[derive(Debug)]
pub(super) enum Validity<'a> {
    All,
    Lent(Flags<'a>),
    Own(Vec<u8>),
}

impl Validity<'_> {
    pub fn view(&self) -> Option<Flags<'_>> {
        match self {
            Self::All => None,
            Self::Lent(flags) => Some(*flags),
            Self::Own(bytes) => Some(Flags::Bytes(bytes)),
        }
    }

    pub fn get(&self, slot: usize) -> bool {
        self.view().is_none_or(|flags| flags.get(slot))
    }
}

impl<'a> From<Option<Flags<'a>>> for Validity<'a> {
    fn from(flags: Option<Flags<'a>>) -> Self {
        flags.map_or(Self::All, Self::Lent)
    }
}

/// Whether a type is one of texts.
pub(super) fn is_text(node: &Node<'_>) -> bool {
    match node.dictionary() {
        Ok(Some(dictionary)) => is_plain_text(dictionary.format),
        _ => is_plain_text(node.format),
    }
}

fn is_plain_text(format: &str) -> bool {
    matches!(format, "u" | "U" | "vu")
}

impl<'a> TextArray<'a> {
    /// The texts of a node.
    pub fn read(node: &Node<'a>) -> Result<Self> {
        if node.is_null_type() {
            let mut missing = Vec::new();
            try_pad(&mut missing, node.len, 0)?;
            return Self::copied(node.len, Validity::Own(missing), |_, _| Ok(()));
        }
        let Some(dictionary) = node.dictionary()? else { return Self::plain(node) };
        if !is_plain_text(dictionary.format) {
            return Err(node.wrong_type(TEXT));
        }
        let codes = CodeArray::read(node)?;
        let validity = match dictionary.validity() {
            None => node.validity().into(),
            // A slot is null where its code is null, or the dictionary value of its code.
            Some(present) => {
                let (has_code, codes, len) = (node.presence(), codes.view(), dictionary.len);
                // A code out of range stays, to be refused.
                let is_present = |slot| has_code(slot) && (codes.get(slot) >= len || present.get(codes.get(slot)));
                let flags = (0..node.len).map(|slot| Ok::<u8, ArrowError>(is_present(slot).into()));
                Validity::Own(try_collect(node.len, flags)?)
            }
        };
        // Few slots copy their texts: a part of a table costs what the part has, and not its dictionary. Long ones share them.
        if dictionary.len > node.len {
            let (source, codes) = (Source::read(&dictionary)?, codes.view());
            let present = (0..node.len).filter(|&slot| validity.get(slot));
            let bytes = present.fold(0_usize, |sum, slot| sum.saturating_add(source.text_len(codes.get(slot))));
            if bytes / COPIED_BYTES <= node.len {
                return Self::copied(node.len, validity, |slot, data| {
                    let rule = "a code must be below the number of texts";
                    match codes.get(slot) {
                        code if code < dictionary.len => source.append(node, code, slot, data),
                        _ => Err(node.fault(Some(slot), Fault::OutOfRange { value: codes.value(slot), rule })),
                    }
                });
            }
        }
        Ok(Self { codes: Some(codes), validity, ..Self::plain(&dictionary)? })
    }

    /// A copy of the texts that are present, which `append` appends to the others.
    fn copied(len: usize, validity: Validity<'a>, append: impl Fn(usize, &mut Vec<u8>) -> Result<()>) -> Result<Self> {
        let (mut data, mut offsets) = (Vec::new(), Vec::new());
        try_reserve(&mut offsets, len + 1)?;
        offsets.push(0);
        for slot in 0..len {
            if validity.get(slot) {
                append(slot, &mut data)?;
            }
            offsets.push(data.len() as i64);
        }
        let offsets = TextOffsets::I64(Buffer::Own(offsets));
        Ok(Self { data: Buffer::Own(data), offsets, codes: None, validity })
    }

    /// The bytes of a node of texts or binaries, which need not be UTF-8.
    pub fn read_bytes(node: &Node<'a>) -> Result<Self> {
        match Source::read(node)? {
            Source::Offsets(texts) => Ok(texts),
            views @ Source::Views { .. } => {
                Self::copied(node.len, node.validity().into(), |slot, data| views.append(node, slot, slot, data))
            }
        }
    }

    /// Texts without a dictionary.
    fn plain(node: &Node<'a>) -> Result<Self> {
        if !is_plain_text(node.format) {
            return Err(node.wrong_type(TEXT));
        }
        match Source::read(node)? {
            Source::Offsets(texts) if !node.blank_nulls || matches!(texts.validity, Validity::All) => Ok(texts),
            source => {
                Self::copied(node.len, node.validity().into(), |slot, data| source.append(node, slot, slot, data))
            }
        }
    }

    fn of_offsets<T: bytemuck::Pod + Default + Into<i64>>(
        node: &Node<'a>,
        make: impl FnOnce(Buffer<'a, T>) -> TextOffsets<'a>,
    ) -> Result<Self> {
        node.expect(3, 0)?;
        let offsets = read_offsets::<T>(node)?;
        let end: i64 = offsets.last().copied().unwrap_or_default().into();
        let length = usize::try_from(end).ok().filter(|&end| end <= isize::MAX as usize).ok_or_else(|| {
            let rule = "the last offset must be a length in memory";
            node.fault(None, Fault::OutOfRange { value: end.into(), rule })
        })?;
        let data = node.values_at(2, 0, length)?;
        Ok(Self { data, offsets: make(offsets), codes: None, validity: node.validity().into() })
    }

    fn offset(&self, index: usize) -> i64 {
        match &self.offsets {
            TextOffsets::I32(offsets) => offsets[index].into(),
            TextOffsets::I64(offsets) => offsets[index],
        }
    }

    /// The texts as a column.
    pub fn texts(&self) -> Texts<'_> {
        let offsets = match &self.offsets {
            TextOffsets::I32(offsets) => Offsets::I32(offsets),
            TextOffsets::I64(offsets) => Offsets::I64(offsets),
        };
        Texts { data: &self.data, offsets, codes: self.codes.as_ref().map(CodeArray::view) }
    }

    /// The texts as a column whose values may be missing.
    pub fn nullable(&self) -> NullableTexts<'_> {
        NullableTexts { texts: self.texts(), validity: self.validity.view() }
    }

    /// Whether a slot has a value.
    pub fn is_present(&self, slot: usize) -> bool {
        self.validity.get(slot)
    }

    /// The bytes of a slot's text; nothing for offsets or codes out of range.
    pub fn bytes(&self, slot: usize) -> Option<&[u8]> {
        let text = self.codes.as_ref().map_or(slot, |codes| codes.view().get(slot));
        if text >= self.texts().texts_len_with_offsets() {
            return None;
        }
        let start = usize::try_from(self.offset(text)).ok()?;
        self.data.get(start..usize::try_from(self.offset(text + 1)).ok()?)
    }

    /// The offset where the text of a slot ends, for messages.
    pub fn end(&self, slot: usize) -> i64 {
        self.offset(slot + 1)
    }

    /// The text that a slot has, by number, for gathering slots with codes.
    pub fn number(&self, slot: usize) -> usize {
        self.codes.as_ref().map_or(slot, |codes| codes.view().get(slot))
    }

    /// The texts without their codes.
    pub fn dictionary(&self) -> Texts<'_> {
        Texts { codes: None, ..self.texts() }
    }
}

/// The offsets of the slots of a node. The buffer of an empty array may be NULL or have no bytes, so that it is not read.
pub(super) fn read_offsets<'a, T: bytemuck::Pod + Default>(node: &Node<'a>) -> Result<Buffer<'a, T>> {
    if node.len == 0 {
        let mut zero = Vec::new();
        try_push(&mut zero, T::default())?;
        return Ok(Buffer::Own(zero));
    }
    node.values_at(1, node.offset, node.len + 1)
}

impl Texts<'_> {
    /// How many texts the offsets delimit.
    fn texts_len_with_offsets(&self) -> usize {
        self.offsets.len() - 1
    }
}
