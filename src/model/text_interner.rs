//! Texts numbered in the order in which they are first seen.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::memory::{OutOfMemory, try_pad, try_push, try_push_str};

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

    fn hash(self, hasher: &RandomState, text: &str) -> u64 {
        match self {
            Self::Exact => hasher.hash_one(text.as_bytes()),
            Self::AsciiCaseInsensitive => {
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
        }
    }
}

/// A text of at most 16 bytes as numbers, which are hashed and compared in a few instructions, where a call for as many
/// bytes takes as long as the rest of a look-up. Texts are the same when their keys are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ShortKey {
    /// The first and the last bytes; they overlap, but not in the same way for two lengths.
    ends: [u64; 2],
    len: u8,
}

impl ShortKey {
    const MOST: usize = 16;
    /// The key of no text.
    const NONE: Self = Self { ends: [0, 0], len: u8::MAX };

    #[inline]
    fn new(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let len = bytes.len();
        let ends = if len > Self::MOST {
            return None;
        } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            [u64::from_le_bytes(*first), u64::from_le_bytes(*last)]
        } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            [u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into()]
        } else if let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) {
            [u64::from(first) | u64::from(bytes[len / 2]) << 8 | u64::from(last) << 16, 0]
        } else {
            [0, 0]
        };
        Some(Self { ends, len: len as u8 })
    }

    /// Where the key stands among the recent ones. Keys that share a place take turns; nothing else comes of it.
    #[inline]
    fn place(self) -> usize {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        ((self.ends[0] ^ self.ends[1].rotate_left(29) ^ u64::from(self.len)).wrapping_mul(ODD) >> (64 - RECENT_BITS))
            as usize
    }

    #[inline]
    fn hash(self, hasher: &RandomState) -> u64 {
        let mut state = hasher.build_hasher();
        state.write_u64(self.ends[0]);
        state.write_u64(self.ends[1]);
        state.write_u8(self.len);
        state.finish()
    }
}

/// The number of places for recent keys, as a power of two.
const RECENT_BITS: u32 = 7;
/// So many texts are looked up before places are made for recent ones: a small batch does without.
const BEFORE_RECENT: u32 = 64;

