//! Texts numbered in the order in which they are first seen.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;

use crate::memory::{
    OutOfMemory, shrink, shrink_string, shrink_table, trim, trim_string, trim_table, try_pad, try_push, try_push_str,
    try_reserve, try_reserve_str,
};
use crate::text::hash::{HashState, StoredHash, hash_state};
use crate::text::{DirectMappedCache, ShortTable, ShortText, Text, TextKey};

/// Which texts are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// Texts of the same bytes.
    Exact,
    /// Texts of the same bytes after ASCII letters are folded to lower case.
    AsciiCaseInsensitive,
}

impl Match {
    /// Whether `a` equals `b`.
    pub fn same(self, a: &str, b: &str) -> bool {
        match self {
            Self::Exact => a == b,
            Self::AsciiCaseInsensitive => a.eq_ignore_ascii_case(b),
        }
    }

    /// Folds a short text to the form that equal texts share.
    #[inline(always)]
    fn fold(self, text: ShortText) -> ShortText {
        match self {
            Self::Exact => text,
            Self::AsciiCaseInsensitive => text.to_ascii_lowercase(),
        }
    }

    fn hash_long(self, hasher: &HashState, text: &str) -> StoredHash {
        let mut state = hasher.build_hasher();
        match self {
            Self::Exact => state.write(text.as_bytes()),
            Self::AsciiCaseInsensitive => {
                // Folded in chunks. Their boundaries depend on the length alone, so equal texts hash alike.
                let mut chunk = [0; 64];
                for bytes in text.as_bytes().chunks(chunk.len()) {
                    let folded = &mut chunk[..bytes.len()];
                    folded.copy_from_slice(bytes);
                    folded.make_ascii_lowercase();
                    state.write(folded);
                }
            }
        }
        StoredHash::new(state.finish())
    }
}

/// A set of texts, numbered from 0. Each keeps the spelling that was seen first.
#[derive(Debug)]
pub struct TextInterner {
    rule: Match,
    bytes: String,
    /// Where each text ends in `bytes`.
    ends: Vec<usize>,
    /// The numbers of short texts, by their folded form.
    short: ShortTable,
    cache: DirectMappedCache,
    /// The numbers of all other texts, with the hash of each.
    long: HashTable<(StoredHash, u32)>,
    hasher: HashState,
}

