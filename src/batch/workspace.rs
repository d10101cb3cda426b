//! Scratch memory that later layers leave with a batch, so that the next call on it allocates nothing.

use std::any::Any;
use std::sync::Mutex;

use crate::error::Error;
use crate::memory::try_box;

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

    /// Calls `work` with the value of a type that an earlier call left, or a new one if none did or another call has it, and
    /// leaves it for the next call.
    pub fn with<T: Any + Send + Default>(&self, work: impl FnOnce(&mut T) -> Result<(), Error>) -> Result<(), Error> {
        let mut value = match self.take::<T>() {
            Some(value) => value,
            None => try_box(T::default())?,
        };
        let result = work(&mut value);
        self.put(value);
        result
    }

    /// Nobody waits.
    fn take<T: Any>(&self) -> Option<Box<T>> {
        let mut values = self.0.try_lock().ok()?;
        let value = values.iter_mut().find(|value| value.as_ref().is_some_and(|value| value.is::<T>()))?;
        value.take()?.downcast().ok()
    }

    /// The value is dropped if another call has left one meanwhile.
    fn put<T: Any + Send>(&self, value: Box<T>) {
        let Ok(mut values) = self.0.try_lock() else { return };
        let has_one = values.iter().flatten().any(|value| value.is::<T>());
        if let Some(free) = values.iter_mut().find(|value| value.is_none())
            && !has_one
        {
            *free = Some(value);
        }
    }
}
