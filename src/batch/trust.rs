//! The trust of a batch's rows.

use std::ops::Range;

use crate::batch::value::{MetadataValue, ValueKey};
use crate::ingest::{CheckedMetadata, ValueType};
use crate::memory::{OutOfMemory, retain, shrink, trim, try_extend, try_pad, try_push, try_reserve};
use crate::text::TextColumn;

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

    /// The type and the number of a value. Its text, if it has one, is stored for `row`.
    #[inline(always)]
    pub fn read(&mut self, row: usize, value: ValueKey<'_>) -> Result<(Option<ValueType>, f64), OutOfMemory> {
        match value {
            ValueKey::Double(value) => Ok((Some(ValueType::Double), value)),
            ValueKey::String(text) => self.read_text(row, ValueType::String, text.as_str()),
            ValueKey::Other(text) => self.read_text(row, ValueType::Other, text.as_str()),
        }
    }

    /// [`read`](Self::read) for a text, which replaces the one of `row`.
    #[inline(never)]
    fn read_text(
        &mut self,
        row: usize,
        value_type: ValueType,
        text: &str,
    ) -> Result<(Option<ValueType>, f64), OutOfMemory> {
        self.texts.truncate(row);
        self.texts.pad(row)?;
        self.texts.push(text)?;
        let number = if value_type == ValueType::String { text.parse().unwrap_or(f64::NAN) } else { f64::NAN };
        Ok((Some(value_type), number))
    }

    /// [`read`](Self::read) for a slot of a column.
    #[inline(always)]
    pub fn read_slot(
        &mut self,
        row: usize,
        column: &CheckedMetadata<'_>,
        slot: usize,
    ) -> Result<(Option<ValueType>, f64), OutOfMemory> {
        match column.value_type(slot) {
            ValueType::Double => Ok((Some(ValueType::Double), column.number(slot))),
            value_type => self.read_text(row, value_type, column.text(slot)),
        }
    }

    /// Appends `row`, the next one.
    #[inline(always)]
    pub fn push(&mut self, row: usize, number: f64, value_type: Option<ValueType>) -> Result<(), OutOfMemory> {
        if self.types.is_empty() {
            return self.extend(row, &[number], &[value_type]);
        }
        try_push(&mut self.numbers, number)?;
        try_push(&mut self.types, value_type)
    }

    /// Appends rows from `row`, the next one, on.
    pub fn extend(&mut self, row: usize, numbers: &[f64], types: &[Option<ValueType>]) -> Result<(), OutOfMemory> {
        if self.types.is_empty() {
            if types.iter().all(Option::is_none) {
                return Ok(());
            }
            // Reserve first: rows are in all columns or in none.
            try_reserve(&mut self.numbers, row + numbers.len())?;
            try_reserve(&mut self.types, row + types.len())?;
            try_pad(&mut self.numbers, row, f64::NAN)?;
            try_pad(&mut self.types, row, None)?;
        }
        try_extend(&mut self.numbers, numbers)?;
        try_extend(&mut self.types, types)
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

    /// Whether a row has trust, to go back to.
    #[inline(always)]
    pub fn is_used(&self) -> bool {
        !self.types.is_empty()
    }

    /// Goes back to the first `len` rows, none of which had trust unless `used`.
    pub fn restore(&mut self, len: usize, used: bool, keep: usize) {
        let (len, keep) = if used { (len, keep) } else { (0, 0) };
        self.numbers.truncate(len);
        self.types.truncate(len);
        self.texts.truncate(len);
        self.trim(keep);
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
        self.numbers.clear();
        self.types.clear();
        self.texts.truncate(0);
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
                // A value that is read again for the same row takes the place of the first.
                column.read(row, MetadataValue::String("not this").into()).unwrap();
                let (value_type, number) = column.read(row, value.into()).unwrap();
                column.push(row, number, value_type).unwrap();
            }
            column.pad(first + 4).unwrap();
            let read: Vec<_> = (first..first + 4).map(|row| column.get(row)).collect();
            assert_eq!(read, [Some(values[0]), Some(values[1]), Some(values[2]), None]);
            assert_eq!(column.get(0).is_some(), first == 0);
            assert_eq!(column.numbers()[first..first + 2], [0.5, 2.0]);
            assert!(column.numbers()[first + 2..].iter().all(|number| number.is_nan()));
            let used = column.is_used();
            column.read(first + 4, MetadataValue::String("gone").into()).unwrap();
            column.extend(first + 4, &[0.25], &[Some(ValueType::String)]).unwrap();
            column.restore(first + 4, used, 0);
            column.shrink();
            assert_eq!((column.get(first + 2), column.get(first + 4)), (Some(values[2]), None));
            column.extend(first + 4, &[f64::NAN, 1.0], &[None, Some(ValueType::Double)]).unwrap();
            assert_eq!(column.get(first), Some(values[0]));
            assert_eq!((column.get(first + 4), column.get(first + 5)), (None, Some(MetadataValue::Double(1.0))));
        }
    }
}
