//! Durations in words.

use std::fmt;

use crate::error::Error;
use crate::json::node::Node;

/// A duration is written in fewer bytes than this.
const MOST_BYTES: usize = 256;

/// Reads a duration, such as `"90s"` or `"1h30m"`, as nanoseconds: at least 1.
pub fn read_duration(node: Node<'_>) -> Result<i64, Error> {
    let text = node.string()?;
    let duration = if text.len() <= MOST_BYTES { humantime::parse_duration(&text).ok() } else { None };
    let duration = duration.ok_or_else(|| node.wrong(r#"must be a duration such as "90s", "24h", "7d" or "1h30m""#))?;
    match i64::try_from(duration.as_nanos()) {
        Ok(0) => Err(node.wrong("a duration must be more than zero")),
        Ok(nanoseconds) => Ok(nanoseconds),
        Err(_) => Err(node.wrong("a duration must be less than 2^63 nanoseconds, which is 292 years")),
    }
}

/// Nanoseconds in the largest unit of which they are a whole number.
pub fn write_duration(nanoseconds: i64) -> impl fmt::Display {
    const UNITS: [(i64, &str); 7] = [
        (86_400_000_000_000, "d"),
        (3_600_000_000_000, "h"),
        (60_000_000_000, "m"),
        (1_000_000_000, "s"),
        (1_000_000, "ms"),
        (1_000, "us"),
        (1, "ns"),
    ];
    struct Written(i64);
    impl fmt::Display for Written {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let unit = UNITS.iter().find(|(unit, _)| self.0 % unit == 0);
            unit.map_or(Ok(()), |(unit, name)| write!(f, "{}{name}", self.0 / unit))
        }
    }
    Written(nanoseconds)
}
