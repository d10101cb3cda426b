//! Rows in descending order of score.

use core::ops::ControlFlow;

use super::sort::{self, Rows, Ties, Visit};

/// A key that orders like the score. NaN has the lowest key, and the two zeros have equal keys.
#[inline(always)]
pub fn key(score: f64) -> u64 {
    if score.is_nan() {
        return 0;
    }
    // Adding zero turns -0.0 into 0.0.
    let bits = (score + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// Words of scratch that ordering this number of rows needs.
pub fn scratch_words(rows: usize) -> usize {
    sort::scratch_words(rows)
}

/// A consumer of rows in order.
pub trait Take {
    /// Whether the row can still be taken. Once this is false for a row, it stays false.
    fn may_take(&self, row: usize) -> bool;

    /// Takes the next row; `Break` ends the order.
    fn take(&mut self, row: usize) -> ControlFlow<()>;
}

/// Offers rows to `taker`, the greatest key first and the lowest row first among equal keys.
///
/// Rows that cannot be taken any more may be skipped. The cost is a pass over all keys and a sort of the part that is offered.
/// `scratch` may hold anything.
///
/// # Panics
///
/// When `scratch` is shorter than [`scratch_words`].
pub fn offer(keys: &[u64], scratch: &mut [u64], taker: &mut impl Take) {
    visit(keys, keys.len(), scratch, &mut Offer(taker));
}

/// Writes the rows with the greatest keys, the greatest first and the lowest row first among equal keys: all of them, or as
/// many as `out` holds. `scratch` may hold anything.
///
/// # Panics
///
/// When `out` is longer than `keys`, or `scratch` is shorter than [`scratch_words`]; when there are 2^32 rows or more.
pub fn order(keys: &[u64], scratch: &mut [u64], out: &mut [u32]) {
    assert!(out.len() <= keys.len(), "more rows are asked for than there are");
    assert!(u32::try_from(keys.len()).is_ok(), "too many rows");
    let limit = out.len();
    if limit > 0 {
        visit(keys, limit, scratch, &mut Write { out: out.iter_mut() });
    }
}

fn visit(keys: &[u64], limit: usize, scratch: &mut [u64], visitor: &mut impl Visit) {
    assert!(scratch.len() >= scratch_words(keys.len()), "scratch is too short");
    let (least, greatest) = range(keys);
    let distance = |key: u64| greatest.wrapping_sub(key);
    let rows = Rows { keys, present: None };
    let _ = sort::visit_by_key(rows, distance, distance(least), keys.len(), limit, scratch, visitor);
}

fn range(keys: &[u64]) -> (u64, u64) {
    keys.iter().fold((u64::MAX, 0), |(least, greatest), &key| (least.min(key), greatest.max(key)))
}

struct Offer<'a, T>(&'a mut T);

impl<T: Take> Visit for Offer<'_, T> {
    const FILTERS: bool = true;

    #[inline(always)]
    fn keep(&self, row: usize) -> bool {
        self.0.may_take(row)
    }

    #[inline(always)]
    fn ties(&mut self, ties: Ties<'_>) -> ControlFlow<()> {
        ties.rows().try_for_each(|row| self.0.take(row))
    }
}

struct Write<'a> {
    out: core::slice::IterMut<'a, u32>,
}

