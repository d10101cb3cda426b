//! The tags of a batch's rows.

use std::ops::Range;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use crate::batch::list_interner::ListInterner;
use crate::batch::tag_sets::TagSetTable;
use crate::column::packed::Width;
use crate::column::{Packed, Storage};
use crate::ingest::{BLOCK_ROWS, CheckedTags, CodeMap, Numbers, set_len};
use crate::memory::{OutOfMemory, trim, try_push};
use crate::text::{Match, TextInterner, TextKey};

/// Distinct tags, distinct lists of tags, and the list of each row.
///
/// The *list* of a row keeps order, case and duplicates: the tag scorer adds weights in that order. The [*set*](TagSetTable)
/// is folded to one case and has no duplicates: the frequency scorer counts rows whose sets intersect.
#[derive(Debug)]
pub struct TagTable {
    texts: TextInterner,
    lists: ListInterner,
    /// For each row, the number of its list.
    rows: Packed,
    /// Built lazily, behind a lock: scorers on several threads may ask first.
    sets: RwLock<TagSetTable>,
    /// The tags of the row that is being built.
    staged: Vec<u32>,
}

impl TagTable {
    /// A table without rows.
    pub const fn new() -> Self {
        Self {
            texts: TextInterner::new(Match::Exact),
            lists: ListInterner::new(),
            rows: Packed::new(),
            sets: RwLock::new(TagSetTable::new()),
            staged: Vec::new(),
        }
    }

    /// The number of a tag, which is added if it is new.
    #[inline(always)]
    pub fn intern(&mut self, tag: TextKey<'_>) -> Result<u32, OutOfMemory> {
        self.texts.intern(tag)
    }

    /// Appends `count` rows.
    pub fn extend(&mut self, count: usize, column: Option<CheckedTags<'_>>) -> Result<(), OutOfMemory> {
        let Some(CheckedTags { lists, tags }) = column else {
            return self.rows.extend(std::iter::repeat_n(0, count));
        };
        let mut code_map = CodeMap::new(tags)?;
        let mut numbers = Numbers::new();
        let mut list_numbers = Numbers::new();
        for first in (0..count).step_by(BLOCK_ROWS) {
            let rows = first..count.min(first + BLOCK_ROWS);
            let base = lists.slots(first, rows.end).start;
            code_map.number(&mut self.texts, lists.slots(first, rows.end), &mut numbers)?;
            let list = |index: usize| {
                let slots = lists.slots(first + index, first + index + 1);
                slots.start - base..slots.end - base
            };
            let list_numbers = set_len(&mut list_numbers, rows.len())?;
            self.lists.intern_block(&numbers, list, list_numbers)?;
            self.rows.extend(list_numbers.iter().map(|&number| i64::from(number)))?;
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

    /// The folded tags. Built lazily; concurrent callers block.
    pub fn folded(&self) -> Result<RwLockReadGuard<'_, TagSetTable>, OutOfMemory> {
        self.updated(|table| table.is_folded(&self.texts), |table| table.fold(&self.texts))
    }

    /// The folded tags, and the sets of all lists with the number of rows of each. Built lazily; concurrent callers block.
    pub fn sets(&self) -> Result<RwLockReadGuard<'_, TagSetTable>, OutOfMemory> {
        self.updated(
            |table| table.is_folded(&self.texts) && table.is_current(&self.lists, &self.rows),
            |table| {
                table.fold(&self.texts)?;
                table.update(&self.lists, &self.rows)
            },
        )
    }

    fn updated(
        &self,
        is_current: impl Fn(&TagSetTable) -> bool,
        update: impl Fn(&mut TagSetTable) -> Result<(), OutOfMemory>,
    ) -> Result<RwLockReadGuard<'_, TagSetTable>, OutOfMemory> {
        // Nothing panics while it holds the lock, so poison means nothing.
        let current = self.sets.read().unwrap_or_else(PoisonError::into_inner);
        if is_current(&current) {
            return Ok(current);
        }
        drop(current);
        update(&mut self.sets.write().unwrap_or_else(PoisonError::into_inner))?;
        Ok(self.sets.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The distinct tags.
    pub fn texts(&self) -> &TextInterner {
        &self.texts
    }

    /// The tags of a row, in order.
    pub fn row(&self, row: usize) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.lists.list(self.rows.get(row) as u32).iter().map(|&tag| self.texts.text(tag))
    }

    /// Reserves capacity for `more` rows.
    pub fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        self.rows.reserve(more)
    }

    /// The state to go back to.
    #[inline]
    pub fn mark(&self) -> TagTableMark {
        TagTableMark { texts: self.texts.len(), lists: self.lists.len(), width: self.rows.width() }
    }

    /// Goes back to the first `len` rows, and to the mark that was made when there were no more. The sets are those of rows
    /// before the mark: no scorer has run since.
    pub fn restore(&mut self, len: usize, mark: TagTableMark, keep: usize) {
        self.texts.truncate(mark.texts);
        self.lists.truncate(mark.lists);
        self.rows.restore(len, mark.width, keep);
        self.staged.clear();
        trim(&mut self.staged, 0);
    }

    /// Keeps the rows in `runs`, which ascend. All lists and tags stay; see [`compact`](Self::compact).
    pub fn retain(&mut self, runs: impl Iterator<Item = Range<usize>>) {
        self.rows.retain(runs);
        self.sets.get_mut().unwrap_or_else(PoisonError::into_inner).recount();
    }

    /// Drops the lists and the tags that no row has, and capacity beyond `keep` rows. Without memory for those that remain,
    /// all stay.
    pub fn compact(&mut self, keep: usize) -> Result<(), OutOfMemory> {
        let (lists, tags) = self.lists.in_use(&self.rows, self.texts.len())?;
        let (texts, tags) = self.texts.compacted(&tags)?;
        let (lists, numbers) = self.lists.compacted(&lists, &tags)?;
        let mut compacted = Self { texts, lists, ..Self::new() };
        compacted.rows = std::mem::replace(&mut self.rows, Packed::new());
        compacted.rows.recode(&numbers);
        compacted.rows.trim(keep);
        *self = compacted;
        Ok(())
    }

    /// Removes everything and keeps the memory.
    pub fn clear(&mut self) {
        self.texts.clear();
        self.lists.clear();
        self.rows.truncate(0);
        self.sets.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        self.texts.shrink();
        self.lists.shrink();
        self.rows.shrink();
        self.sets = RwLock::new(TagSetTable::new());
        self.staged = Vec::new();
    }
}

/// State of a [`TagTable`] that [`restore`](TagTable::restore) goes back to.
#[derive(Clone, Copy, Debug)]
pub struct TagTableMark {
    texts: usize,
    lists: usize,
    width: Width,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::{Codes, Columns, Offsets, Tags, Texts};

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
        let tags =
            Texts { data: b"...Abnew", offsets: Offsets::I64(&[3, 4, 5, 8]), codes: Some(Codes::U32(&[0, 1, 1, 2])) };
        let tags = Tags { lists: Offsets::I32(&[0, 2, 2, 4]), tags };
        let columns = Columns { rows: 3, tags: Some(tags), ..Columns::default() };
        let mark = table.mark();
        for _ in 0..2 {
            table.restore(6, mark, 0);
            table.extend(3, columns.check().unwrap().tags).unwrap();
        }
        assert_eq!(table.row(6).collect::<Vec<_>>(), ["A", "b"]);
        assert_eq!(table.row(8).collect::<Vec<_>>(), ["b", "new"]);
        assert_eq!(table.sets().unwrap().rows_of_set(), [3, 4, 1, 1]);
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
