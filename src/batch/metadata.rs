//! The metadata of a batch's rows.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::HashTable;

use crate::batch::list_interner::ListInterner;
use crate::batch::trust::TrustColumn;
use crate::batch::value::{MetadataValue, TRUST_KEY, ValueKey, ValueText};
use crate::column::packed::Width;
use crate::column::{Packed, Storage};
use crate::ingest::{BLOCK_ROWS, CheckedMetadata, CodeMap, Numbers, ValueType, set_len};
use crate::memory::{OutOfMemory, shrink, shrink_table, trim, trim_table, try_pad, try_push, try_reserve};
use crate::text::{Match, TextInterner, TextKey, hash_state};

/// Distinct keys and texts, distinct (key, value) entries, distinct lists of entries, and the list of each row.
///
/// Trust has a column of its own: its values seldom repeat, and its scorer needs a number for every row.
#[derive(Debug)]
pub struct MetadataTable {
    keys: TextInterner,
    /// The number of [`TRUST_KEY`], or one that no key has.
    trust_key: u32,
    texts: TextInterner,
    entries: Vec<Entry>,
    /// For each text the first entry that has it. Few texts are the value of more than one key.
    text_entries: Vec<TextEntry>,
    /// The numbers of all other entries.
    entry_numbers: HashTable<(Entry, u32)>,
    lists: ListInterner,
    /// For each row, the number of its list.
    rows: Packed,
    trust: TrustColumn,
    /// The entries of the row that is being put together.
    staged: Vec<u32>,
    /// For each key, the row in which it was staged last and where, to find a key that is set again.
    last_staged: Vec<(u64, u32)>,
    staging: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    key: u32,
    value_type: ValueType,
    /// The number of a text, or the bits of a double.
    value: u64,
}

impl Entry {
    #[inline]
    fn hash(&self) -> u64 {
        hash_state().hash_one((u64::from(self.key) << 8 | self.value_type as u64, self.value))
    }
}

/// An entry whose value is a text.
#[derive(Clone, Copy, Debug)]
struct TextEntry {
    key: u32,
    value_type: ValueType,
    number: u32,
}

/// A column of which rows are appended in blocks, with intermediate results.
struct Rows<'a> {
    column: CheckedMetadata<'a>,
    keys: CodeMap<'a>,
    texts: Option<CodeMap<'a>>,
    /// The numbers of the keys of a block: of all slots, or of the first row's, when all rows have the same.
    key_numbers: Numbers,
    entries: Numbers,
}

impl MetadataTable {
    /// Rows with more keys than this are taken in one by one.
    const WIDEST_TABLE: usize = 64;

    /// A table without rows.
    pub const fn new() -> Self {
        Self {
            keys: TextInterner::new(Match::Exact),
            trust_key: u32::MAX,
            texts: TextInterner::new(Match::Exact),
            entries: Vec::new(),
            text_entries: Vec::new(),
            entry_numbers: HashTable::new(),
            lists: ListInterner::new(),
            rows: Packed::new(),
            trust: TrustColumn::new(),
            staged: Vec::new(),
            last_staged: Vec::new(),
            staging: 0,
        }
    }

    /// The number of a key; [`stage`](Self::stage) takes it.
    #[inline(always)]
    pub fn intern_key(&mut self, key: TextKey<'_>) -> Result<u32, OutOfMemory> {
        let number = self.keys.intern(key)?;
        if number as usize >= self.last_staged.len() {
            self.note_new_keys()?;
        }
        Ok(number)
    }

    /// Makes ready to stage keys that have come in.
    #[inline(never)]
    fn note_new_keys(&mut self) -> Result<(), OutOfMemory> {
        try_pad(&mut self.last_staged, self.keys.len(), (0, 0))?;
        self.find_trust_key();
        Ok(())
    }

    /// Looks for [`TRUST_KEY`] among the keys.
    fn find_trust_key(&mut self) {
        if self.trust_key == u32::MAX {
            self.trust_key = self.keys.get(TRUST_KEY).unwrap_or(u32::MAX);
        }
    }

    /// Begins a row.
    pub fn begin_row(&mut self) {
        self.begin_list();
        // A row that was begun and not appended.
        self.trust.truncate(self.rows.len());
    }

    /// Begins a list of entries.
    fn begin_list(&mut self) {
        self.staged.clear();
        self.staging += 1;
    }

