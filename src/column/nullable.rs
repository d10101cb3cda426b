//! A column in which values may be missing.

use std::ops::Range;

use crate::column::Packed;
use crate::memory::{OutOfMemory, retain, trim, try_pad, try_push, try_reserve};

/// How a column stores its values.
pub trait Storage {
    /// One value.
    type Value: Copy;
    /// How values are stored, to go back to.
    type Width: Copy;
    /// What a missing value is stored as.
    const FILLER: Self::Value;

    /// How many values there are.
    fn len(&self) -> usize;
    /// Copies the values of `rows` to `out`, which has as many entries.
    fn read(&self, rows: Range<usize>, out: &mut [Self::Value]);
    /// Appends a value.
    fn push(&mut self, value: Self::Value) -> Result<(), OutOfMemory>;
    /// Appends all values.
    fn extend(&mut self, values: impl ExactSizeIterator<Item = Self::Value> + Clone) -> Result<(), OutOfMemory>;
    /// Appends fillers up to `len` values.
    fn pad(&mut self, len: usize) -> Result<(), OutOfMemory>;
    /// Reserves capacity for `more` values.
    fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory>;
    /// Removes all values and keeps the memory.
    fn clear(&mut self);
    /// Gives back memory that is not in use.
    fn shrink(&mut self);
    /// How values are stored.
    fn width(&self) -> Self::Width;
    /// Keeps the values in `runs`, which ascend.
    fn retain(&mut self, runs: impl Iterator<Item = Range<usize>>);
    /// Gives back capacity beyond `keep` values that is not in use.
    fn trim(&mut self, keep: usize);
    /// Removes the values from `len` on, and the memory they took.
    fn restore(&mut self, len: usize, width: Self::Width, keep: usize);
}

macro_rules! column_of {
    ($value:ty, $filler:expr) => {
        impl Storage for Vec<$value> {
            type Value = $value;
            type Width = ();
            const FILLER: $value = $filler;

            fn len(&self) -> usize {
                self.len()
            }

            fn read(&self, rows: Range<usize>, out: &mut [$value]) {
                out.copy_from_slice(&self[rows]);
            }

            #[inline(always)]
            fn push(&mut self, value: $value) -> Result<(), OutOfMemory> {
                try_push(self, value)
            }

            fn extend(&mut self, values: impl ExactSizeIterator<Item = $value> + Clone) -> Result<(), OutOfMemory> {
                try_reserve(self, values.len())?;
                Extend::extend(self, values);
                Ok(())
            }

            fn pad(&mut self, len: usize) -> Result<(), OutOfMemory> {
                try_pad(self, len, $filler)
            }

            fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
                try_reserve(self, more)
            }

            fn clear(&mut self) {
                self.clear();
            }

            fn shrink(&mut self) {
                crate::memory::shrink(self);
            }

            #[inline(always)]
            fn width(&self) {}

            fn retain(&mut self, runs: impl Iterator<Item = Range<usize>>) {
                retain(self, runs);
            }

            fn trim(&mut self, keep: usize) {
                trim(self, keep);
            }

            fn restore(&mut self, len: usize, (): (), keep: usize) {
                self.truncate(len);
                trim(self, keep);
            }
        }
    };
}

column_of!(i64, 0);
// Not a number, so that a kernel that replaces what is not finite needs no second array to see what is missing.
column_of!(f64, f64::NAN);

/// Values, each of which may be missing.
///
/// A column in which every value is missing takes no memory; one in which none is has no validity bytes.
#[derive(Debug)]
pub struct Nullable<C> {
    values: C,
    /// 1 where the value is present; empty while none of `values` is missing.
    validity: Vec<u8>,
}

impl<C: Storage> Nullable<C> {
    /// A column without rows.
    pub const fn new(values: C) -> Self {
        Self { values, validity: Vec::new() }
    }

    /// The values with their validity bytes, if any is missing; nothing when all are missing.
    pub fn parts(&self) -> Option<(&C, Option<&[u8]>)> {
        (self.values.len() > 0).then(|| (&self.values, (!self.validity.is_empty()).then_some(&*self.validity)))
    }

