//! A column in which a value may be missing.

use crate::column::Packed;
use crate::memory::{OutOfMemory, try_pad, try_push, try_reserve};

/// What values are kept in.
pub trait Column {
    /// One value.
    type Value: Copy;
    /// What stands where a value is missing.
    const FILLER: Self::Value;

    /// How many values there are.
    fn len(&self) -> usize;
    /// Appends a value.
    fn push(&mut self, value: Self::Value) -> Result<(), OutOfMemory>;
    /// Appends all values.
    fn extend(&mut self, values: impl ExactSizeIterator<Item = Self::Value> + Clone) -> Result<(), OutOfMemory>;
    /// Lengthens the column with the filler.
    fn pad(&mut self, len: usize) -> Result<(), OutOfMemory>;
    /// Forgets the values from row `len` on.
    fn truncate(&mut self, len: usize);
    /// Makes room for `more` values.
    fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory>;
    /// Gives back memory that is not in use.
    fn shrink(&mut self);
}

macro_rules! column_of {
    ($value:ty, $filler:expr) => {
        impl Column for Vec<$value> {
            type Value = $value;
            const FILLER: $value = $filler;

            fn len(&self) -> usize {
                self.len()
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

            fn truncate(&mut self, len: usize) {
                self.truncate(len);
            }

            fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
                try_reserve(self, more)
            }

            fn shrink(&mut self) {
                crate::memory::shrink(self);
            }
        }
    };
}

column_of!(i64, 0);
// Not a number, so that a kernel that replaces what is not finite needs no second array to see what is missing.
column_of!(f64, f64::NAN);

impl Column for Packed {
    type Value = i64;
    const FILLER: i64 = 0;

    fn len(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn push(&mut self, value: i64) -> Result<(), OutOfMemory> {
        self.push(value)
    }

    fn extend(&mut self, values: impl ExactSizeIterator<Item = i64> + Clone) -> Result<(), OutOfMemory> {
        self.extend(values)
    }

    fn pad(&mut self, len: usize) -> Result<(), OutOfMemory> {
        self.pad(len)
    }

    fn truncate(&mut self, len: usize) {
        self.truncate(len);
    }

    fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        self.reserve(more)
    }

    fn shrink(&mut self) {
        self.shrink();
    }
}

/// Values of which some may be missing.
///
/// While every value is missing the column has no memory at all; while none is, it has no validity bytes.
#[derive(Debug)]
pub struct Nullable<C> {
    values: C,
    /// 1 where the value is present; empty while none of `values` is missing.
    validity: Vec<u8>,
}

impl<C: Column> Nullable<C> {
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

    /// Appends the values of `count` rows from `row`, the next one, on. No values: all are missing. Validity has a byte of 1
    /// for each that is not; none: no value is missing.
    pub fn extend(
        &mut self,
        row: usize,
        count: usize,
        values: Option<&[C::Value]>,
        validity: Option<&[u8]>,
    ) -> Result<(), OutOfMemory> {
        let present = |index: usize| validity.is_none_or(|bytes| bytes[index] == 1);
        let missing = match values {
            Some(_) => (0..count).filter(|&index| !present(index)).count(),
            None => count,
        };
        let (Some(values), true) = (values, missing < count) else {
            if self.values.len() > 0 {
                self.mark(row, count, |_| false)?;
                self.values.pad(row + count)?;
            }
            return Ok(());
        };
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
        self.mark(row, count, present)?;
        let filled = values.iter().enumerate();
        self.values.extend(filled.map(|(index, &value)| if present(index) { value } else { C::FILLER }))
    }

    /// Says of `count` rows from `row` on which of them are present.
    fn mark(&mut self, row: usize, count: usize, present: impl Fn(usize) -> bool) -> Result<(), OutOfMemory> {
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

    /// Forgets the rows from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
        self.validity.truncate(len);
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        self.values.shrink();
        crate::memory::shrink(&mut self.validity);
    }
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
                column.extend(0, split, Some(&values[..split]), Some(&validity[..split])).unwrap();
                column.extend(split, 6 - split, Some(&values[split..]), Some(&validity[split..])).unwrap();
                column.extend(6, 2, None, None).unwrap();
                column.extend(8, 2, Some(&[8, 9]), None).unwrap();
                let read: Vec<_> = (0..10).map(|row| column.get(row)).collect();
                let expected = (0..6).map(value).chain([None, None, Some(8), Some(9)]);
                assert_eq!(read, expected.collect::<Vec<_>>(), "{pattern:b} {split}");
            }
            for len in (0..6).rev() {
                wide.truncate(len);
                wide.push(len, Some(9)).unwrap();
                assert_eq!(wide.get(len), Some(9));
                assert_eq!(
                    (0..len).map(|row| wide.get(row)).collect::<Vec<_>>(),
                    (0..len).map(value).collect::<Vec<_>>()
                );
                wide.truncate(len);
            }
        }
    }
}
