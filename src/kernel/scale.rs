//! Min-max scaling, the scaled scorer.

use super::dispatch::multiversion;

multiversion! {
    /// Replaces each score by `(score - min) / (max - min)`, with the minimum and the maximum of the finite scores.
    ///
    /// A score that is not finite becomes 0.5, and so does every score when the finite ones are all equal or missing. When
    /// `max - min` overflows, all three terms are halved first.
    pub fn scale_in_place(scores: &mut [f64]) {
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        for &score in &*scores {
            // NaN fails every comparison; each infinity fails one of the two on its own side.
            min = if (score < min) & (score > f64::NEG_INFINITY) { score } else { min };
            max = if (score > max) & (score < f64::INFINITY) { score } else { max };
        }
        if max <= min || min == f64::INFINITY {
            scores.fill(0.5);
            return;
        }
        let unit = if max - min == f64::INFINITY { 0.5 } else { 1.0 };
        let (min, range) = (min * unit, max * unit - min * unit);
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
