//! Rows as a host lends them: flat arrays, one or more for each field.
//!
//! [`Columns`] describes the arrays without a copy: texts with 32- or 64-bit offsets and an optional dictionary, missing values
//! as bytes or as bits. [`Columns::check`] checks everything and gives a [`Checked`], the only form that a batch accepts; what
//! is wrong is a [`ColumnError`] that names the column, the array and the position, for each boundary to render in its terms.
//!
//! ```
//! use cupel::ingest::{Columns, Flags, Offsets, Texts, Values};
//!
//! let kinds = Texts { data: b"MessageDocument", offsets: Offsets::I32(&[0, 7, 15]), codes: None };
//! let priority = Values { values: &[3, 0], validity: Some(Flags::Bits { bytes: &[0b01], offset: 0 }) };
//! let columns = Columns { rows: 2, kind: Some(kinds.into()), priority: Some(priority), ..Columns::default() };
//!
//! let mut batch = cupel::Batch::new();
//! batch.append_columns(&columns.check()?)?;
//! assert_eq!(batch.item(1)?.kind(), "Document");
//! assert_eq!((batch.item(0)?.priority(), batch.item(1)?.priority()), (Some(3), None));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[allow(clippy::useless_conversion, reason = "one of the widths of offsets is i64 already")]
mod check;
#[allow(clippy::useless_conversion, reason = "one of the widths of offsets is i64 already")]
mod checked;
mod code_map;
mod column_set;
mod error;
mod views;

pub(crate) use check::check_rows;
pub use checked::Checked;
pub(crate) use checked::{CheckedMetadata, CheckedTags, CheckedTexts, ValueType};
pub(crate) use code_map::{CodeMap, Numbers, set_len};
pub use column_set::ColumnSet;
pub use error::{Array, Column, ColumnError, Problem};
pub(crate) use views::on_offsets;
pub use views::{Codes, Columns, Flags, Metadata, NullableTexts, Offsets, Tags, Texts, Values};

/// Rows that go through all steps of an append together, so that intermediate results stay in L1.
pub(crate) const BLOCK_ROWS: usize = 512;

/// The greatest number of rows of a batch. Row numbers are 32-bit integers.
pub(crate) const MAX_ROWS: usize = i32::MAX as usize;
