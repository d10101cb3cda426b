//! Units: what is kept or dropped as one.

use crate::batch::Batch;
use crate::column::Packed;
use crate::column::packed::on_values;
use crate::memory::{OutOfMemory, try_pad, try_reserve};
use crate::scorer::Groups as RowGroups;
use crate::select::Reason;
use crate::select::metadata_text::TextNumbers;
use crate::select::order::key;

/// The units of a batch. A unit is named by its first row.
#[derive(Debug, Default)]
pub struct Units {
    /// The units without a pinned row, in ascending order; some leave as duplicates.
    pub candidates: Vec<u32>,
    /// The units with a pinned row, in ascending order.
    pub pinned: Vec<u32>,
    /// The sum of all rows' tokens.
    pub considered_tokens: i128,
    /// For each row whether it is in a candidate; empty when all rows are.
    pub peers: Vec<u8>,
    groups: Groups,
    texts: TextNumbers,
}

/// Units of several rows. Without memory unless a batch has them.
#[derive(Debug, Default)]
struct Groups {
    /// For each row the first row of its unit.
    first: Vec<u32>,
    /// For each row the next one of its unit.
    next: Vec<u32>,
    /// By first row.
    sums: Vec<Sums>,
    /// The last row of each number, while groups are put together.
    last: Vec<u32>,
}

/// What the rows of a unit add up to.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// Saturates, beyond any budget.
    tokens: u64,
    value: f64,
    score: f64,
    rows: u32,
    pinned: bool,
}

/// No row.
const NONE: u32 = u32::MAX;

impl Units {
    /// Puts the rows of a batch into units. No unit has rows of two of `ranges`. `reasons` of rows of pinned units and of rows
    /// with negative tokens are written; other reasons are left.
    pub fn classify(
        &mut self,
        batch: &Batch,
        ranges: RowGroups<'_>,
        group_key: Option<&str>,
        reasons: &mut [u8],
    ) -> Result<(), OutOfMemory> {
        self.clear();
        try_reserve(&mut self.candidates, batch.len())?;
        let mut grouped = false;
        if let Some(key) = group_key {
            let texts = &mut self.texts;
            texts.read(batch, key)?;
            // As many texts as rows that have one: every group is a single row.
            grouped = texts.len() < texts.rows().iter().filter(|&&number| number != TextNumbers::NONE).count();
        }
        let pinned_rows = batch.pinned().iter().filter(|&&pinned| pinned == 1).count();
        try_reserve(&mut self.pinned, pinned_rows)?;
        if grouped {
            self.classify_groups(batch, ranges, reasons)?;
        } else {
            self.classify_rows(batch, reasons);
        }
        if reasons.iter().any(|&reason| reason != 0) {
            try_pad(&mut self.peers, reasons.len(), 0)?;
            for (peer, &reason) in self.peers.iter_mut().zip(&*reasons) {
                *peer = u8::from(reason == 0);
            }
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.candidates.clear();
        self.pinned.clear();
        self.peers.clear();
        self.groups.first.clear();
        self.considered_tokens = 0;
    }

    /// Every row is a unit.
    fn classify_rows(&mut self, batch: &Batch, reasons: &mut [u8]) {
        let pinned = batch.pinned();
        on_values!(batch.tokens(), tokens => {
            // The usual case: every row is a candidate. No branch in the loop, so that it is vectorised.
            if !pinned.contains(&1) {
                let least = tokens.iter().fold(0, |least, &tokens| least.min(tokens));
                if least == 0 {
                    self.considered_tokens = tokens.iter().map(|&tokens| i128::from(tokens)).sum();
                    self.candidates.extend(0..tokens.len() as u32);
                    return;
                }
            }
            for (row, &tokens) in tokens.iter().enumerate() {
                #[allow(clippy::unnecessary_cast, reason = "one of the four widths is i64 already")]
                let tokens = tokens as i64;
                self.considered_tokens += i128::from(tokens);
                if tokens < 0 {
                    reasons[row] = Reason::NegativeTokens as u8;
                } else if pinned.get(row) == Some(&1) {
                    reasons[row] = Reason::Pinned as u8;
                    self.pinned.push(row as u32);
                } else {
                    self.candidates.push(row as u32);
                }
            }
        });
    }

    /// Rows of a range with the same text number are a unit.
    fn classify_groups(&mut self, batch: &Batch, ranges: RowGroups<'_>, reasons: &mut [u8]) -> Result<(), OutOfMemory> {
        let Self { groups: Groups { first, next, sums, last }, texts, .. } = self;
        next.clear();
        last.clear();
        sums.clear();
        try_pad(next, batch.len(), NONE)?;
        try_pad(last, texts.len(), NONE)?;
        try_pad(sums, batch.len(), Sums::default())?;
        try_pad(first, batch.len(), NONE)?;
        let pinned = batch.pinned();
        let rows = ranges.iter().flat_map(|rows| rows.clone().map(move |row| (rows.start, row)));
        for (start, row) in rows {
            let number = texts.rows()[row];
            let tokens = batch.tokens().get(row);
            self.considered_tokens += i128::from(tokens);
            let Ok(tokens) = u64::try_from(tokens) else {
                reasons[row] = Reason::NegativeTokens as u8;
                continue;
            };
            first[row] = row as u32;
            if let Some(last) = last.get_mut(number as usize) {
                // A last row before the start is of another range.
                if *last != NONE && *last as usize >= start {
                    next[*last as usize] = row as u32;
                    first[row] = first[*last as usize];
                }
                *last = row as u32;
            }
            let sums = &mut sums[first[row] as usize];
            sums.tokens = sums.tokens.saturating_add(tokens);
            sums.rows += 1;
            if pinned.get(row) == Some(&1) {
                sums.pinned = true;
            }
        }
        let pinned_units = (0..batch.len()).filter(|&row| first[row] == row as u32 && sums[row].pinned).count();
        try_reserve(&mut self.pinned, pinned_units)?;
        for row in 0..batch.len() {
            let unit = first[row];
            if unit == NONE {
                continue;
            }
            if sums[unit as usize].pinned {
                let is_pinned = pinned.get(row) == Some(&1);
                reasons[row] = if is_pinned { Reason::Pinned } else { Reason::Group } as u8;
                if unit == row as u32 {
                    self.pinned.push(unit);
                }
            } else if unit == row as u32 {
                self.candidates.push(unit);
            }
        }
        Ok(())
    }

    /// Which rows take part in scoring; `None` when all do.
    pub fn peers(&self) -> Option<&[u8]> {
        (!self.peers.is_empty()).then_some(&self.peers)
    }

    /// Adds up the scores of the rows of candidates of several rows.
    pub fn sum_scores(&mut self, scores: &[f64]) {
        let Groups { first, next, sums, .. } = &mut self.groups;
        if first.is_empty() {
            return;
        }
        for &unit in &self.candidates {
            let sums = &mut sums[unit as usize];
            sums.score = scores[unit as usize];
            sums.value = 0.0;
            let mut row = unit;
            while row != NONE {
                let score = scores[row as usize];
                sums.value += score;
                if key(score) > key(sums.score) {
                    sums.score = score;
                }
                row = next[row as usize];
            }
        }
    }

    /// What the units are like.
    pub fn view<'a>(&'a self, batch: &'a Batch, scores: &'a [f64]) -> UnitView<'a> {
        UnitView { tokens: batch.tokens(), scores, groups: (!self.groups.first.is_empty()).then_some(&self.groups) }
    }
}

