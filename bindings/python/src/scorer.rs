//! `Scorer`: gives every row of a batch a score.

use cupel::TextMatch;
use cupel::ingest::ColumnSet;
use cupel::json::{read_scorer, write_scorer};
use cupel::scorer::{
    Composite, Curve, Decay, Frequency, Kind, MetadataKey, MetadataTrust, Priority, Recency, Reflexive, Scaled,
    SharedScorer, Tag,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::batch::{Batch, append};
use crate::callback;
use crate::clock::{Clocks, clock};
use crate::convert::{duration, instant, number, text, wrong_type};
use crate::error::{exception, json_exception};
use crate::scores::Scores;

/// Gives every row of a batch a score: higher means more worth keeping. Immutable; any number of threads may use it.
#[pyclass(frozen, module = "libcupel")]
pub struct Scorer {
    pub scorer: SharedScorer,
    clocks: Clocks,
}

/// The columns by name, in the order of the fields of an item.
const COLUMNS: [(&str, ColumnSet); 11] = [
    ("content", ColumnSet::CONTENT),
    ("tokens", ColumnSet::TOKENS),
    ("kind", ColumnSet::KIND),
    ("source", ColumnSet::SOURCE),
    ("priority", ColumnSet::PRIORITY),
    ("tags", ColumnSet::TAGS),
    ("metadata", ColumnSet::METADATA),
    ("timestamp", ColumnSet::TIMESTAMP),
    ("future_relevance_hint", ColumnSet::FUTURE_RELEVANCE_HINT),
    ("pinned", ColumnSet::PINNED),
    ("original_tokens", ColumnSet::ORIGINAL_TOKENS),
];

impl Scorer {
    fn new(py: Python<'_>, scorer: Result<SharedScorer, cupel::Error>, clocks: Clocks) -> PyResult<Self> {
        Ok(Self { scorer: scorer.map_err(|error| exception(py, error))?, clocks })
    }

    fn json(&self, py: Python<'_>) -> PyResult<String> {
        write_scorer(&self.scorer).map_err(|error| json_exception(py, error))
    }
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

/// Names with weights, from a mapping.
fn weights<'py>(weights: &Bound<'py, PyDict>) -> PyResult<Vec<(Bound<'py, PyAny>, f64)>> {
    weights
        .iter()
        .map(|(name, weight)| {
            let shown = text(&name, "a name in weights")?.to_owned();
            Ok((name, number(&weight, format_args!("weights[{shown:?}]"))?))
        })
        .collect()
}

/// The names of weights as texts, which [`weights`] has checked.
fn named<'a>(weights: &'a [(Bound<'_, PyAny>, f64)]) -> impl Iterator<Item = (&'a str, f64)> {
    weights.iter().filter_map(|(name, weight)| Some((name.cast::<PyString>().ok()?.to_str().ok()?, *weight)))
}

#[pymethods]
impl Scorer {
    #[staticmethod]
    fn recency(py: Python<'_>) -> PyResult<Self> {
        Self::new(py, Recency::new(), Clocks::None)
    }

    #[staticmethod]
    fn priority(py: Python<'_>) -> PyResult<Self> {
        Self::new(py, Priority::new(), Clocks::None)
    }

    #[staticmethod]
    fn frequency(py: Python<'_>) -> PyResult<Self> {
        Self::new(py, Frequency::new(), Clocks::None)
    }

    #[staticmethod]
    fn reflexive(py: Python<'_>) -> PyResult<Self> {
        Self::new(py, Reflexive::new(), Clocks::None)
    }

    #[staticmethod]
    #[pyo3(signature = (weights=None))]
    fn kind(py: Python<'_>, weights: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let scorer = match weights {
            Some(given) => Kind::new(named(&self::weights(given)?)),
            None => Kind::with_default_weights(),
        };
        Self::new(py, scorer, Clocks::None)
    }

    #[staticmethod]
    #[pyo3(signature = (weights, *, ignore_case=false))]
    fn tag(py: Python<'_>, weights: &Bound<'_, PyDict>, ignore_case: bool) -> PyResult<Self> {
        let rule = if ignore_case { TextMatch::AsciiCaseInsensitive } else { TextMatch::Exact };
        Self::new(py, Tag::new(named(&self::weights(weights)?), rule), Clocks::None)
    }

    #[staticmethod]
    #[pyo3(signature = (default=0.5))]
    fn metadata_trust(py: Python<'_>, default: f64) -> PyResult<Self> {
        Self::new(py, MetadataTrust::new(default), Clocks::None)
    }

    #[staticmethod]
    fn metadata_key(py: Python<'_>, key: &str, value: &str, boost: f64) -> PyResult<Self> {
        Self::new(py, MetadataKey::new(key, value, boost), Clocks::None)
    }

    #[staticmethod]
    #[pyo3(signature = (half_life, *, clock=None, missing=0.5))]
    fn decay_exponential(
        half_life: &Bound<'_, PyAny>,
        clock: Option<&Bound<'_, PyAny>>,
        missing: f64,
    ) -> PyResult<Self> {
        let py = half_life.py();
        let (clock, clocks) = self::clock(clock)?;
        let curve = Curve::exponential(duration(half_life, "half_life")?).map_err(|error| exception(py, error))?;
        Self::new(py, Decay::new(&clock, curve, missing), clocks)
    }

    #[staticmethod]
    #[pyo3(signature = (max_age, *, clock=None, missing=0.5))]
    fn decay_window(max_age: &Bound<'_, PyAny>, clock: Option<&Bound<'_, PyAny>>, missing: f64) -> PyResult<Self> {
        let py = max_age.py();
        let (clock, clocks) = self::clock(clock)?;
        let curve = Curve::window(duration(max_age, "max_age")?).map_err(|error| exception(py, error))?;
        Self::new(py, Decay::new(&clock, curve, missing), clocks)
    }

    #[staticmethod]
    #[pyo3(signature = (steps, *, clock=None, missing=0.5))]
    fn decay_step(steps: &Bound<'_, PyAny>, clock: Option<&Bound<'_, PyAny>>, missing: f64) -> PyResult<Self> {
        let py = steps.py();
        let (clock, clocks) = self::clock(clock)?;
        let mut list = Vec::new();
        for (index, step) in steps.try_iter()?.enumerate() {
            let step = step?;
            let pair = step.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>();
            let (age, score) =
                pair.map_err(|_| wrong_type(format_args!("steps[{index}]"), "a pair of an age and a score", &step))?;
            let age = duration(&age, format_args!("the age of steps[{index}]"))?;
            list.push((age, number(&score, format_args!("the score of steps[{index}]"))?));
        }
        let curve = Curve::step(list).map_err(|error| exception(py, error))?;
        Self::new(py, Decay::new(&clock, curve, missing), clocks)
    }

    #[staticmethod]
    fn composite(children: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut list = Vec::new();
        for (index, child) in children.try_iter()?.enumerate() {
            let child = child?;
            let wrong = || wrong_type(format_args!("children[{index}]"), "a pair of a Scorer and a weight", &child);
            let (scorer, weight) = child.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>().map_err(|_| wrong())?;
            let scorer = scorer.cast_into::<Self>().map_err(|_| wrong())?;
            list.push((scorer, number(&weight, format_args!("the weight of children[{index}]"))?));
        }
        let clocks = list.iter().fold(Clocks::None, |all, (scorer, _)| all.and(scorer.get().clocks));
        let parts = list.iter().map(|(scorer, weight)| (&scorer.get().scorer, *weight));
        Self::new(children.py(), Composite::new(parts), clocks)
    }

    #[staticmethod]
    fn scaled(py: Python<'_>, inner: &Bound<'_, Self>) -> PyResult<Self> {
        Self::new(py, Scaled::new(&inner.get().scorer), inner.get().clocks)
    }

    #[staticmethod]
    fn custom(function: Bound<'_, PyAny>) -> PyResult<Self> {
        if !function.is_callable() {
            return Err(wrong_type("function", "callable", &function));
        }
        Self::new(function.py(), callback::custom(function.clone().unbind()), Clocks::None)
    }

    #[staticmethod]
    #[pyo3(signature = (text, *, clock=None))]
    fn from_json(py: Python<'_>, text: &str, clock: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let (clock, clocks) = self::clock(clock)?;
        let scorer = read_scorer(text, &clock).map_err(|error| json_exception(py, error))?;
        let mut reads_clock = false;
        walk(&scorer, &mut |name| reads_clock |= name == "decay");
        Ok(Self { scorer, clocks: if reads_clock { clocks } else { Clocks::None } })
    }

    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.json(py)
    }

    /// What the scorer reads, by the names of the columns.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let read = self.scorer.columns();
        PyTuple::new(
            py,
            COLUMNS.iter().filter(|(_, column)| read.contains(*column)).map(|(name, _)| *name).collect::<Vec<_>>(),
        )
    }

    /// The same scorer with a clock that stands still.
    fn at(&self, instant: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = instant.py();
        let clocks = Clocks::Fixed(self::instant(instant, "instant")?);
        if self.clocks == Clocks::None {
            return Ok(Self { scorer: self.scorer.clone(), clocks: self.clocks });
        }
        let scorer = read_scorer(&self.json(py)?, &clocks.clock(py)?).map_err(|error| json_exception(py, error))?;
        Ok(Self { scorer, clocks })
    }

    /// Scores every row of a batch, or of an iterable of items.
    #[pyo3(signature = (data, *, out=None))]
    fn score(&self, data: &Bound<'_, PyAny>, out: Option<&Bound<'_, PyAny>>) -> PyResult<Scores> {
        let py = data.py();
        let score = |batch: &cupel::Batch| {
            let mut scores = vec![0.0; batch.len()];
            py.detach(|| self.scorer.score_batch(batch, &mut scores)).map_err(|error| exception(py, error))?;
            Ok(scores)
        };
        let scores = if let Ok(batch) = data.cast::<Batch>() {
            batch.get().read(py, score)?
        } else if data.is_instance_of::<PyString>() || data.is_instance_of::<PyDict>() {
            return Err(wrong_type("data", "a Batch or an iterable of items", data));
        } else {
            let mut batch = cupel::Batch::new();
            append(&mut batch, data)?;
            score(&batch)?
        };
        match out {
            None => Ok(Scores::new(scores)),
            Some(out) => {
                let buffer = pyo3::buffer::PyBuffer::<f64>::get(out)
                    .map_err(|_| wrong_type("out", "a writable buffer of doubles", out))?;
                if buffer.readonly() || buffer.dimensions() != 1 {
                    return Err(PyTypeError::new_err("out must be a writable buffer of one dimension"));
                }
                if buffer.item_count() != scores.len() {
                    let (given, rows) = (buffer.item_count(), scores.len());
                    return Err(PyValueError::new_err(format!("out has {given} elements: there are {rows} rows")));
                }
                buffer.copy_from_slice(py, &scores)?;
                Ok(Scores::new(scores))
            }
        }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        if this.scorer.is_custom() || this.clocks == Clocks::Other {
            let what =
                "a scorer with a custom scorer or a clock of its own cannot be pickled; give it an instant with at()";
            return Err(PyTypeError::new_err(what));
        }
        let instant = match this.clocks {
            Clocks::Fixed(instant) => Some(instant),
            _ => None,
        };
        let read = py.import("libcupel._native")?.getattr("Scorer")?.getattr("_from_pickle")?;
        Ok((read, (this.json(py)?, instant).into_pyobject(py)?))
    }

    #[staticmethod]
    fn _from_pickle(py: Python<'_>, text: &str, instant: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Self::from_json(py, text, instant)
    }

    fn __repr__(&self) -> String {
        match write_scorer(&self.scorer) {
            Ok(json) => format!("<Scorer {json}>"),
            Err(_) => format!("<Scorer {}>", self.scorer.scorer().name()),
        }
    }
}
