//! The sets of tags behind a batch's tag lists.

use crate::batch::list_interner::ListInterner;
use crate::column::packed::{Packed, on_values};
use crate::memory::{OutOfMemory, try_pad, try_push, try_reserve};

/// For each tag list its set (case folded, duplicates dropped), and for each set the number of rows that have it.
///
/// Only the frequency scorer needs this, so it is built lazily, and updated with the rows appended since.
#[derive(Debug)]
pub struct TagSetTable {
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

impl TagSetTable {
    /// A table without lists.
    pub fn new() -> Self {
        Self { sets: ListInterner::new(), of_list: Vec::new(), rows_of_set: Vec::new(), counted: 0, set: Vec::new() }
    }

    /// Whether all `lists` and all `rows` are included.
    pub fn is_current(&self, lists: &ListInterner, rows: &Packed) -> bool {
        self.of_list.len() == lists.len() && self.counted == rows.len()
    }

    /// Adds the sets of new lists, and counts new rows. `folded` has the number of each tag's folded text.
    pub fn update(&mut self, lists: &ListInterner, folded: &[u32], rows: &Packed) -> Result<(), OutOfMemory> {
        let Self { sets, of_list, rows_of_set, counted, set } = self;
        let new = of_list.len()..lists.len();
        try_reserve(of_list, new.len())?;
        for list in new {
            let list = lists.list(list as u32);
            set.clear();
            try_reserve(set, list.len())?;
            set.extend(list.iter().map(|&tag| folded[tag as usize]));
            set.sort_unstable();
            set.dedup();
            let number = sets.intern(set)?;
            try_pad(rows_of_set, sets.len(), 0)?;
            try_push(of_list, number)?;
        }
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
