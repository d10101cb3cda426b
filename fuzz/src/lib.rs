//! The bodies of the fuzz targets: each takes any bytes and panics when the library breaks a promise.

#[path = "../../tests/support/capi.rs"]
#[allow(clippy::all, reason = "shared with the integration tests, which are linted")]
pub mod capi;

#[path = "../../tests/support/arrow.rs"]
#[allow(clippy::all, reason = "shared with the integration tests, which are linted")]
pub mod arrow;

pub mod append_arrow;
pub mod append_columns;
pub mod append_json;
mod appending;
pub mod call_sequence;
pub mod differential;
pub mod scorer_from_json;
pub mod select;
mod values;

/// A target: its name, which is also its folder in the corpus, and its body.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 7] = [
    ("scorer_from_json", scorer_from_json::run),
    ("append_json", append_json::run),
    ("append_columns", append_columns::run),
    ("append_arrow", append_arrow::run),
    ("call_sequence", call_sequence::run),
    ("differential", differential::run),
    ("select", select::run),
];
