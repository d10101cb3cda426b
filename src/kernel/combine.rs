//! The weighted sum of the composite scorer.

use super::dispatch::multiversion;

/// Rows summed at a time: the block of sums stays in the first-level cache while every input
/// streams past it once.
const BLOCK: usize = 512;

multiversion! {
    /// Writes `((0.0 + in0[i] * w0) + in1[i] * w1) + ...` for every row `i`, and returns whether
    /// any of the sums is NaN.
    ///
    /// # Panics
    ///
    /// When there are not as many weights as inputs, or an input is not as long as `out`.
    pub fn combine(inputs: &[&[f64]], weights: &[f64], out: &mut [f64]) -> bool {
        assert_eq!(inputs.len(), weights.len());
        assert!(inputs.iter().all(|input| input.len() == out.len()));
        let mut nan = false;
        for (block, sums) in out.chunks_mut(BLOCK).enumerate() {
            let rows = block * BLOCK..block * BLOCK + sums.len();
            // Adding to zero, not assigning, turns a first product of -0.0 into 0.0, as the
            // definition has it.
            sums.fill(0.0);
            for (input, &weight) in inputs.iter().zip(weights) {
                for (sum, &score) in sums.iter_mut().zip(&input[rows.clone()]) {
                    *sum += score * weight;
                }
            }
            nan |= sums.iter().fold(false, |nan, sum| nan | sum.is_nan());
        }
        nan
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::on_every_path;
    use super::super::random::Random;
    use super::combine;

    #[test]
    fn agrees_with_the_definition() {
        let mut random = Random(7);
        for rows in [0, 1, 3, 7, 16, 511, 512, 513, 1030] {
            for children in [0, 1, 2, 3, 4, 5, 9] {
                let weights: Vec<f64> = (0..children).map(|_| random.unit()).collect();
                for any_double in [false, true] {
                    let mut score = || {
                        if any_double {
                            random.double()
                        } else {
                            random.unit() - 0.5
                        }
                    };
                    let scores: Vec<Vec<f64>> = (0..children)
                        .map(|_| (0..rows).map(|_| score()).collect())
                        .collect();
                    let inputs: Vec<&[f64]> = scores.iter().map(Vec::as_slice).collect();
                    let expected: Vec<f64> = (0..rows)
                        .map(|row| {
                            let mut sum = 0.0;
                            for child in 0..children {
                                sum += scores[child][row] * weights[child];
                            }
                            sum
                        })
                        .collect();
                    on_every_path(|| {
                        let mut out = vec![9.0; rows];
                        let nan = combine(&inputs, &weights, &mut out);
                        assert_eq!(nan, expected.iter().any(|sum| sum.is_nan()));
                        for (out, expected) in out.iter().zip(&expected) {
                            // Which NaN is not defined.
                            assert!(
                                out.to_bits() == expected.to_bits()
                                    || out.is_nan() && expected.is_nan()
                            );
                        }
                    });
                }
            }
        }
    }

    #[test]
    fn a_sum_that_starts_at_zero_is_never_minus_zero() {
        on_every_path(|| {
            let mut out = [9.0; 5];
            assert!(!combine(&[&[-0.0; 5]], &[1.0], &mut out));
            assert!(out.iter().all(|sum| sum.to_bits() == 0));
        });
    }

    #[test]
    fn reports_nan_in_the_last_row() {
        on_every_path(|| {
            let mut input = vec![0.5; 1025];
            input[1024] = f64::NAN;
            assert!(combine(&[&input], &[1.0], &mut vec![0.0; 1025]));
        });
    }
}