impl TextInterner {
    /// An empty set.
    pub fn new(rule: Match) -> Self {
        Self {
            rule,
            bytes: String::new(),
            ends: Vec::new(),
            short: ShortTable::new(),
            cache: DirectMappedCache::new(),
            long: HashTable::new(),
            hasher: hash_state(),
        }
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text of a number.
    pub fn text(&self, number: u32) -> &str {
        text_of(&self.bytes, &self.ends, number)
    }

    /// All texts, by number.
    pub fn texts(&self) -> impl Iterator<Item = &str> + Clone {
        (0..self.ends.len()).map(|number| self.text(number as u32))
    }

    /// The number of `text`, if it is in the set.
    pub fn get(&self, text: &str) -> Option<u32> {
        match text.into() {
            Text::Short(key) => self.short.find(&self.hasher, self.rule.fold(key)),
            Text::Long(text) => {
                let hash = self.rule.hash_long(&self.hasher, text);
                let entry = self
                    .long
                    .find(hash.spread(), |&(known, number)| known == hash && self.rule.same(self.text(number), text));
                entry.map(|&(_, number)| number)
            }
        }
    }

    /// The number of `text`, which is added if it is new.
    #[inline(always)]
    pub fn intern(&mut self, text: TextKey<'_>) -> Result<u32, OutOfMemory> {
        match text {
            Text::Short(key) => match self.cache.get(key) {
                Some(number) => Ok(number),
                None => self.intern_short(key),
            },
            Text::Long(text) => self.intern_long(text),
        }
    }

    #[inline(never)]
    fn intern_short(&mut self, text: ShortText) -> Result<u32, OutOfMemory> {
        let Self { rule, short, hasher, .. } = self;
        let key = rule.fold(text);
        let number = match short.find(hasher, key) {
            Some(number) => number,
            None => {
                short.reserve_one(hasher)?;
                let number = append(&mut self.bytes, &mut self.ends, text.as_str())?;
                short.insert(hasher, key, number)?;
                number
            }
        };
        if self.short.is_hashed() {
            self.cache.put(text, number, self.short.len());
        }
        Ok(number)
    }

    #[inline(never)]
    fn intern_long(&mut self, text: &str) -> Result<u32, OutOfMemory> {
        let Self { rule, bytes, ends, long, hasher, .. } = self;
        let hash = rule.hash_long(hasher, text);
        let known =
            |&(known, number): &(StoredHash, u32)| known == hash && rule.same(text_of(bytes, ends, number), text);
        if let Some(&(_, number)) = long.find(hash.spread(), known) {
            return Ok(number);
        }
        long.try_reserve(1, |&(hash, _)| hash.spread())?;
        let number = append(bytes, ends, text)?;
        long.insert_unique(hash.spread(), (hash, number), |&(hash, _)| hash.spread());
        Ok(number)
    }

    /// The set without the texts that are not in use, and the new number of each of the others, which keep their order.
    pub fn compacted(&self, in_use: &[bool]) -> Result<(Self, Vec<u32>), OutOfMemory> {
        let (mut compacted, mut numbers) = (Self::new(self.rule), Vec::new());
        try_pad(&mut numbers, self.len(), u32::MAX)?;
        for (text, number) in
            self.texts().zip(&mut numbers).zip(in_use).filter(|(_, in_use)| **in_use).map(|(text, _)| text)
        {
            *number = compacted.intern(text.into())?;
        }
        Ok((compacted, numbers))
    }

    /// Removes the texts from number `len` on, and the memory they took.
    #[cold]
    pub fn truncate(&mut self, len: usize) {
        if self.len() > len {
            self.cache.clear();
        }
        for number in len as u32..self.len() as u32 {
            match text_of(&self.bytes, &self.ends, number).into() {
                Text::Short(key) => self.short.remove(&self.hasher, self.rule.fold(key), number),
                Text::Long(text) => {
                    let hash = self.rule.hash_long(&self.hasher, text);
                    if let Ok(entry) = self.long.find_entry(hash.spread(), |&(_, known)| known == number) {
                        entry.remove();
                    }
                }
            }
        }
        self.ends.truncate(len);
        self.bytes.truncate(self.ends.last().copied().unwrap_or_default());
        trim_string(&mut self.bytes);
        trim(&mut self.ends, 0);
        self.short.trim(&self.hasher);
        trim_table(&mut self.long, |&(hash, _)| hash.spread());
    }

    /// Removes all texts and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.short.clear();
        self.cache.clear();
        self.long.clear();
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        shrink_string(&mut self.bytes);
        shrink(&mut self.ends);
        self.short.shrink(&self.hasher);
        shrink_table(&mut self.long, |&(hash, _)| hash.spread());
        self.cache.clear();
    }
}

/// The number of texts, and of their bytes, that the first text makes room for: growing from nothing takes as many allocations as a
/// small batch takes for everything else.
const FIRST_TEXTS: usize = 8;
const FIRST_BYTES: usize = 64;

/// Appends a text, or changes nothing; gives its number.
fn append(bytes: &mut String, ends: &mut Vec<usize>, text: &str) -> Result<u32, OutOfMemory> {
    let number = u32::try_from(ends.len()).map_err(|_| OutOfMemory)?;
    if ends.capacity() == 0 {
        try_reserve(ends, FIRST_TEXTS)?;
        try_reserve_str(bytes, FIRST_BYTES)?;
    }
    try_reserve(ends, 1)?;
    try_push_str(bytes, text)?;
    try_push(ends, bytes.len())?;
    Ok(number)
}