/// The tokens, scores and rows of units.
#[derive(Clone, Copy, Debug)]
pub struct UnitView<'a> {
    tokens: &'a Packed,
    scores: &'a [f64],
    groups: Option<&'a Groups>,
}

impl<'a> UnitView<'a> {
    /// The sum of the tokens; it saturates at `u64::MAX`.
    #[inline(always)]
    pub fn tokens(&self, unit: u32) -> u64 {
        match self.groups {
            None => self.tokens.get(unit as usize) as u64,
            Some(groups) => groups.sums[unit as usize].tokens,
        }
    }

    /// The sum of the tokens.
    pub fn exact_tokens(&self, unit: u32) -> u128 {
        match self.tokens(unit) {
            u64::MAX => self.rows(unit).map(|row| self.tokens.get(row as usize) as u128).sum(),
            tokens => tokens.into(),
        }
    }

    /// The greatest score of the rows.
    #[inline(always)]
    pub fn score(&self, unit: u32) -> f64 {
        match self.groups {
            None => self.scores[unit as usize],
            Some(groups) => groups.sums[unit as usize].score,
        }
    }

    /// The sum of the tokens of several units.
    pub fn sum(&self, units: &[u32]) -> u128 {
        units.iter().map(|&unit| self.exact_tokens(unit)).sum()
    }

    /// The sum of the scores.
    #[inline(always)]
    pub fn value(&self, unit: u32) -> f64 {
        match self.groups {
            None => self.scores[unit as usize],
            Some(groups) => groups.sums[unit as usize].value,
        }
    }

    /// The scores of the rows.
    pub fn scores(&self, unit: u32) -> impl Iterator<Item = f64> + use<'a> {
        let scores = self.scores;
        self.rows(unit).map(move |row| scores[row as usize])
    }

    /// How many rows there are.
    #[inline(always)]
    pub fn len(&self, unit: u32) -> u32 {
        self.groups.map_or(1, |groups| groups.sums[unit as usize].rows)
    }

    /// The rows, in ascending order.
    pub fn rows(&self, unit: u32) -> impl Iterator<Item = u32> + use<'a> {
        let groups = self.groups;
        std::iter::successors(Some(unit), move |&row| {
            groups.map(|groups| groups.next[row as usize]).filter(|&next| next != NONE)
        })
    }

    /// The unit of a row, unless its tokens are negative.
    pub fn unit_of(&self, row: u32) -> Option<u32> {
        match self.groups {
            None => (self.tokens.get(row as usize) >= 0).then_some(row),
            Some(groups) => Some(groups.first[row as usize]).filter(|&first| first != NONE),
        }
    }

    /// Whether there are units of several rows.
    pub fn has_groups(&self) -> bool {
        self.groups.is_some()
    }
}
