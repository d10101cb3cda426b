//! The metadata of a batch's rows.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::memory::{OutOfMemory, try_pad, try_push, try_push_str};
use crate::model::list_interner::ListInterner;
use crate::model::metadata::{MetadataValue, TRUST_KEY, ValueText};
use crate::model::packed::Packed;
use crate::model::text_column::TextColumn;
use crate::model::text_interner::{Match, TextInterner};

/// Keys and texts by content, distinct (key, value) entries, distinct lists of them, and for each row its list.
///
/// Trust is kept apart, in a column of its own: its values seldom repeat, and its scorer wants a number for every row.
#[derive(Debug)]
pub struct MetadataTable {
    keys: TextInterner,
    texts: TextInterner,
    entries: Vec<Entry>,
    entry_numbers: HashTable<(Entry, u32)>,
    hasher: RandomState,
    lists: ListInterner,
    /// For each row, the number of its list.
    rows: Packed,
    trust: Trust,
    /// The entries of the row that is being put together.
    staged: Vec<u32>,
    staged_trust: Form,
    staged_number: f64,
    staged_text: String,
    /// For each key, the row in which it was staged last and where, to find a key that is set again.
    last_staged: Vec<(u64, u32)>,
    staging: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    key: u32,
    form: Form,
    /// The number of a text, or the bits of a double.
    value: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Form {
    Absent,
    String,
    Double,
    Other,
}

/// The values at [`TRUST_KEY`]. Without memory until a row has one.
#[derive(Debug)]
struct Trust {
    /// The double, or the text read as one; NaN when there is neither.
    numbers: Vec<f64>,
    forms: Vec<Form>,
    /// The texts, up to the last row that has one.
    texts: TextColumn,
}

impl Trust {
    #[inline]
    fn push(&mut self, row: usize, form: Form, number: f64, text: &str) -> Result<(), OutOfMemory> {
        if form == Form::Absent && self.forms.is_empty() {
            return Ok(());
        }
        if self.forms.is_empty() && row > 0 {
            // Room for everything first: rows are there in all of the columns or in none.
            self.numbers.try_reserve(row + 1)?;
            self.forms.try_reserve(row + 1)?;
            try_pad(&mut self.numbers, row, f64::NAN)?;
            try_pad(&mut self.forms, row, Form::Absent)?;
        }
        if matches!(form, Form::String | Form::Other) {
            self.texts.pad(row)?;
            self.texts.push(text)?;
        }
        try_push(&mut self.numbers, number)?;
        try_push(&mut self.forms, form)
    }

    fn get(&self, row: usize) -> Option<MetadataValue<'_>> {
        match self.forms.get(row).copied().unwrap_or(Form::Absent) {
            Form::Absent => None,
            Form::String => Some(MetadataValue::String(self.texts.get(row))),
            Form::Double => Some(MetadataValue::Double(self.numbers[row])),
            Form::Other => Some(MetadataValue::Other(self.texts.get(row))),
        }
    }

    fn truncate(&mut self, len: usize) {
        self.numbers.truncate(len);
        self.forms.truncate(len);
        self.texts.truncate(len);
    }
}

impl MetadataTable {
    /// A table without rows.
    pub fn new() -> Self {
        Self {
            keys: TextInterner::new(Match::Exact),
            texts: TextInterner::new(Match::Exact),
            entries: Vec::new(),
            entry_numbers: HashTable::new(),
            hasher: RandomState::default(),
            lists: ListInterner::new(),
            rows: Packed::new(),
            trust: Trust { numbers: Vec::new(), forms: Vec::new(), texts: TextColumn::new() },
            staged: Vec::new(),
            staged_trust: Form::Absent,
            staged_number: f64::NAN,
            staged_text: String::new(),
            last_staged: Vec::new(),
            staging: 0,
        }
    }

    /// The number of a key; [`stage`](Self::stage) takes it. The trust key has none.
    #[inline]
    pub fn intern_key(&mut self, key: &str) -> Result<Option<u32>, OutOfMemory> {
        // The length first, which tells most keys apart without a call.
        if key.len() == TRUST_KEY.len() && key == TRUST_KEY {
            return Ok(None);
        }
        let number = self.keys.intern(key)?;
        if number as usize >= self.last_staged.len() {
            try_pad(&mut self.last_staged, number as usize + 1, (0, 0))?;
        }
        Ok(Some(number))
    }

    /// Begins a row.
    pub fn begin_row(&mut self) {
        self.staged.clear();
        self.staged_trust = Form::Absent;
        self.staged_number = f64::NAN;
        self.staging += 1;
    }

