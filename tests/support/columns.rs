//! The call that hands over many rows at once.

use cupel::capi as c;

use super::capi::{Batch, Result, check};

/// An empty set of columns for `rows` rows.
#[allow(dead_code, reason = "not every test target starts from here")]
pub fn columns(rows: usize) -> c::cupel_columns {
    // SAFETY: NULL pointers and zero lengths mean that a column is absent.
    let mut columns: c::cupel_columns = unsafe { std::mem::zeroed() };
    columns.struct_size = size_of::<c::cupel_columns>();
    columns.rows = rows;
    columns
}

/// Appends the rows of `columns`, whose arrays are as long as they say.
pub fn append(batch: &mut Batch, columns: &c::cupel_columns) -> Result<()> {
    // SAFETY: the batch is owned, and the arrays are the caller's promise.
    check(|error| unsafe { c::cupel_batch_append_columns(batch.as_mut_ptr(), columns, error) })
}
