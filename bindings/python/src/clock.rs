//! Where decay gets the time from.

use cupel::scorer::{Clock, SharedScorer};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::convert::instant;
use crate::error::exception;

/// What is known of the clocks of a scorer and of those below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clocks {
    /// No scorer reads a clock.
    None,
    /// The system's clock alone.
    System,
    /// One that stands still.
    Fixed(i64),
    /// Several, or one of the host's own.
    Other,
}

impl Clocks {
    /// Those of two scorers together.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, clocks) | (clocks, Self::None) => clocks,
            (one, other) if one == other => one,
            _ => Self::Other,
        }
    }

    /// Whether scores do not depend on when they are computed, unless a callback makes them.
    pub fn is_frozen(self) -> bool {
        matches!(self, Self::None | Self::Fixed(_))
    }

    /// A clock that tells the same, where there is one.
    pub fn clock(self, py: Python<'_>) -> PyResult<Clock> {
        match self {
            Self::Fixed(instant) => Clock::fixed(instant).map_err(|error| exception(py, error)),
            _ => Ok(Clock::system()),
        }
    }
}

/// What pickles an object of the class `class`, which is read back from JSON and the instant of its clock.
pub fn pickled<'py>(py: Python<'py>, class: &str, json: String, clocks: Clocks) -> PyResult<Pickled<'py>> {
    let instant = match clocks {
        Clocks::Fixed(instant) => Some(instant),
        _ => None,
    };
    let read = py.import("libcupel._native")?.getattr(class)?.getattr("_from_pickle")?;
    Ok((read, (json, instant).into_pyobject(py)?))
}

/// A function and its arguments, as `__reduce__` returns them.
pub type Pickled<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

/// The clocks of a scorer that was read with one clock.
pub fn clocks_of(scorer: Option<&SharedScorer>, clocks: Clocks) -> Clocks {
    let mut reads_clock = false;
    if let Some(scorer) = scorer {
        walk(scorer, &mut |name| reads_clock |= name == "decay");
    }
    if reads_clock { clocks } else { Clocks::None }
}

/// Names the scorers of a tree, each once however many parents it has.
fn walk(root: &SharedScorer, visit: &mut impl FnMut(&str)) {
    let mut seen = std::collections::HashSet::new();
    let mut open = vec![root];
    while let Some(scorer) = open.pop() {
        visit(scorer.scorer().name());
        open.extend(scorer.children().iter().filter(|child| seen.insert(std::ptr::from_ref(child.scorer()).addr())));
    }
}

/// The present, in nanoseconds since the Unix epoch.
pub fn now(py: Python<'_>) -> PyResult<i64> {
    Clock::system().now().map_err(|error| exception(py, error))
}

/// A source of the present instant. Scorers that are given the same one see the same instant: it is read once in a scoring call.
#[pyclass(frozen, name = "Clock", module = "libcupel")]
pub struct PyClock {
    clock: Clock,
    clocks: Clocks,
}

#[pymethods]
impl PyClock {
    /// A clock from an instant (it stands still) or from a callable that gives one; without either, the system's.
    #[new]
    #[pyo3(signature = (source=None))]
    fn new(source: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let (clock, clocks) = clock(source)?;
        Ok(Self { clock, clocks })
    }

    fn __repr__(&self) -> String {
        match self.clocks {
            Clocks::Fixed(instant) => format!("<Clock at {instant} ns>"),
            Clocks::Other => "<Clock of a callable>".to_owned(),
            Clocks::None | Clocks::System => "<Clock of the system>".to_owned(),
        }
    }
}

/// A clock from a `Clock`, `None` (the system's), an instant (one that stands still) or a callable that gives an instant.
pub fn clock(value: Option<&Bound<'_, PyAny>>) -> PyResult<(Clock, Clocks)> {
    let Some(value) = value else { return Ok((Clock::system(), Clocks::System)) };
    let py = value.py();
    if let Ok(made) = value.cast::<PyClock>() {
        return Ok((made.get().clock.clone(), made.get().clocks));
    }
    if value.is_callable() {
        let callable = value.clone().unbind();
        let clock = Clock::custom(move || {
            let read = Python::attach(|py| instant(callable.bind(py).call0()?.as_any(), "what clock returns"));
            read.map_err(|raised| cupel::Error::Custom(Box::new(raised)))
        });
        return Ok((clock.map_err(|error| exception(py, error))?, Clocks::Other));
    }
    let instant = instant(value, "clock")?;
    Ok((Clock::fixed(instant).map_err(|error| exception(py, error))?, Clocks::Fixed(instant)))
}
