//! The trust of a batch's rows.

use std::ops::Range;

use crate::batch::value::{MetadataValue, ValueKey};
use crate::column::TextColumn;
use crate::ingest::{CheckedMetadata, ValueType};
use crate::memory::{OutOfMemory, retain, shrink, trim, try_pad, try_push, try_reserve};

/// The metadata values at [`TRUST_KEY`](crate::batch::TRUST_KEY). Takes no memory until a row has one.
#[derive(Debug)]
pub struct TrustColumn {
    /// The double, or the text read as one; NaN when there is neither.
    numbers: Vec<f64>,
    types: Vec<Option<ValueType>>,
    /// The texts, up to the last row that has one.
    texts: TextColumn,
}

impl TrustColumn {
    /// A column without rows.
    pub const fn new() -> Self {
        Self { numbers: Vec::new(), types: Vec::new(), texts: TextColumn::new() }
    }

    /// For each row a number, NaN where there is none; empty when no row has trust.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// Sets the value of `row`, in place of the one it had. The row is the last one or comes after it; rows in between have none.
    #[inline(always)]
    pub fn set(&mut self, row: usize, value: ValueKey<'_>) -> Result<(), OutOfMemory> {
        match value {
            ValueKey::Double(value) => self.set_number(row, ValueType::Double, value),
            ValueKey::String(text) => self.set_text(row, ValueType::String, text.as_str()),
            ValueKey::Other(text) => self.set_text(row, ValueType::Other, text.as_str()),
        }
    }

    /// [`set`](Self::set) to the value of a slot of a column.
    #[inline(always)]
    pub fn set_slot(&mut self, row: usize, column: &CheckedMetadata<'_>, slot: usize) -> Result<(), OutOfMemory> {
        match column.value_type(slot) {
            ValueType::Double => self.set_number(row, ValueType::Double, column.number(slot)),
            value_type => self.set_text(row, value_type, column.text(slot)),
        }
    }

    #[inline(never)]
    fn set_text(&mut self, row: usize, value_type: ValueType, text: &str) -> Result<(), OutOfMemory> {
        self.texts.truncate(row);
        self.texts.pad(row)?;
        self.texts.push(text)?;
        let number = if value_type == ValueType::String { text.parse().unwrap_or(f64::NAN) } else { f64::NAN };
        self.set_number(row, value_type, number)
    }

    #[inline(always)]
    fn set_number(&mut self, row: usize, value_type: ValueType, number: f64) -> Result<(), OutOfMemory> {
        if self.types.len() != row {
            self.seek(row)?;
        }
        try_push(&mut self.numbers, number)?;
        try_push(&mut self.types, Some(value_type))
    }

    /// Removes the value of `row`, if it is the last one, or appends rows up to it.
    #[inline(never)]
    fn seek(&mut self, row: usize) -> Result<(), OutOfMemory> {
        self.numbers.truncate(row);
        self.types.truncate(row);
        try_pad(&mut self.numbers, row, f64::NAN)?;
        try_pad(&mut self.types, row, None)
    }

    /// [`set`](Self::set) of the next rows, from `row` on, to numbers.
    pub fn extend(&mut self, row: usize, numbers: impl ExactSizeIterator<Item = f64>) -> Result<(), OutOfMemory> {
        self.seek(row)?;
        try_reserve(&mut self.numbers, numbers.len())?;
        try_pad(&mut self.types, row + numbers.len(), Some(ValueType::Double))?;
        self.numbers.extend(numbers);
        Ok(())
    }

    /// How many rows there are; 0 when no row has trust.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Appends rows without trust up to `len`.
    pub fn pad(&mut self, len: usize) -> Result<(), OutOfMemory> {
        if self.types.is_empty() {
            return Ok(());
        }
        try_pad(&mut self.numbers, len, f64::NAN)?;
        try_pad(&mut self.types, len, None)
    }

    /// The value of a row.
    pub fn get(&self, row: usize) -> Option<MetadataValue<'_>> {
        Some(match (*self.types.get(row)?)? {
            ValueType::String => MetadataValue::String(self.texts.get(row)),
            ValueType::Double => MetadataValue::Double(self.numbers[row]),
            ValueType::Other => MetadataValue::Other(self.texts.get(row)),
        })
    }

    /// Removes the values from row `len` on.
    #[inline(always)]
    pub fn truncate(&mut self, len: usize) {
        self.numbers.truncate(len);
        self.types.truncate(len);
        self.texts.truncate(len);
    }

    /// Goes back to the first `len` rows: 0 when none of the rows had trust.
    #[cold]
    pub fn restore(&mut self, len: usize, keep: usize) {
        self.truncate(len);
        self.trim(if len > 0 { keep } else { 0 });
    }

    /// Keeps the rows in `runs`, which ascend.
    pub fn retain(&mut self, runs: impl Iterator<Item = Range<usize>> + Clone) {
        retain(&mut self.numbers, runs.clone());
        retain(&mut self.types, runs.clone());
        self.texts.retain(runs);
    }

    /// Gives back capacity beyond `keep` rows that is not in use.
    pub fn trim(&mut self, keep: usize) {
        trim(&mut self.numbers, keep);
        trim(&mut self.types, keep);
        self.texts.trim(keep);
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Reserves capacity for `more` rows, if any row has trust.
    pub fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        if self.types.is_empty() {
            return Ok(());
        }
        try_reserve(&mut self.numbers, more)?;
        try_reserve(&mut self.types, more)?;
        if self.texts.len() > 0 { self.texts.reserve(more) } else { Ok(()) }
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        shrink(&mut self.numbers);
        shrink(&mut self.types);
        self.texts.shrink();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_read_back_whenever_the_first_value_comes() {
        for first in 0..3 {
            let mut column = TrustColumn::new();
            column.pad(first).unwrap();
            assert!(column.numbers().is_empty());
            let values = [MetadataValue::String("0.5"), MetadataValue::Double(2.0), MetadataValue::Other("0.5")];
            for (row, value) in (first..).zip(values) {
                // A value that is set again for the same row takes the place of the first.
                column.set(row, MetadataValue::String("not this").into()).unwrap();
                column.set(row, value.into()).unwrap();
            }
            column.pad(first + 4).unwrap();
            let read: Vec<_> = (first..first + 4).map(|row| column.get(row)).collect();
            assert_eq!(read, [Some(values[0]), Some(values[1]), Some(values[2]), None]);
            assert_eq!(column.get(0).is_some(), first == 0);
            assert_eq!(column.numbers()[first..first + 2], [0.5, 2.0]);
            assert!(column.numbers()[first + 2..].iter().all(|number| number.is_nan()));
            column.set(first + 4, MetadataValue::String("gone").into()).unwrap();
            column.restore(first + 4, 0);
            column.shrink();
            assert_eq!((column.get(first + 2), column.get(first + 4)), (Some(values[2]), None));
            column.set(first + 5, MetadataValue::Double(1.0).into()).unwrap();
            assert_eq!(column.get(first), Some(values[0]));
            assert_eq!((column.get(first + 4), column.get(first + 5)), (None, Some(MetadataValue::Double(1.0))));
        }
    }
}
