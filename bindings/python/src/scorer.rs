//! `Scorer`: gives every row of a batch a score.

use cupel::TextMatch;
use cupel::arrow::{Options, PART_ROWS, ReadError, Table, score_tables};
use cupel::ingest::ColumnSet;
use cupel::json::{read_scorer, write_scorer};
use cupel::scorer::{
    Composite, Curve, Decay, Frequency, Kind, MetadataKey, MetadataTrust, Priority, Recency, Reflexive, Scaled,
    SharedScorer, Tag,
};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::arrow::{self, Data};
use crate::callback;
use crate::clock::{Clocks, Pickled, clock, clocks_of, now, pickled};
use crate::convert::{duration, instant, number, text, wrong_type};
use crate::error::{exception, json_exception, out_of_memory, table_exception};
use crate::row::{FIELDS, field_names};
use crate::scores::Scores;

/// Gives every row of a batch a score: higher means more worth keeping. Immutable; any number of threads may use it.
#[pyclass(frozen, module = "libcupel")]
pub struct Scorer {
    pub scorer: SharedScorer,
    pub clocks: Clocks,
}

/// The columns, in the order of the fields of an item.
const COLUMNS: [ColumnSet; FIELDS] = [
    ColumnSet::CONTENT,
    ColumnSet::TOKENS,
    ColumnSet::KIND,
    ColumnSet::SOURCE,
    ColumnSet::PRIORITY,
    ColumnSet::TAGS,
    ColumnSet::METADATA,
    ColumnSet::TIMESTAMP,
    ColumnSet::FUTURE_RELEVANCE_HINT,
    ColumnSet::PINNED,
    ColumnSet::ORIGINAL_TOKENS,
];

