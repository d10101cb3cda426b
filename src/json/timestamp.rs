//! Instants by RFC 3339.

use std::fmt;

use time::OffsetDateTime;
use time::format_description::well_known;

use crate::json::failure::Rule;

/// Reads an instant as nanoseconds since the Unix epoch. Digits beyond the nanosecond are dropped.
///
/// The offset may be `Z`; `T` and `Z` may be lower-case letters and `T` a space. A leap second (`:60`), where there can be
/// one, is the last nanosecond of the second before.
pub fn parse(text: &str) -> Result<i64, Rule> {
    // The format allows any separator of date and time.
    let is_separated = matches!(text.as_bytes().get(10), Some(b'T' | b't' | b' '));
    let instant = OffsetDateTime::parse(text, &well_known::Rfc3339).ok().filter(|_| is_separated);
    let instant =
        instant.ok_or(Rule::Invalid(r#"must be an instant such as "2026-01-31T08:30:00.25Z", by RFC 3339"#))?;
    i64::try_from(instant.unix_timestamp_nanos()).map_err(|_| {
        Rule::Invalid("an instant lies between 1677-09-21T00:12:43.145224192Z and 2262-04-11T23:47:16.854775807Z")
    })
}

/// An instant, in nanoseconds since the Unix epoch, as it is written: in UTC, with as many digits of the second as it has.
pub struct Rfc3339(pub i64);

impl fmt::Display for Rfc3339 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instant = OffsetDateTime::from_unix_timestamp_nanos(self.0.into()).map_err(|_| fmt::Error)?;
        let (date, time) = (instant.date(), instant.time());
        let (year, month, day) = (date.year(), u8::from(date.month()), date.day());
        write!(f, "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second())?;
        let (mut fraction, mut digits) = (time.nanosecond(), 9);
        if fraction > 0 {
            while fraction % 10 == 0 {
                fraction /= 10;
                digits -= 1;
            }
            write!(f, ".{fraction:0digits$}")?;
        }
        f.write_str("Z")
    }
}
