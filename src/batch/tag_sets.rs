//! The folded tags of a batch, and the sets of them behind its tag lists.

use crate::batch::list_interner::ListInterner;
use crate::column::Storage;
use crate::column::packed::{Packed, on_values};
use crate::memory::{OutOfMemory, try_pad, try_push, try_reserve};
use crate::text::{Match, TextInterner};

/// The number of each tag under ASCII case folding; for each tag list its set (folded, duplicates dropped), and for each set the
/// number of rows that have it.
///
/// Only the frequency scorer needs this, so it is built lazily, and updated with what was appended since.
#[derive(Debug)]
pub struct TagSetTable {
    /// How many tags are folded, from the first on.
    tags: usize,
    /// For each of them the number of its folded text. Empty while all of them are their own folded texts.
    folded: Vec<u32>,
    /// The folded texts, if `folded` is not empty.
    folded_texts: TextInterner,
    sets: ListInterner,
    /// For each list, the number of its set.
    of_list: Vec<u32>,
    /// For each set, how many of the rows that were counted have it.
    rows_of_set: Vec<u32>,
    /// How many rows are counted, from the first on.
    counted: usize,
    /// Scratch: the set that is being built.
    set: Vec<u32>,
}

/// For each tag the number of its folded text; empty while that is the number of the tag.
#[derive(Clone, Copy, Debug)]
pub struct FoldedTags<'a>(&'a [u32]);

impl FoldedTags<'_> {
    /// The number of a tag's folded text.
    #[inline(always)]
    pub fn get(self, tag: u32) -> u32 {
        self.0.get(tag as usize).copied().unwrap_or(tag)
    }
}

impl TagSetTable {
    /// A table without tags and lists.
    pub const fn new() -> Self {
        Self {
            tags: 0,
            folded: Vec::new(),
            folded_texts: TextInterner::new(Match::AsciiCaseInsensitive),
            sets: ListInterner::new(),
            of_list: Vec::new(),
            rows_of_set: Vec::new(),
            counted: 0,
            set: Vec::new(),
        }
    }

    /// Whether all `tags` are folded.
    pub fn is_folded(&self, tags: &TextInterner) -> bool {
        self.tags == tags.len()
    }

    /// Folds new tags.
    pub fn fold(&mut self, tags: &TextInterner) -> Result<(), OutOfMemory> {
        if !self.folded.is_empty() || tags.keys().skip(self.tags).any(|tag| tag.has_ascii_uppercase()) {
            let new = tags.len() - self.folded.len();
            try_reserve(&mut self.folded, new)?;
            for tag in tags.keys().skip(self.folded.len()) {
                let number = self.folded_texts.intern(tag)?;
                self.folded.push(number);
            }
        }
        self.tags = tags.len();
        Ok(())
    }

    /// How many distinct folded tags there are.
    pub fn tag_count(&self) -> usize {
        if self.folded.is_empty() { self.tags } else { self.folded_texts.len() }
    }

    /// The numbers of the tags' folded texts.
    pub fn folded(&self) -> FoldedTags<'_> {
        FoldedTags(&self.folded)
    }

    /// Whether all `lists` and all `rows` are included.
    pub fn is_current(&self, lists: &ListInterner, rows: &Packed) -> bool {
        self.of_list.len() == lists.len() && self.counted == rows.len()
    }

    /// Adds the sets of new lists, and counts new rows. All tags are folded.
    pub fn update(&mut self, lists: &ListInterner, rows: &Packed) -> Result<(), OutOfMemory> {
        let new = self.of_list.len()..lists.len();
        try_reserve(&mut self.of_list, new.len())?;
        for list in new {
            let list = lists.list(list as u32);
            let mut set = std::mem::take(&mut self.set);
            set.clear();
            try_reserve(&mut set, list.len())?;
            set.extend(list.iter().map(|&tag| self.folded().get(tag)));
            set.sort_unstable();
            set.dedup();
            let number = self.sets.intern(&set)?;
            self.set = set;
            try_pad(&mut self.rows_of_set, self.sets.len(), 0)?;
            try_push(&mut self.of_list, number)?;
        }
        let Self { of_list, rows_of_set, counted, .. } = self;
        on_values!(rows, values => for &list in &values[*counted..] {
            rows_of_set[of_list[list as usize] as usize] += 1;
        });
        *counted = rows.len();
        Ok(())
    }

    /// Forgets which rows were counted, and keeps the sets.
    pub fn recount(&mut self) {
        self.rows_of_set.fill(0);
        self.counted = 0;
    }

    /// Removes everything and keeps the memory.
    pub fn clear(&mut self) {
        self.tags = 0;
        self.folded.clear();
        self.folded_texts.clear();
        self.sets.clear();
        self.of_list.clear();
        self.rows_of_set.clear();
        self.counted = 0;
    }

    /// The distinct sets of folded tags.
    pub fn sets(&self) -> &ListInterner {
        &self.sets
    }

    /// For each list, the number of its set.
    pub fn of_list(&self) -> &[u32] {
        &self.of_list
    }

    /// For each set, how many rows have it.
    pub fn rows_of_set(&self) -> &[u32] {
        &self.rows_of_set
    }
}
