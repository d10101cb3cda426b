//! The weighted sum of the composite scorer, one input at a time.

use super::dispatch::multiversion;

multiversion! {
    /// Writes `0.0 + scores[i] * weight` for every row `i`: the first term of a sum.
    ///
    /// # Panics
    ///
    /// When the slices differ in length.
    pub fn begin(scores: &[f64], weight: f64, sums: &mut [f64]) {
        assert_eq!(scores.len(), sums.len());
        for (sum, &score) in sums.iter_mut().zip(scores) {
            // Adding to zero, not assigning, turns a first product of -0.0 into 0.0, as the definition has it.
            *sum = 0.0 + score * weight;
        }
    }
}

multiversion! {
    /// Adds `scores[i] * weight` to every row `i`: a further term of a sum.
    ///
    /// # Panics
    ///
    /// When the slices differ in length.
    pub fn accumulate(scores: &[f64], weight: f64, sums: &mut [f64]) {
        assert_eq!(scores.len(), sums.len());
        for (sum, &score) in sums.iter_mut().zip(scores) {
            *sum += score * weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::on_every_path;
    use super::super::random::Random;
    use super::{accumulate, begin};

    #[test]
    fn agrees_with_the_definition() {
        let mut random = Random(7);
        for rows in [0, 1, 3, 7, 16, 513] {
            for children in 1..6 {
                let weights: Vec<f64> = (0..children).map(|_| random.unit()).collect();
                let scores: Vec<Vec<f64>> =
                    (0..children).map(|_| (0..rows).map(|_| random.double()).collect()).collect();
                let expected: Vec<u64> = (0..rows)
                    .map(|row| (0..children).fold(0.0, |sum, child| sum + scores[child][row] * weights[child]))
                    .map(canonical)
                    .collect();
                on_every_path(|| {
                    let mut sums = vec![9.0; rows];
                    begin(&scores[0], weights[0], &mut sums);
                    for child in 1..children {
                        accumulate(&scores[child], weights[child], &mut sums);
                    }
                    assert_eq!(sums.iter().copied().map(canonical).collect::<Vec<_>>(), expected);
                });
            }
        }
    }

    #[test]
    fn a_first_term_of_minus_zero_counts_as_zero() {
        let mut sums = [9.0];
        begin(&[-0.0], 1.0, &mut sums);
        assert_eq!(sums[0].to_bits(), 0);
    }

    /// The bits, with all NaNs alike: which of two NaNs a sum takes up is not defined.
    fn canonical(sum: f64) -> u64 {
        if sum.is_nan() { f64::NAN.to_bits() } else { sum.to_bits() }
    }
}
