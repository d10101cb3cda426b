//! Memory that selecting leaves with the batch, so that selecting again allocates nothing.

use crate::select::duplicates::Duplicates;
use crate::select::place::Places;
use crate::select::slice::SliceScratch;
use crate::select::units::Units;

/// Memory for one call at a time.
#[derive(Debug, Default)]
pub struct Scratch {
    pub units: Units,
    pub duplicates: Duplicates,
    pub slice: SliceScratch,
    pub places: Places,
    /// By row, where there is no selection to write them to.
    pub reasons: Vec<u8>,
}
