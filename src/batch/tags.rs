//! The tags of a batch's rows.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use crate::batch::list_interner::ListInterner;
use crate::batch::tag_sets::TagSetTable;
use crate::column::Packed;
use crate::ingest::columns::{BLOCK_ROWS, CodeMap, TagColumn};
use crate::memory::{OutOfMemory, try_push, try_reserve};
use crate::text::TextKey;
use crate::text::{Match, TextInterner};

/// Tags by text, lists of tags by content, and for each row the number of its list.
///
/// There are two readings of a row's tags. The *list* keeps order, case and duplicates: the tag scorer adds weights
/// in that order. The [*set*](TagSetTable) is what is left once case is folded and duplicates are dropped: the frequency
/// scorer asks which rows' sets meet. Each distinct list and set is kept once.
#[derive(Debug)]
pub struct TagTable {
    texts: TextInterner,
    folded_texts: TextInterner,
    /// For each tag, the number of its folded text.
    folded: Vec<u32>,
    lists: ListInterner,
    /// For each row, the number of its list.
    rows: Packed,
    /// Behind a lock, as scorers on several threads may be the first to ask.
    sets: RwLock<TagSetTable>,
    /// The tags of the row that is being put together.
    staged: Vec<u32>,
}

impl TagTable {
    /// A table without rows.
    pub fn new() -> Self {
        Self {
            texts: TextInterner::new(Match::Exact),
            folded_texts: TextInterner::new(Match::AsciiCaseInsensitive),
            folded: Vec::new(),
            lists: ListInterner::new(),
            rows: Packed::new(),
            sets: RwLock::new(TagSetTable::new()),
            staged: Vec::new(),
        }
    }

    /// The number of a tag.
    #[inline(always)]
    pub fn intern(&mut self, tag: TextKey<'_>) -> Result<u32, OutOfMemory> {
        let number = self.texts.intern(tag)?;
        if number as usize >= self.folded.len() {
            self.fold_new()?;
        }
        Ok(number)
    }

    /// Numbers the folded texts of tags that have come in; which those are is seen from how many there are.
    #[inline(never)]
    fn fold_new(&mut self) -> Result<(), OutOfMemory> {
        let new = self.texts.len() - self.folded.len();
        try_reserve(&mut self.folded, new)?;
        for number in self.folded.len()..self.texts.len() {
            let folded = self.folded_texts.intern(self.texts.text(number as u32).into())?;
            self.folded.push(folded);
        }
        Ok(())
    }

    /// Appends `count` rows.
    pub fn extend(&mut self, count: usize, column: Option<TagColumn<'_>>) -> Result<(), OutOfMemory> {
        let Some(TagColumn { lists, tags }) = column else {
            return self.rows.extend(std::iter::repeat_n(0, count));
        };
        let mut slot_numbers = CodeMap::new(tags)?;
        let mut numbers = Vec::new();
        let mut rows = [0; BLOCK_ROWS];
        for first in (0..count).step_by(BLOCK_ROWS) {
            let rows = &mut rows[..BLOCK_ROWS.min(count - first)];
            slot_numbers.number(&mut self.texts, lists.slots(first, first + rows.len()), &mut numbers)?;
            self.fold_new()?;
            self.lists.intern_all(&numbers, &lists.0[first..=first + rows.len()], rows)?;
            self.rows.extend(rows.iter().map(|&number| i64::from(number)))?;
        }
        Ok(())
    }

    /// Begins a row.
    pub fn begin_row(&mut self) {
        self.staged.clear();
    }

    /// Adds a tag to the row that was begun.
    #[inline]
    pub fn stage(&mut self, tag: u32) -> Result<(), OutOfMemory> {
        try_push(&mut self.staged, tag)
    }

    /// All tags of the row are staged, and it will be appended soon.
    #[inline(always)]
    pub fn fetch(&self) {
        self.lists.fetch(&self.staged);
    }

    /// Appends the row with the tags that were staged.
    #[inline(always)]
    pub fn end_row(&mut self) -> Result<(), OutOfMemory> {
        let number = self.lists.intern(&self.staged)?;
        self.rows.push(i64::from(number))
    }

    /// The number of each row's list.
    pub fn rows(&self) -> &Packed {
        &self.rows
    }

    /// The distinct lists.
    pub fn lists(&self) -> &ListInterner {
        &self.lists
    }

