//! Instants as RFC 3339 writes them.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::error::Error;
use crate::json::node::Node;

/// Reads an instant as nanoseconds since the Unix epoch. Digits beyond the nanosecond are dropped.
///
/// The offset may be `Z`; `T` and `Z` may be lower-case letters and `T` a space. A leap second (`:60`), where there can be
/// one, counts as the last nanosecond before it ends.
pub fn read_timestamp(node: Node<'_>, buffer: &mut String) -> Result<i64, Error> {
    let text = node.string_in(buffer)?;
    // The format leaves open what stands between the date and the time.
    let separated = matches!(text.as_bytes().get(10), Some(b'T' | b't' | b' '));
    let instant = OffsetDateTime::parse(text, &Rfc3339).ok().filter(|_| separated);
    let instant =
        instant.ok_or_else(|| node.wrong(r#"must be an instant such as "2026-01-31T08:30:00.25Z", by RFC 3339"#))?;
    i64::try_from(instant.unix_timestamp_nanos()).map_err(|_| {
        node.wrong("an instant lies between 1677-09-21T00:12:43.145224192Z and 2262-04-11T23:47:16.854775807Z")
    })
}
