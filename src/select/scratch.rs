//! Memory that selecting leaves with the batch, so that selecting again allocates nothing.

use crate::memory::{OutOfMemory, try_box};
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

/// The scratch memory that an earlier call left in a workspace, or new memory.
pub fn of_workspace(later: &mut crate::batch::LaterStage) -> Result<&mut Scratch, OutOfMemory> {
    if later.as_ref().is_none_or(|scratch| !scratch.is::<Scratch>()) {
        *later = Some(try_box(Scratch::default())?);
    }
    later.as_mut().and_then(|scratch| scratch.downcast_mut()).ok_or(OutOfMemory)
}
