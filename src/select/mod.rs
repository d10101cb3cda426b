//! Choosing the rows to keep under a token budget, and their order.
//!
//! A [`Selector`] is a policy that was checked. Given a batch and a [`Request`] it fills a [`Selection`]: the rows that are
//! kept, in order, and a reason for every row. The stages have a file each: units (classification and groups), duplicates,
//! slice (one file for each slicer), place, and the stable prefix.

mod duplicates;
mod metadata_text;
mod needed;
mod order;
mod place;
mod policy;
mod request;
mod scratch;
mod selection;
mod selector;
mod slice;
mod stable;
mod units;

pub use policy::{CountQuota, Overflow, Placer, Policy, Quota, Scarcity, Slicer};
pub use request::{Previous, Request};
pub use selection::{Reason, Selection, Shortfall, Tokens};
pub use selector::Selector;

/// The cause of a row that has none.
pub const NO_CAUSE: u32 = u32::MAX;
