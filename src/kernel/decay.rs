//! The three decay curves, on the age of each row in whole nanoseconds.
//!
//! The age of a row is `max(0, now - timestamp)`, saturating at `i64::MAX`. Rows without a timestamp score `null_score`.
//! `present` holds 1 for a row with a timestamp and 0 for one without; `None` means that every row has one. All functions
//! panic when the slices differ in length.

use core::f64::consts::LN_2;
use core::hint::select_unpredictable;

use super::dispatch::multiversion;
use super::exp2_table::{POWERS, STEPS};

/// A curve with at most this number of steps before the last is evaluated without a branch; a longer one by binary search.
const FEW_STEPS: usize = 4;

/// Half-lives after which every score is 0. The least positive double is 2^-1074, and half of it rounds to 0.
const HALVINGS: i64 = 1076;

/// The earliest timestamp whose age is below `max_age`. Comparing timestamps saves computing the age of each row.
#[inline(always)]
fn earliest(now: i64, max_age: i64) -> i64 {
    // Where it saturates, every timestamp is younger.
    now.saturating_sub(max_age - 1)
}

/// Writes `curve` of the timestamp of every row, and `null_score` where there is none.
#[inline(always)]
fn each_row(timestamps: &[i64], present: Option<&[u8]>, null_score: f64, out: &mut [f64], curve: impl Fn(i64) -> f64) {
    assert_eq!(timestamps.len(), out.len());
    match present {
        None => {
            for (out, &timestamp) in out.iter_mut().zip(timestamps) {
                *out = curve(timestamp);
            }
        }
        Some(present) => {
            assert_eq!(present.len(), out.len());
            for ((out, &timestamp), &present) in out.iter_mut().zip(timestamps).zip(present) {
                *out = select_unpredictable(present == 0, null_score, curve(timestamp));
            }
        }
    }
}

multiversion! {
    /// 1.0 for a row younger than `max_age`, else 0.0.
    ///
    /// Panics when `max_age` is less than 1.
    pub fn window(
        timestamps: &[i64],
        present: Option<&[u8]>,
        now: i64,
        null_score: f64,
        max_age: i64,
        out: &mut [f64],
    ) {
        assert!(max_age >= 1);
        let earliest = earliest(now, max_age);
        each_row(timestamps, present, null_score, out, |timestamp| {
            if timestamp >= earliest { 1.0 } else { 0.0 }
        });
    }
}

multiversion! {
    /// The score of the first of `steps` (maximum age, score) whose maximum age exceeds the row's, else of the last step.
    ///
    /// Maximum ages are at least 1 and strictly increasing. Panics when there are no steps.
    pub fn step(
        timestamps: &[i64],
        present: Option<&[u8]>,
        now: i64,
        null_score: f64,
        steps: &[(i64, f64)],
        out: &mut [f64],
    ) {
        let (&(_, last), earlier) = steps.split_last().expect("a step curve has a step");
        if earlier.len() <= FEW_STEPS {
            // Padded with steps that have the last score.
            let mut few = [(i64::MAX, last); FEW_STEPS];
            for (few, &(max_age, score)) in few.iter_mut().rev().zip(earlier) {
                *few = (earliest(now, max_age), score);
            }
            each_row(timestamps, present, null_score, out, |timestamp| {
                // From the oldest step to the youngest: the last one that applies is the first of the curve.
                few.iter().fold(last, |older, &(earliest, score)| {
                    select_unpredictable(timestamp >= earliest, score, older)
                })
            });
        } else {
            each_row(timestamps, present, null_score, out, |timestamp| {
                let age = now.saturating_sub(timestamp).max(0);
                steps[earlier.partition_point(|&(max_age, _)| max_age <= age)].1
            });
        }
    }
}

/// Constants of an exponential curve.
#[derive(Clone, Copy)]
struct HalfLife {
    nanoseconds: u64,
    /// An age at which the score is 0, or the greatest possible age.
    oldest: i64,
    /// Low bits dropped from an age, so that 52 remain.
    age_shift: u32,
    /// Table steps per unit of a shifted age.
    steps: f64,
    /// Low bits dropped from the remainder, so that 51 and the sign remain.
    rest_shift: u32,
    /// The natural logarithm of the decay per unit of a shifted remainder.
    rate: f64,
}

impl HalfLife {
    fn new(half_life: i64) -> Self {
        let bits = half_life.ilog2() + 1;
        let age_shift = bits.saturating_sub(52 - HALVINGS.ilog2() - 1);
        let rest_shift = bits.saturating_sub(51);
        let step = half_life as f64 / STEPS as f64;
        Self {
            nanoseconds: half_life as u64,
            oldest: half_life.saturating_mul(HALVINGS),
            age_shift,
            steps: (1_u64 << age_shift) as f64 / step,
            rest_shift,
            rate: LN_2 / half_life as f64 / STEPS as f64 * (1_u64 << rest_shift) as f64,
        }
    }

