//! A column of integers in the narrowest width that holds them all.

use std::mem::Discriminant;
use std::ops::Range;

use crate::column::nullable::Storage;
use crate::memory::{OutOfMemory, retain, trim, try_push, try_reserve};

/// Integers, stored in 1, 2, 4 or 8 bytes each.
///
/// Kinds are few and priorities small, and a scorer that streams one byte a row is several times as fast as one that streams
/// eight. The width of the whole column grows when a number does not fit.
#[derive(Debug)]
pub enum Packed {
    /// Numbers from -128 to 127.
    I8(Vec<i8>),
    /// Numbers of 16 bits.
    I16(Vec<i16>),
    /// Numbers of 32 bits.
    I32(Vec<i32>),
    /// Numbers of 64 bits.
    I64(Vec<i64>),
}

/// Evaluates an expression on the column's vector, whatever its width.
macro_rules! on_values {
    ($packed:expr, $values:ident => $body:expr) => {
        match $packed {
            $crate::column::Packed::I8($values) => $body,
            $crate::column::Packed::I16($values) => $body,
            $crate::column::Packed::I32($values) => $body,
            $crate::column::Packed::I64($values) => $body,
        }
    };
}
pub(crate) use on_values;

impl Packed {
    /// An empty column.
    pub const fn new() -> Self {
        Self::I8(Vec::new())
    }

    /// The number at `row`.
    pub fn get(&self, row: usize) -> i64 {
        #[allow(clippy::useless_conversion, reason = "one of the four widths is i64 already")]
        {
            on_values!(self, values => i64::from(values[row]))
        }
    }

    #[cold]
    fn push_wider(&mut self, number: i64) -> Result<(), OutOfMemory> {
        self.widen(number)?;
        self.push(number)
    }

    /// Removes the numbers from row `len` on.
    pub fn truncate(&mut self, len: usize) {
        on_values!(self, values => values.truncate(len));
    }

    /// Replaces each number, a code, by its entry in `codes`, which is no greater.
    pub fn recode(&mut self, codes: &[u32]) {
        on_values!(self, values => values.iter_mut().for_each(|code| *code = codes[*code as usize] as _));
    }

    /// Goes back to a width in which all numbers fit.
    #[cold]
    fn narrow(&mut self, width: Width) -> Result<(), OutOfMemory> {
        let widths = [Self::I8(Vec::new()), Self::I16(Vec::new()), Self::I32(Vec::new()), Self::I64(Vec::new())];
        let Some(mut narrow) = widths.into_iter().find(|column| column.width() == width) else { return Ok(()) };
        narrow.reserve(self.len())?;
        for row in 0..self.len() {
            narrow.push(self.get(row))?;
        }
        *self = narrow;
        Ok(())
    }

    /// Makes the column wide enough for `number`.
    #[cold]
    fn widen(&mut self, number: i64) -> Result<(), OutOfMemory> {
        fn widened<T: Copy, U: From<T>>(values: &[T], capacity: usize) -> Result<Vec<U>, OutOfMemory> {
            let mut wide = Vec::new();
            // The reserved capacity is a hint: what the column needs now is enough.
            try_reserve(&mut wide, capacity).or_else(|_| try_reserve(&mut wide, values.len() + 1))?;
            Extend::extend(&mut wide, values.iter().map(|&value| U::from(value)));
            Ok(wide)
        }
        let wide = if i8::try_from(number).is_ok() {
            return Ok(());
        } else if i16::try_from(number).is_ok() {
            match self {
                Self::I8(values) => Self::I16(widened(values, values.capacity())?),
                _ => return Ok(()),
            }
        } else if i32::try_from(number).is_ok() {
            match self {
                Self::I8(values) => Self::I32(widened(values, values.capacity())?),
                Self::I16(values) => Self::I32(widened(values, values.capacity())?),
                _ => return Ok(()),
            }
        } else {
            match self {
                Self::I8(values) => Self::I64(widened(values, values.capacity())?),
                Self::I16(values) => Self::I64(widened(values, values.capacity())?),
                Self::I32(values) => Self::I64(widened(values, values.capacity())?),
                Self::I64(_) => return Ok(()),
            }
        };
        *self = wide;
        Ok(())
    }
}

impl Storage for Packed {
    type Value = i64;
    type Width = Width;
    const FILLER: i64 = 0;

    fn len(&self) -> usize {
        on_values!(self, values => values.len())
    }

