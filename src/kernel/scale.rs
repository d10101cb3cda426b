//! Min-max scaling, the scaled scorer.

use super::dispatch::multiversion;

/// The number of independent minima and maxima, which the compiler keeps in vector registers.
const LANES: usize = 16;

/// Replaces each score by `(score - min) / (max - min)`, with the minimum and the maximum of the finite scores.
///
/// A score that is not finite becomes 0.5, and so does every score when the finite ones are all equal or missing. When
/// `max - min` overflows, all three terms are halved first.
pub fn scale_in_place(scores: &mut [f64]) {
    let (mut min, mut max) = finite_range(scores);
    if min == 0.0 {
        // The definition takes the first of tied zeros, and its sign shows in the scores of zeros. Lanes lose the order.
        min = scores.iter().copied().find(|&score| score == 0.0).unwrap_or(min);
    }
    if max <= min || min == f64::INFINITY {
        scores.fill(0.5);
        return;
    }
    let mut unit = 1.0;
    if max - min == f64::INFINITY {
        unit = 0.5;
        min *= unit;
        max *= unit;
    }
    map(scores, unit, min, max - min);
}

multiversion! {
    /// The least and the greatest finite score; `(inf, -inf)` when there is none.
    fn finite_range(scores: &[f64]) -> (f64, f64) {
        let mut min = [f64::INFINITY; LANES];
        let mut max = [f64::NEG_INFINITY; LANES];
        let (chunks, rest) = scores.as_chunks::<LANES>();
        let mut tail = [f64::NAN; LANES];
        tail[..rest.len()].copy_from_slice(rest);
        for chunk in chunks.iter().chain([&tail]) {
            for ((min, max), &score) in min.iter_mut().zip(&mut max).zip(chunk) {
                // NaN fails every comparison; each infinity fails one of the two on its own side.
                *min = if (score < *min) & (score > f64::NEG_INFINITY) { score } else { *min };
                *max = if (score > *max) & (score < f64::INFINITY) { score } else { *max };
            }
        }
        let min = min.into_iter().fold(f64::INFINITY, f64::min);
        (min, max.into_iter().fold(f64::NEG_INFINITY, f64::max))
    }
}

multiversion! {
    /// The scaled scores. `unit` is 1.0, or 0.5 where scores are halved.
    fn map(scores: &mut [f64], unit: f64, min: f64, range: f64) {
        for score in scores {
            *score = if score.is_finite() { (*score * unit - min) / range } else { 0.5 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::on_every_path;
    use super::super::random::Random;
    use super::scale_in_place;

    /// Scales on every path and compares the bits.
    fn check(scores: &[f64], expected: &[f64]) {
        let bits = |scores: &[f64]| scores.iter().map(|score| score.to_bits()).collect::<Vec<_>>();
        on_every_path(|| {
            let mut scaled = scores.to_vec();
            scale_in_place(&mut scaled);
            assert_eq!(bits(&scaled), bits(expected), "{scaled:?} of {scores:?}");
        });
    }

    #[test]
    fn finite_scores_are_scaled_and_others_are_a_half() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        for (scores, expected) in [
            (&[][..], &[][..]),
            (&[3.0], &[0.5]),
            (&[nan, inf, -inf], &[0.5, 0.5, 0.5]),
            (&[nan, 1.0, inf, 3.0, -inf, 2.0], &[0.5, 0.0, 0.5, 1.0, 0.5, 0.5]),
            (&[0.0, -0.0], &[0.5, 0.5]),
            // Of tied zeros the first is the least.
            (&[0.0, -0.0, 4.0], &[0.0, -0.0, 1.0]),
            (&[-0.0, 0.0, 4.0], &[0.0, 0.0, 1.0]),
            (&[f64::MAX, f64::MIN, 0.0], &[1.0, 0.0, 0.5]),
        ] {
            check(scores, expected);
        }
        let mut random = Random(11);
        for rows in 2..70 {
            let scores: Vec<f64> = (0..rows).map(|_| random.unit()).collect();
            let (min, max) = (scores.iter().copied().fold(inf, f64::min), scores.iter().copied().fold(-inf, f64::max));
            check(&scores, &scores.iter().map(|score| (score - min) / (max - min)).collect::<Vec<_>>());
        }
    }
}