    /// 2^-(age / half_life), for an age up to `oldest`.
    ///
    /// With n the integer nearest to 128 * age / half_life, the power is 2^-(n div 128) * 2^-((n mod 128) / 128) * e^-y: a
    /// scale, a table entry, and a short polynomial, since y = ln 2 / 128 * (128 * age / half_life - n) is below 0.0028.
    ///
    /// `rest`, the numerator of y, is an exact integer. Later rounding errors are multiplied by at most 0.0028, except that
    /// of the last addition. The result is within 0.54 ulp; a subnormal one is rounded again and within 1 ulp.
    ///
    /// AVX2 neither divides 64-bit integers nor converts them, hence the reciprocal and [`small_to_f64`].
    #[inline(always)]
    fn power(self, age: i64) -> f64 {
        // Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits. Where the quotient is near the middle
        // between two integers, either of them will do.
        const ROUND: f64 = 6_755_399_441_055_744.0;
        let quotient = small_to_f64(age as u64 >> self.age_shift) * self.steps;
        let n = u64::from((quotient + ROUND).to_bits() as u32);
        // Both terms may wrap around; their difference is at most about half of `half_life`.
        let rest = ((age as u64) << STEPS.ilog2()).wrapping_sub(n.wrapping_mul(self.nanoseconds));
        const BIAS: u64 = 1 << 51;
        let rest = rest.wrapping_add(BIAS << self.rest_shift) >> self.rest_shift;
        let y = (small_to_f64(rest) - BIAS as f64) * self.rate;
        // e^-y - 1
        let y2 = y * y;
        let tiny = y2 * ((0.5 - y * (1.0 / 6.0)) + y2 * (1.0 / 24.0 - y * (1.0 / 120.0))) - y;
        let [head, tail] = POWERS[n as usize % STEPS].map(f64::from_bits);
        let power = head + (tail + head * tiny);
        // By two factors, since the exponent may be below that of the least normal double. The first product is exact.
        let halvings = n / STEPS as u64;
        let first = halvings / 2;
        power * power_of_half(first) * power_of_half(halvings - first)
    }
}

/// 2^-n for n < 1023.
#[inline(always)]
fn power_of_half(n: u64) -> f64 {
    f64::from_bits((1023 - n) << 52)
}

/// `value as f64` for a value less than 2^52.
#[inline(always)]
fn small_to_f64(value: u64) -> f64 {
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    f64::from_bits(TWO_52.to_bits() | value) - TWO_52
}

