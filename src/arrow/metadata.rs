//! Metadata: a map, a list of key and value, or a struct whose fields are keys.

use crate::arrow::buffer::try_collect;
use crate::arrow::error::{ArrowError, Fault};
use crate::arrow::ffi::ArrowSchema;
use crate::arrow::list::{Lists, is_list};
use crate::arrow::node::{Node, Result, name_of};
use crate::arrow::number::{Numbers, bits, doubles, is_number};
use crate::arrow::text::{TextArray, is_text};
use crate::ingest::{Codes, Flags, Metadata, Offsets, Texts};
use crate::memory::{OutOfMemory, try_extend, try_pad, try_push, try_reserve};

/// What a metadata column takes, for messages.
const METADATA: &str =
    "a map, a list of structs of key and value, or a struct; metadata that is JSON text has to be parsed first";
/// What a metadata value takes, for messages.
const VALUE: &str = "text, a number or bool";

const DOUBLE: u8 = 1;
const OTHER: u8 = 2;

/// The metadata of all rows.
#[derive(Debug)]
pub(super) struct MetadataArray<'a> {
    lists: Vec<i64>,
    keys: Keys<'a>,
    /// Of each slot that was gathered: the slot of the child, or of a struct's field the key.
    slots: Vec<u32>,
    types: Vec<u8>,
    texts: Option<ValueTexts<'a>>,
    numbers: Vec<f64>,
}

#[derive(Debug)]
enum Keys<'a> {
    /// Of a child of keys.
    Child(TextArray<'a>, Vec<u32>),
    /// The names of a struct's fields.
    Names { data: Vec<u8>, offsets: Vec<i64> },
}

#[derive(Debug)]
enum ValueTexts<'a> {
    /// Of a child of values.
    Child(TextArray<'a>, Vec<u32>),
    /// Copied, or `false` and `true`.
    Own { data: Vec<u8>, offsets: Vec<i64>, codes: Option<Vec<u32>> },
}