impl Visit for Write<'_> {
    #[inline(always)]
    fn ties(&mut self, ties: Ties<'_>) -> ControlFlow<()> {
        for row in ties.rows() {
            let Some(out) = self.out.next() else { return ControlFlow::Break(()) };
            *out = row as u32;
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::super::rank;
    use super::super::sort::SCATTER_FROM;
    use super::*;

    /// The definition.
    fn plain(keys: &[u64]) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..keys.len() as u32).collect();
        rows.sort_by_key(|&row| (!keys[row as usize], row));
        rows
    }

    /// A budget of tokens, which rows of different sizes use up.
    struct Budget<'a> {
        tokens: &'a [u64],
        left: u64,
        taken: Vec<u32>,
    }

    impl Take for Budget<'_> {
        fn may_take(&self, row: usize) -> bool {
            self.tokens[row] <= self.left
        }

        fn take(&mut self, row: usize) -> ControlFlow<()> {
            if self.may_take(row) {
                self.left -= self.tokens[row];
                self.taken.push(row as u32);
            }
            ControlFlow::Continue(())
        }
    }

    fn check(name: &str, keys: &[u64], random: &mut Random) {
        let expected = plain(keys);
        let mut scratch = vec![0xdead_beef_dead_beef; scratch_words(keys.len())];
        for k in [keys.len(), 0, 1, keys.len() / 100, keys.len() / 9, keys.len() / 2] {
            let k = k.min(keys.len());
            let mut rows = vec![u32::MAX; k];
            order(keys, &mut scratch, &mut rows);
            assert_eq!(rows, expected[..k], "{name}, {k} of {}", keys.len());
        }
        let tokens: Vec<u64> = keys.iter().map(|_| random.below(100)).collect();
        for budget in [0, 10, 50 * keys.len() as u64 / 3, u64::MAX] {
            let mut taker = Budget { tokens: &tokens, left: budget, taken: Vec::new() };
            offer(keys, &mut scratch, &mut taker);
            let mut plain = Budget { tokens: &tokens, left: budget, taken: Vec::new() };
            expected.iter().for_each(|&row| assert!(plain.take(row as usize).is_continue()));
            assert_eq!(taker.taken, plain.taken, "{name}, {budget} tokens for {} rows", keys.len());
        }
    }

    /// Keys of the shapes that ranks are tested with, and of scores.
    fn shapes(rows: usize, random: &mut Random) -> Vec<(&'static str, Vec<u64>)> {
        let unsigned = |key: i64| key as u64 ^ 1 << 63;
        let shapes = rank::tests::shapes(rows, random).into_iter();
        let mut shapes: Vec<_> =
            shapes.map(|(name, keys)| (name, keys.into_iter().map(unsigned).collect::<Vec<_>>())).collect();
        let scores = |mut score: Box<dyn FnMut() -> f64>| (0..rows).map(|_| key(score())).collect::<Vec<_>>();
        let (mut unit, mut double) = (Random(random.next()), Random(random.next()));
        shapes.push(("scores from 0 to 1", scores(Box::new(move || unit.unit()))));
        shapes.push(("any scores", scores(Box::new(move || double.double()))));
        shapes
    }

    #[test]
    fn agrees_with_the_definition() {
        let mut random = Random(31);
        for rows in [0, 1, 2, 3, 20, 63, 64, 65, 700, 2047, 2048, 9000, SCATTER_FROM + 3] {
            for (name, keys) in shapes(rows, &mut random) {
                check(name, &keys, &mut random);
            }
        }
    }

    #[test]
    fn a_taker_that_breaks_off_is_offered_no_more() {
        struct Three(Vec<usize>);
        impl Take for Three {
            fn may_take(&self, _: usize) -> bool {
                true
            }
            fn take(&mut self, row: usize) -> ControlFlow<()> {
                self.0.push(row);
                if self.0.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }
        }
        for rows in [3, 100, SCATTER_FROM] {
            let keys: Vec<u64> = (0..rows as u64).map(|row| row / 2).collect();
            let mut three = Three(Vec::new());
            offer(&keys, &mut vec![0; scratch_words(rows)], &mut three);
            let expected = if rows % 2 == 1 { [1, 3, 2] } else { [2, 1, 4] };
            assert_eq!(three.0, expected.map(|from_end| rows - from_end));
        }
    }

    #[test]
    fn keys_are_in_the_order_of_scores() {
        let ascending = [f64::NEG_INFINITY, f64::MIN, -1.0, -5e-324, 0.0, 5e-324, 1.0, f64::MAX, f64::INFINITY];
        assert!(ascending.windows(2).all(|pair| key(pair[0]) < key(pair[1])));
        assert_eq!(key(-0.0), key(0.0));
        assert!(key(f64::NAN) == 0 && key(-f64::NAN) == 0 && key(f64::NEG_INFINITY) > 0);
    }
}