    fn read(&self, rows: Range<usize>, out: &mut [i64]) {
        #[allow(clippy::useless_conversion, reason = "one of the four widths is i64 already")]
        {
            on_values!(self, values => out.iter_mut().zip(&values[rows]).for_each(|(out, &value)| *out = value.into()));
        }
    }

    #[inline(always)]
    fn push(&mut self, number: i64) -> Result<(), OutOfMemory> {
        match self {
            Self::I8(values) if number == i64::from(number as i8) => try_push(values, number as i8),
            Self::I16(values) if number == i64::from(number as i16) => try_push(values, number as i16),
            Self::I32(values) if number == i64::from(number as i32) => try_push(values, number as i32),
            Self::I64(values) => try_push(values, number),
            _ => self.push_wider(number),
        }
    }

    fn extend(&mut self, numbers: impl ExactSizeIterator<Item = i64> + Clone) -> Result<(), OutOfMemory> {
        let (least, greatest) =
            numbers.clone().fold((0, 0), |(least, greatest), number| (number.min(least), number.max(greatest)));
        for number in [least, greatest] {
            self.widen(number)?;
        }
        self.reserve(numbers.len())?;
        match self {
            Self::I8(values) => values.extend(numbers.map(|number| number as i8)),
            Self::I16(values) => values.extend(numbers.map(|number| number as i16)),
            Self::I32(values) => values.extend(numbers.map(|number| number as i32)),
            Self::I64(values) => Extend::extend(values, numbers),
        }
        Ok(())
    }

    fn pad(&mut self, len: usize) -> Result<(), OutOfMemory> {
        on_values!(self, values => crate::memory::try_pad(values, len, 0))
    }

    fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        on_values!(self, values => try_reserve(values, more))
    }

    fn retain(&mut self, runs: impl Iterator<Item = Range<usize>>) {
        on_values!(self, values => retain(values, runs));
    }

    fn trim(&mut self, keep: usize) {
        on_values!(self, values => trim(values, keep));
    }

    #[inline(always)]
    fn width(&self) -> Width {
        Width(std::mem::discriminant(self))
    }

    fn restore(&mut self, len: usize, width: Width, keep: usize) {
        self.truncate(len);
        if self.width() != width {
            // Without memory for the narrow column, the wide one stays.
            let _ = self.narrow(width);
        }
        self.trim(keep);
    }

    fn shrink(&mut self) {
        if self.len() == 0 {
            *self = Self::new();
        }
        on_values!(self, values => crate::memory::shrink(values));
    }

    fn clear(&mut self) {
        self.truncate(0);
    }
}

/// The width of a [`Packed`] column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width(Discriminant<Packed>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_is_entered_from_every_narrower_one() {
        let samples = [1, -128, 127, 128, -129, 32_767, 32_768, i64::from(i32::MIN), i64::MIN, i64::MAX];
        for &first in &samples {
            for &second in &samples {
                let mut column = Packed::new();
                for number in [first, 0, second, first] {
                    column.push(number).unwrap();
                }
                let read: Vec<i64> = (0..column.len()).map(|row| column.get(row)).collect();
                assert_eq!(read, [first, 0, second, first]);
                column.truncate(1);
                column.pad(3).unwrap();
                assert_eq!(column.get(2), 0);
            }
        }
    }

    #[test]
    fn many_numbers_are_appended_as_one_by_one() {
        for numbers in
            [vec![], vec![1, -128], vec![127, 128], vec![40_000], vec![5, i64::MIN], vec![i64::MAX, 0, 1 << 31]]
        {
            let mut column = Packed::new();
            column.push(7).unwrap();
            column.extend(numbers.iter().copied()).unwrap();
            let read: Vec<i64> = (1..column.len()).map(|row| column.get(row)).collect();
            assert_eq!((column.get(0), read), (7, numbers));
        }
    }

    #[test]
    fn small_numbers_take_a_byte() {
        let mut column = Packed::new();
        for number in 0..10 {
            column.push(number).unwrap();
        }
        assert!(matches!(column, Packed::I8(_)));
        column.push(1_000).unwrap();
        assert!(matches!(column, Packed::I16(_)));
    }

    #[test]
    fn restoring_goes_back_to_the_width() {
        for start in [3, 300, 70_000, 1 << 40] {
            for wide in [3, 300, 70_000, 1 << 40] {
                let mut column = Packed::new();
                column.push(start).unwrap();
                let width = column.width();
                column.extend([wide; 100].into_iter()).unwrap();
                column.restore(1, width, 0);
                assert_eq!((column.width(), column.len(), column.get(0)), (width, 1, start));
                assert!(on_values!(&column, values => values.capacity()) <= 64);
            }
        }
    }
}
