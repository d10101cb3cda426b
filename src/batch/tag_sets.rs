//! The sets of tags behind a batch's lists of tags.

use crate::batch::list_interner::ListInterner;
use crate::column::packed::{Packed, on_values};
use crate::memory::{OutOfMemory, try_pad, try_push, try_reserve};

/// For each list of tags its set, which is what is left once case is folded and duplicates are dropped, and for each set how
/// many rows have it.
///
/// Only the scorer that asks which rows' sets meet needs any of it, so it is found when that scorer first asks, and from
/// then on for what was appended since.
#[derive(Debug)]
pub struct TagSetTable {
    sets: ListInterner,
    /// For each list, the number of its set.
    of_list: Vec<u32>,
    /// For each set, how many of the rows that were counted have it.
    rows_of_set: Vec<u32>,
    /// So many rows were counted, from the first on.
    counted: usize,
    /// The set that is being put together.
    set: Vec<u32>,
}

impl TagSetTable {
    /// Room is made for the sets of so many lists before they are found.
    const ROOM_FOR: usize = 1 << 13;

    /// A table that knows no list.
    pub fn new() -> Self {
        Self { sets: ListInterner::new(), of_list: Vec::new(), rows_of_set: Vec::new(), counted: 0, set: Vec::new() }
    }

    /// Whether all `lists` and all `rows` are known.
    pub fn is_current(&self, lists: &ListInterner, rows: &Packed) -> bool {
        self.of_list.len() == lists.len() && self.counted == rows.len()
    }

    /// Finds the sets of the lists that are not known yet, and counts the rows that are not counted. `folded` has for each tag
    /// the number of its folded text.
    pub fn update(&mut self, lists: &ListInterner, folded: &[u32], rows: &Packed) -> Result<(), OutOfMemory> {
        let Self { sets, of_list, rows_of_set, counted, set } = self;
        let new = of_list.len()..lists.len();
        // Of many lists most have a set that is there already, and room for all of theirs would stay empty.
        sets.reserve_for(lists, new.start..new.end.min(new.start + Self::ROOM_FOR))?;
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

    /// Counts the rows from `len` on no more; `rows` still has them.
    pub fn truncate(&mut self, rows: &Packed, len: usize) {
        for row in len..self.counted {
            let set = self.of_list[rows.get(row) as usize];
            self.rows_of_set[set as usize] -= 1;
        }
        self.counted = self.counted.min(len);
    }

    /// Forgets everything and keeps the memory.
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
