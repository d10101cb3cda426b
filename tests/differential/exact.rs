//! The true value of exponential decay, to 100 bits.

/// A number as the sum of two doubles that do not overlap.
#[derive(Clone, Copy, Debug)]
struct Wide {
    hi: f64,
    lo: f64,
}

const LN_2: Wide = Wide { hi: std::f64::consts::LN_2, lo: 2.319_046_813_846_299_6e-17 };

impl Wide {
    const fn new(value: f64) -> Self {
        Self { hi: value, lo: 0.0 }
    }

    /// The exact sum of two doubles.
    fn sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        let part = hi - a;
        Self { hi, lo: (a - (hi - part)) + (b - part) }
    }

    fn add(self, other: Self) -> Self {
        let high = Self::sum(self.hi, other.hi);
        let low = Self::sum(self.lo, other.lo);
        let high = Self::sum(high.hi, high.lo + low.hi);
        Self::sum(high.hi, high.lo + low.lo)
    }

    fn mul(self, other: Self) -> Self {
        let hi = self.hi * other.hi;
        let lo = self.hi.mul_add(other.hi, -hi) + (self.hi * other.lo + self.lo * other.hi);
        Self::sum(hi, lo)
    }

    fn div(self, other: Self) -> Self {
        let first = self.hi / other.hi;
        let rest = self.add(other.mul(Self::new(-first)));
        let second = rest.hi / other.hi;
        let rest = rest.add(other.mul(Self::new(-second)));
        Self::sum(first, second).add(Self::new(rest.hi / other.hi))
    }

    /// An integer of 63 bits.
    fn integer(value: i64) -> Self {
        let high = value >> 32 << 32;
        Self::sum(high as f64, (value - high) as f64)
    }

    /// 2 to the power of -`self`, for 0 <= `self` < 1.
    ///
    /// The series of exp(-x / 256) to the thirteenth term is off by less than (ln 2 / 256)^14 / 14! < 2^-155; squaring eight
    /// times multiplies the rounding of the sum, below 2^-102, by 2^8.
    fn exp2_neg(self) -> Self {
        let x = self.mul(LN_2).mul(Self::new(-1.0 / 256.0));
        let mut sum = Self::new(1.0);
        for term in (1..=13).rev() {
            sum = x.mul(sum).div(Self::new(f64::from(term))).add(Self::new(1.0));
        }
        (0..8).fold(sum, |power, _| power.mul(power))
    }
}

/// 2 to the power of -`exponent`, which may be far below the least double, so in two steps.
fn scale_down(value: f64, exponent: i64) -> (f64, f64) {
    let exponent = exponent.min(1200) as i32;
    let half = exponent / 2;
    (value * 2_f64.powi(half), 2_f64.powi(exponent - half))
}

/// How far `score` lies from 2^-(`age` / `half_life`), in units in the last place of the latter.
fn distance_from_truth(age: i64, half_life: i64, score: f64) -> f64 {
    let (whole, rest) = (age / half_life, age % half_life);
    let fraction = Wide::integer(rest).div(Wide::integer(half_life));
    let truth = fraction.exp2_neg();
    // Both times 2^whole, so that the difference is not lost below the least double: truth lies in (1/2, 1].
    let (scaled, step) = scale_down(score, whole);
    let difference = truth.add(Wide::new(-(scaled * step)));
    let unit = if whole < 1021 {
        if truth.hi + truth.lo >= 1.0 { f64::EPSILON } else { f64::EPSILON / 2.0 }
    } else {
        // Down here a unit is the least double or near it; times 2^whole it may be more than the truth itself.
        let subnormal = 2_f64.powi((whole.min(1200) - 1074) as i32);
        subnormal.max(if truth.hi + truth.lo >= 1.0 { f64::EPSILON } else { f64::EPSILON / 2.0 })
    };
    (difference.hi / unit).abs()
}

/// Holds a score of exponential decay against the true value and against the reference's.
///
/// The library is to be within one unit in the last place of the truth. The reference may be a second unit away from it by
/// its power function, and further by what it does before: it rounds the age, the half-life and their quotient, each by at
/// most 2^-53 of its value, which moves the exponent q by at most 3.01 q 2^-53 and so the result by at most ln 2 of that,
/// relatively; a unit in the last place is never less than 2^-53 of the value, which makes 2.1 q units.
pub fn check_exponential(now: i64, timestamp: i64, half_life: i64, ours: f64, theirs: f64) {
    check_true(now, timestamp, half_life, ours);
    let Some(age) = now.checked_sub(timestamp).map(|age| age.max(0)) else {
        // The age saturates here; the reference's goes on.
        return;
    };
    let allowed = 2.0 + 2.1 * (age as f64 / half_life as f64);
    let apart = ours.to_bits().abs_diff(theirs.to_bits());
    assert!(
        apart as f64 <= allowed,
        "age {age}, half-life {half_life}: {ours:e} is {apart} units from the reference's {theirs:e}, allowed {allowed}"
    );
}

/// Holds a score of exponential decay against the true value: one unit in the last place, and exact at 0 and 1 half-lives.
pub fn check_true(now: i64, timestamp: i64, half_life: i64, ours: f64) {
    let age = now.saturating_sub(timestamp).max(0);
    assert!(ours.is_sign_positive(), "age {age}, half-life {half_life}: {ours:e}");
    if age == 0 {
        assert_eq!(ours, 1.0);
    }
    if age == half_life {
        assert_eq!(ours, 0.5);
    }
    let apart = distance_from_truth(age, half_life, ours);
    assert!(apart <= 1.0, "age {age}, half-life {half_life}: {ours:e} is {apart} units from the true value");
}

#[test]
fn the_measure_itself_is_exact() {
    // 2^-x * 2^-(1 - x) = 1/2, and the thirds of it.
    for numerator in 1..1000 {
        let x = Wide::integer(numerator).div(Wide::integer(1000));
        let rest = Wide::integer(1000 - numerator).div(Wide::integer(1000));
        let half = x.exp2_neg().mul(rest.exp2_neg());
        let apart = half.add(Wide::new(-0.5));
        assert!(apart.hi.abs() < 2_f64.powi(-92), "{numerator}: {apart:?}");
    }
    // sqrt(1/2) to 32 digits.
    let root =
        Wide::new(0.5).exp2_neg().add(Wide { hi: -std::f64::consts::FRAC_1_SQRT_2, lo: 4.833_646_656_726_457e-17 });
    assert!(root.hi.abs() < 2_f64.powi(-96), "{root:?}");
    // It tells one unit from two.
    assert_eq!(distance_from_truth(1, 1, 0.5), 0.0);
    assert_eq!(distance_from_truth(1, 1, 0.5_f64.next_up()), 1.0);
    assert_eq!(distance_from_truth(1074, 1, 5e-324), 0.0);
    assert_eq!(distance_from_truth(1074, 1, 0.0), 1.0);
    assert!(distance_from_truth(3, 2, std::f64::consts::FRAC_1_SQRT_2 / 2.0) < 0.5);
    let off = distance_from_truth(1, 2, std::f64::consts::FRAC_1_SQRT_2.next_up().next_up());
    assert!((1.5..2.5).contains(&off), "{off}");
    assert!(distance_from_truth(i64::MAX, 1, 0.0) < 1e-30);
    assert_eq!(distance_from_truth(i64::MAX, 1, 5e-324), 1.0);
}
