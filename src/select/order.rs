//! Units sorted by a key, such as that of their score.

use std::cmp::Ordering;

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

/// A unit with the key it is sorted by.
pub type Entry = (u64, u32);

/// The order of units with equal keys. Ties are rare, and a sort for each kind of tie would add 20 kB to the library.
pub type Tie<'a> = &'a dyn Fn(u32, u32) -> Ordering;

/// Sorts by key, greatest first, and entries with equal keys by `tie`.
pub fn sort_descending(entries: &mut [Entry], tie: Tie<'_>) {
    entries.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| tie(a.1, b.1)));
}

/// Sorts by key, least first, and entries with equal keys by `tie`.
pub fn sort_ascending(entries: &mut [Entry], tie: Tie<'_>) {
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| tie(a.1, b.1)));
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn keys_are_in_the_order_of_scores() {
        let ascending = [f64::NEG_INFINITY, f64::MIN, -1.0, -5e-324, 0.0, 5e-324, 1.0, f64::MAX, f64::INFINITY];
        assert!(ascending.windows(2).all(|pair| key(pair[0]) < key(pair[1])));
        assert_eq!(key(-0.0), key(0.0));
        assert!(key(f64::NAN) == 0 && key(-f64::NAN) == 0 && key(f64::NEG_INFINITY) > 0);
    }
}
