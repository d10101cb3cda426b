//! The loops that scoring spends its time in, on plain slices.
//!
//! Kernels know nothing of batches and scorers, allocate nothing (scratch is passed in), and give
//! the same bits on every processor: arithmetic is in the order written, never fused. `dispatch`
//! chooses the instruction set at run time. A kernel that is not plain to read has a plain one in
//! its tests, which it must agree with.

mod dispatch;

pub mod combine;
pub mod decay;
mod exp2_table;
pub mod frequency;
pub mod knapsack;
pub mod lookup;
pub mod order;
#[cfg(test)]
pub(crate) mod random;
pub mod rank;
pub mod scale;
mod sort;
pub mod unit;

pub use dispatch::{force_portable, uses_avx2};
#[cfg(test)]
pub(crate) use random::Random;