    /// Sets the value of a key in the row that was begun, in place of the one it had.
    #[inline(always)]
    pub fn stage(&mut self, key: u32, value: ValueKey<'_>) -> Result<(), OutOfMemory> {
        if key == self.trust_key {
            return self.trust.set(self.rows.len(), value);
        }
        let (value_type, text) = match value {
            ValueKey::String(text) => (ValueType::String, text),
            ValueKey::Other(text) => (ValueType::Other, text),
            ValueKey::Double(value) => {
                let number = self.entry_number(Entry { key, value_type: ValueType::Double, value: value.to_bits() })?;
                return self.stage_entry(key, number);
            }
        };
        let text = self.texts.intern(text)?;
        let number = self.text_entry_number(key, value_type, text)?;
        self.stage_entry(key, number)
    }

    #[inline(always)]
    fn stage_entry(&mut self, key: u32, number: u32) -> Result<(), OutOfMemory> {
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

    /// The number of an entry whose value is the text of a number. Few texts stand at more than one key.
    #[inline(always)]
    fn text_entry_number(&mut self, key: u32, value_type: ValueType, text: u32) -> Result<u32, OutOfMemory> {
        if let Some(entry) = self.text_entries.get(text as usize)
            && (entry.key, entry.value_type) == (key, value_type)
        {
            return Ok(entry.number);
        }
        self.next_text_entry_number(Entry { key, value_type, value: text.into() })
    }

    #[inline(never)]
    fn next_text_entry_number(&mut self, entry: Entry) -> Result<u32, OutOfMemory> {
        let text = entry.value as usize;
        if text < self.text_entries.len() {
            return self.entry_number(entry);
        }
        // Every text gets an entry as soon as it is interned, and a failed append takes both back.
        debug_assert_eq!(text, self.text_entries.len());
        try_reserve(&mut self.text_entries, 1)?;
        let number = append(&mut self.entries, entry)?;
        self.text_entries.push(TextEntry { key: entry.key, value_type: entry.value_type, number });
        Ok(number)
    }

    /// The number of an entry, which is added if it is new.
    fn entry_number(&mut self, entry: Entry) -> Result<u32, OutOfMemory> {
        let Self { entries, entry_numbers, .. } = self;
        let hash = entry.hash();
        if let Some(&(_, number)) = entry_numbers.find(hash, |(known, _)| *known == entry) {
            return Ok(number);
        }
        entry_numbers.try_reserve(1, |(entry, _)| entry.hash())?;
        let number = append(entries, entry)?;
        entry_numbers.insert_unique(hash, (entry, number), |(entry, _)| entry.hash());
        Ok(number)
    }

    /// Appends `row`, the next one, with the entries that were staged.
    #[inline(always)]
    pub fn end_row(&mut self, row: usize) -> Result<(), OutOfMemory> {
        let list = self.lists.intern(&self.staged)?;
        self.trust.pad(row + 1)?;
        self.rows.push(i64::from(list))
    }

    /// Appends `count` rows from `row`, the next one, on.
    pub fn extend(&mut self, row: usize, count: usize, column: Option<CheckedMetadata<'_>>) -> Result<(), OutOfMemory> {
        let Some(column) = column else {
            self.trust.pad(row + count)?;
            return self.rows.extend(std::iter::repeat_n(0, count));
        };
        let keys = CodeMap::new(column.keys)?;
        let texts = column.texts.map(CodeMap::new).transpose()?;
        let mut rows = Rows { column, keys, texts, key_numbers: Numbers::new(), entries: Numbers::new() };
        let mut lists = Numbers::new();
        for first in (0..count).step_by(BLOCK_ROWS) {
            let block = first..count.min(first + BLOCK_ROWS);
            let lists = set_len(&mut lists, block.len())?;
            match column.width_of_table(block.clone()) {
                Some(width) if self.intern_shared_keys(&mut rows, first, width)? => {
                    self.append_table(row, &mut rows, block, lists)?;
                }
                _ => self.append_rows(row, &mut rows, block, lists)?,
            }
            self.rows.extend(lists.iter().map(|&number| i64::from(number)))?;
        }
        self.trust.pad(row + count)
    }

    /// Interns the keys of a block, which are those of its first row; says whether there is no duplicate key.
    fn intern_shared_keys(&mut self, rows: &mut Rows<'_>, first: usize, width: usize) -> Result<bool, OutOfMemory> {
        if width > Self::WIDEST_TABLE {
            return Ok(false);
        }
        let keys = &mut rows.key_numbers;
        rows.keys.number(&mut self.keys, rows.column.lists.slots(first, first + 1), keys)?;
        self.find_trust_key();
        Ok((1..width).all(|at| !keys[..at].contains(&keys[at])))
    }

    /// Appends a block of rows that have the same keys: all values of a key, then those of the next. `lists`, which
    /// are 0, take the number of each row's list.
    fn append_table(
        &mut self,
        row: usize,
        rows: &mut Rows<'_>,
        block: Range<usize>,
        lists: &mut [u32],
    ) -> Result<(), OutOfMemory> {
        let Rows { column, texts, key_numbers, entries, .. } = rows;
        let width = key_numbers.len();
        let kept = key_numbers.iter().filter(|&&key| key != self.trust_key).count();
        let entries = set_len(entries, kept * block.len())?;
        let mut position = 0;
        let table = column.lists.slots(block.start, block.end);
        for (first, &key) in (table.start..).zip(&*key_numbers) {
            let slots = (first..table.end).step_by(width);
            let value_type = column.value_type(first);
            if key == self.trust_key {
                let rows = row + block.start..;
                match value_type {
                    ValueType::Double => self.trust.extend(rows.start, slots.map(|slot| column.number(slot)))?,
                    _ => rows.zip(slots).try_for_each(|(row, slot)| self.trust.set_slot(row, column, slot))?,
                }
                continue;
            }
            let entries = &mut entries[position..];
            match texts {
                Some(texts) if value_type != ValueType::Double => {
                    texts.number_by(&mut self.texts, first, width, entries.iter_mut().step_by(kept))?;
                    for entry in entries.iter_mut().step_by(kept) {
                        *entry = self.text_entry_number(key, value_type, *entry)?;
                    }
                }
                _ => {
                    for (entry, slot) in entries.iter_mut().step_by(kept).zip(slots) {
                        *entry = self.entry_of_slot(key, column, texts.as_mut(), slot)?;
                    }
                }
            }
            position += 1;
        }
        if kept > 0 {
            for (list, entries) in lists.iter_mut().zip(entries.chunks_exact(kept)) {
                *list = self.lists.intern(entries)?;
            }
        }
        Ok(())
    }

    /// Appends a block of rows, each with keys of its own. `lists` takes the number of each row's list.
    fn append_rows(
        &mut self,
        row: usize,
        rows: &mut Rows<'_>,
        block: Range<usize>,
        lists: &mut [u32],
    ) -> Result<(), OutOfMemory> {
        let Rows { column, keys, texts, key_numbers, entries } = rows;
        let slots = column.lists.slots(block.start, block.end);
        let base = slots.start;
        keys.number(&mut self.keys, slots.clone(), key_numbers)?;
        self.note_new_keys()?;
        let entries = set_len(entries, slots.len())?;
        for ((slot, &key), entry) in slots.zip(&*key_numbers).zip(&mut *entries) {
            // Trust has no entry.
            if key != self.trust_key {
                *entry = self.entry_of_slot(key, column, texts.as_mut(), slot)?;
            }
        }
        let key_numbers = &**key_numbers;
        for (index, list) in block.zip(lists) {
            self.begin_list();
            for slot in column.lists.slots(index, index + 1) {
                let key = key_numbers[slot - base];
                if key == self.trust_key {
                    self.trust.set_slot(row + index, column, slot)?;
                } else {
                    self.stage_entry(key, entries[slot - base])?;
                }
            }
            *list = self.lists.intern(&self.staged)?;
        }
        Ok(())
    }

    /// The number of the entry that a slot makes with its key.
    #[inline(always)]
    fn entry_of_slot(
        &mut self,
        key: u32,
        column: &CheckedMetadata<'_>,
        texts: Option<&mut CodeMap<'_>>,
        slot: usize,
    ) -> Result<u32, OutOfMemory> {
        let value_type = column.value_type(slot);
        let text = match (value_type, texts) {
            (ValueType::Double, _) => {
                return self.entry_number(Entry { key, value_type, value: column.number(slot).to_bits() });
            }
            (_, Some(texts)) => texts.get(&mut self.texts, slot)?,
            (_, None) => self.texts.intern("".into())?,
        };
        self.text_entry_number(key, value_type, text)
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

    /// The number of a key, for [`value_in_list`](Self::value_in_list); nothing when no row has it.
    pub fn key_number(&self, key: &str) -> Option<u32> {
        self.keys.get(key)
    }

    /// The value of a key other than [`TRUST_KEY`] in a distinct list.
    pub fn value_in_list(&self, list: u32, key: u32) -> Option<MetadataValue<'_>> {
        let entries = self.lists.list(list).iter().map(|&number| &self.entries[number as usize]);
        entries.into_iter().find(|entry| entry.key == key).map(|entry| self.value(entry))
    }

    fn value(&self, entry: &Entry) -> MetadataValue<'_> {
        match entry.value_type {
            ValueType::String => MetadataValue::String(self.texts.text(entry.value as u32)),
            ValueType::Double => MetadataValue::Double(f64::from_bits(entry.value)),
            ValueType::Other => MetadataValue::Other(self.texts.text(entry.value as u32)),
        }
    }

