//! The trust of a batch's rows.

use crate::batch::value::{MetadataValue, ValueKey};
use crate::ingest::columns::{Form, MetadataColumn};
use crate::memory::{OutOfMemory, try_extend, try_pad, try_push, try_reserve};
use crate::text::TextColumn;

/// The metadata values at [`TRUST_KEY`](crate::batch::TRUST_KEY). Without memory until a row has one.
#[derive(Debug)]
pub struct TrustColumn {
    /// The double, or the text read as one; NaN when there is neither.
    numbers: Vec<f64>,
    forms: Vec<Form>,
    /// The texts, up to the last row that has one.
    texts: TextColumn,
}

impl TrustColumn {
    /// A column without rows.
    pub const fn new() -> Self {
        Self { numbers: Vec::new(), forms: Vec::new(), texts: TextColumn::new() }
    }

    /// For each row a number, NaN where there is none; empty when no row has trust.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// The form and the number of a value, whose text, if it has one, is kept for `row`.
    #[inline(always)]
    pub fn read(&mut self, row: usize, value: ValueKey<'_>) -> Result<(Form, f64), OutOfMemory> {
        match value {
            ValueKey::Double(value) => Ok((Form::Double, value)),
            ValueKey::String(text) => text.show(|text| self.read_text(row, Form::String, text)),
            ValueKey::Other(text) => text.show(|text| self.read_text(row, Form::Other, text)),
        }
    }

    /// [`read`](Self::read) for a text, which takes the place of the one that `row` had.
    #[inline(never)]
    fn read_text(&mut self, row: usize, form: Form, text: &str) -> Result<(Form, f64), OutOfMemory> {
        self.texts.truncate(row);
        self.texts.pad(row)?;
        self.texts.push(text)?;
        let number = if form == Form::String { text.parse().unwrap_or(f64::NAN) } else { f64::NAN };
        Ok((form, number))
    }

    /// [`read`](Self::read) for a slot of a column.
    #[inline(always)]
    pub fn read_slot(
        &mut self,
        row: usize,
        column: &MetadataColumn<'_>,
        slot: usize,
    ) -> Result<(Form, f64), OutOfMemory> {
        match column.form(slot) {
            Form::Double => Ok((Form::Double, column.number(slot))),
            form => self.read_text(row, form, column.text(slot)),
        }
    }

    /// Appends `row`, the next one.
    #[inline(always)]
    pub fn push(&mut self, row: usize, number: f64, form: Form) -> Result<(), OutOfMemory> {
        if self.forms.is_empty() {
            return self.extend(row, &[number], &[form]);
        }
        try_push(&mut self.numbers, number)?;
        try_push(&mut self.forms, form)
    }

    /// Appends rows from `row`, the next one, on.
    pub fn extend(&mut self, row: usize, numbers: &[f64], forms: &[Form]) -> Result<(), OutOfMemory> {
        if self.forms.is_empty() {
            if forms.iter().all(|&form| form == Form::Absent) {
                return Ok(());
            }
            // Room for everything first: rows are there in all of the columns or in none.
            try_reserve(&mut self.numbers, row + numbers.len())?;
            try_reserve(&mut self.forms, row + forms.len())?;
            try_pad(&mut self.numbers, row, f64::NAN)?;
            try_pad(&mut self.forms, row, Form::Absent)?;
        }
        try_extend(&mut self.numbers, numbers)?;
        try_extend(&mut self.forms, forms)
    }

    /// Appends rows without trust up to `len`.
    pub fn pad(&mut self, len: usize) -> Result<(), OutOfMemory> {
        if self.forms.is_empty() {
            return Ok(());
        }
        try_pad(&mut self.numbers, len, f64::NAN)?;
        try_pad(&mut self.forms, len, Form::Absent)
    }

    /// The value of a row.
    pub fn get(&self, row: usize) -> Option<MetadataValue<'_>> {
        match self.forms.get(row).copied().unwrap_or(Form::Absent) {
            Form::Absent => None,
            Form::String => Some(MetadataValue::String(self.texts.get(row))),
            Form::Double => Some(MetadataValue::Double(self.numbers[row])),
            Form::Other => Some(MetadataValue::Other(self.texts.get(row))),
        }
    }

    /// Forgets the rows from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.numbers.truncate(len);
        self.forms.truncate(len);
        self.texts.truncate(len);
    }

    /// Makes room for `more` rows, if any row has trust.
    pub fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        if self.forms.is_empty() {
            return Ok(());
        }
        try_reserve(&mut self.numbers, more)?;
        try_reserve(&mut self.forms, more)?;
        if self.texts.len() > 0 { self.texts.reserve(more) } else { Ok(()) }
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        crate::memory::shrink(&mut self.numbers);
        crate::memory::shrink(&mut self.forms);
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
                let (form, number) = column.read(row, value.into()).unwrap();
                column.push(row, number, form).unwrap();
            }
            column.pad(first + 4).unwrap();
            let read: Vec<_> = (first..first + 4).map(|row| column.get(row)).collect();
            assert_eq!(read, [Some(values[0]), Some(values[1]), Some(values[2]), None]);
            assert_eq!(column.get(0).is_some(), first == 0);
            assert_eq!(column.numbers()[first..first + 2], [0.5, 2.0]);
            assert!(column.numbers()[first + 2..].iter().all(|number| number.is_nan()));
            column.truncate(first + 1);
            column.shrink();
            column.extend(first + 1, &[f64::NAN, 1.0], &[Form::Absent, Form::Double]).unwrap();
            assert_eq!(column.get(first), Some(values[0]));
            assert_eq!((column.get(first + 1), column.get(first + 2)), (None, Some(MetadataValue::Double(1.0))));
        }
    }
}