    /// Whether the value of `row` is present.
    pub fn present(&self, row: usize) -> bool {
        row < self.values.len() && self.validity.get(row).is_none_or(|&byte| byte == 1)
    }

    /// Copies the values of `rows` to `out`, and 1 where a value is present to `validity`. A missing value reads as the filler.
    pub fn read(&self, rows: Range<usize>, out: &mut [C::Value], validity: Option<&mut [u8]>) {
        let is_used = self.values.len() > 0;
        if is_used {
            self.values.read(rows.clone(), out);
        } else {
            out.fill(C::FILLER);
        }
        if let Some(validity) = validity {
            match self.validity.get(rows) {
                Some(own) if !self.validity.is_empty() => validity.copy_from_slice(own),
                _ => validity.fill(is_used.into()),
            }
        }
    }

    /// Appends the value of `row`, the next one.
    #[inline(always)]
    pub fn push(&mut self, row: usize, value: Option<C::Value>) -> Result<(), OutOfMemory> {
        match value {
            None if self.values.len() == 0 => return Ok(()),
            None => {
                if self.validity.is_empty() {
                    try_reserve(&mut self.validity, row + 1)?;
                    try_pad(&mut self.validity, row, 1)?;
                }
                try_push(&mut self.validity, 0)?;
            }
            Some(_) => {
                if self.values.len() == 0 && row > 0 {
                    try_reserve(&mut self.validity, row + 1)?;
                    self.values.pad(row)?;
                    try_pad(&mut self.validity, row, 0)?;
                }
                if !self.validity.is_empty() {
                    try_push(&mut self.validity, 1)?;
                }
            }
        }
        self.values.push(value.unwrap_or(C::FILLER))
    }

    /// Appends `count` rows from `row`, the next one, on, in which every value is missing.
    pub fn extend_missing(&mut self, row: usize, count: usize) -> Result<(), OutOfMemory> {
        if self.values.len() > 0 {
            self.mark_present(row, count, |_| false)?;
            self.values.pad(row + count)?;
        }
        Ok(())
    }

    /// Appends values from `row`, the next one, on. `present` says of each index whether its value is present.
    pub fn extend(
        &mut self,
        row: usize,
        values: &[C::Value],
        present: impl Fn(usize) -> bool + Copy,
    ) -> Result<(), OutOfMemory> {
        let count = values.len();
        let missing = (0..count).map(|index| usize::from(!present(index))).sum::<usize>();
        if missing == count {
            return self.extend_missing(row, count);
        }
        if self.values.len() == 0 && row > 0 {
            self.values.pad(row)?;
            try_pad(&mut self.validity, row, 0)?;
        }
        if missing == 0 {
            if !self.validity.is_empty() {
                try_pad(&mut self.validity, row + count, 1)?;
            }
            return self.values.extend(values.iter().copied());
        }
        self.mark_present(row, count, present)?;
        let filled = values.iter().enumerate();
        self.values.extend(filled.map(|(index, &value)| if present(index) { value } else { C::FILLER }))
    }

    /// Appends the validity bytes of `count` rows from `row` on.
    fn mark_present(&mut self, row: usize, count: usize, present: impl Fn(usize) -> bool) -> Result<(), OutOfMemory> {
        let missing = row + count - self.validity.len();
        try_reserve(&mut self.validity, missing)?;
        try_pad(&mut self.validity, row, 1)?;
        self.validity.extend((0..count).map(|index| u8::from(present(index))));
        Ok(())
    }

