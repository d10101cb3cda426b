//! Instants by RFC 3339.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::json::failure::Rule;

/// Reads an instant as nanoseconds since the Unix epoch. Digits beyond the nanosecond are dropped.
///
/// The offset may be `Z`; `T` and `Z` may be lower-case letters and `T` a space. A leap second (`:60`), where there can be
/// one, is the last nanosecond of the second before.
pub fn parse(text: &str) -> Result<i64, Rule> {
    // The format allows any separator of date and time.
    let is_separated = matches!(text.as_bytes().get(10), Some(b'T' | b't' | b' '));
    let instant = OffsetDateTime::parse(text, &Rfc3339).ok().filter(|_| is_separated);
    let instant =
        instant.ok_or(Rule::Invalid(r#"must be an instant such as "2026-01-31T08:30:00.25Z", by RFC 3339"#))?;
    i64::try_from(instant.unix_timestamp_nanos()).map_err(|_| {
        Rule::Invalid("an instant lies between 1677-09-21T00:12:43.145224192Z and 2262-04-11T23:47:16.854775807Z")
    })
}
