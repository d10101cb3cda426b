//! Texts numbered in the order in which they are first seen.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;

use crate::memory::{
    OutOfMemory, shrink, shrink_string, shrink_table, trim, trim_string, trim_table, try_pad, try_reserve,
};
use crate::text::hash::{FewHints, StoredHash, hash_state};
use crate::text::{ItemText, ShortText, Text, TextKey};

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

    fn hash(self, text: TextKey<'_>) -> StoredHash {
        let mut state = hash_state().build_hasher();
        match (text, self) {
            (Text::Short(text), _) => {
                let folded = self.fold(text);
                let [low, high] = folded.words();
                state.write_u64(low);
                state.write_u64(high);
                state.write_u32(folded.len() as u32);
            }
            (Text::Long(text), Self::Exact) => state.write(text.as_bytes()),
            (Text::Long(text), Self::AsciiCaseInsensitive) => {
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
    /// The texts by number.
    texts: Vec<ItemText>,
    /// The buffer of the texts that are not short.
    long: String,
    /// The number of every text, or empty: up to [`FEW`](Self::FEW) texts are searched in order.
    table: HashTable<(StoredHash, u32)>,
    hints: Hints,
}

/// For each value of a small hash of a short text, the number of a text that may be it: a direct-mapped cache in front of the search.
/// A hint that is out of date costs a search and nothing else.
#[derive(Debug)]
struct Hints {
    /// The hints while there are few texts.
    few: FewHints,
    /// The hints after that: empty, or a power of two.
    many: Vec<u32>,
}

impl Hints {
    /// The most hints, which stay in the L1 cache.
    const MOST: usize = 2048;

    /// The position of a hash in `many`, which is not empty.
    #[inline(always)]
    fn slot(&self, hash: u64) -> usize {
        (hash >> (u64::BITS - self.many.len().trailing_zeros())) as usize
    }

    /// The number of a text that may be `key`.
    #[inline(always)]
    fn get(&self, key: ShortText) -> usize {
        let hash = key.small_hash();
        if self.many.is_empty() { self.few.get(hash) } else { self.many[self.slot(hash)] as usize }
    }

    /// Notes the number of `key`, one of `texts` texts.
    #[inline(always)]
    fn put(&mut self, key: ShortText, number: u32, texts: usize) {
        if texts > TextInterner::FEW && self.many.len() < Self::MOST && texts * 4 > self.many.len() {
            // Sparse enough that few texts collide, up to the maximum. Without memory the hints stay as they are.
            let _ = try_pad(&mut self.many, (texts * 8).next_power_of_two().min(Self::MOST), 0);
        }
        let hash = key.small_hash();
        if self.many.is_empty() {
            self.few.put(hash, number);
        } else {
            let slot = self.slot(hash);
            self.many[slot] = number;
        }
    }
}

impl TextInterner {
    /// The most texts without a table. A batch has a handful of kinds, sources and keys: comparing them takes less time than a
    /// hash, and a table is an allocation more.
    const FEW: usize = 16;
    /// The capacity that a table begins with, one that hashbrown allocates exactly.
    const FIRST_CAPACITY: usize = 28;

    /// An empty set.
    pub const fn new(rule: Match) -> Self {
        Self {
            rule,
            texts: Vec::new(),
            long: String::new(),
            table: HashTable::new(),
            hints: Hints { few: FewHints::new(), many: Vec::new() },
        }
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// The text of a number.
    pub fn text(&self, number: u32) -> &str {
        self.texts[number as usize].get(&self.long)
    }

    /// The lookup key of a number's text.
    pub fn key(&self, number: u32) -> TextKey<'_> {
        self.texts[number as usize].key(&self.long)
    }

    /// All texts, by number.
    pub fn texts(&self) -> impl Iterator<Item = &str> + Clone {
        self.texts.iter().map(|text| text.get(&self.long))
    }

    /// The lookup keys of all texts, by number.
    pub fn keys(&self) -> impl Iterator<Item = TextKey<'_>> {
        self.texts.iter().map(|text| text.key(&self.long))
    }

    /// The number of `text`, if it is in the set.
    pub fn get<'a>(&self, text: impl Into<TextKey<'a>>) -> Option<u32> {
        let text = text.into();
        if let Some(number) = self.hinted(text) {
            return Some(number);
        }
        if self.table.is_empty() { self.find_among_few(text) } else { self.find(self.rule.hash(text), text) }
    }

    /// Whether `text` equals the text of a number.
    #[inline(always)]
    fn is(&self, own: ItemText, text: TextKey<'_>) -> bool {
        match (own, text) {
            (Text::Short(own), Text::Short(text)) => self.rule.fold(own) == self.rule.fold(text),
            (Text::Long(own), Text::Long(text)) => self.rule.same(own.get(&self.long), text),
            _ => false,
        }
    }

    #[inline(always)]
    fn find_among_few(&self, text: TextKey<'_>) -> Option<u32> {
        let position = match (text, self.rule) {
            (Text::Short(key), Match::Exact) if self.hints.get(key) == FewHints::UNSET => None,
            (Text::Short(key), Match::Exact) => self.texts.iter().position(|own| own.is_short(key)),
            _ => self.texts.iter().position(|&own| self.is(own, text)),
        };
        position.map(|number| number as u32)
    }

    #[inline]
    fn find(&self, hash: StoredHash, text: TextKey<'_>) -> Option<u32> {
        let is_it = |&(known, number): &(_, u32)| known == hash && self.is(self.texts[number as usize], text);
        self.table.find(hash.spread(), is_it).map(|&(_, number)| number)
    }

    /// The number of `text`, which is added if it is new.
    #[inline(always)]
    pub fn intern(&mut self, text: TextKey<'_>) -> Result<u32, OutOfMemory> {
        match self.hinted(text) {
            Some(number) => Ok(number),
            None => self.search_or_add(text),
        }
    }

    /// The number that the hints have for a text.
    #[inline(always)]
    fn hinted(&self, text: TextKey<'_>) -> Option<u32> {
        let Text::Short(key) = text else { return None };
        let number = self.hints.get(key);
        self.texts.get(number)?.is_short(key).then_some(number as u32)
    }

    #[inline(never)]
    fn search_or_add(&mut self, text: TextKey<'_>) -> Result<u32, OutOfMemory> {
        if self.table.is_empty() {
            let known = self.find_among_few(text);
            if known.is_some() || self.texts.len() < Self::FEW {
                let number = known.map_or_else(|| self.append(text), Ok)?;
                self.hint(text, number);
                return Ok(number);
            }
            self.build_table()?;
        }
        let hash = self.rule.hash(text);
        let number = match self.find(hash, text) {
            Some(number) => number,
            None => {
                self.table.try_reserve(1, |&(hash, _)| hash.spread())?;
                let number = self.append(text)?;
                self.table.insert_unique(hash.spread(), (hash, number), |&(hash, _)| hash.spread());
                number
            }
        };
        self.hint(text, number);
        Ok(number)
    }

    #[inline(always)]
    fn hint(&mut self, text: TextKey<'_>, number: u32) {
        if let Text::Short(key) = text {
            self.hints.put(key, number, self.texts.len());
        }
    }

    /// Puts all texts into the table.
    #[cold]
    fn build_table(&mut self) -> Result<(), OutOfMemory> {
        self.table.try_reserve(Self::FIRST_CAPACITY, |&(hash, _)| hash.spread())?;
        for (number, text) in (0..).zip(&self.texts) {
            let hash = self.rule.hash(text.key(&self.long));
            self.table.insert_unique(hash.spread(), (hash, number), |&(hash, _)| hash.spread());
        }
        Ok(())
    }

    /// Appends a text, or changes nothing; gives its number.
    #[inline(always)]
    fn append(&mut self, text: TextKey<'_>) -> Result<u32, OutOfMemory> {
        let number = u32::try_from(self.texts.len()).map_err(|_| OutOfMemory)?;
        // Growing from nothing takes as many allocations as a small batch takes for everything else.
        let more = if self.texts.capacity() == 0 { Self::FEW } else { 1 };
        try_reserve(&mut self.texts, more)?;
        self.texts.push(text.store(&mut self.long)?);
        Ok(number)
    }

    /// The set without the texts that are not in use, and the new number of each of the others, which keep their order.
    pub fn compacted(&self, in_use: &[bool]) -> Result<(Self, Vec<u32>), OutOfMemory> {
        let (mut compacted, mut numbers) = (Self::new(self.rule), Vec::new());
        try_pad(&mut numbers, self.len(), u32::MAX)?;
        for ((key, number), _) in self.keys().zip(&mut numbers).zip(in_use).filter(|(_, in_use)| **in_use) {
            *number = compacted.intern(key)?;
        }
        Ok((compacted, numbers))
    }

    /// Removes the texts from number `len` on, and the memory they took.
    #[cold]
    pub fn truncate(&mut self, len: usize) {
        if !self.table.is_empty() {
            for number in len as u32..self.len() as u32 {
                let hash = self.rule.hash(self.key(number));
                if let Ok(entry) = self.table.find_entry(hash.spread(), |&(_, known)| known == number) {
                    entry.remove();
                }
            }
        }
        for text in self.texts.drain(len.min(self.texts.len())..).rev() {
            if let Text::Long(span) = text {
                self.long.truncate(span.start);
            }
        }
        if self.texts.len() <= Self::FEW {
            self.hints.many = Vec::new();
        }
        trim_string(&mut self.long);
        trim(&mut self.texts, 0);
        trim_table(&mut self.table, |&(hash, _)| hash.spread());
    }

    /// Removes all texts and keeps the memory.
    pub fn clear(&mut self) {
        self.texts.clear();
        self.long.clear();
        self.table.clear();
        self.hints.many.clear();
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        shrink(&mut self.texts);
        shrink_string(&mut self.long);
        shrink_table(&mut self.table, |&(hash, _)| hash.spread());
        self.hints.many = Vec::new();
    }
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
        // Again, with hints, and each twice in a row.
        for (number, text) in all.iter().enumerate() {
            assert_eq!(texts.intern(text.as_str().into()), Ok(number as u32), "{text}");
            assert_eq!(texts.intern(text.as_str().into()), Ok(number as u32), "{text}");
            assert_eq!(texts.get(text.as_str()), Some(number as u32), "{text}");
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
            assert_eq!((texts.get(lower.as_str()), texts.text(number)), (Some(number), mixed.as_str()));
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
                assert!(texts.long.capacity() < 4_000 && texts.texts.capacity() <= 200);
                assert!(texts.table.capacity() < 500);
                for number in 0..200 {
                    assert_eq!(texts.get(text(number).as_str()), (number < 100).then_some(number));
                }
            }
            texts.clear();
            texts.shrink();
            assert_eq!((texts.long.capacity(), texts.texts.capacity(), texts.table.capacity()), (0, 0, 0));
        }
    }
}