/// The names of columns.
pub fn names(py: Python<'_>, columns: ColumnSet) -> PyResult<Bound<'_, PyTuple>> {
    let names = field_names(py).into_iter().zip(COLUMNS).filter(|(_, column)| columns.contains(*column));
    PyTuple::new(py, names.map(|(name, _)| name).collect::<Vec<_>>())
}

impl Scorer {
    fn new(py: Python<'_>, scorer: Result<SharedScorer, cupel::Error>, clocks: Clocks) -> PyResult<Self> {
        Ok(Self { scorer: scorer.map_err(|error| exception(py, error))?, clocks })
    }

    /// Writes scores to `out`, or to new ones, with the interpreter released.
    fn write<'py>(
        &self,
        py: Python<'py>,
        rows: usize,
        out: Option<&Out<'py>>,
        score: impl Fn(&mut [f64]) -> Result<(), ReadError>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(out) = out {
            let buffer = out.of_rows(rows)?;
            // A callback of Python could look into the buffer.
            if !self.scorer.is_custom() && self.clocks != Clocks::Other {
                arrow::detach(py, || score(buffer)).map_err(|error| table_exception(py, error))?;
                return Ok(out.object.clone());
            }
        }
        let mut scores = zeros(rows)?;
        arrow::detach(py, || score(&mut scores)).map_err(|error| table_exception(py, error))?;
        match out {
            Some(out) => {
                out.of_rows(rows)?.copy_from_slice(&scores);
                Ok(out.object.clone())
            }
            None => Ok(Bound::new(py, Scores::new(scores))?.into_any()),
        }
    }

    fn json(&self, py: Python<'_>) -> PyResult<String> {
        write_scorer(&self.scorer).map_err(|error| json_exception(py, error))
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

/// So many zeros.
pub fn zeros(rows: usize) -> PyResult<Vec<f64>> {
    let mut scores = Vec::new();
    scores.try_reserve_exact(rows).map_err(|_| out_of_memory(rows.saturating_mul(8)))?;
    scores.resize(rows, 0.0);
    Ok(scores)
}

/// A buffer of the caller's for scores.
struct Out<'py> {
    object: Bound<'py, PyAny>,
    buffer: PyBuffer<f64>,
}

impl<'py> Out<'py> {
    fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let wrong = || wrong_type("out", "a writable, contiguous buffer of doubles of one dimension", object);
        let buffer = PyBuffer::<f64>::get(object).map_err(|_| wrong())?;
        if buffer.readonly() || buffer.dimensions() != 1 || !buffer.is_c_contiguous() {
            return Err(wrong());
        }
        Ok(Self { object: object.clone(), buffer })
    }

    /// The elements, which must be so many.
    #[expect(clippy::mut_from_ref, reason = "the memory is the caller's")]
    fn of_rows(&self, rows: usize) -> PyResult<&mut [f64]> {
        let len = self.buffer.item_count();
        if len != rows {
            return Err(PyValueError::new_err(format!("out has {len} elements: there are {rows} rows")));
        }
        if len == 0 {
            return Ok(&mut []);
        }
        // SAFETY: a contiguous buffer of so many doubles, which its owner neither moves nor frees while it is exported. That no
        // other thread uses it during the call is the caller's promise, as the documentation says.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.buffer.buf_ptr().cast::<f64>(), len) })
    }
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
        let clocks = clocks_of(Some(&scorer), clocks);
        Ok(Self { scorer, clocks })
    }

    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.json(py)
    }

    /// What the scorer reads, by the names of the columns.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        names(py, self.scorer.columns())
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

    /// The same scorer, with the present instead of the system's clock. Clocks that stand still stay as they are.
    fn freeze(&self, py: Python<'_>) -> PyResult<Self> {
        if self.clocks.is_frozen() {
            return Ok(Self { scorer: self.scorer.clone(), clocks: self.clocks });
        }
        self.at(now(py)?.into_pyobject(py)?.as_any())
    }

    /// The scorers that this one combines, each with its weight: scored on the same data they explain the scores.
    #[getter]
    fn children(&self) -> Vec<(Self, f64)> {
        let weight = |child| self.scorer.scorer().child_weight(child);
        let child = |(index, scorer): (usize, &SharedScorer)| {
            (Self { scorer: scorer.clone(), clocks: clocks_of(Some(scorer), self.clocks) }, weight(index))
        };
        self.scorer.children().iter().enumerate().map(child).collect()
    }

    /// Scores every row of a `Batch`, of an iterable of items, or of a table: anything with `__arrow_c_array__` or
    /// `__arrow_c_stream__`.
    ///
    /// Rows are scored among the rows of their group. `group` names a column of a table; rows of one value must follow each
    /// other. `groups` are the offsets of the groups of a `Batch` or of items: [0, 3, 7]. A table of lists of structs has a
    /// group in each list.
    ///
    /// `out`, a writable buffer of doubles, takes the scores and is returned. `naive="utc"` takes timestamps without a zone
    /// as UTC.
    #[pyo3(signature = (data, *, group=None, groups=None, out=None, naive="error"))]
    fn score<'py>(
        &self,
        data: &Bound<'py, PyAny>,
        group: Option<&Bound<'py, PyAny>>,
        groups: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
        naive: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = data.py();
        let naive_is_utc = arrow::naive_is_utc(naive)?;
        let out = out.map(Out::of).transpose()?;
        let data = Data::of(data)?;
        arrow::check_groups(&data, group, groups)?;
        let groups = groups.map(arrow::offsets).transpose()?;
        let on_batch = |batch: &cupel::Batch| {
            self.write(py, batch.len(), out.as_ref(), |scores| match &groups {
                None => self.scorer.score_batch(batch, scores).map_err(ReadError::from),
                Some(groups) => self.scorer.score_groups(batch, groups, scores).map_err(ReadError::from),
            })
        };
        match &data {
            Data::Batch(batch) => batch.get().read(py, on_batch),
            Data::Items(batch) => on_batch(batch),
            Data::Tables(tables) => {
                let options = Options { naive_is_utc, group: arrow::group_name(group)? };
                let tables = tables.find(py, options, self.scorer.columns())?;
                if self.scorer.is_custom() && group.is_none() && !tables.iter().any(Table::is_of_lists) {
                    return on_batch(&arrow::read(py, &tables)?);
                }
                let rows = tables.iter().map(Table::rows).sum();
                self.write(py, rows, out.as_ref(), |scores| score_tables(&tables, &self.scorer, PART_ROWS, scores))
            }
        }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py>> {
        let (py, this) = (slf.py(), slf.get());
        if this.scorer.is_custom() || this.clocks == Clocks::Other {
            let what =
                "a scorer with a custom scorer or a clock of its own cannot be pickled; give it an instant with at()";
            return Err(PyTypeError::new_err(what));
        }
        pickled(py, "Scorer", this.json(py)?, this.clocks)
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