    /// Sets the value of a key in the row that was begun, in place of the one it had.
    #[inline]
    pub fn stage(&mut self, key: Option<u32>, value: MetadataValue<'_>) -> Result<(), OutOfMemory> {
        let Some(key) = key else { return self.stage_trust(value) };
        let entry = match value {
            MetadataValue::String(text) => Entry { key, form: Form::String, value: self.texts.intern(text)?.into() },
            MetadataValue::Double(value) => Entry { key, form: Form::Double, value: value.to_bits() },
            MetadataValue::Other(text) => Entry { key, form: Form::Other, value: self.texts.intern(text)?.into() },
        };
        let number = self.intern_entry(entry)?;
        let (row, position) = self.last_staged[key as usize];
        if row == self.staging {
            self.staged[position as usize] = number;
            return Ok(());
        }
        let position = u32::try_from(self.staged.len()).map_err(|_| OutOfMemory)?;
        try_push(&mut self.staged, number)?;
        self.last_staged[key as usize] = (self.staging, position);
        Ok(())
    }

    #[inline]
    fn stage_trust(&mut self, value: MetadataValue<'_>) -> Result<(), OutOfMemory> {
        let (form, number, text) = match value {
            MetadataValue::String(text) => (Form::String, text.parse().unwrap_or(f64::NAN), text),
            MetadataValue::Double(value) => (Form::Double, value, ""),
            MetadataValue::Other(text) => (Form::Other, f64::NAN, text),
        };
        self.staged_text.clear();
        if !text.is_empty() {
            try_push_str(&mut self.staged_text, text)?;
        }
        self.staged_trust = form;
        self.staged_number = number;
        Ok(())
    }

    #[inline]
    fn intern_entry(&mut self, entry: Entry) -> Result<u32, OutOfMemory> {
        let Self { entries, entry_numbers, hasher, .. } = self;
        let hash = |entry: &Entry| hasher.hash_one((u64::from(entry.key) << 8 | entry.form as u64, entry.value));
        if let Some(&(_, number)) = entry_numbers.find(hash(&entry), |(known, _)| *known == entry) {
            return Ok(number);
        }
        entry_numbers.try_reserve(1, |(entry, _)| hash(entry))?;
        let number = u32::try_from(entries.len()).map_err(|_| OutOfMemory)?;
        try_push(entries, entry)?;
        entry_numbers.insert_unique(hash(&entry), (entry, number), |(entry, _)| hash(entry));
        Ok(number)
    }

    /// Appends `row`, the next one, with the entries that were staged.
    pub fn end_row(&mut self, row: usize) -> Result<(), OutOfMemory> {
        let list = self.list_and_trust(row)?;
        self.rows.push(i64::from(list))
    }

    /// Appends the trust of `row` and finds the number of its list.
    #[inline]
    fn list_and_trust(&mut self, row: usize) -> Result<u32, OutOfMemory> {
        let (list, _) = self.lists.intern(&self.staged)?;
        self.trust.push(row, self.staged_trust, self.staged_number, &self.staged_text)?;
        Ok(list)
    }

    /// Appends rows from `row`, the next one, on, with the entries of `rows`: a key that stands twice in a row has the value
    /// that comes last.
    pub fn extend<'a, R>(&mut self, row: usize, rows: impl ExactSizeIterator<Item = R>) -> Result<(), OutOfMemory>
    where
        R: Iterator<Item = (&'a str, MetadataValue<'a>)>,
    {
        let mut numbers = Vec::new();
        numbers.try_reserve_exact(rows.len())?;
        for (index, entries) in rows.enumerate() {
            self.begin_row();
            for (key, value) in entries {
                let key = self.intern_key(key)?;
                self.stage(key, value)?;
            }
            numbers.push(self.list_and_trust(row + index)?);
        }
        self.rows.extend(numbers.iter().map(|&number| i64::from(number)))
    }

    /// The number of each row's list.
    pub fn rows(&self) -> &Packed {
        &self.rows
    }

    /// The distinct lists.
    pub fn lists(&self) -> &ListInterner {
        &self.lists
    }

    /// What to hold the entries of a list against to find a value at a key other than [`TRUST_KEY`]; nothing when no
    /// row has it.
    pub fn probe(&self, key: &str, value: ValueText<'_>) -> Option<Probe<'_>> {
        let key = self.keys.get(key)?;
        let text = self.texts.get(value.text).map(u64::from);
        (text.is_some() || value.double.is_some()).then_some(Probe {
            entries: &self.entries,
            key,
            text,
            double: value.double,
        })
    }

    /// The trust of each row as a number, NaN where there is none; empty when no row has trust.
    pub fn trust_numbers(&self) -> &[f64] {
        &self.trust.numbers
    }

    /// The value at [`TRUST_KEY`] of a row.
    pub fn trust(&self, row: usize) -> Option<MetadataValue<'_>> {
        self.trust.get(row)
    }

