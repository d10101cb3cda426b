//! Texts numbered in the order in which they are first seen.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::memory::{OutOfMemory, try_push, try_push_str, try_reserve};
use crate::text::DirectMappedCache;
use crate::text::StoredHash;
use crate::text::short::text_of_bytes;
use crate::text::{ShortText, TextKey};

/// Which texts count as the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The same bytes.
    Exact,
    /// The same bytes once ASCII letters are folded to one case.
    AsciiCaseInsensitive,
}

impl Match {
    /// Whether `a` and `b` count as the same.
    pub fn same(self, a: &str, b: &str) -> bool {
        match self {
            Self::Exact => a == b,
            Self::AsciiCaseInsensitive => a.eq_ignore_ascii_case(b),
        }
    }

    fn hash(self, hasher: &RandomState, text: &str) -> StoredHash {
        let hash = match self {
            Self::Exact => hasher.hash_one(text.as_bytes()),
            Self::AsciiCaseInsensitive => match ShortText::new(text) {
                Some(short) => hash_of(hasher, short.to_ascii_lowercase()),
                None => {
                    // Folded piece by piece: the pieces depend on the length alone, so equal texts hash alike.
                    let mut state = hasher.build_hasher();
                    let mut piece = [0; 64];
                    for bytes in text.as_bytes().chunks(piece.len()) {
                        let folded = &mut piece[..bytes.len()];
                        folded.copy_from_slice(bytes);
                        folded.make_ascii_lowercase();
                        state.write(folded);
                    }
                    state.finish()
                }
            },
        };
        StoredHash::new(hash)
    }
}

/// The key of no text.
const NO_TEXT: ShortText = ShortText { halves: [0, 0], len: u32::MAX };

#[inline(always)]
fn mix(key: ShortText) -> u64 {
    key.halves[0] ^ key.halves[1].rotate_left(29) ^ u64::from(key.len)
}

#[inline]
fn hash_of(hasher: &RandomState, key: ShortText) -> u64 {
    let mut state = hasher.build_hasher();
    state.write_u64(key.halves[0]);
    state.write_u64(key.halves[1]);
    state.write_u32(key.len);
    state.finish()
}

/// A set of texts, each with a number from 0 up, in the spelling that was seen first.
#[derive(Debug)]
pub struct TextInterner {
    rule: Match,
    bytes: String,
    /// Where the text of each number ends in `bytes`.
    ends: Vec<usize>,
    /// The numbers of short texts, under the exact rule.
    short: HashTable<(ShortText, u32)>,
    /// Those that were looked up last.
    recent: DirectMappedCache<ShortText>,
    /// The numbers of the others, each with the hash of its text: the table can grow without looking at the texts.
    numbers: HashTable<(StoredHash, u32)>,
    // Seeded anew in every process, so that nobody can prepare texts that collide.
    hasher: RandomState,
}

impl TextInterner {
    /// An empty set, under a rule for which texts are the same.
    pub fn new(rule: Match) -> Self {
        Self {
            rule,
            bytes: String::new(),
            ends: Vec::new(),
            short: HashTable::new(),
            recent: DirectMappedCache::new(),
            numbers: HashTable::new(),
            hasher: RandomState::default(),
        }
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text of a number that [`intern`](Self::intern) gave.
    pub fn text(&self, number: u32) -> &str {
        text_of(&self.bytes, &self.ends, number)
    }

    /// All texts, by number.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|number| self.text(number as u32))
    }

    /// The number of `text`, if it was seen.
    pub fn get(&self, text: &str) -> Option<u32> {
        if self.rule == Match::Exact
            && let Some(key) = ShortText::new(text)
        {
            return self.short.find(hash_of(&self.hasher, key), |(known, _)| *known == key).map(|&(_, number)| number);
        }
        let hash = self.rule.hash(&self.hasher, text);
        let is_it = |&(known, number): &(StoredHash, u32)| known == hash && self.rule.same(self.text(number), text);
        self.numbers.find(hash.spread(), is_it).map(|&(_, number)| number)
    }