fn text_of<'a>(bytes: &'a str, ends: &[usize], number: u32) -> &'a str {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &bytes[start..ends[number]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_given_in_order() {
        let mut texts = TextInterner::new(Match::Exact);
        assert_eq!(texts.intern("a".into()), Ok(0));
        assert_eq!(texts.intern("".into()), Ok(1));
        assert_eq!(texts.intern("A".into()), Ok(2));
        assert_eq!(texts.intern("a".into()), Ok(0));
        assert_eq!(texts.get("A"), Some(2));
        assert_eq!(texts.get("b"), None);
        assert_eq!(texts.texts().collect::<Vec<_>>(), ["a", "", "A"]);
        texts.clear();
        assert_eq!(texts.get("a"), None);
        assert_eq!(texts.intern("b".into()), Ok(0));
    }

    #[test]
    fn short_texts_of_every_length_are_distinct() {
        let mut texts = TextInterner::new(Match::Exact);
        let mut all = vec![String::new()];
        for len in 1..20 {
            // One letter repeated, and every text that differs from it at one position.
            all.push("a".repeat(len));
            for place in 0..len {
                let mut bytes = vec![b'a'; len];
                bytes[place] = b'b';
                all.push(String::from_utf8(bytes).unwrap());
            }
        }
        for (number, text) in all.iter().enumerate() {
            assert_eq!(texts.intern(text.as_str().into()), Ok(number as u32), "{text}");
        }
        // Again, with a filled cache, and each twice in a row.
        for (number, text) in all.iter().enumerate() {
            assert_eq!(texts.intern(text.as_str().into()), Ok(number as u32), "{text}");
            assert_eq!(texts.intern(text.as_str().into()), Ok(number as u32), "{text}");
            assert_eq!(texts.get(text), Some(number as u32), "{text}");
        }
        texts.clear();
        assert_eq!(texts.intern("ab".into()), Ok(0));
    }

    #[test]
    fn folding_is_of_ascii_letters_only() {
        let mut texts = TextInterner::new(Match::AsciiCaseInsensitive);
        let long = "Tag-".repeat(40);
        assert_eq!(texts.intern(long.as_str().into()), Ok(0));
        assert_eq!(texts.intern(long.to_uppercase().as_str().into()), Ok(0));
        assert_eq!(texts.intern("É".into()), Ok(1));
        assert_eq!(texts.intern("é".into()), Ok(2));
        assert_eq!(texts.text(0), long);
        // Lengths on both sides of the inline capacity.
        for len in 1..20 {
            let number = 2 + len as u32;
            let [upper, mixed, lower] = ["QZ@[`{É".repeat(4), "qZ@[`{É".repeat(4), "qz@[`{É".repeat(4)]
                .map(|text| text.chars().take(len).collect::<String>());
            assert_eq!(texts.intern(mixed.as_str().into()), Ok(number), "{mixed}");
            assert_eq!(texts.intern(upper.as_str().into()), Ok(number), "{upper}");
            assert_eq!((texts.get(&lower), texts.text(number)), (Some(number), mixed.as_str()));
        }
    }

    #[test]
    fn truncating_removes_texts_and_memory() {
        for rule in [Match::Exact, Match::AsciiCaseInsensitive] {
            let mut texts = TextInterner::new(rule);
            let text = |number: u32| format!("{}{number}", ["", "a prefix that is long "][number as usize % 2]);
            for number in 0..100 {
                texts.intern(text(number).as_str().into()).unwrap();
            }
            for round in 0..3 {
                for number in 50..5_000 {
                    assert_eq!(texts.intern(text(number).as_str().into()), Ok(number), "round {round}");
                }
                texts.truncate(100);
                assert!(texts.bytes.capacity() < 4_000 && texts.ends.capacity() <= 200);
                assert!(texts.short.capacity() < 500 && texts.long.capacity() < 500);
                for number in 0..200 {
                    assert_eq!(texts.get(&text(number)), (number < 100).then_some(number));
                }
            }
            texts.clear();
            texts.shrink();
            assert_eq!((texts.bytes.capacity(), texts.ends.capacity()), (0, 0));
            assert_eq!((texts.short.capacity(), texts.long.capacity()), (0, 0));
        }
    }
}
