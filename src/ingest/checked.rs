//! Columns that have been checked.

use std::ops::Range;

use crate::ingest::on_offsets;
use crate::ingest::views::{Codes, Flags, Offsets, Values, repeats};
use crate::text::{ShortText, Text, TextKey};

/// Columns that have been checked, which a batch appends without looking again. Only
/// [`Columns::check`](crate::ingest::Columns::check) makes one.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a> {
    pub(crate) rows: usize,
    pub(crate) content: Option<CheckedTexts<'a>>,
    pub(crate) tokens: Option<&'a [i64]>,
    pub(crate) kind: Option<(CheckedTexts<'a>, Option<Flags<'a>>)>,
    pub(crate) source: Option<(CheckedTexts<'a>, Option<Flags<'a>>)>,
    pub(crate) priority: Option<Values<'a, i64>>,
    pub(crate) timestamp: Option<Values<'a, i64>>,
    pub(crate) future_relevance_hint: Option<Values<'a, f64>>,
    pub(crate) pinned: Option<Flags<'a>>,
    pub(crate) original_tokens: Option<Values<'a, i64>>,
    pub(crate) tags: Option<CheckedTags<'a>>,
    pub(crate) metadata: Option<CheckedMetadata<'a>>,
}

impl Checked<'_> {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }
}

/// The texts of a column's slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckedTexts<'a> {
    /// All texts, concatenated, with nothing before the first.
    pub(super) text: &'a str,
    /// The first offset.
    pub(super) base: i64,
    pub(super) offsets: Offsets<'a>,
    pub(super) codes: Option<Codes<'a>>,
}

impl<'a> CheckedTexts<'a> {
    /// How many texts there are.
    pub fn texts_len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The codes, if the column is dictionary-encoded.
    pub fn codes(&self) -> Option<Codes<'a>> {
        self.codes
    }

    /// All texts, concatenated, and their lengths.
    pub fn all(&self) -> (&'a str, impl ExactSizeIterator<Item = usize> + Clone + use<'a>) {
        let Self { text, base, offsets, .. } = *self;
        (text, (1..offsets.len()).map(move |index| (offsets.get(index) - base) as usize))
    }

    /// The text of a number, as a lookup key.
    #[inline(always)]
    pub fn key(&self, text: usize) -> TextKey<'a> {
        let (start, end) =
            on_offsets!(self.offsets, offsets => (i64::from(offsets[text]), i64::from(offsets[text + 1])));
        let (start, end) = ((start - self.base) as usize, (end - self.base) as usize);
        match ShortText::of_part(self.text, start, end) {
            Some(short) => Text::Short(short),
            None => Text::Long(&self.text[start..end]),
        }
    }

    /// The text of a slot.
    #[inline]
    pub fn get(&self, slot: usize) -> &'a str {
        let text = self.codes.map_or(slot, |codes| codes.get(slot));
        let base = self.base;
        &self.text[(self.offsets.get(text) - base) as usize..(self.offsets.get(text + 1) - base) as usize]
    }

    /// Whether every slot has the text, or at least the code, of the one `period` slots before it.
    fn repeat(&self, slots: Range<usize>, period: usize) -> bool {
        if let Some(codes) = self.codes {
            return codes.repeat(slots, period);
        }
        // The column is compared with itself, shifted: many bytes per instruction.
        on_offsets!(self.offsets, offsets => {
            let offsets = &offsets[slots.start..=slots.end];
            let Some(later) = offsets.get(period..) else { return false };
            let span = later[0] - offsets[0];
            if later.iter().zip(offsets).fold(0, |all, (later, earlier)| all | ((later - earlier) ^ span)) != 0 {
                return false;
            }
            let (start, end) = (i64::from(offsets[0]) - self.base, i64::from(offsets[slots.len()]) - self.base);
            repeats(&self.text.as_bytes()[start as usize..end as usize], span as usize)
        })
    }
}

/// For each row, which slots of a column are its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lists<'a>(pub(super) Offsets<'a>);

impl Lists<'_> {
    /// The slots of rows from `first` to before `last`.
    #[inline(always)]
    pub fn slots(&self, first: usize, last: usize) -> Range<usize> {
        self.0.get(first) as usize..self.0.get(last) as usize
    }

    /// How many slots each row has, if all have as many.
    fn width(&self, rows: Range<usize>) -> Option<usize> {
        on_offsets!(self.0, offsets => {
            let offsets = &offsets[rows.start..=rows.end];
            let width = offsets.get(1)? - offsets[0];
            let differences = offsets.windows(2).fold(0, |all, ends| all | ((ends[1] - ends[0]) ^ width));
            (differences == 0).then_some(width as usize)
        })
    }
}

/// The tags of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckedTags<'a> {
    pub lists: Lists<'a>,
    pub tags: CheckedTexts<'a>,
}

/// What a metadata value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ValueType {
    /// A text.
    String = 0,
    /// A number.
    Double = 1,
    /// The text of another value.
    Other = 2,
}

/// The metadata of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckedMetadata<'a> {
    pub lists: Lists<'a>,
    pub keys: CheckedTexts<'a>,
    pub(super) types: Option<&'a [u8]>,
    pub texts: Option<CheckedTexts<'a>>,
    pub(super) numbers: Option<&'a [f64]>,
}

impl<'a> CheckedMetadata<'a> {
    /// How many slots each row has, if all have the same keys in the same order, with values of the same types, as the rows of a
    /// table do.
    pub fn width_of_table(&self, rows: Range<usize>) -> Option<usize> {
        let slots = self.lists.slots(rows.start, rows.end);
        let is_table = |&width: &usize| {
            self.keys.repeat(slots.clone(), width)
                && self.types.is_none_or(|types| repeats(&types[slots.clone()], width))
        };
        self.lists.width(rows).filter(is_table)
    }

    /// The type of a slot's value.
    #[inline(always)]
    pub fn value_type(&self, slot: usize) -> ValueType {
        const DOUBLE: u8 = ValueType::Double as u8;
        match self.types.map_or(0, |types| types[slot]) {
            0 => ValueType::String,
            DOUBLE => ValueType::Double,
            _ => ValueType::Other,
        }
    }

    /// The value of a slot that has a number.
    #[inline(always)]
    pub fn number(&self, slot: usize) -> f64 {
        self.numbers.map_or(0.0, |numbers| numbers[slot])
    }

    /// The value of a slot that has a text.
    #[inline(always)]
    pub fn text(&self, slot: usize) -> &'a str {
        self.texts.map_or("", |texts| texts.get(slot))
    }
}
