//! One row of the knapsack table: the best sum of values for each capacity, after one more unit.

use super::dispatch::multiversion;

/// The integer type of sums.
pub trait Sum: bytemuck::Pod + Default + Ord + std::ops::Add<Output = Self> {
    /// Converts a value that fits.
    fn of(value: u64) -> Self;
}

impl Sum for u32 {
    fn of(value: u64) -> Self {
        value as Self
    }
}

impl Sum for u64 {
    fn of(value: u64) -> Self {
        value
    }
}

multiversion! {
    /// `sums[c] = max(with[c], without[c] + value)`, for arrays of one length.
    fn add<S: Sum>(with: &[S], without: &[S], value: S, sums: &mut [S]) {
        for ((sum, &before), &without) in sums.iter_mut().zip(with).zip(without) {
            *sum = before.max(without + value);
        }
    }
}

multiversion! {
    /// [`add`], and a bit for each sum that grew.
    fn add_noting<S: Sum>(before: &[S], without: &[S], value: S, sums: &mut [S], grew: &mut [u64]) {
        let columns = sums.chunks_mut(64).zip(before.chunks(64)).zip(without.chunks(64));
        for (((sums, before), without), grew) in columns.zip(grew) {
            let mut word = 0;
            for (bit, ((sum, &before), &without)) in sums.iter_mut().zip(before).zip(without).enumerate() {
                let with = without + value;
                *sum = before.max(with);
                word |= u64::from(with > before) << bit;
            }
            *grew = word;
        }
    }
}

/// Computes the best sums with a unit allowed, `after`, from those without it, `before`, by capacity. Returns false and writes
/// nothing when the unit is too heavy for every capacity.
///
/// # Panics
///
/// When the arrays differ in length.
pub fn add_unit<S: Sum>(before: &[S], after: &mut [S], weight: u64, value: u64) -> bool {
    assert_eq!(before.len(), after.len());
    let Some(weight) = usize::try_from(weight).ok().filter(|&weight| weight < before.len()) else { return false };
    let (light, rest) = after.split_at_mut(weight);
    light.copy_from_slice(&before[..weight]);
    add(&before[weight..], &before[..before.len() - weight], S::of(value), rest);
    true
}

/// [`add_unit`], with a bit in `taken` for each capacity at which the unit makes a greater sum.
///
/// # Panics
///
/// When the arrays differ in length, or `taken` has too few bits.
pub fn add_unit_noting<S: Sum>(before: &[S], after: &mut [S], weight: u64, value: u64, taken: &mut [u64]) -> bool {
    assert_eq!(before.len(), after.len());
    assert!(taken.len() >= before.len().div_ceil(64), "too few bits");
    taken.fill(0);
    let Some(weight) = usize::try_from(weight).ok().filter(|&weight| weight < before.len()) else { return false };
    let (light, _) = after.split_at_mut(weight);
    light.copy_from_slice(&before[..weight]);
    // Columns up to a word boundary one by one, so that the rest fills whole words.
    let aligned = weight.next_multiple_of(64).min(before.len());
    for column in weight..aligned {
        let with = before[column - weight] + S::of(value);
        after[column] = before[column].max(with);
        taken[column / 64] |= u64::from(with > before[column]) << (column % 64);
    }
    let without = &before[aligned - weight..before.len() - weight];
    add_noting(&before[aligned..], without, S::of(value), &mut after[aligned..], &mut taken[aligned / 64..]);
    true
}