    /// The trust of each row as a number, NaN where there is none; empty when no row has trust.
    pub fn trust_numbers(&self) -> &[f64] {
        self.trust.numbers()
    }

    /// The value at [`TRUST_KEY`] of a row.
    pub fn trust(&self, row: usize) -> Option<MetadataValue<'_>> {
        self.trust.get(row)
    }

    /// The entries of a row; trust, if it has it, comes last.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (&str, MetadataValue<'_>)> {
        self.row_by_key(row).map(|(key, value)| (self.keys.text(key), value))
    }

    /// The entries of a row, with the numbers of their keys.
    pub fn row_by_key(&self, row: usize) -> impl Iterator<Item = (u32, MetadataValue<'_>)> + Clone {
        let entries = self.lists.list(self.rows.get(row) as u32).iter().map(|&number| {
            let entry = &self.entries[number as usize];
            (entry.key, self.value(entry))
        });
        entries.chain(self.trust.get(row).map(|value| (self.trust_key, value)))
    }

    /// The value of a key in a row. `key` is the number of the key, which may be that of [`TRUST_KEY`].
    pub fn value_in_row(&self, row: usize, key: u32) -> Option<MetadataValue<'_>> {
        if key == self.trust_key { self.trust.get(row) } else { self.value_in_list(self.rows.get(row) as u32, key) }
    }

    /// The distinct keys.
    pub fn keys(&self) -> &TextInterner {
        &self.keys
    }

    /// Reserves capacity for `more` rows.
    pub fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        self.rows.reserve(more)?;
        self.trust.reserve(more)
    }

    /// The state to go back to.
    #[inline]
    pub fn mark(&self) -> MetadataTableMark {
        MetadataTableMark {
            keys: self.keys.len(),
            texts: self.texts.len(),
            entries: self.entries.len(),
            lists: self.lists.len(),
            width: self.rows.width(),
            trust: self.trust.len(),
        }
    }

    /// Goes back to the first `len` rows, and to the mark that was made when there were no more.
    pub fn restore(&mut self, len: usize, mark: MetadataTableMark, keep: usize) {
        self.keys.truncate(mark.keys);
        self.last_staged.truncate(mark.keys);
        if self.trust_key as usize >= mark.keys {
            self.trust_key = u32::MAX;
        }
        self.texts.truncate(mark.texts);
        for number in mark.entries..self.entries.len() {
            let hash = self.entries[number].hash();
            if let Ok(entry) = self.entry_numbers.find_entry(hash, |&(_, known)| known as usize == number) {
                entry.remove();
            }
        }
        self.entries.truncate(mark.entries);
        self.text_entries.truncate(mark.texts);
        self.lists.truncate(mark.lists);
        self.rows.restore(len, mark.width, keep);
        self.trust.restore(mark.trust, keep);
        self.staged.clear();
        trim(&mut self.entries, 0);
        trim(&mut self.text_entries, 0);
        trim(&mut self.last_staged, 0);
        trim(&mut self.staged, 0);
        trim_table(&mut self.entry_numbers, |(entry, _)| entry.hash());
    }

    /// Keeps the rows in `runs`, which ascend. All lists, entries, keys and texts stay; see [`compact`](Self::compact).
    pub fn retain(&mut self, runs: impl Iterator<Item = Range<usize>> + Clone) {
        self.rows.retain(runs.clone());
        self.trust.retain(runs);
    }

    /// Drops the lists, entries, keys and texts that no row has, and capacity beyond `keep` rows. Without memory for those that
    /// remain, all stay.
    pub fn compact(&mut self, keep: usize) -> Result<(), OutOfMemory> {
        let (lists, entries) = self.lists.in_use(&self.rows, self.entries.len())?;
        let mut compacted = Self::new();
        let mut numbers = Vec::new();
        try_pad(&mut numbers, self.entries.len(), u32::MAX)?;
        for ((entry, number), _) in self.entries.iter().zip(&mut numbers).zip(entries).filter(|(_, in_use)| *in_use) {
            let (key, value_type) = (compacted.intern_key(self.keys.text(entry.key).into())?, entry.value_type);
            *number = if value_type == ValueType::Double {
                compacted.entry_number(Entry { key, ..*entry })?
            } else {
                let text = compacted.texts.intern(self.texts.text(entry.value as u32).into())?;
                compacted.text_entry_number(key, value_type, text)?
            };
        }
        if self.trust.len() > 0 {
            compacted.intern_key(TRUST_KEY.into())?;
        }
        let (lists, numbers) = self.lists.compacted(&lists, &numbers)?;
        compacted.lists = lists;
        compacted.rows = std::mem::replace(&mut self.rows, Packed::new());
        compacted.rows.recode(&numbers);
        compacted.rows.trim(keep);
        compacted.trust = std::mem::replace(&mut self.trust, TrustColumn::new());
        compacted.trust.trim(keep);
        *self = compacted;
        Ok(())
    }

    /// Removes everything and keeps the memory.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.trust_key = u32::MAX;
        self.texts.clear();
        self.entries.clear();
        self.text_entries.clear();
        self.entry_numbers.clear();
        self.lists.clear();
        self.last_staged.clear();
        self.rows.truncate(0);
        self.trust.clear();
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        self.keys.shrink();
        self.texts.shrink();
        shrink(&mut self.entries);
        shrink(&mut self.text_entries);
        shrink_table(&mut self.entry_numbers, |(entry, _)| entry.hash());
        self.lists.shrink();
        self.rows.shrink();
        self.trust.shrink();
        shrink(&mut self.last_staged);
        self.staged = Vec::new();
    }
}