multiversion! {
    /// 2^-(age / half_life), within 1 ulp, and exact at every whole number of half-lives.
    ///
    /// Panics when `half_life` is less than 1.
    pub fn exponential(
        timestamps: &[i64],
        present: Option<&[u8]>,
        now: i64,
        null_score: f64,
        half_life: i64,
        out: &mut [f64],
    ) {
        assert!(half_life >= 1);
        let half_life = HalfLife::new(half_life);
        // Clamping the timestamp keeps the difference in range and changes no score.
        let earliest = now.saturating_sub(half_life.oldest);
        each_row(timestamps, present, null_score, out, |timestamp| {
            half_life.power(now - timestamp.max(earliest).min(now))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::on_every_path;
    use super::super::random::Random;
    use super::{exponential, step, window};

    /// Age, half-life, and the bits of the double nearest to the true power, computed by mpmath with 300 bits. The first
    /// twelve are rounded to the second nearest double.
    const POWERS_OF_HALF: &[(i64, i64, u64)] = &[
        (1_679_417, 1637, 0x0001_1035_c799_f4ab),
        (50_004_132_039_211_624, 48_884_780_859_185, 0x0008_966d_7c87_86fb),
        (16_303_737_686, 17_745_519_413, 0x3fe0_ed4a_ae5a_e217),
        (88_301_137_500_000_001, 86_400_000_000_000, 0x000f_f4ec_b595_11c9),
        (768_978_076_990_524, 749_979_582_557, 0x0001_96be_fc15_8971),
        (1_797_370_990_311_445_760, 1_756_373_188_300_394, 0x0006_4f6b_6050_9119),
        (853_947_282, 834_508, 0x0006_8613_38a0_f373),
        (252_395, 246, 0x0001_00b8_eb58_4745),
        (387_851_812_905, 379_186_802, 0x0008_ddf0_4207_9eb9),
        (1_022_501, 1000, 0x000b_4e4d_70d0_aa77),
        (335_254, 328, 0x000e_c3ef_c879_dd63),
        (7156, 7, 0x000d_2017_f75c_e299),
        (1, 1, 0x3fe0_0000_0000_0000),
        (1022, 1, 0x0010_0000_0000_0000),
        (1074, 1, 0x0000_0000_0000_0001),
        (1075, 1, 0x0000_0000_0000_0000),
        (9_223_372_036_854_775_807, 1, 0x0000_0000_0000_0000),
        (1, 9_223_372_036_854_775_807, 0x3ff0_0000_0000_0000),
        (4_611_686_018_427_387_903, 9_223_372_036_854_775_807, 0x3fe6_a09e_667f_3bcd),
        (9_223_372_036_854_775_807, 8_587_869_680_497_929, 0x0000_0000_0000_0001),
        (9_223_372_036_854_775_807, 8_571_907_097_448_676, 0x0000_0000_0000_0000),
        (4_611_686_018_427_387_905, 9_007_199_254_740_993, 0x1ff0_0000_0000_00b1),
        (1, 86_400_000_000_000, 0x3fef_ffff_ffff_ffb8),
        (25_200_123_456_789, 86_400_000_000_000, 0x3fea_2482_d559_9ff2),
        (1_074_500_001, 1_000_000, 0x0000_0000_0000_0001),
    ];

    #[test]
    fn exponential_is_within_one_ulp() {
        on_every_path(|| {
            for &(age, half_life, nearest) in POWERS_OF_HALF {
                let mut out = [9.0; 5];
                exponential(&[-age; 5], None, 0, 0.5, half_life, &mut out);
                for score in out {
                    // Doubles that are not negative are in the order of their bits.
                    assert!(score.to_bits().abs_diff(nearest) <= 1, "{age} / {half_life}: {score:e}");
                }
            }
        });
    }

    #[test]
    fn exponential_is_exact_at_whole_half_lives() {
        let half_lives = [1, 2, 3, 1000, 999_999_937, 86_400_000_000_000, (1 << 53) + 1, i64::MAX / 3, i64::MAX];
        on_every_path(|| {
            for half_life in half_lives {
                for halvings in 0..1100.min(i64::MAX / half_life) {
                    let mut out = [9.0];
                    exponential(&[-halvings * half_life], None, 0, 0.5, half_life, &mut out);
                    assert_eq!(out[0], 0.5_f64.powi(halvings as i32), "{halvings} of {half_life}");
                }
            }
        });
    }

    /// Instants near each other, near the ends of the range, and on both sides of now.
    fn instants(rows: usize, random: &mut Random) -> Vec<i64> {
        let instant = |random: &mut Random| match random.below(5) {
            0 => [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX][random.below(7) as usize],
            1 => random.next() as i64,
            _ => random.below(200) as i64 - 100,
        };
        (0..rows).map(|_| instant(random)).collect()
    }

    type Curve<'a> = &'a dyn Fn(i64) -> f64;
    type Kernel<'a> = &'a dyn Fn(&[i64], Option<&[u8]>, i64, &mut [f64]);

    /// Compares a kernel with a curve that is applied row by row.
    fn check(curve: Curve, kernel: Kernel, random: &mut Random) {
        for rows in [0, 1, 5, 20, 255, 256, 257, 700] {
            let timestamps = instants(rows, random);
            let present: Vec<u8> = (0..rows).map(|_| u8::from(random.below(10) != 0)).collect();
            let mut nows = instants(4, random);
            nows.extend([0, i64::MIN, i64::MAX]);
            for now in nows {
                for present in [None, Some(&present[..])] {
                    on_every_path(|| {
                        let mut out = vec![9.0; rows];
                        kernel(&timestamps, present, now, &mut out);
                        for (row, score) in out.into_iter().enumerate() {
                            let age = i128::from(now) - i128::from(timestamps[row]);
                            let expected = if present.is_none_or(|present| present[row] == 1) {
                                curve(age.clamp(0, i128::from(i64::MAX)) as i64)
                            } else {
                                0.125
                            };
                            assert_eq!(score.to_bits(), expected.to_bits(), "now {now}, timestamp {}", timestamps[row]);
                        }
                    });
                }
            }
        }
    }

    #[test]
    fn curves_agree_with_their_definitions() {
        let mut random = Random(19);
        for max_age in [1, 7, 100, i64::MAX] {
            check(
                &|age| if age < max_age { 1.0 } else { 0.0 },
                &|timestamps, present, now, out| window(timestamps, present, now, 0.125, max_age, out),
                &mut random,
            );
        }
        for count in [1, 2, 3, 15, 16, 17, 40] {
            let mut steps: Vec<(i64, f64)> = (1..count).map(|step| (step * 5, random.unit() - 0.5)).collect();
            steps.push((i64::MAX, -0.0));
            check(
                &|age| steps.iter().find(|step| step.0 > age).or(steps.last()).map_or(9.0, |step| step.1),
                &|timestamps, present, now, out| step(timestamps, present, now, 0.125, &steps, out),
                &mut random,
            );
        }
        // The same bits at every position.
        for half_life in [1, 30, 1 << 40, i64::MAX] {
            let score_of = |age| {
                let mut out = [9.0];
                exponential(&[0], None, age, 0.125, half_life, &mut out);
                out[0]
            };
            check(
                &score_of,
                &|timestamps, present, now, out| exponential(timestamps, present, now, 0.125, half_life, out),
                &mut random,
            );
        }
    }
}
