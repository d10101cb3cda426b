//! The C ABI: thin functions that check, convert, call the core and report.
//!
//! One file for each handle. The functions are documented for C, in `include/cupel.h`, which `build.rs` makes from the
//! comments here. A comment describes only what is particular to its function: `build.rs` adds the parameters that mean
//! the same everywhere, the statuses that the parameters can cause, and the thread rule that follows from which handles
//! are `const`, unless the comment states its own.

#![allow(non_camel_case_types, reason = "C types have their C names")]
#![allow(rustdoc::broken_intra_doc_links, reason = "the documentation is for C, where brackets are subscripts")]
#![allow(clippy::missing_safety_doc, reason = "what a pointer must be is said once, in the introduction of the header")]
#![allow(
    unsafe_op_in_unsafe_fn,
    reason = "an exported function and its body are unsafe as a whole: the arguments are what the caller promises"
)]
#![allow(clippy::result_large_err, reason = "a refusal is made once, on the way out of a call that fails")]

mod arrow;
mod batch;
mod batch_read;
mod boundary;
mod clock;
mod column_set;
mod columns;
mod error;
mod item;
mod item_builder;
mod ownership;
mod scorer;
mod selection;
mod selector;
mod sized_struct;
mod status;
mod text;
mod user_data;
mod version;

pub use arrow::{
    CUPEL_ARROW_NAIVE_IS_UTC, cupel_arrow_options, cupel_batch_append_arrow, cupel_batch_append_arrow_stream,
    cupel_scorer_score_arrow,
};
pub use batch::*;
pub use batch_read::*;
pub use clock::*;
pub use column_set::*;
pub use columns::{cupel_columns, cupel_text_column};
pub use error::{
    cupel_error, cupel_error_free, cupel_error_message, cupel_error_new, cupel_error_payload, cupel_error_status,
    cupel_error_with_payload_new,
};
pub use item::*;
pub use item_builder::*;
pub use scorer::*;
pub use selection::*;
pub use selector::*;
pub use status::*;
pub use text::*;
pub use user_data::cupel_destroy_callback;
pub use version::*;
