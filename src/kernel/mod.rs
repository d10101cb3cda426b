//! The hot loops of scoring and selecting, on slices.
//!
//! Kernels do not depend on batches and scorers, allocate nothing (the caller passes scratch memory), and compute the same
//! bits on every processor: operations are in the order written and never fused. `dispatch` chooses the instruction set at
//! run time. Optimised kernels are tested against a direct implementation of their definition.

mod dispatch;

pub(crate) mod combine;
pub(crate) mod decay;
mod exp2_table;
pub(crate) mod frequency;
pub(crate) mod knapsack;
pub(crate) mod lookup;
#[cfg(test)]
pub(crate) mod random;
pub(crate) mod rank;
pub(crate) mod scale;
mod sort;
pub(crate) mod unit;
pub(crate) mod utf8;

pub use dispatch::{force_portable, uses_avx2};
#[cfg(test)]
pub(crate) use random::Random;
