//! Numbers of a row, clamped to the unit interval.

use super::dispatch::multiversion;

multiversion! {
    /// Writes each finite value clamped to [0, 1] by [`f64::clamp`], and `fallback` for NaN and the infinities.
    ///
    /// # Panics
    ///
    /// When the slices differ in length.
    pub fn clamp_finite(values: &[f64], fallback: f64, out: &mut [f64]) {
        assert_eq!(values.len(), out.len());
        for (out, &value) in out.iter_mut().zip(values) {
            *out = if value.is_finite() { value.clamp(0.0, 1.0) } else { fallback };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::on_every_path;
    use super::clamp_finite;

    #[test]
    fn clamps_finite_values_and_replaces_the_rest() {
        let cases: [(f64, f64); 14] = [
            (0.5, 0.5),
            (-0.0, -0.0),
            (0.0, 0.0),
            (1.0, 1.0),
            (-3.0, 0.0),
            (1.0000000000000002, 1.0),
            (f64::MAX, 1.0),
            (f64::MIN, 0.0),
            (5e-324, 5e-324),
            (-5e-324, 0.0),
            (f64::NAN, 0.25),
            (-f64::NAN, 0.25),
            (f64::INFINITY, 0.25),
            (f64::NEG_INFINITY, 0.25),
        ];
        // All positions within a vector, and all lengths of the tail.
        for len in 0..40 {
            for start in 0..cases.len() {
                let rows: Vec<_> = (0..len).map(|i| cases[(start + i) % cases.len()]).collect();
                let values: Vec<f64> = rows.iter().map(|row| row.0).collect();
                on_every_path(|| {
                    let mut out = vec![9.0; len];
                    clamp_finite(&values, 0.25, &mut out);
                    for (out, row) in out.iter().zip(&rows) {
                        assert_eq!(out.to_bits(), row.1.to_bits(), "{}", row.0);
                    }
                });
            }
        }
    }
}