/// Values of one type.
#[derive(Debug)]
enum ValueArray<'a> {
    Texts(TextArray<'a>),
    Numbers(Numbers<'a, f64>),
    Booleans(Option<Flags<'a>>, Option<Flags<'a>>),
    Nulls,
}

impl<'a> ValueArray<'a> {
    fn read(node: &Node<'a>) -> Result<Self> {
        match node {
            _ if node.is_null_type() => Ok(Self::Nulls),
            _ if is_text(node) => TextArray::read(node).map(Self::Texts),
            _ if is_number(node) => doubles(node).map(Self::Numbers),
            _ if node.format == "b" => bits(node).map(|(bits, validity)| Self::Booleans(bits, validity)),
            _ => Err(node.wrong_type(VALUE)),
        }
    }

    fn is_present(&self, slot: usize) -> bool {
        match self {
            Self::Texts(texts) => texts.is_present(slot),
            Self::Numbers(numbers) => numbers.get(slot).is_some(),
            Self::Booleans(_, validity) => validity.is_none_or(|validity| validity.get(slot)),
            Self::Nulls => false,
        }
    }
}

/// The texts `false` and `true`.
const BOOLEANS: (&[u8], [i64; 3]) = (b"falsetrue", [0, 5, 9]);

impl<'a> MetadataArray<'a> {
    /// The metadata of a node. `column_of` names the keys of a struct in messages.
    pub fn read(node: &Node<'a>) -> Result<Self> {
        match node.format {
            _ if node.dictionary()?.is_some() => Err(node.wrong_type(METADATA)),
            "n" => {
                let mut lists = Vec::new();
                try_pad(&mut lists, node.len + 1, 0)?;
                let keys =
                    Keys::Names { data: Vec::new(), offsets: try_collect(1, [Ok::<_, ArrowError>(0)].into_iter())? };
                Ok(Self { lists, keys, slots: Vec::new(), types: Vec::new(), texts: None, numbers: Vec::new() })
            }
            "+m" => Self::by_entries(Lists::read(node)?),
            format if is_list(format) => Self::by_entries(Lists::read(node)?),
            "+s" => Self::by_fields(node),
            _ => Err(node.wrong_type(METADATA)),
        }
    }

    /// Entries of a key and a value.
    fn by_entries(lists: Lists<'a>) -> Result<Self> {
        let entries = &lists.child;
        if entries.format != "+s" || entries.children_len() != 2 {
            return Err(entries.wrong_type(METADATA));
        }
        entries.expect(1, 2)?;
        let keys = TextArray::read(&entries.child(0)?)?;
        let values = ValueArray::read(&entries.child(1)?)?;
        let validity = entries.validity();
        let (offsets, slots) = lists.gather(|row, slot| {
            let refuse = |fault| Err(entries.fault(Some(row), fault));
            if validity.is_some_and(|validity| !validity.get(slot)) {
                return refuse(Fault::Value("has a null entry"));
            }
            if !keys.is_present(slot) {
                return refuse(Fault::Value("has a null key"));
            }
            Ok(values.is_present(slot))
        })?;
        let (mut types, mut numbers, mut texts) = (Vec::new(), Vec::new(), None);
        match values {
            ValueArray::Texts(values) => {
                let codes = gathered(&values, &slots)?;
                texts = Some(ValueTexts::Child(values, codes));
            }
            ValueArray::Numbers(values) => {
                try_pad(&mut types, slots.len(), DOUBLE)?;
                try_reserve(&mut numbers, slots.len())?;
                numbers.extend(slots.iter().map(|&slot| values.get(slot as usize).unwrap_or_default()));
            }
            ValueArray::Booleans(bits, _) => {
                try_pad(&mut types, slots.len(), OTHER)?;
                let is_true = |slot: u32| bits.is_some_and(|bits| bits.get(slot as usize));
                let codes =
                    try_collect(slots.len(), slots.iter().map(|&slot| Ok::<_, ArrowError>(is_true(slot).into())))?;
                texts = Some(booleans(codes)?);
            }
            ValueArray::Nulls => {}
        }
        let codes = gathered(&keys, &slots)?;
        Ok(Self { lists: offsets, keys: Keys::Child(keys, codes), slots, types, texts, numbers })
    }

    /// A struct: each field is a key, with a value where it is not null.
    fn by_fields(node: &Node<'a>) -> Result<Self> {
        node.expect(1, node.children_len() as i64)?;
        let (mut names, mut offsets) = (Vec::new(), Vec::new());
        let mut fields = Vec::new();
        try_push(&mut offsets, 0_i64)?;
        for index in 0..node.children_len() {
            let schema: *const ArrowSchema = node.child_schema(index);
            let field = node.child(index)?;
            // SAFETY: `child` has found the struct to be there.
            let name = unsafe { name_of(schema) }
                .ok_or_else(|| field.fault(None, Fault::Malformed("a field's name is not UTF-8")))?;
            try_extend(&mut names, name.as_bytes())?;
            try_push(&mut offsets, names.len() as i64)?;
            try_push(&mut fields, ValueArray::read(&field)?)?;
        }
        let validity = node.validity();
        let mut array = Self {
            lists: Vec::new(),
            keys: Keys::Names { data: names, offsets },
            slots: Vec::new(),
            types: Vec::new(),
            texts: None,
            numbers: Vec::new(),
        };
        let with_texts = fields.iter().filter(|field| matches!(field, ValueArray::Texts(_) | ValueArray::Booleans(..)));
        let single = with_texts.clone().count() == 1;
        let lent = fields.iter().position(|field| single && matches!(field, ValueArray::Texts(_)));
        let (mut data, mut ends, mut codes) = (Vec::new(), Vec::new(), Vec::new());
        let slots = node.len.checked_mul(fields.len()).ok_or(OutOfMemory)?;
        try_reserve(&mut array.slots, slots)?;
        try_reserve(&mut array.types, slots)?;
        try_reserve(&mut array.numbers, slots)?;
        // The texts of a single field are lent: the code of a slot is that of its row's text.
        match lent {
            Some(_) => try_reserve(&mut codes, slots)?,
            None => try_reserve(&mut ends, slots + 1)?,
        }
        if lent.is_none() {
            ends.push(0);
        }
        try_reserve(&mut array.lists, node.len + 1)?;
        array.lists.push(0);
        for row in 0..node.len {
            if validity.is_none_or(|validity| validity.get(row)) {
                for (key, field) in fields.iter().enumerate().filter(|(_, field)| field.is_present(row)) {
                    let mut code = 0;
                    let (value_type, number) = match field {
                        ValueArray::Texts(texts) if lent.is_some() => {
                            code = u32::try_from(texts.number(row)).unwrap_or(u32::MAX);
                            (0, 0.0)
                        }
                        ValueArray::Texts(texts) => {
                            let bytes = texts.bytes(row).ok_or_else(|| {
                                node.fault(Some(row), Fault::Value("has a text whose offset or code is out of range"))
                            })?;
                            try_extend(&mut data, bytes)?;
                            (0, 0.0)
                        }
                        ValueArray::Numbers(numbers) => (DOUBLE, numbers.get(row).unwrap_or_default()),
                        ValueArray::Booleans(bits, _) => {
                            let is_true = bits.is_some_and(|bits| bits.get(row));
                            try_extend(&mut data, if is_true { b"true" } else { &b"false"[..] })?;
                            (OTHER, 0.0)
                        }
                        ValueArray::Nulls => continue,
                    };
                    array.slots.push(key as u32);
                    array.types.push(value_type);
                    array.numbers.push(number);
                    match lent {
                        Some(_) => codes.push(code),
                        None => ends.push(data.len() as i64),
                    }
                }
            }
            array.lists.push(array.slots.len() as i64);
        }
        array.texts = Some(match lent.map(|field| fields.swap_remove(field)) {
            Some(ValueArray::Texts(texts)) => ValueTexts::Child(texts, codes),
            _ => ValueTexts::Own { data, offsets: ends, codes: None },
        });
        Ok(array)
    }

    /// The metadata as columns.
    pub fn view(&self) -> Metadata<'_> {
        let keys = match &self.keys {
            Keys::Child(keys, codes) => Texts { codes: Some(Codes::U32(codes)), ..keys.dictionary() },
            Keys::Names { data, offsets } => {
                Texts { data, offsets: Offsets::I64(offsets), codes: Some(Codes::U32(&self.slots)) }
            }
        };
        let texts = self.texts.as_ref().map(|texts| match texts {
            ValueTexts::Child(texts, codes) => Texts { codes: Some(Codes::U32(codes)), ..texts.dictionary() },
            ValueTexts::Own { data, offsets, codes } => {
                Texts { data, offsets: Offsets::I64(offsets), codes: codes.as_deref().map(Codes::U32) }
            }
        });
        Metadata {
            lists: Offsets::I64(&self.lists),
            keys,
            types: (!self.types.is_empty()).then_some(&*self.types),
            texts: if self.types.is_empty() || texts.is_some() { texts } else { None },
            numbers: (!self.numbers.is_empty()).then_some(&*self.numbers),
        }
    }

    /// The row that has a slot.
    pub fn row_of(&self, slot: usize) -> usize {
        self.lists.partition_point(|&first| first as usize <= slot).saturating_sub(1)
    }
}

/// `false` and `true` by code.
fn booleans<'a>(codes: Vec<u32>) -> Result<ValueTexts<'a>> {
    let (mut data, mut offsets) = (Vec::new(), Vec::new());
    try_extend(&mut data, BOOLEANS.0)?;
    try_extend(&mut offsets, &BOOLEANS.1)?;
    Ok(ValueTexts::Own { data, offsets, codes: Some(codes) })
}

/// The numbers of the texts of slots, for gathering them with codes.
pub(super) fn gathered(texts: &TextArray<'_>, slots: &[u32]) -> Result<Vec<u32>> {
    // A code that does not fit is out of range for any number of texts.
    let number = |&slot: &u32| Ok::<_, ArrowError>(u32::try_from(texts.number(slot as usize)).unwrap_or(u32::MAX));
    try_collect(slots.len(), slots.iter().map(number))
}
