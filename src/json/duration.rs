//! Durations: whole numbers with units, such as `1h30m`.

use std::fmt;

use crate::json::failure::Rule;

/// The units, from the largest, with the letters that write them. A day is 24 hours and a week 7 days.
const UNITS: [(&str, i64); 8] = [
    ("w", 604_800_000_000_000),
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// Reads a duration as nanoseconds: one or more whole numbers, each with a unit, that add up to more than zero.
pub fn parse(text: &str) -> Result<i64, Rule> {
    let malformed = Rule::Invalid(
        r#"must be whole numbers with the units ns, us, ms, s, m, h, d or w, such as "90s", "24h", "7d" or "1h30m""#,
    );
    let too_long = || Rule::Invalid("a duration must be less than 2^63 nanoseconds, which is 292 years");
    let mut total = 0_i64;
    let mut rest = text;
    while !rest.is_empty() {
        let unit_start = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
        let (number, after) = rest.split_at(unit_start);
        let unit_len = after.find(|character: char| !character.is_ascii_alphabetic()).unwrap_or(after.len());
        let unit = UNITS.iter().find(|(unit, _)| *unit == &after[..unit_len]);
        let (false, Some((_, nanoseconds))) = (number.is_empty(), unit) else { return Err(malformed) };
        let number: i64 = number.parse().map_err(|_| too_long())?;
        total = number.checked_mul(*nanoseconds).and_then(|part| total.checked_add(part)).ok_or_else(too_long)?;
        // One space may separate the parts.
        rest = &after[unit_len..];
        rest = rest.strip_prefix(' ').filter(|next| !next.is_empty()).unwrap_or(rest);
    }
    match total {
        _ if text.is_empty() => Err(malformed),
        0 => Err(Rule::Invalid("a duration must be more than zero")),
        _ => Ok(total),
    }
}

/// Nanoseconds in the largest unit that divides them.
pub struct Duration(pub i64);

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Weeks are read and not written: 14d says more than 2w.
        let unit = UNITS[1..].iter().find(|(_, nanoseconds)| self.0 % nanoseconds == 0);
        unit.map_or(Ok(()), |(unit, nanoseconds)| write!(f, "{}{unit}", self.0 / nanoseconds))
    }
}
