//! Tells a language-model application which pieces of context are worth keeping.

pub mod capi;
pub mod error;
pub mod json;
#[doc(hidden)]
pub mod kernel;
mod memory;
pub mod model;
pub mod scorer;

pub use error::Error;
pub use memory::OutOfMemory;