    /// Makes room for `more` rows, in a column that has values.
    pub fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        if self.values.len() > 0 {
            self.values.reserve(more)?;
        }
        if !self.validity.is_empty() {
            try_reserve(&mut self.validity, more)?;
        }
        Ok(())
    }

    /// The state to go back to.
    #[inline(always)]
    pub fn mark(&self) -> NullableMark<C::Width> {
        NullableMark {
            width: self.values.width(),
            has_values: self.values.len() > 0,
            has_validity: !self.validity.is_empty(),
        }
    }

    /// Goes back to the first `len` rows, and to the mark that was made when there were no more. Values and validity go back
    /// together: a column that gained its values after the mark is one without values again.
    pub fn restore(&mut self, len: usize, mark: NullableMark<C::Width>, keep: usize) {
        let keep_of = |there: bool| if there { keep } else { 0 };
        let len_of = |there: bool| if there { len } else { 0 };
        self.values.restore(len_of(mark.has_values), mark.width, keep_of(mark.has_values));
        self.validity.truncate(len_of(mark.has_validity));
        trim(&mut self.validity, keep_of(mark.has_validity));
    }

    /// Keeps the rows in `runs`, which ascend.
    pub fn retain(&mut self, runs: impl Iterator<Item = Range<usize>> + Clone) {
        self.values.retain(runs.clone());
        retain(&mut self.validity, runs);
    }

    /// Gives back capacity beyond `keep` rows that is not in use.
    pub fn trim(&mut self, keep: usize) {
        self.values.trim(keep);
        trim(&mut self.validity, keep);
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.values.clear();
        self.validity.clear();
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        self.values.shrink();
        crate::memory::shrink(&mut self.validity);
    }
}

/// State of a [`Nullable`] column that [`restore`](Nullable::restore) goes back to.
#[derive(Clone, Copy, Debug)]
pub struct NullableMark<W> {
    width: W,
    has_values: bool,
    has_validity: bool,
}

impl Nullable<Vec<i64>> {
    /// The value of `row`.
    pub fn get(&self, row: usize) -> Option<i64> {
        self.present(row).then(|| self.values[row])
    }
}

impl Nullable<Vec<f64>> {
    /// The value of `row`.
    pub fn get(&self, row: usize) -> Option<f64> {
        self.present(row).then(|| self.values[row])
    }
}

impl Nullable<Packed> {
    /// The value of `row`.
    pub fn get(&self, row: usize) -> Option<i64> {
        self.present(row).then(|| self.values.get(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_of_missing_values_reads_back() {
        for pattern in 0_u32..1 << 6 {
            let value = |row: usize| (pattern >> row & 1 == 1).then_some(row as i64 - 3);
            let mut wide = Nullable::new(Vec::<i64>::new());
            let mut narrow = Nullable::new(Packed::new());
            for row in 0..6 {
                wide.push(row, value(row)).unwrap();
                narrow.push(row, value(row)).unwrap();
            }
            for row in 0..6 {
                assert_eq!(wide.get(row), value(row), "{pattern:b} {row}");
                assert_eq!(narrow.get(row), value(row), "{pattern:b} {row}");
            }
            for split in 0..=6 {
                let values: Vec<i64> = (0..6).map(|row| row - 3).collect();
                let validity: Vec<u8> = (0..6).map(|row| u8::from(value(row).is_some())).collect();
                let mut column = Nullable::new(Packed::new());
                column.extend(0, &values[..split], |index| validity[index] == 1).unwrap();
                column.extend(split, &values[split..], |index| validity[split + index] == 1).unwrap();
                column.extend_missing(6, 2).unwrap();
                column.extend(8, &[8, 9], |_| true).unwrap();
                let read: Vec<_> = (0..10).map(|row| column.get(row)).collect();
                let expected = (0..6).map(value).chain([None, None, Some(8), Some(9)]);
                assert_eq!(read, expected.collect::<Vec<_>>(), "{pattern:b} {split}");
            }
            for first in 0..=6 {
                let mut column = Nullable::new(Packed::new());
                (0..first).for_each(|row| column.push(row, value(row)).unwrap());
                let (mark, before) = (column.mark(), format!("{column:?}"));
                (first..6).for_each(|row| column.push(row, value(row)).unwrap());
                column.restore(first, mark, 0);
                column.extend(first, &[300, 70_000], |index| index == 1).unwrap();
                column.restore(first, mark, 0);
                assert_eq!(format!("{column:?}"), before, "{pattern:b} {first}");
            }
        }
    }
}
