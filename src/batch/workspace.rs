//! Scratch memory that scoring leaves with the batch, so that scoring it again allocates nothing.

use std::any::Any;
use std::sync::Mutex;

/// The identity and the reading of each clock that was read.
pub type ClockReadings = Vec<(usize, i64)>;

/// Memory for one scoring call at a time.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Buffers of one score a row, for the inner nodes of a tree of scorers.
    pub slots: Vec<Vec<f64>>,
    /// What a single scorer works in.
    pub words: Vec<u64>,
    /// The same, for doubles.
    pub doubles: Vec<f64>,
    /// Validity bytes of a column restricted to the peers.
    pub validity: Vec<u8>,
    /// The clocks that were read in this call.
    pub readings: ClockReadings,
    /// The memory of selecting.
    pub later: LaterStage,
}

/// The scratch memory of a stage after scoring, whose type that stage alone knows.
pub type LaterStage = Option<Box<dyn Any + Send>>;

/// Where a workspace waits for the next call.
#[derive(Debug)]
pub struct WorkspaceCell(Mutex<Workspace>);

impl WorkspaceCell {
    /// A cell with an empty workspace.
    pub const fn new() -> Self {
        Self(Mutex::new(Workspace {
            slots: Vec::new(),
            words: Vec::new(),
            doubles: Vec::new(),
            validity: Vec::new(),
            readings: Vec::new(),
            later: None,
        }))
    }

    /// The workspace, or an empty one when another call has it. Nobody waits.
    pub fn take(&self) -> Workspace {
        self.0.try_lock().map(|mut inside| std::mem::take(&mut *inside)).unwrap_or_default()
    }

    /// Leaves a workspace for the next call.
    pub fn put(&self, workspace: Workspace) {
        if let Ok(mut inside) = self.0.try_lock() {
            *inside = workspace;
        }
    }
}
