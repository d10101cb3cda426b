//! The native half of the Python package `libcupel`.
//!
//! One file per Python class; `convert` turns Python values into the library's, with errors that say where the value stood.

#![allow(
    clippy::result_large_err,
    clippy::large_enum_variant,
    reason = "errors of tables carry what they found without memory of their own, and there is one of each in a call"
)]

mod arrow;
mod batch;
mod callback;
mod clock;
mod convert;
mod error;
mod export;
mod groups;
mod item;
mod messages;
mod row;
mod scorer;
mod scores;
mod selection;
mod selector;

use pyo3::prelude::*;

/// Scores context items for language models.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::clock::PyClock;
    #[pymodule_export]
    use crate::error::Error;
    #[pymodule_export]
    use crate::item::Item;
    #[pymodule_export]
    use crate::messages::from_messages;
    #[pymodule_export]
    use crate::scorer::Scorer;
    #[pymodule_export]
    use crate::scores::Scores;
    #[pymodule_export]
    use crate::selection::Selection;
    #[pymodule_export]
    use crate::selection::Shortfall;
    #[pymodule_export]
    use crate::selector::Selector;
}
