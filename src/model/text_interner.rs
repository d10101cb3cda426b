//! Texts numbered in the order in which they are first seen.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::memory::{OutOfMemory, try_push, try_push_str};

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

/// A set of texts, each with a number from 0 up, in the spelling that was seen first.
#[derive(Debug)]
pub struct TextInterner {
    rule: Match,
    bytes: String,
    /// Where the text of each number ends in `bytes`.
    ends: Vec<usize>,
    numbers: HashTable<u32>,
    // Seeded anew in every process, so that nobody can prepare texts that collide.
    hasher: RandomState,
}

impl TextInterner {
    /// An empty set, under a rule for which texts are the same.
    pub fn new(rule: Match) -> Self {
        Self { rule, bytes: String::new(), ends: Vec::new(), numbers: HashTable::new(), hasher: RandomState::default() }
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
        let hash = self.rule.hash(&self.hasher, text);
        self.numbers.find(hash, |&number| self.rule.same(self.text(number), text)).copied()
    }

    /// The number of `text`, a new one if it was not seen before.
    pub fn intern(&mut self, text: &str) -> Result<u32, OutOfMemory> {
        let hash = self.rule.hash(&self.hasher, text);
        let Self { rule, bytes, ends, numbers, hasher } = self;
        if let Some(&number) = numbers.find(hash, |&number| rule.same(text_of(bytes, ends, number), text)) {
            return Ok(number);
        }
        // All that can fail comes before anything that can be seen.
        numbers.try_reserve(1, |&number| rule.hash(hasher, text_of(bytes, ends, number)))?;
        let number = u32::try_from(ends.len()).map_err(|_| OutOfMemory)?;
        ends.try_reserve(1)?;
        try_push_str(bytes, text)?;
        try_push(ends, bytes.len())?;
        numbers.insert_unique(hash, number, |&number| rule.hash(hasher, text_of(bytes, ends, number)));
        Ok(number)
    }

    /// Forgets all texts and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.numbers.clear();
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
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