    /// The number of a text, a new one if it was not seen before.
    #[inline(always)]
    pub fn intern(&mut self, text: TextKey<'_>) -> Result<u32, OutOfMemory> {
        match text {
            TextKey::Short(key) => match self.recent.get(key, mix(key)) {
                Some(number) => Ok(number),
                // In parts, which stay in registers for the many texts that do not get here.
                None => self.look_up(key.halves[0], key.halves[1], key.len),
            },
            TextKey::Long(text) => self.intern_long(text),
        }
    }

    /// Finds a short text in the tables, or adds it.
    #[inline(never)]
    fn look_up(&mut self, first: u64, last: u64, len: u32) -> Result<u32, OutOfMemory> {
        let key = ShortText { halves: [first, last], len };
        let bytes = key.bytes();
        let text = text_of_bytes(&bytes[..len as usize]);
        if self.rule != Match::Exact {
            return self.intern_long(text);
        }
        let hash = hash_of(&self.hasher, key);
        let number = match self.short.find(hash, |(known, _)| *known == key) {
            Some(&(_, number)) => number,
            None => {
                self.short.try_reserve(1, |&(key, _)| hash_of(&self.hasher, key))?;
                let number = self.append(text)?;
                self.short.insert_unique(hash, (key, number), |&(key, _)| hash_of(&self.hasher, key));
                number
            }
        };
        self.recent.put(key, mix(key), number, self.short.len(), NO_TEXT);
        Ok(number)
    }

    #[inline(never)]
    fn intern_long(&mut self, text: &str) -> Result<u32, OutOfMemory> {
        let Self { rule, bytes, ends, numbers, hasher, .. } = self;
        let hash = rule.hash(hasher, text);
        let is_it =
            |&(known, number): &(StoredHash, u32)| known == hash && rule.same(text_of(bytes, ends, number), text);
        if let Some(&(_, number)) = numbers.find(hash.spread(), is_it) {
            return Ok(number);
        }
        numbers.try_reserve(1, |&(hash, _)| hash.spread())?;
        let number = self.append(text)?;
        self.numbers.insert_unique(hash.spread(), (hash, number), |&(hash, _)| hash.spread());
        Ok(number)
    }

    /// Appends a text that is not there, or changes nothing.
    fn append(&mut self, text: &str) -> Result<u32, OutOfMemory> {
        let number = u32::try_from(self.ends.len()).map_err(|_| OutOfMemory)?;
        try_reserve(&mut self.ends, 1)?;
        try_push_str(&mut self.bytes, text)?;
        try_push(&mut self.ends, self.bytes.len())?;
        Ok(number)
    }

    /// Forgets all texts and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.short.clear();
        self.recent.clear();
        self.numbers.clear();
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        crate::memory::shrink_string(&mut self.bytes);
        crate::memory::shrink(&mut self.ends);
    }
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
    fn numbers_are_given_in_order_and_kept() {
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
    fn short_texts_of_every_length_are_told_apart() {
        let mut texts = TextInterner::new(Match::Exact);
        let mut all = vec![String::new()];
        for len in 1..20 {
            // Every text of one letter, and every one that differs from it in one place.
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
        // Again, now that there are recent ones; and some of them twice in a row.
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
        // Of every length up to where a text is no longer short, and beyond.
        for len in 1..20 {
            let number = 2 + len as u32;
            let [upper, mixed, lower] = ["QZ@[`{É".repeat(4), "qZ@[`{É".repeat(4), "qz@[`{É".repeat(4)]
                .map(|text| text.chars().take(len).collect::<String>());
            assert_eq!(texts.intern(mixed.as_str().into()), Ok(number), "{mixed}");
            assert_eq!(texts.intern(upper.as_str().into()), Ok(number), "{upper}");
            assert_eq!((texts.get(&lower), texts.text(number)), (Some(number), mixed.as_str()));
        }
    }
}
