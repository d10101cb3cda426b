//! Reads record batches through Arrow's C data interface.
//!
//! [`Table::read`] walks the two C structs, checks what the interface lets a consumer check, and gives the views that
//! [`ingest`](crate::ingest) checks further: there is one checker of columns. Text bytes, 64-bit values, offsets, dictionary codes
//! and bitmaps are lent as they are; other integers, timestamps of other units, views, lists with gaps and struct metadata are
//! translated. One file per layout: node, buffer, text, number, list, metadata; group reads the groups of rows, score scores
//! them part by part, and stream reads streams of tables.
//!
//! The interface gives addresses without sizes. That a buffer is as long as the array's length demands is the producer's
//! promise, which no consumer can check.

#![allow(
    clippy::result_large_err,
    reason = "an error carries what it found without memory of its own, and is made once"
)]

mod buffer;
mod error;
mod ffi;
mod group;
mod list;
mod metadata;
mod node;
mod number;
mod score;
mod stream;
mod table;
mod text;

pub use error::{ArrowError, Fault};
pub use ffi::{ArrowArray, ArrowArrayStream, ArrowSchema, Release};
pub use group::Groups;
pub use score::{PART_ROWS, score_tables};
pub use stream::{Owned, Stream, append_stream, append_table};
pub use table::{Options, ReadError, Table, Wanted};
