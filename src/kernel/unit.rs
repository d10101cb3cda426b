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
        // Enough rows for every case to be in a vector and in the tail.
        let rows: Vec<_> = cases.iter().cycle().take(cases.len() * 5).collect();
        let values: Vec<f64> = rows.iter().map(|row| row.0).collect();
        on_every_path(|| {
            for len in rows.len() - cases.len()..=rows.len() {
                let mut out = vec![9.0; len];
                clamp_finite(&values[..len], 0.25, &mut out);
                for (out, (value, expected)) in out.iter().zip(rows.iter().copied()) {
                    assert_eq!(out.to_bits(), expected.to_bits(), "{value}");
                }
            }
        });
    }
}
