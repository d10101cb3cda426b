//! Memory that selecting leaves with the batch, so that selecting again allocates nothing.

use crate::batch::Batch;
use crate::error::Error;
use crate::memory::try_box;
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

impl Scratch {
    /// Calls `work` with the scratch memory that an earlier call left with a batch, or new memory.
    pub fn with(batch: &Batch, work: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        let mut scratch = match batch.workspace().take::<Self>() {
            Some(scratch) => scratch,
            None => try_box(Self::default())?,
        };
        let result = work(&mut scratch);
        batch.workspace().put(scratch);
        result
    }
}
