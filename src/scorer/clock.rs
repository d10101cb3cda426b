//! Sources of the present time, for decay.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::Error;
use crate::memory::{Shared, try_box};

/// Whether the platform has a clock. Where it has none, the standard library's clock panics.
const HAS_SYSTEM_CLOCK: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));

/// A source of the present time. Clones share the source.
#[derive(Clone)]
pub struct Clock(Source);

#[derive(Clone)]
enum Source {
    System,
    Fixed(Shared<i64>),
    Custom(Shared<Box<ReadClock>>),
}

type ReadClock = dyn Fn() -> Result<i64, Error> + Send + Sync;

impl Clock {
    /// The system's clock. On `wasm32-unknown-unknown` there is none, and reading it is an error.
    pub const fn system() -> Self {
        Self(Source::System)
    }

    /// A clock with a constant reading, in nanoseconds since the Unix epoch.
    pub fn fixed(unix_nanoseconds: i64) -> Result<Self, Error> {
        Ok(Self(Source::Fixed(Shared::try_new(unix_nanoseconds)?)))
    }

    /// A clock that calls a function, which returns nanoseconds since the Unix epoch. Its error fails the scoring call.
    pub fn custom(read: impl Fn() -> Result<i64, Error> + Send + Sync + 'static) -> Result<Self, Error> {
        let read: Box<ReadClock> = try_box(read)?;
        Ok(Self(Source::Custom(Shared::try_new(read)?)))
    }

    /// Reads the clock. The system's clock saturates at the limits of 64 bits, in the years 1677 and 2262.
    pub fn now(&self) -> Result<i64, Error> {
        match &self.0 {
            Source::System if HAS_SYSTEM_CLOCK => Ok(match SystemTime::now().duration_since(UNIX_EPOCH) {
                Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
                Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanoseconds| -nanoseconds),
            }),
            Source::System => Err(Error::NoSystemClock),
            Source::Fixed(instant) => Ok(**instant),
            Source::Custom(read) => read(),
        }
    }

    /// Whether reading it may fail.
    pub(super) fn may_fail(&self) -> bool {
        match self.0 {
            Source::System => !HAS_SYSTEM_CLOCK,
            Source::Fixed(_) => false,
            Source::Custom(_) => true,
        }
    }

    /// Equal for clones of one clock. All system clocks are one source.
    pub(super) fn identity(&self) -> usize {
        match &self.0 {
            Source::System => 0,
            Source::Fixed(instant) => instant.as_ptr().addr(),
            Source::Custom(read) => read.as_ptr().addr(),
        }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Source::System => "Clock::System",
            Source::Fixed(_) => "Clock::Fixed",
            Source::Custom(_) => "Clock::Custom",
        })
    }
}
