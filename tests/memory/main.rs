//! Memory that runs out: every allocation of every call fails once, and no call minds.
//!
//! A call whose allocation fails either copes or returns `OUT_OF_MEMORY`, with an error, nothing changed and nothing leaked; and
//! the same call works when there is memory again. An abort, which Rust's own collections end in, would end this program.

#![allow(clippy::undocumented_unsafe_blocks, reason = "each is a call of the C ABI with live handles and true lengths")]

mod allocator;
#[path = "../support/arrow.rs"]
mod arrow;
mod attempt;
mod batches;
#[path = "../support/capi.rs"]
mod capi;
mod errors;
mod fixtures;
mod items;
mod json;
mod reuse;
mod rollback;
mod scorers;
mod selecting;
mod tables;
mod window;
