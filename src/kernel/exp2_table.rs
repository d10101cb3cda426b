//! Powers of two for the exponential decay curve.

/// The number of entries, and of steps per halving.
pub(super) const STEPS: usize = 128;

/// For each `j` the bits of two doubles: the one nearest to 2^-(j/128), and the one nearest to what remains of it.
pub(super) const POWERS: [[u64; 2]; STEPS] = powers();

/// Computes the table in fixed point with 128 bits of fraction. Each product is off by less than 2^-127, and the last by
/// less than 2^-120, while head and tail together resolve 2^-107.
const fn powers() -> [[u64; 2]; STEPS] {
    /// 2^-(1/128), rounded down.
    const ROOT: u128 = 0xfe9e_115c_7b8f_884b_add2_5995_e79d_2f09;
    let mut powers = [[1.0_f64.to_bits(), 0.0_f64.to_bits()]; STEPS];
    let mut power = ROOT;
    let mut j = 1;
    while j < STEPS {
        // All powers lie in [1/2, 1), so the leading 53 bits make the head.
        let head = (power >> 75) + (power >> 74 & 1);
        let rest = power.wrapping_sub(head << 75) as i128;
        powers[j] = [(head as f64 * UNIT).to_bits(), (rest as f64 * (UNIT / (1_u128 << 75) as f64)).to_bits()];
        power = product(power, ROOT);
        j += 1;
    }
    powers
}

/// 2^-53.
const UNIT: f64 = f64::EPSILON / 2.0;

/// The upper half of the product of two fractions.
const fn product(a: u128, b: u128) -> u128 {
    const LOW: u128 = u64::MAX as u128;
    let (low, high) = ((a & LOW) * (b & LOW), (a >> 64) * (b >> 64));
    let (cross, other) = ((a >> 64) * (b & LOW), (a & LOW) * (b >> 64));
    let carry = ((low >> 64) + (cross & LOW) + (other & LOW)) >> 64;
    high + (cross >> 64) + (other >> 64) + carry
}
