//! Texts: utf8, large utf8, views, and dictionaries of these.

use crate::arrow::buffer::{Buffer, try_collect};
use crate::arrow::error::{ArrowError, Fault};
use crate::arrow::node::{Node, Result};
use crate::ingest::{Codes, Flags, NullableTexts, Offsets, Texts};
use crate::memory::{try_extend, try_push, try_reserve};

/// What a text column takes, for messages.
pub(super) const TEXT: &str = "utf8, large_utf8, utf8_view, or a dictionary of one of these";

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

/// Texts as views: a short text is inside its view, a longer one in one of several buffers.
struct Views<'a> {
    node: Node<'a>,
    views: Buffer<'a, [u8; 16]>,
    sizes: Buffer<'a, i64>,
}

impl<'a> Views<'a> {
    fn read(node: &Node<'a>) -> Result<Self> {
        // Validity, views, any number of buffers, and their sizes.
        let Some(variadic) = node.buffers_len().unwrap_or(3).checked_sub(3).filter(|_| node.children_len() == 0) else {
            return Err(node.fault(None, Fault::Malformed("the number of buffers does not fit the type")));
        };
        let sizes = node.values_at::<i64>(variadic + 2, 0, variadic)?;
        Ok(Self { node: *node, views: node.values(1)?, sizes })
    }

    /// Appends a text to `data`, for a slot.
    fn append(&self, text: usize, slot: usize, data: &mut Vec<u8>) -> Result<()> {
        let view = &self.views[text];
        let field = |at: usize| i32::from_ne_bytes([view[at], view[at + 1], view[at + 2], view[at + 3]]);
        let refuse = |value: i32, rule| self.node.fault(Some(slot), Fault::OutOfRange { value: value.into(), rule });
        let len = usize::try_from(field(0)).map_err(|_| refuse(field(0), "a length must not be negative"))?;
        if len <= 12 {
            return Ok(try_extend(data, &view[4..4 + len])?);
        }
        let rule = "a view must lie inside one of the buffers";
        let buffer = usize::try_from(field(8)).ok().filter(|&buffer| buffer < self.sizes.len());
        let buffer = buffer.ok_or_else(|| refuse(field(8), rule))?;
        let start = usize::try_from(field(12)).map_err(|_| refuse(field(12), rule))?;
        if (start + len) as i128 > i128::from(self.sizes[buffer]) {
            return Err(refuse(field(12), rule));
        }
        Ok(try_extend(data, &self.node.values_at::<u8>(buffer + 2, start, len)?)?)
    }
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
            crate::memory::try_pad(&mut missing, node.len, 0)?;
            let codes = Some(CodeArray::U8(Buffer::Own(missing)));
            let validity = Validity::Own(try_collect(node.len, (0..node.len).map(|_| Ok::<u8, ArrowError>(0)))?);
            // Codes of missing slots are not read; there is a text for them all the same.
            let offsets = TextOffsets::I64(Buffer::Lent(&[0, 0]));
            return Ok(Self { data: Buffer::Lent(&[]), offsets, codes, validity });
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
                let own = node.validity();
                let (codes, len) = (codes.view(), dictionary.len);
                Validity::Own(try_collect(
                    node.len,
                    (0..node.len).map(|slot| {
                        let present = own.is_none_or(|own| own.get(slot)) && {
                            let code = codes.get(slot);
                            // A code out of range stays for the checks of columns to refuse.
                            code >= len || present.get(code)
                        };
                        Ok::<u8, ArrowError>(present.into())
                    }),
                )?)
            }
        };
        if dictionary.len > node.len {
            return Self::gathered(node, &codes, &dictionary, validity);
        }
        Ok(Self { codes: Some(codes), validity, ..Self::plain(&dictionary)? })
    }

    /// The texts of the slots without the dictionary, which has more: a part of a table costs what the part has.
    fn gathered(node: &Node<'a>, codes: &CodeArray<'a>, dictionary: &Node<'a>, validity: Validity<'a>) -> Result<Self> {
        let codes = codes.view();
        let code = |slot: usize| {
            let (code, rule) = (codes.get(slot), "a code must be below the number of texts");
            let value = || node.fault(Some(slot), Fault::OutOfRange { value: codes.value(slot), rule });
            if code < dictionary.len { Ok(code) } else { Err(value()) }
        };
        if dictionary.format == "vu" {
            let views = Views::read(dictionary)?;
            return Self::copied(node.len, validity, |slot, data| views.append(code(slot)?, slot, data));
        }
        let texts = Self::read_bytes(dictionary)?;
        Self::copied(node.len, validity, |slot, data| texts.append(node, code(slot)?, slot, data))
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

    /// Appends a text to `data`, for a slot of a node.
    fn append(&self, node: &Node<'a>, text: usize, slot: usize, data: &mut Vec<u8>) -> Result<()> {
        let rule = "an offset must lie inside the data, and not below the one before it";
        let refused = || node.fault(Some(slot), Fault::OutOfRange { value: self.end(text).into(), rule });
        Ok(try_extend(data, self.bytes(text).ok_or_else(refused)?)?)
    }

    /// The bytes of a node of texts or binaries, which need not be UTF-8.
    pub fn read_bytes(node: &Node<'a>) -> Result<Self> {
        match node.format {
            "u" | "z" => Self::of_offsets::<i32>(node, TextOffsets::I32),
            "U" | "Z" => Self::of_offsets::<i64>(node, TextOffsets::I64),
            _ => {
                let views = Views::read(node)?;
                Self::copied(node.len, node.validity().into(), |slot, data| views.append(slot, slot, data))
            }
        }
    }

    /// Texts without a dictionary.
    fn plain(node: &Node<'a>) -> Result<Self> {
        if !is_plain_text(node.format) {
            return Err(node.wrong_type(TEXT));
        }
        let texts = Self::read_bytes(node)?;
        if node.blank_nulls && !matches!(texts.validity, Validity::All) {
            return Self::copied(node.len, node.validity().into(), |slot, data| texts.append(node, slot, slot, data));
        }
        Ok(texts)
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
