//! Rows as columns, to append many at a time.

use std::ops::Range;

use crate::memory::{OutOfMemory, try_pad};
use crate::text::TextInterner;
use crate::text::TextSlice;

/// Numbers that may be missing: a value for each row, and a byte of 1 for each row that has one. No values: all are missing. No
/// bytes: none is missing.
pub type OptionalColumn<'a, T> = (Option<&'a [T]>, Option<&'a [u8]>);

/// So many rows are taken through all steps together: what a step leaves for the next stays in the nearest cache.
pub const BLOCK_ROWS: usize = 512;

/// The texts of a column's slots.
#[derive(Clone, Copy)]
pub struct TextSlots<'a> {
    /// All texts, one after another, and nothing before the first.
    pub text: &'a str,
    /// Where each text begins, and at last where the last one ends; the first offset is the beginning of `text`. Every offset
    /// stands between characters.
    pub offsets: &'a [i64],
    /// Which text a slot has. None: each has its own.
    pub codes: Option<&'a [u32]>,
}

impl<'a> TextSlots<'a> {
    /// The text at an index.
    #[inline(always)]
    fn text(self, index: usize) -> TextSlice<'a> {
        self.between(self.offsets[index], self.offsets[index + 1])
    }

    /// The text between two offsets.
    #[inline(always)]
    fn between(self, start: i64, end: i64) -> TextSlice<'a> {
        let base = self.offsets[0];
        TextSlice::new(self.text, (start - base) as usize..(end - base) as usize)
    }

    /// The text of a slot.
    #[inline(always)]
    pub fn get(self, slot: usize) -> TextSlice<'a> {
        self.text(self.codes.map_or(slot, |codes| codes[slot] as usize))
    }

    /// Whether every slot has the text, or at least the code, of the one `period` slots before it.
    fn repeat(self, slots: Range<usize>, period: usize) -> bool {
        if let Some(codes) = self.codes {
            return repeats(&codes[slots], period);
        }
        // The column is held against itself, which the processor does many bytes at a time.
        let offsets = &self.offsets[slots.start..=slots.end];
        let Some(later) = offsets.get(period..) else { return false };
        let span = later[0] - offsets[0];
        if later.iter().zip(offsets).fold(0, |all, (later, earlier)| all | (later - earlier) ^ span) != 0 {
            return false;
        }
        let (start, end) = (offsets[0] - self.offsets[0], offsets[slots.len()] - self.offsets[0]);
        repeats(&self.text.as_bytes()[start as usize..end as usize], span as usize)
    }
}

/// Whether every value is the one `period` places before it.
fn repeats<T: PartialEq>(values: &[T], period: usize) -> bool {
    values.get(period..).is_some_and(|later| later == &values[..later.len()])
}

/// Numbers the texts of slots, those that have a code once.
pub struct CodeMap<'a> {
    slots: TextSlots<'a>,
    of_code: Vec<u32>,
}

impl<'a> CodeMap<'a> {
    const UNKNOWN: u32 = u32::MAX;

    /// Nothing is numbered yet.
    pub fn new(slots: TextSlots<'a>) -> Result<Self, OutOfMemory> {
        let mut of_code = Vec::new();
        if slots.codes.is_some() {
            try_pad(&mut of_code, slots.offsets.len() - 1, Self::UNKNOWN)?;
        }
        Ok(Self { slots, of_code })
    }

    /// The number that `texts` has for the text of a slot.
    #[inline(always)]
    pub fn get(&mut self, texts: &mut TextInterner, slot: usize) -> Result<u32, OutOfMemory> {
        let Some(codes) = self.slots.codes else { return texts.intern(self.slots.text(slot).into()) };
        let code = codes[slot] as usize;
        if self.of_code[code] == Self::UNKNOWN {
            self.of_code[code] = texts.intern(self.slots.text(code).into())?;
        }
        Ok(self.of_code[code])
    }

    /// Puts the numbers of slots into `numbers`, in place of what is there.
    #[inline]
    pub fn number(
        &mut self,
        texts: &mut TextInterner,
        slots: Range<usize>,
        numbers: &mut Vec<u32>,
    ) -> Result<(), OutOfMemory> {
        numbers.clear();
        try_pad(numbers, slots.len(), 0)?;
        if self.slots.codes.is_some() {
            for (slot, number) in slots.zip(numbers) {
                *number = self.get(texts, slot)?;
            }
        } else {
            let column = self.slots;
            for (ends, number) in column.offsets[slots.start..=slots.end].windows(2).zip(numbers) {
                *number = texts.intern(column.between(ends[0], ends[1]).into())?;
            }
        }
        Ok(())
    }
}