    /// The entries of a row; trust, if it has it, comes last.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (&str, MetadataValue<'_>)> {
        let entries = self.lists.list(self.rows.get(row) as u32).iter().map(|&number| {
            let entry = &self.entries[number as usize];
            let value = match entry.form {
                Form::Double => MetadataValue::Double(f64::from_bits(entry.value)),
                Form::String => MetadataValue::String(self.texts.text(entry.value as u32)),
                Form::Other | Form::Absent => MetadataValue::Other(self.texts.text(entry.value as u32)),
            };
            (self.keys.text(entry.key), value)
        });
        entries.chain(self.trust.get(row).map(|value| (TRUST_KEY, value)))
    }

    /// Makes room for `more` rows.
    pub fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        self.rows.reserve(more)?;
        if !self.trust.forms.is_empty() {
            self.trust.numbers.try_reserve(more)?;
            self.trust.forms.try_reserve(more)?;
            if self.trust.texts.len() > 0 {
                self.trust.texts.reserve(more)?;
            }
        }
        Ok(())
    }

    /// Forgets the rows from `len` on. Their lists stay known, for rows to come.
    pub fn truncate(&mut self, len: usize) {
        self.rows.truncate(len);
        self.trust.truncate(len);
    }

    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.texts.clear();
        self.entries.clear();
        self.entry_numbers.clear();
        self.lists.clear();
        self.last_staged.clear();
        self.truncate(0);
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        self.keys.shrink();
        self.texts.shrink();
        crate::memory::shrink(&mut self.entries);
        self.lists.shrink();
        self.rows.shrink();
        crate::memory::shrink(&mut self.trust.numbers);
        crate::memory::shrink(&mut self.trust.forms);
        self.trust.texts.shrink();
        self.staged = Vec::new();
        self.staged_text = String::new();
    }
}

/// Finds a value at a key among the entries of a list.
#[derive(Clone, Copy, Debug)]
pub struct Probe<'a> {
    entries: &'a [Entry],
    key: u32,
    text: Option<u64>,
    double: Option<f64>,
}

impl Probe<'_> {
    /// Whether one of the entries has the key and, as text, the value.
    pub fn matches(&self, list: &[u32]) -> bool {
        list.iter().any(|&number| {
            let entry = &self.entries[number as usize];
            entry.key == self.key
                && match entry.form {
                    Form::String | Form::Other => Some(entry.value) == self.text,
                    Form::Double => self.double.is_some_and(|double| {
                        double.to_bits() == entry.value || (double.is_nan() && f64::from_bits(entry.value).is_nan())
                    }),
                    Form::Absent => false,
                }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_read_back_and_later_values_replace_earlier_ones() {
        let mut table = MetadataTable::new();
        let rows: [&[(&str, MetadataValue)]; 4] = [
            &[],
            &[("k", MetadataValue::Double(1.0)), ("k", MetadataValue::String("1"))],
            &[
                (TRUST_KEY, MetadataValue::String("0.5")),
                ("k", MetadataValue::Other("x")),
                ("", MetadataValue::String("")),
            ],
            &[(TRUST_KEY, MetadataValue::Other("true")), (TRUST_KEY, MetadataValue::Double(2.0))],
        ];
        for (row, entries) in rows.iter().enumerate() {
            table.begin_row();
            for &(key, value) in *entries {
                let key = table.intern_key(key).unwrap();
                table.stage(key, value).unwrap();
            }
            table.end_row(row).unwrap();
        }
        let read: Vec<Vec<_>> = (0..4).map(|row| table.row(row).collect()).collect();
        assert_eq!(read[0], []);
        assert_eq!(read[1], [("k", MetadataValue::String("1"))]);
        assert_eq!(
            read[2],
            [
                ("k", MetadataValue::Other("x")),
                ("", MetadataValue::String("")),
                (TRUST_KEY, MetadataValue::String("0.5"))
            ]
        );
        assert_eq!(read[3], [(TRUST_KEY, MetadataValue::Double(2.0))]);
        assert!(table.trust_numbers()[0].is_nan());
        assert_eq!(table.trust_numbers()[2..], [0.5, 2.0]);
    }
}