/// A set of texts, each with a number from 0 up, in the spelling that was seen first.
#[derive(Debug)]
pub struct TextInterner {
    rule: Match,
    bytes: String,
    /// Where the text of each number ends in `bytes`.
    ends: Vec<usize>,
    /// The numbers of short texts, under the exact rule.
    short: HashTable<(ShortKey, u32)>,
    /// Those that were looked up last, by [`ShortKey::place`]; empty at first.
    recent: Vec<(ShortKey, u32)>,
    looked_up: u32,
    /// The numbers of the others.
    numbers: HashTable<u32>,
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
            recent: Vec::new(),
            looked_up: 0,
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
        if let Some(key) = self.short_key(text) {
            return self.short.find(key.hash(&self.hasher), |(known, _)| *known == key).map(|&(_, number)| number);
        }
        let hash = self.rule.hash(&self.hasher, text);
        self.numbers.find(hash, |&number| self.rule.same(self.text(number), text)).copied()
    }

    /// The number of `text`, a new one if it was not seen before.
    #[inline]
    pub fn intern(&mut self, text: &str) -> Result<u32, OutOfMemory> {
        let Some(key) = self.short_key(text) else { return self.intern_long(text) };
        if let Some(&(known, number)) = self.recent.get(key.place())
            && known == key
        {
            return Ok(number);
        }
        self.intern_short(key, text)
    }

    fn intern_short(&mut self, key: ShortKey, text: &str) -> Result<u32, OutOfMemory> {
        let hash = key.hash(&self.hasher);
        let number = match self.short.find(hash, |(known, _)| *known == key) {
            Some(&(_, number)) => number,
            None => {
                self.short.try_reserve(1, |(key, _)| key.hash(&self.hasher))?;
                let number = self.append(text)?;
                self.short.insert_unique(hash, (key, number), |(key, _)| key.hash(&self.hasher));
                number
            }
        };
        self.looked_up = self.looked_up.saturating_add(1);
        if self.looked_up == BEFORE_RECENT {
            // Without room for them there are no recent keys, and all else is the same.
            let _ = try_pad(&mut self.recent, 1 << RECENT_BITS, (ShortKey::NONE, 0));
        }
        if let Some(recent) = self.recent.get_mut(key.place()) {
            *recent = (key, number);
        }
        Ok(number)
    }

    /// Appends the number of each text to `numbers`.
    pub fn intern_all<'a>(
        &mut self,
        texts: impl ExactSizeIterator<Item = &'a str>,
        numbers: &mut Vec<u32>,
    ) -> Result<(), OutOfMemory> {
        numbers.try_reserve(texts.len())?;
        for text in texts {
            numbers.push(self.intern(text)?);
        }
        Ok(())
    }

    fn intern_long(&mut self, text: &str) -> Result<u32, OutOfMemory> {
        let Self { rule, bytes, ends, numbers, hasher, .. } = self;
        let hash = rule.hash(hasher, text);
        if let Some(&number) = numbers.find(hash, |&number| rule.same(text_of(bytes, ends, number), text)) {
            return Ok(number);
        }
        numbers.try_reserve(1, |&number| rule.hash(hasher, text_of(bytes, ends, number)))?;
        let number = self.append(text)?;
        let Self { rule, bytes, ends, numbers, hasher, .. } = self;
        numbers.insert_unique(hash, number, |&number| rule.hash(hasher, text_of(bytes, ends, number)));
        Ok(number)
    }

    #[inline]
    fn short_key(&self, text: &str) -> Option<ShortKey> {
        if self.rule == Match::Exact { ShortKey::new(text) } else { None }
    }

    /// Appends a text that is not there, or changes nothing.
    fn append(&mut self, text: &str) -> Result<u32, OutOfMemory> {
        let number = u32::try_from(self.ends.len()).map_err(|_| OutOfMemory)?;
        self.ends.try_reserve(1)?;
        try_push_str(&mut self.bytes, text)?;
        try_push(&mut self.ends, self.bytes.len())?;
        Ok(number)
    }

    /// Forgets all texts and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.short.clear();
        self.recent = Vec::new();
        self.looked_up = 0;
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
        assert_eq!(texts.intern("a"), Ok(0));
        assert_eq!(texts.intern(""), Ok(1));
        assert_eq!(texts.intern("A"), Ok(2));
        assert_eq!(texts.intern("a"), Ok(0));
        assert_eq!(texts.get("A"), Some(2));
        assert_eq!(texts.get("b"), None);
        assert_eq!(texts.texts().collect::<Vec<_>>(), ["a", "", "A"]);
        texts.clear();
        assert_eq!(texts.get("a"), None);
        assert_eq!(texts.intern("b"), Ok(0));
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
            assert_eq!(texts.intern(text), Ok(number as u32), "{text}");
        }
        // Again, now that there are recent ones; and some of them twice in a row.
        for (number, text) in all.iter().enumerate() {
            assert_eq!(texts.intern(text), Ok(number as u32), "{text}");
            assert_eq!(texts.intern(text), Ok(number as u32), "{text}");
            assert_eq!(texts.get(text), Some(number as u32), "{text}");
        }
        texts.clear();
        assert_eq!(texts.intern("ab"), Ok(0));
    }

    #[test]
    fn folding_is_of_ascii_letters_only() {
        let mut texts = TextInterner::new(Match::AsciiCaseInsensitive);
        let long = "Tag-".repeat(40);
        assert_eq!(texts.intern(&long), Ok(0));
        assert_eq!(texts.intern(&long.to_uppercase()), Ok(0));
        assert_eq!(texts.intern("É"), Ok(1));
        assert_eq!(texts.intern("é"), Ok(2));
        assert_eq!(texts.text(0), long);
    }
}
