//! Scratch memory that later layers leave with a batch, so that the next call on it allocates nothing.

use std::any::Any;
use std::sync::Mutex;

/// A value of each layer that has left one, of a type that the layer alone knows.
#[derive(Debug)]
pub struct Workspace(Mutex<[Option<Box<dyn Any + Send>>; Self::LAYERS]>);

impl Workspace {
    /// Scoring and selecting.
    const LAYERS: usize = 2;

    /// An empty workspace.
    pub const fn new() -> Self {
        Self(Mutex::new([const { None }; Self::LAYERS]))
    }

    /// The value of a type, if one was left and no other call has it. Nobody waits.
    pub fn take<T: Any>(&self) -> Option<Box<T>> {
        let mut values = self.0.try_lock().ok()?;
        let value = values.iter_mut().find(|value| value.as_ref().is_some_and(|value| value.is::<T>()))?;
        value.take()?.downcast().ok()
    }

    /// Leaves a value for the next call. It is dropped if another call has left one meanwhile.
    pub fn put<T: Any + Send>(&self, value: Box<T>) {
        let Ok(mut values) = self.0.try_lock() else { return };
        let has_one = values.iter().flatten().any(|value| value.is::<T>());
        if let Some(free) = values.iter_mut().find(|value| value.is_none())
            && !has_one
        {
            *free = Some(value);
        }
    }
}
