//! The tags of a batch's rows.

use crate::memory::{OutOfMemory, try_push};
use crate::model::columns::{ROWS_AT_ONCE, SlotNumbers, TagColumn};
use crate::model::list_interner::ListInterner;
use crate::model::packed::Packed;
use crate::model::text_interner::{Match, TextInterner};
use crate::model::within::Within;

/// Tags by text, lists of tags by content, and for each row the number of its list.
///
/// There are two readings of a row's tags. The *list* keeps order, case and duplicates: the tag scorer adds weights
/// in that order. The *set* is what is left once case is folded and duplicates are dropped: the frequency scorer
/// asks which rows' sets meet. Each distinct list and set is kept once.
#[derive(Debug)]
pub struct TagTable {
    texts: TextInterner,
    folded_texts: TextInterner,
    /// For each tag, the number of its folded text.
    folded: Vec<u32>,
    lists: ListInterner,
    sets: ListInterner,
    /// For each list, the number of its set.
    set_of_list: Vec<u32>,
    /// For each set, how many rows have it.
    rows_of_set: Vec<u32>,
    /// For each row, the number of its list.
    rows: Packed,
    /// The tags of the row that is being put together.
    staged: Vec<u32>,
    staged_set: Vec<u32>,
}

impl TagTable {
    /// A table without rows.
    pub fn new() -> Self {
        Self {
            texts: TextInterner::new(Match::Exact),
            folded_texts: TextInterner::new(Match::AsciiCaseInsensitive),
            folded: Vec::new(),
            lists: ListInterner::new(),
            sets: ListInterner::new(),
            set_of_list: Vec::new(),
            rows_of_set: Vec::new(),
            rows: Packed::new(),
            staged: Vec::new(),
            staged_set: Vec::new(),
        }
    }

    /// The number of a tag.
    #[inline(always)]
    pub fn intern(&mut self, tag: Within<'_>) -> Result<u32, OutOfMemory> {
        let number = self.texts.intern(tag)?;
        if number as usize >= self.folded.len() {
            self.fold_new()?;
        }
        Ok(number)
    }

    /// Numbers the folded texts of tags that have come in; which those are is seen from how many there are.
    #[inline(never)]
    fn fold_new(&mut self) -> Result<(), OutOfMemory> {
        self.folded.try_reserve(self.texts.len() - self.folded.len())?;
        for number in self.folded.len()..self.texts.len() {
            let folded = self.folded_texts.intern(self.texts.text(number as u32).into())?;
            self.folded.push(folded);
        }
        Ok(())
    }

