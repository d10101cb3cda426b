//! Errors of the library as Python exceptions.

use cupel::arrow::{ArrowError, Fault, ReadError};
use cupel::error::{Parameter, Value};
use cupel::ingest::{Column, Problem};
use cupel::json::JsonError;
use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    libcupel,
    Error,
    PyValueError,
    "A call that the library refused. `status` is the name of the reason, such as \"INVALID_ARGUMENT\"."
);

/// An [`Error`] with a status and a message.
#[cold]
pub fn refused(py: Python<'_>, status: &str, message: String) -> PyErr {
    let error = Error::new_err(message);
    match error.value(py).setattr("status", status) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// The exception when an allocation of so many bytes fails.
#[cold]
pub fn out_of_memory(bytes: usize) -> PyErr {
    PyMemoryError::new_err(format!("there is no memory for {bytes} bytes"))
}

/// The exception for an error of the library. What a callback raised comes out as it was raised.
#[cold]
pub fn exception(py: Python<'_>, error: cupel::Error) -> PyErr {
    exception_at(py, error, "")
}

/// The same, with `place` before the message: where the refused value stood.
#[cold]
pub fn exception_at(py: Python<'_>, error: cupel::Error, place: &str) -> PyErr {
    use cupel::Error as E;
    let cause = match &error {
        E::InGroup { error, .. } => error,
        other => other,
    };
    let status = match cause {
        E::OutOfMemory(_) => return PyMemoryError::new_err(error.to_string()),
        E::EmptyContent => "EMPTY_CONTENT",
        E::EmptyKind { .. } => "EMPTY_KIND",
        E::EmptySource { .. } => "EMPTY_SOURCE",
        E::OutOfRange { .. } => "OUT_OF_RANGE",
        E::LengthMismatch { .. } | E::PreviousTooLong { .. } => "LENGTH_MISMATCH",
        E::Custom(_) | E::CallbackFailed { .. } => "CALLBACK_FAILED",
        E::OverBudget { .. } => "OVER_BUDGET",
        E::Shortfall { .. } => "SHORTFALL",
        E::TooLarge { .. } => "TOO_LARGE",
        _ => "INVALID_ARGUMENT",
    };
    let message = match &error {
        // The weights of Python are a dict, which has no positions.
        E::Invalid { parameter: Parameter::Weight(_), value: Value::Named(name, weight), rule } => {
            format!("weights[{name}] is {weight:?}: {rule}")
        }
        other => match other.parameter() {
            Some(parameter) => format!("{} {}", name(parameter), other.complaint()),
            None => other.to_string(),
        },
    };
    let error = match error {
        E::InGroup { error, .. } if matches!(*error, E::Custom(_)) => *error,
        other => other,
    };
    match error {
        E::Custom(raised) => match raised.downcast::<PyErr>() {
            Ok(raised) => *raised,
            Err(other) => refused(py, status, other.to_string()),
        },
        _ => refused(py, status, format!("{place}{message}")),
    }
}

/// A parameter as Python calls it.
fn name(parameter: Parameter) -> String {
    match parameter {
        Parameter::Scores | Parameter::TableScores | Parameter::NeededTokens => "len(out)".to_owned(),
        Parameter::WeightName(_) => "a name in weights".to_owned(),
        Parameter::Weight(_) => "a weight".to_owned(),
        Parameter::Children => "len(children)".to_owned(),
        Parameter::ChildWeight(index) => format!("the weight of children[{index}]"),
        Parameter::DefaultScore => "default".to_owned(),
        Parameter::NullTimestampScore => "missing".to_owned(),
        Parameter::Steps => "len(steps)".to_owned(),
        Parameter::StepMaxAge(index) => format!("the age of steps[{index}]"),
        Parameter::StepScore(index) => format!("the score of steps[{index}]"),
        Parameter::Quotas => "len(quotas)".to_owned(),
        Parameter::QuotaKind(index) => format!("the kind of quotas[{index}]"),
        Parameter::QuotaMinPercent(index) => format!("the least share of quotas[{index}]"),
        Parameter::QuotaMaxPercent(index) => format!("the greatest share of quotas[{index}]"),
        Parameter::CountQuotas => "len(count_quotas)".to_owned(),
        Parameter::CountQuotaKind(index) => format!("the kind of count_quotas[{index}]"),
        Parameter::CountQuotaMinCount(index) => format!("the least count of count_quotas[{index}]"),
        Parameter::RequestScores => "len(scores)".to_owned(),
        Parameter::SelectionRows => "len(selection)".to_owned(),
        other => other.to_string(),
    }
}

/// The exception for JSON that was refused.
#[cold]
pub fn json_exception(py: Python<'_>, error: JsonError) -> PyErr {
    match &error {
        JsonError::OutOfMemory(_) => PyMemoryError::new_err(error.to_string()),
        JsonError::Invalid { .. } => refused(py, "INVALID_JSON", error.to_string()),
        _ => refused(py, "INVALID_ARGUMENT", error.to_string()),
    }
}

/// The exception for a table that was refused.
#[cold]
pub fn table_exception(py: Python<'_>, error: ReadError) -> PyErr {
    match error {
        ReadError::Table(error) => arrow_exception(py, error),
        ReadError::Append(error) => exception(py, error),
    }
}

/// The same, by what is wrong with the table.
#[cold]
pub fn arrow_exception(py: Python<'_>, error: ArrowError) -> PyErr {
    let status = match &error.fault {
        Fault::OutOfMemory(_) => return PyMemoryError::new_err(error.to_string()),
        Fault::OutOfRange { .. } => "OUT_OF_RANGE",
        Fault::Short { .. } => "LENGTH_MISMATCH",
        Fault::Column(column) => match (column.problem, column.column) {
            (Problem::Length { .. }, _) => "LENGTH_MISMATCH",
            (Problem::OutOfRange { .. }, _) => "OUT_OF_RANGE",
            (Problem::Utf8 { .. }, _) => "INVALID_UTF8",
            (Problem::Empty, _) => "EMPTY_CONTENT",
            (Problem::Blank(_), Column::Source) => "EMPTY_SOURCE",
            (Problem::Blank(_), _) => "EMPTY_KIND",
            _ => "INVALID_ARGUMENT",
        },
        _ => "INVALID_ARGUMENT",
    };
    refused(py, status, error.to_string())
}
