//! `Selector`: which rows to keep under a token budget.

use cupel::arrow::{Options, Table};
use cupel::json::{read_selector, write_selector};
use cupel::select::{CountQuota, Overflow, Placer, Policy, Previous, Quota, Request, Scarcity, Slicer};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arrow::{self, Data};
use crate::clock::{Clocks, Pickled, clock, clocks_of, now, pickled};
use crate::convert::{instant, integer, number, text, wrong_type};
use crate::error::{exception, json_exception};
use crate::scorer::{Scorer, names};
use crate::selection::Selection;

/// A policy: which rows to keep under a token budget, and in which order. Immutable; any number of threads may use it.
///
/// `slicer` is "greedy", "knapsack", "ranked" or "prefix"; `placer` "chronological", "u_shaped", "ranked" or "batch_order";
/// `overflow` "fail", "truncate" or "proceed"; `scarcity` "degrade" or "fail". `quotas` has for a kind the least and the greatest
/// share of the target in percent, `count_quotas` the least and the greatest count, where None is no limit. Rows with the same
/// text at the metadata key `group_key` are kept or dropped together.
#[pyclass(frozen, module = "libcupel")]
pub struct Selector {
    selector: cupel::select::Selector,
    clocks: Clocks,
}

/// One of the names of a parameter.
fn choice<T: Copy>(given: &str, parameter: &str, choices: &[(&str, T)]) -> PyResult<T> {
    match choices.iter().find(|(name, _)| *name == given) {
        Some((_, chosen)) => Ok(*chosen),
        None => {
            let names: Vec<String> = choices.iter().map(|(name, _)| format!("{name:?}")).collect();
            Err(PyValueError::new_err(format!("{parameter} is {given:?}: it must be one of {}", names.join(", "))))
        }
    }
}

/// A pair for each kind.
type Pairs<'py> = Vec<(String, Bound<'py, PyAny>, Bound<'py, PyAny>)>;

fn pairs<'py>(quotas: Option<&Bound<'py, PyDict>>, parameter: &str) -> PyResult<Pairs<'py>> {
    let mut pairs = Vec::new();
    for (kind, pair) in quotas.into_iter().flatten() {
        let kind = text(&kind, format_args!("a kind in {parameter}"))?.to_owned();
        let at = format!("{parameter}[{kind:?}]");
        let both = pair.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>();
        let (least, greatest) = both.map_err(|_| wrong_type(at, "a pair of the least and the greatest", &pair))?;
        pairs.push((kind, least, greatest));
    }
    Ok(pairs)
}

/// A count, 0 or more.
fn count(value: &Bound<'_, PyAny>, at: &str) -> PyResult<usize> {
    let count = integer(value, at)?;
    usize::try_from(count).map_err(|_| PyValueError::new_err(format!("{at} is {count}: it must be 0 or more")))
}

impl Selector {
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        write_selector(&self.selector).map_err(|error| json_exception(py, error))
    }

    fn read(py: Python<'_>, json: &str, clock: &cupel::scorer::Clock, clocks: Clocks) -> PyResult<Self> {
        let selector = read_selector(json, clock).map_err(|error| json_exception(py, error))?;
        let clocks = clocks_of(selector.scorer(), clocks);
        Ok(Self { selector, clocks })
    }
}