    /// Appends `count` rows.
    pub fn extend(&mut self, count: usize, column: Option<TagColumn<'_>>) -> Result<(), OutOfMemory> {
        self.prepare()?;
        let Some(TagColumn { lists, tags }) = column else {
            self.rows.extend(std::iter::repeat_n(0, count))?;
            self.rows_of_set[0] += count as u32;
            return Ok(());
        };
        let mut slot_numbers = SlotNumbers::new(tags)?;
        let mut numbers = Vec::new();
        let mut rows = [0; ROWS_AT_ONCE];
        for first in (0..count).step_by(ROWS_AT_ONCE) {
            let rows = &mut rows[..ROWS_AT_ONCE.min(count - first)];
            let slots = lists.slots(first, first + rows.len());
            let base = slots.start;
            numbers.clear();
            slot_numbers.extend(&mut self.texts, slots, &mut numbers)?;
            self.fold_new()?;
            for (row, number) in (first..).zip(&mut *rows) {
                let slots = lists.slots(row, row + 1);
                *number = self.list_number(&numbers[slots.start - base..slots.end - base])?;
            }
            self.rows.extend(rows.iter().map(|&number| i64::from(number)))?;
            for &number in &*rows {
                self.rows_of_set[self.set_of_list[number as usize] as usize] += 1;
            }
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
        self.prepare()?;
        let staged = std::mem::take(&mut self.staged);
        let number = self.list_number(&staged);
        self.staged = staged;
        let number = number?;
        self.rows.push(i64::from(number))?;
        self.rows_of_set[self.set_of_list[number as usize] as usize] += 1;
        Ok(())
    }

    /// Sees to number 0: the empty list and the empty set.
    fn prepare(&mut self) -> Result<(), OutOfMemory> {
        if self.rows_of_set.is_empty() {
            self.set_of_list.try_reserve(1)?;
            self.rows_of_set.try_reserve(1)?;
            self.set_of_list.push(0);
            self.rows_of_set.push(0);
        }
        Ok(())
    }

    /// The number of a list of tags.
    #[inline]
    fn list_number(&mut self, list: &[u32]) -> Result<u32, OutOfMemory> {
        let (number, new) = self.lists.intern(list)?;
        if new && let Err(error) = self.add_set(list) {
            self.lists.remove_last();
            return Err(error);
        }
        Ok(number)
    }

    /// Finds the set of a list that was seen for the first time.
    fn add_set(&mut self, list: &[u32]) -> Result<(), OutOfMemory> {
        self.set_of_list.try_reserve(1)?;
        self.rows_of_set.try_reserve(1)?;
        self.staged_set.clear();
        self.staged_set.try_reserve(list.len())?;
        self.staged_set.extend(list.iter().map(|&tag| self.folded[tag as usize]));
        self.staged_set.sort_unstable();
        self.staged_set.dedup();
        let (set, new) = self.sets.intern(&self.staged_set)?;
        if new {
            self.rows_of_set.push(0);
        }
        self.set_of_list.push(set);
        Ok(())
    }

    /// The number of each row's list.
    pub fn rows(&self) -> &Packed {
        &self.rows
    }

    /// The distinct lists.
    pub fn lists(&self) -> &ListInterner {
        &self.lists
    }

    /// The distinct sets of folded tags.
    pub fn sets(&self) -> &ListInterner {
        &self.sets
    }

    /// For each list, the number of its set. Empty while there is no row.
    pub fn set_of_list(&self) -> &[u32] {
        &self.set_of_list
    }

    /// For each set, how many rows have it. Empty while there is no row.
    pub fn rows_of_set(&self) -> &[u32] {
        &self.rows_of_set
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
        for row in len..self.rows.len() {
            let set = self.set_of_list[self.rows.get(row) as usize];
            self.rows_of_set[set as usize] -= 1;
        }
        self.rows.truncate(len);
    }

    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.texts.clear();
        self.folded_texts.clear();
        self.folded.clear();
        self.lists.clear();
        self.sets.clear();
        self.set_of_list.clear();
        self.rows_of_set.clear();
        self.rows.truncate(0);
    }

    /// Gives back memory that is not in use.
    pub fn shrink(&mut self) {
        self.texts.shrink();
        self.folded_texts.shrink();
        crate::memory::shrink(&mut self.folded);
        self.lists.shrink();
        self.sets.shrink();
        crate::memory::shrink(&mut self.set_of_list);
        crate::memory::shrink(&mut self.rows_of_set);
        self.rows.shrink();
        self.staged = Vec::new();
        self.staged_set = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::columns::{Lists, TextSlots};

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
        assert_eq!(table.sets().len(), 3);
        assert_eq!(table.rows_of_set(), [2, 3, 1]);
        table.truncate(1);
        assert_eq!(table.rows_of_set(), [0, 1, 0]);
        push(&mut table, &["B", "a", "A"]);
        assert_eq!(table.rows_of_set(), [0, 2, 0]);
        let tags = TextSlots { text: "Abnew", offsets: &[3, 4, 5, 8], codes: Some(&[0, 1, 1, 2]) };
        table.extend(3, Some(TagColumn { lists: Lists(&[0, 2, 2, 4]), tags })).unwrap();
        assert_eq!(table.row(2).collect::<Vec<_>>(), ["A", "b"]);
        assert_eq!(table.row(4).collect::<Vec<_>>(), ["b", "new"]);
        assert_eq!(table.rows_of_set(), [1, 3, 0, 1]);
        table.truncate(3);
        assert_eq!(table.rows_of_set(), [0, 3, 0, 0]);
        table.clear();
        push(&mut table, &["x"]);
        assert_eq!(table.rows_of_set(), [0, 1]);
    }
}