/// Lists: for each row where its slots begin, and at last where the last row's end.
#[derive(Clone, Copy)]
pub struct Lists<'a>(pub &'a [i64]);

impl Lists<'_> {
    /// The slots of rows from `first` to before `last`.
    #[inline(always)]
    pub fn slots(self, first: usize, last: usize) -> Range<usize> {
        self.0[first] as usize..self.0[last] as usize
    }

    /// How many slots each of some rows has, if all have as many.
    fn width(self, rows: Range<usize>) -> Option<usize> {
        let offsets = &self.0[rows.start..=rows.end];
        let width = offsets.get(1)? - offsets[0];
        let differences = offsets.windows(2).fold(0, |all, ends| all | (ends[1] - ends[0]) ^ width);
        (differences == 0).then_some(width as usize)
    }
}

/// The tags of rows.
#[derive(Clone, Copy)]
pub struct TagColumn<'a> {
    /// The slots of each row.
    pub lists: Lists<'a>,
    /// The tags.
    pub tags: TextSlots<'a>,
}

/// The metadata of rows.
#[derive(Clone, Copy)]
pub struct MetadataColumn<'a> {
    /// The slots of each row. A key that stands twice in a row has the value that comes last.
    pub lists: Lists<'a>,
    /// The keys.
    pub keys: TextSlots<'a>,
    /// What each value is; none: all are strings.
    pub types: Option<&'a [ValueType]>,
    /// The values that are texts; there when any is.
    pub texts: Option<TextSlots<'a>>,
    /// The values that are numbers; there when any is.
    pub numbers: Option<&'a [f64]>,
}

/// What the value of a slot is: one of the constants.
pub type ValueType = u8;
/// A text.
pub const STRING: ValueType = 0;
/// A number.
pub const DOUBLE: ValueType = 1;
/// The text of another value.
pub const OTHER: ValueType = 2;

/// What a metadata value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Form {
    /// There is none.
    Absent,
    /// A text.
    String,
    /// A number.
    Double,
    /// The text of another value.
    Other,
}

impl<'a> MetadataColumn<'a> {
    /// How many slots each of some rows has, if they all have the same keys in the same order, as rows of a table do.
    pub fn width_of_table(&self, rows: Range<usize>) -> Option<usize> {
        let slots = self.lists.slots(rows.start, rows.end);
        self.lists.width(rows).filter(|&width| self.keys.repeat(slots, width))
    }

    /// What the value of a slot is.
    #[inline(always)]
    pub fn form(&self, slot: usize) -> Form {
        match self.types.map_or(STRING, |types| types[slot]) {
            DOUBLE => Form::Double,
            STRING => Form::String,
            _ => Form::Other,
        }
    }

    /// The value of a slot that has a number.
    #[inline(always)]
    pub fn number(&self, slot: usize) -> f64 {
        self.numbers.map_or(0.0, |numbers| numbers[slot])
    }

    /// The text of a slot that has one.
    #[inline(always)]
    pub fn text(&self, slot: usize) -> &'a str {
        self.texts.map_or("", |texts| texts.get(slot).text())
    }
}

/// Many rows, whose columns are known to be right.
#[derive(Clone, Copy)]
pub struct Columns<'a> {
    /// How many rows there are.
    pub rows: usize,
    /// The content.
    pub content: Option<TextSlots<'a>>,
    /// The sizes in tokens.
    pub tokens: Option<&'a [i64]>,
    /// The kinds, none of them blank, and which rows have one.
    pub kinds: (Option<TextSlots<'a>>, Option<&'a [u8]>),
    /// The sources, none of them blank, and which rows have one.
    pub sources: (Option<TextSlots<'a>>, Option<&'a [u8]>),
    /// The priorities.
    pub priority: OptionalColumn<'a, i64>,
    /// The instants, in nanoseconds since the Unix epoch.
    pub timestamp: OptionalColumn<'a, i64>,
    /// The host's hints.
    pub future_relevance_hint: OptionalColumn<'a, f64>,
    /// Which rows the host wants kept, 0 or 1.
    pub pinned: Option<&'a [u8]>,
    /// The sizes in tokens before the host shortened the items.
    pub original_tokens: OptionalColumn<'a, i64>,
    /// The tags; none: no row has any.
    pub tags: Option<TagColumn<'a>>,
    /// The metadata; none: no row has any.
    pub metadata: Option<MetadataColumn<'a>>,
}