    /// The sets of all lists, and how many rows have each. Whoever asks first waits until they are found; so does who asks
    /// meanwhile.
    pub fn sets(&self) -> Result<RwLockReadGuard<'_, TagSetTable>, OutOfMemory> {
        // Nothing panics while it has the lock, so that poison means nothing.
        let current = self.sets.read().unwrap_or_else(PoisonError::into_inner);
        if current.is_current(&self.lists, &self.rows) {
            return Ok(current);
        }
        drop(current);
        self.sets.write().unwrap_or_else(PoisonError::into_inner).update(&self.lists, &self.folded, &self.rows)?;
        Ok(self.sets.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The tags by exact text.
    pub fn texts(&self) -> &TextInterner {
        &self.texts
    }

    /// The tags by folded text.
    pub fn folded_texts(&self) -> &TextInterner {
        &self.folded_texts
    }

    /// For each tag, the number of its folded text.
    pub fn folded(&self) -> &[u32] {
        &self.folded
    }

    /// The tags of a row, in order.
    pub fn row(&self, row: usize) -> impl ExactSizeIterator<Item = &str> {
        self.lists.list(self.rows.get(row) as u32).iter().map(|&tag| self.texts.text(tag))
    }

    /// Makes room for `more` rows.
    pub fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        self.rows.reserve(more)
    }

    /// Forgets the rows from `len` on. Their lists stay known, for rows to come.
    pub fn truncate(&mut self, len: usize) {
        self.sets.get_mut().unwrap_or_else(PoisonError::into_inner).truncate(&self.rows, len);
        self.rows.truncate(len);
    }

    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.texts.clear();
        self.folded_texts.clear();
        self.folded.clear();
        self.lists.clear();
        self.rows.truncate(0);
        self.sets.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        self.texts.shrink();
        self.folded_texts.shrink();
        crate::memory::shrink(&mut self.folded);
        self.lists.shrink();
        self.rows.shrink();
        // As with all that scoring leaves for the next time.
        self.sets = RwLock::new(TagSetTable::new());
        self.staged = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::columns::{Lists, TextSlots};

    fn push(table: &mut TagTable, tags: &[&str]) {
        table.begin_row();
        for tag in tags {
            let tag = table.intern((*tag).into()).unwrap();
            table.stage(tag).unwrap();
        }
        table.end_row().unwrap();
    }

    #[test]
    fn lists_keep_what_sets_fold_away() {
        let mut table = TagTable::new();
        let rows: [&[&str]; 6] = [&["a", "b"], &["B", "a", "A"], &[], &["a", "b"], &["b"], &[]];
        for tags in rows {
            push(&mut table, tags);
        }
        for (row, tags) in rows.iter().enumerate() {
            assert_eq!(table.row(row).collect::<Vec<_>>(), *tags);
        }
        assert_eq!(table.lists().len(), 4);
        assert_eq!(table.sets().unwrap().sets().len(), 3);
        assert_eq!(table.sets().unwrap().rows_of_set(), [2, 3, 1]);
        table.truncate(1);
        assert_eq!(table.sets().unwrap().rows_of_set(), [0, 1, 0]);
        push(&mut table, &["B", "a", "A"]);
        assert_eq!(table.sets().unwrap().rows_of_set(), [0, 2, 0]);
        let tags = TextSlots { text: "Abnew", offsets: &[3, 4, 5, 8], codes: Some(&[0, 1, 1, 2]) };
        table.extend(3, Some(TagColumn { lists: Lists(&[0, 2, 2, 4]), tags })).unwrap();
        assert_eq!(table.row(2).collect::<Vec<_>>(), ["A", "b"]);
        assert_eq!(table.row(4).collect::<Vec<_>>(), ["b", "new"]);
        assert_eq!(table.sets().unwrap().rows_of_set(), [1, 3, 0, 1]);
        table.truncate(3);
        assert_eq!(table.sets().unwrap().rows_of_set(), [0, 3, 0, 0]);
        table.clear();
        push(&mut table, &["x"]);
        assert_eq!(table.sets().unwrap().rows_of_set(), [0, 1]);
    }

    #[test]
    fn threads_that_ask_at_once_are_told_the_same() {
        let mut table = TagTable::new();
        for round in 1..100_u32 {
            push(&mut table, &["shared", &format!("tag {round}")]);
            let table = &table;
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(move || {
                        let sets = table.sets().unwrap();
                        assert_eq!(sets.sets().len() as u32, round + 1);
                        assert_eq!(sets.rows_of_set().iter().sum::<u32>(), round);
                    });
                }
            });
        }
    }
}
