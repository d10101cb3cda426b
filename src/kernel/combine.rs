//! The weighted sum of the composite scorer, one input at a time.

use super::dispatch::multiversion;

/// Marks a sum whose value is undefined although all scores are numbers: infinity minus infinity, or infinity times zero. A
/// NaN whose payload no arithmetic operation produces.
pub const UNDEFINED: f64 = f64::from_bits(0x7ff8_0000_dead_beef);

multiversion! {
    /// Adds `scores[i] * weight` to every row `i`: a term of a sum, which begins with 0.0. Where the sum is then not defined, it
    /// becomes `undefined`: [`UNDEFINED`], or what such a sum is to be if this is its last term.
    ///
    /// # Panics
    ///
    /// When the slices differ in length.
    pub fn accumulate(scores: &[f64], weight: f64, undefined: f64, sums: &mut [f64]) {
        assert_eq!(scores.len(), sums.len());
        for (sum, &score) in sums.iter_mut().zip(scores) {
            *sum = add(*sum, score, weight, undefined);
        }
    }
}

/// `sum + score * weight`; NaN if a score was, else `undefined` if a term was not defined.
#[inline(always)]
fn add(sum: f64, score: f64, weight: f64, undefined: f64) -> f64 {
    let next = sum + score * weight;
    let nan = score.is_nan() | (sum.is_nan() & (sum.to_bits() != UNDEFINED.to_bits()));
    let of_nan = if nan { f64::NAN } else { undefined };
    if next.is_nan() { of_nan } else { next }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::on_every_path;
    use super::super::random::Random;
    use super::{UNDEFINED, accumulate};

    #[test]
    fn agrees_with_the_definition() {
        let mut random = Random(7);
        for rows in [0, 1, 3, 7, 16, 513] {
            for children in 1..6 {
                let weights: Vec<f64> = (0..children).map(|_| [random.unit(), 0.0][random.below(2) as usize]).collect();
                let scores: Vec<Vec<f64>> =
                    (0..children).map(|_| (0..rows).map(|_| random.double()).collect()).collect();
                let sum_of = |row: usize| {
                    let sum = (0..children).fold(0.0, |sum, child| sum + scores[child][row] * weights[child]);
                    let of_nan = (0..children).any(|child| scores[child][row].is_nan());
                    if sum.is_nan() && !of_nan { 0.0 } else { sum }
                };
                let expected: Vec<u64> = (0..rows).map(sum_of).map(canonical).collect();
                on_every_path(|| {
                    let undefined = |child| if child + 1 == children { 0.0 } else { UNDEFINED };
                    let mut sums = vec![0.0; rows];
                    for child in 0..children {
                        accumulate(&scores[child], weights[child], undefined(child), &mut sums);
                    }
                    assert_eq!(sums.iter().copied().map(canonical).collect::<Vec<_>>(), expected);
                });
            }
        }
    }

    #[test]
    fn a_first_term_of_minus_zero_counts_as_zero() {
        let mut sums = [0.0];
        accumulate(&[-0.0], 1.0, 0.0, &mut sums);
        assert_eq!(sums[0].to_bits(), 0);
    }

    #[test]
    fn a_score_that_looks_like_an_undefined_sum_is_nan() {
        let mut sums = [0.0; 2];
        accumulate(&[UNDEFINED, f64::INFINITY], 1.0, UNDEFINED, &mut sums);
        accumulate(&[1.0, UNDEFINED], 1.0, 0.0, &mut sums);
        assert!(sums.iter().all(|sum| sum.is_nan()));
    }

    /// The bits, with all NaNs alike: which of two NaNs a sum takes up is not defined.
    fn canonical(sum: f64) -> u64 {
        if sum.is_nan() { f64::NAN.to_bits() } else { sum.to_bits() }
    }
}