#[pymethods]
impl Selector {
    #[new]
    #[pyo3(signature = (scorer=None, *, slicer="greedy", placer="chronological", overflow="fail", keep_duplicates=false,
        bucket_size=100, quotas=None, count_quotas=None, scarcity="degrade", group_key=None, duplicate_key=None,
        pinned_first=false))]
    #[expect(clippy::too_many_arguments, reason = "one for each field of a policy")]
    fn new(
        py: Python<'_>,
        scorer: Option<&Bound<'_, Scorer>>,
        slicer: &str,
        placer: &str,
        overflow: &str,
        keep_duplicates: bool,
        bucket_size: i64,
        quotas: Option<&Bound<'_, PyDict>>,
        count_quotas: Option<&Bound<'_, PyDict>>,
        scarcity: &str,
        group_key: Option<&str>,
        duplicate_key: Option<&str>,
        pinned_first: bool,
    ) -> PyResult<Self> {
        let pairs_of_quotas = pairs(quotas, "quotas")?;
        let mut quotas = Vec::new();
        for (kind, least, greatest) in &pairs_of_quotas {
            let at = format!("a share of quotas[{kind:?}]");
            quotas.push(Quota { kind, min_percent: number(least, &at)?, max_percent: number(greatest, &at)? });
        }
        let pairs_of_counts = pairs(count_quotas, "count_quotas")?;
        let mut count_quotas = Vec::new();
        for (kind, least, greatest) in &pairs_of_counts {
            let at = format!("a count of count_quotas[{kind:?}]");
            let max_count = if greatest.is_none() { usize::MAX } else { count(greatest, &at)? };
            count_quotas.push(CountQuota { kind, min_count: count(least, &at)?, max_count });
        }
        let slicers = [
            ("greedy", Slicer::Greedy),
            ("knapsack", Slicer::Knapsack),
            ("ranked", Slicer::Ranked),
            ("prefix", Slicer::Prefix),
        ];
        let placers = [
            ("chronological", Placer::Chronological),
            ("u_shaped", Placer::UShaped),
            ("ranked", Placer::Ranked),
            ("batch_order", Placer::BatchOrder),
        ];
        let overflows = [("fail", Overflow::Fail), ("truncate", Overflow::Truncate), ("proceed", Overflow::Proceed)];
        let policy = Policy {
            scorer: scorer.map(|scorer| scorer.get().scorer.clone()),
            slicer: choice(slicer, "slicer", &slicers)?,
            placer: choice(placer, "placer", &placers)?,
            overflow: choice(overflow, "overflow", &overflows)?,
            keep_duplicates,
            bucket_size,
            quotas: &quotas,
            count_quotas: &count_quotas,
            scarcity: choice(scarcity, "scarcity", &[("degrade", Scarcity::Degrade), ("fail", Scarcity::Fail)])?,
            group_key,
            duplicate_key,
            pinned_first,
        };
        let selector = cupel::select::Selector::new(policy).map_err(|error| exception(py, error))?;
        Ok(Self { selector, clocks: scorer.map_or(Clocks::None, |scorer| scorer.get().clocks) })
    }

    /// The selector that a JSON text describes.
    #[staticmethod]
    #[pyo3(signature = (text, *, clock=None))]
    fn from_json(py: Python<'_>, text: &str, clock: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let (clock, clocks) = self::clock(clock)?;
        Self::read(py, text, &clock, clocks)
    }

    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.json(py)
    }

    /// The scorer of the policy.
    #[getter]
    fn scorer(&self) -> Option<Scorer> {
        self.selector.scorer().map(|scorer| Scorer { scorer: scorer.clone(), clocks: self.clocks })
    }

    /// What selecting reads, by the names of the columns.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        names(py, self.selector.columns())
    }

    /// The same selector with a clock that stands still.
    fn at(&self, instant: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = instant.py();
        let clocks = Clocks::Fixed(self::instant(instant, "instant")?);
        if self.clocks == Clocks::None {
            return Ok(Self { selector: self.selector.clone(), clocks: self.clocks });
        }
        Self::read(py, &self.json(py)?, &clocks.clock(py)?, clocks)
    }

    /// The same selector, with the present instead of the system's clock. Clocks that stand still stay as they are.
    fn freeze(&self, py: Python<'_>) -> PyResult<Self> {
        if self.clocks.is_frozen() {
            return Ok(Self { selector: self.selector.clone(), clocks: self.clocks });
        }
        self.at(now(py)?.into_pyobject(py)?.as_any())
    }

    /// Chooses the rows to keep. `data`, `group`, `groups` and `naive` are as in `Scorer.score`: where there are groups, each has
    /// the budget to itself.
    ///
    /// `max_tokens` is the window of the model, `target_tokens` how much to fill (0: the window less `output_reserve`). `scores`
    /// stand in for the scorer. `previous` is an earlier selection over the same rows, to which rows were only added since: what
    /// it kept is left alone while all fits the window.
    #[pyo3(signature = (data, max_tokens, *, target_tokens=0, output_reserve=0, reserved_tokens=0, safety_margin_percent=0.0,
        max_rows=0, scores=None, previous=None, group=None, groups=None, naive="error"))]
    #[expect(clippy::too_many_arguments, reason = "one for each field of a request")]
    fn select(
        &self,
        data: &Bound<'_, PyAny>,
        max_tokens: i64,
        target_tokens: i64,
        output_reserve: i64,
        reserved_tokens: i64,
        safety_margin_percent: f64,
        max_rows: usize,
        scores: Option<&Bound<'_, PyAny>>,
        previous: Option<&Bound<'_, Selection>>,
        group: Option<&Bound<'_, PyAny>>,
        groups: Option<&Bound<'_, PyAny>>,
        naive: &str,
    ) -> PyResult<Selection> {
        let py = data.py();
        let naive_is_utc = arrow::naive_is_utc(naive)?;
        let scores = scores.map(doubles).transpose()?;
        let data = Data::of(data)?;
        arrow::check_groups(&data, group, groups)?;
        let request = Request {
            max_tokens,
            target_tokens,
            output_reserve,
            reserved_tokens,
            safety_margin_percent,
            max_rows,
            scores: scores.as_deref(),
            previous: previous.map_or(Previous::None, |previous| Previous::Selection(previous.get().inner())),
        };
        let on_batch = |batch: &cupel::Batch, groups: Option<&[i64]>| {
            let mut selection = cupel::select::Selection::new();
            let select = || match groups {
                None => self.selector.select(batch, &request, &mut selection),
                Some(groups) => self.selector.select_groups(batch, groups, &request, &mut selection),
            };
            arrow::detach(py, select).map_err(|error| exception(py, error))?;
            Ok(Selection::new(selection))
        };
        let groups = groups.map(arrow::offsets).transpose()?;
        match &data {
            Data::Batch(batch) => batch.get().read(py, |batch| on_batch(batch, groups.as_deref())),
            Data::Items(batch) => on_batch(batch, groups.as_deref()),
            Data::Tables(tables) => {
                let options = Options { naive_is_utc, group: arrow::group_name(group)? };
                let tables = tables.find(py, options, self.selector.columns())?;
                let batch = arrow::read(py, &tables)?;
                if group.is_none() && !tables.iter().any(Table::is_of_lists) {
                    return on_batch(&batch, None);
                }
                let groups = Table::groups_of(&tables).map_err(|error| crate::error::arrow_exception(py, error))?;
                on_batch(&batch, Some(groups.offsets()))
            }
        }
    }

    /// For each row the least effective target from which on it is always kept: 0 for rows of pinned units, -1 for rows that took
    /// no part. `selection` is what this selector made of the same data.
    #[pyo3(signature = (data, selection, *, naive="error"))]
    fn needed(&self, data: &Bound<'_, PyAny>, selection: &Bound<'_, Selection>, naive: &str) -> PyResult<Vec<i64>> {
        let py = data.py();
        let naive_is_utc = arrow::naive_is_utc(naive)?;
        let on_batch = |batch: &cupel::Batch| {
            let mut needed = vec![0; batch.len()];
            let result = arrow::detach(py, || self.selector.needed(batch, selection.get().inner(), &mut needed));
            result.map_err(|error| exception(py, error))?;
            Ok(needed)
        };
        match &Data::of(data)? {
            Data::Batch(batch) => batch.get().read(py, on_batch),
            Data::Items(batch) => on_batch(batch),
            Data::Tables(tables) => {
                let options = Options { naive_is_utc, group: None };
                on_batch(&arrow::read(py, &tables.find(py, options, self.selector.columns())?)?)
            }
        }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py>> {
        let (py, this) = (slf.py(), slf.get());
        if this.clocks == Clocks::Other {
            return Err(PyTypeError::new_err(
                "a selector with a clock of its own cannot be pickled; give it an instant with at()",
            ));
        }
        if this.selector.scorer().is_some_and(|scorer| scorer.is_custom()) {
            return Err(PyTypeError::new_err("a selector with a custom scorer cannot be pickled"));
        }
        pickled(py, "Selector", this.json(py)?, this.clocks)
    }

    #[staticmethod]
    fn _from_pickle(py: Python<'_>, text: &str, instant: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Self::from_json(py, text, instant)
    }

    fn __repr__(&self) -> String {
        match write_selector(&self.selector) {
            Ok(json) => format!("<Selector {json}>"),
            Err(_) => "<Selector with a custom scorer>".to_owned(),
        }
    }
}

/// Scores of the host: a buffer of doubles, or an iterable.
fn doubles(scores: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    if let Ok(buffer) = PyBuffer::<f64>::get(scores)
        && buffer.dimensions() == 1
    {
        return buffer.to_vec(scores.py());
    }
    let iterator = scores.try_iter().map_err(|_| wrong_type("scores", "an iterable of float", scores))?;
    iterator.enumerate().map(|(index, score)| number(&score?, format_args!("scores[{index}]"))).collect()
}