/// State of a [`MetadataTable`] that [`restore`](MetadataTable::restore) goes back to.
#[derive(Clone, Copy, Debug)]
pub struct MetadataTableMark {
    keys: usize,
    texts: usize,
    entries: usize,
    lists: usize,
    width: Width,
    trust: usize,
}

/// Appends a new entry; gives its number.
fn append(entries: &mut Vec<Entry>, entry: Entry) -> Result<u32, OutOfMemory> {
    let number = u32::try_from(entries.len()).map_err(|_| OutOfMemory)?;
    try_push(entries, entry)?;
    Ok(number)
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
                && match entry.value_type {
                    ValueType::String | ValueType::Other => Some(entry.value) == self.text,
                    ValueType::Double => self.double.is_some_and(|double| {
                        double.to_bits() == entry.value || (double.is_nan() && f64::from_bits(entry.value).is_nan())
                    }),
                }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::{Codes, Columns, Metadata, Offsets, Texts};

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
                let key = table.intern_key(key.into()).unwrap();
                table.stage(key, value.into()).unwrap();
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

    #[test]
    fn a_text_is_an_entry_for_each_key_and_form() {
        let mut table = MetadataTable::new();
        let mut rows = 0;
        for round in 0..2 {
            for text in ["x", "a value that is not short"] {
                for key in ["k", "l"] {
                    for value in [MetadataValue::String(text), MetadataValue::Other(text)] {
                        table.begin_row();
                        let number = table.intern_key(key.into()).unwrap();
                        table.stage(number, value.into()).unwrap();
                        table.end_row(rows).unwrap();
                        assert_eq!(table.row(rows).collect::<Vec<_>>(), [(key, value)], "round {round}");
                        rows += 1;
                    }
                }
            }
            // Eight lists and the empty one; what is seen again is what it was.
            assert_eq!((table.entries.len(), table.lists().len()), (8, 9), "round {round}");
        }
        table.clear();
        table.begin_row();
        let key = table.intern_key("l".into()).unwrap();
        table.stage(key, MetadataValue::Other("y").into()).unwrap();
        table.end_row(0).unwrap();
        assert_eq!(table.row(0).collect::<Vec<_>>(), [("l", MetadataValue::Other("y"))]);
    }

    fn texts<'a>(data: &'a str, offsets: &'a [i64], codes: Option<&'a [u32]>) -> Texts<'a> {
        Texts { data: data.as_bytes(), offsets: Offsets::I64(offsets), codes: codes.map(Codes::U32) }
    }

    /// Appends rows with these keys, by columns and one by one, and compares the tables.
    fn check_rows(keys: &[Vec<&str>]) {
        const VALUES: [&str; 5] = ["0.5", "a value that is not short", "", "low", "1"];
        let types: Vec<u8> = (0..keys.iter().map(Vec::len).sum()).map(|slot| (slot % 7 % 3) as u8).collect();
        let numbers: Vec<f64> = (0..types.len()).map(|slot| (slot % 11) as f64).collect();
        let codes: Vec<u32> = (0..types.len()).map(|slot| (slot % 13 % VALUES.len()) as u32).collect();
        let offsets = |texts: &[&str]| -> Vec<i64> {
            let ends = texts.iter().scan(0, |end, text| {
                *end += text.len() as i64;
                Some(*end)
            });
            [0].into_iter().chain(ends).collect()
        };
        let mut lists = vec![0];
        let mut one_by_one = MetadataTable::new();
        for (row, keys) in keys.iter().enumerate() {
            let first = *lists.last().unwrap() as usize;
            lists.push((first + keys.len()) as i64);
            one_by_one.begin_row();
            for (slot, &key) in (first..).zip(keys) {
                let text = VALUES[codes[slot] as usize];
                let value = match types[slot] {
                    0 => MetadataValue::String(text),
                    1 => MetadataValue::Double(numbers[slot]),
                    _ => MetadataValue::Other(text),
                };
                let key = one_by_one.intern_key(key.into()).unwrap();
                one_by_one.stage(key, value.into()).unwrap();
            }
            one_by_one.end_row(row).unwrap();
        }
        let expected: Vec<Vec<_>> = (0..keys.len()).map(|row| one_by_one.row(row).collect()).collect();

        let (values, ends_of_values) = (VALUES.concat(), offsets(&VALUES));
        let keys: Vec<&str> = keys.concat();
        let mut distinct = keys.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let (all, ends) = (keys.concat(), offsets(&keys));
        let (dictionary, ends_of_distinct) = (distinct.concat(), offsets(&distinct));
        let key_codes: Vec<u32> =
            keys.iter().map(|key| distinct.iter().position(|known| known == key).unwrap() as u32).collect();
        for keys in [texts(&all, &ends, None), texts(&dictionary, &ends_of_distinct, Some(&key_codes))] {
            let mut by_columns = MetadataTable::new();
            let metadata = Metadata {
                lists: Offsets::I64(&lists),
                keys,
                types: Some(&types),
                texts: Some(texts(&values, &ends_of_values, Some(&codes))),
                numbers: Some(&numbers),
            };
            let columns = Columns { rows: expected.len(), metadata: Some(metadata), ..Columns::default() };
            let mark = by_columns.mark();
            for _ in 0..2 {
                by_columns.restore(0, mark, 0);
                by_columns.extend(0, expected.len(), columns.check().unwrap().metadata).unwrap();
            }
            for (row, expected) in expected.iter().enumerate() {
                assert_eq!(by_columns.row(row).collect::<Vec<_>>(), *expected, "row {row}");
            }
            assert_eq!(by_columns.lists().len(), one_by_one.lists().len());
        }
    }

    #[test]
    fn rows_of_a_table_are_rows_one_by_one() {
        let rows = 2 * BLOCK_ROWS + 3;
        for keys in [
            &[][..],
            &["k"],
            &[TRUST_KEY],
            &["k", TRUST_KEY],
            &[TRUST_KEY, "a key that is not short", "k"],
            &["k", "l", "k"],
            &["", "k", TRUST_KEY, "", TRUST_KEY],
        ] {
            check_rows(&vec![keys.to_vec(); rows]);
            for odd in [0, 1, BLOCK_ROWS - 1, BLOCK_ROWS, rows - 1] {
                // One row has another key, or a key less, or as many bytes of keys in other places.
                let mut table = vec![keys.to_vec(); rows];
                if let Some(key) = table[odd].last_mut() {
                    *key = "m";
                }
                check_rows(&table);
                table[odd].pop();
                check_rows(&table);
                table[odd].splice(.., ["", "kl", "k"].into_iter().take(keys.len()));
                check_rows(&table);
            }
        }
        let wide: Vec<String> = (0..=MetadataTable::WIDEST_TABLE).map(|key| format!("key {key}")).collect();
        check_rows(&vec![wide.iter().map(String::as_str).collect(); 3]);
    }
}
