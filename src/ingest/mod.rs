//! Rows as a host lends them: flat arrays, a column each.
//!
//! Views describe the arrays without a copy. They are checked as a whole before a batch takes anything from them.

pub mod columns;
