//! Numbers for the texts at a metadata key.

use std::fmt::{self, Write as _};
use std::hash::BuildHasher;

use hashbrown::HashTable;

use crate::batch::{Batch, MetadataValue, TRUST_KEY, ValueText};
use crate::column::packed::on_values;
use crate::memory::{OutOfMemory, TryWriter, try_pad};
use crate::text::hash_state;

/// For each row a number of the text at a key: rows with the same text have the same number. A double has the text that the
/// metadata key scorer compares.
#[derive(Debug, Default)]
pub struct TextNumbers {
    /// For each row its number.
    rows: Vec<u32>,
    /// For each distinct metadata list its number.
    lists: Vec<u32>,
    /// The texts: the list or row that had the text first, and the number.
    table: HashTable<Known>,
    len: u32,
    /// The text of a double.
    buffer: TryWriter,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    hash: u64,
    source: u32,
    number: u32,
}

impl TextNumbers {
    /// The number of a row without a text.
    pub const NONE: u32 = u32::MAX;

    /// Numbers the texts at `key`, from 0 up.
    pub fn read(&mut self, batch: &Batch, key: &str) -> Result<(), OutOfMemory> {
        self.table.clear();
        self.len = 0;
        self.rows.clear();
        try_pad(&mut self.rows, batch.len(), Self::NONE)?;
        let metadata = batch.metadata();
        if key == TRUST_KEY {
            for row in 0..batch.len() as u32 {
                self.rows[row as usize] = self.number(row, |row| metadata.trust(row as usize))?;
            }
            return Ok(());
        }
        let Some(key) = metadata.key_number(key) else { return Ok(()) };
        self.lists.clear();
        let lists = metadata.lists().len();
        try_pad(&mut self.lists, lists, Self::NONE)?;
        for list in 0..lists as u32 {
            self.lists[list as usize] = self.number(list, |list| metadata.value_in_list(list, key))?;
        }
        let Self { rows, lists, .. } = self;
        on_values!(metadata.rows(), codes => {
            for (number, &list) in rows.iter_mut().zip(codes) {
                *number = lists[list as usize];
            }
        });
        Ok(())
    }

    /// The number of each row's text.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// The number of the text that `value_of` finds at `source`.
    fn number<'a>(
        &mut self,
        source: u32,
        value_of: impl Fn(u32) -> Option<MetadataValue<'a>>,
    ) -> Result<u32, OutOfMemory> {
        let Some(value) = value_of(source) else { return Ok(Self::NONE) };
        let text = text_of(value, &mut self.buffer)?;
        let hash = hash_state().hash_one(text);
        let is_same = |other| match other {
            MetadataValue::String(other) | MetadataValue::Other(other) => other == text,
            MetadataValue::Double(_) => ValueText::new(text).matches(other),
        };
        let same = |known: &Known| known.hash == hash && value_of(known.source).is_some_and(is_same);
        if let Some(known) = self.table.find(hash, same) {
            return Ok(known.number);
        }
        self.table.try_reserve(1, |known| known.hash)?;
        let number = self.len;
        self.table.insert_unique(hash, Known { hash, source, number }, |known| known.hash);
        self.len += 1;
        Ok(number)
    }
}

/// The text of a value, written to `buffer` if it is a double.
fn text_of<'a>(value: MetadataValue<'a>, buffer: &'a mut TryWriter) -> Result<&'a str, OutOfMemory> {
    match value {
        MetadataValue::String(text) | MetadataValue::Other(text) => Ok(text),
        MetadataValue::Double(value) => {
            buffer.0.clear();
            write!(buffer, "{value}").map_err(|fmt::Error| OutOfMemory)?;
            Ok(&buffer.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::ItemBuilder;

    fn numbers(key: &str, values: &[Option<MetadataValue<'_>>]) -> Vec<u32> {
        let mut batch = Batch::new();
        for value in values {
            let mut builder = ItemBuilder::new("content", 1).unwrap();
            if let Some(value) = value {
                builder.metadata(key, *value).unwrap();
            }
            batch.push(&builder.build().unwrap()).unwrap();
        }
        let mut texts = TextNumbers::default();
        texts.read(&batch, key).unwrap();
        texts.rows().to_vec()
    }

    #[test]
    fn values_with_the_same_text_have_the_same_number() {
        use MetadataValue::{Double, Other, String};
        const NONE: u32 = TextNumbers::NONE;
        let values = [
            Some(String("1")),
            Some(Double(1.0)),
            None,
            Some(Other("1")),
            Some(String("1.0")),
            Some(Double(f64::NAN)),
            Some(Double(-f64::NAN)),
            Some(String("")),
            Some(Double(-0.0)),
            Some(String("-0")),
        ];
        for key in ["group", TRUST_KEY] {
            assert_eq!(numbers(key, &values), [0, 0, NONE, 0, 1, 2, 2, 3, 4, 4], "{key}");
        }
    }
}
