//! Errors as data: which parameter was refused, its value, and the rule that it breaks.
//!
//! A boundary names the parameter in its own terms and adds [`Error::complaint`]. `Display` names it in Rust's.

use std::fmt::{self, Write as _};

use crate::memory::OutOfMemory;

/// Why a call failed. A failed call changes nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The content of an item is empty.
    EmptyContent,
    /// A kind is empty or only white space.
    EmptyKind {
        /// The parameter that holds the kind.
        parameter: Parameter,
        /// The kind.
        text: Excerpt,
    },
    /// A source is empty or only white space.
    EmptySource {
        /// The parameter that holds the source.
        parameter: Parameter,
        /// The source.
        text: Excerpt,
    },
    /// A value breaks a rule of the scorer or the item that it was given for.
    Invalid {
        /// The parameter.
        parameter: Parameter,
        /// Its value.
        value: Value,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// An index lies outside its range.
    OutOfRange {
        /// The parameter.
        parameter: Parameter,
        /// Its value.
        index: usize,
        /// The number of entries.
        len: usize,
    },
    /// A buffer does not have the length that the batch asks for.
    LengthMismatch {
        /// The parameter.
        parameter: Parameter,
        /// Its length.
        actual: usize,
        /// The length of the batch.
        expected: usize,
    },
    /// A callback of the host reported a failure.
    CallbackFailed {
        /// Which callback.
        callback: &'static str,
        /// The status that it returned.
        status: i32,
        /// The error that the callback gave, if any.
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// A custom scorer or clock reported a failure.
    Custom(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The system's clock was asked for the time, on a platform that has none.
    NoSystemClock,
    /// The selector has no scorer, and the request has no scores.
    NoScores,
    /// A scorer of the host cannot score groups of rows.
    CustomInGroups,
    /// A request to select groups has an earlier selection.
    PreviousForGroups,
    /// A selection that must be of a whole batch is of groups.
    SelectionOfGroups,
    /// A group of rows cannot be selected.
    InGroup {
        /// The number of the group, from 0.
        group: usize,
        /// Its first row.
        start: usize,
        /// The row after its last one.
        end: usize,
        /// Why.
        error: Box<Error>,
    },
    /// The earlier selection of a request covers more rows than the batch has.
    PreviousTooLong {
        /// The rows that the selection is over.
        rows: usize,
        /// The length of the batch.
        len: usize,
    },
    /// The rows that must be kept exceed the budget.
    OverBudget {
        /// Their tokens.
        tokens: i64,
        /// The most that there may be.
        limit: i64,
        /// The pinned rows, if they alone exceed it.
        pinned: PinnedRows,
    },
    /// There are fewer candidates of a kind than a count quota requires.
    Shortfall {
        /// The position of the quota in the policy.
        entry: usize,
        /// The number of units that it requires.
        required: usize,
        /// The number of candidates.
        found: usize,
        /// The kind.
        kind: Excerpt,
    },
    /// The table of a knapsack has too many cells.
    TooLarge {
        /// The units that bounds do not settle.
        units: usize,
        /// The capacity, in buckets.
        capacity: u64,
        /// The cells of the table.
        cells: u64,
        /// The bucket size.
        bucket_size: i64,
        /// A bucket size with which the table is small enough.
        sufficient_bucket_size: i64,
    },
    /// An allocation failed.
    OutOfMemory(#[from] OutOfMemory),
}

/// Refuses the value of a parameter unless it is valid.
#[inline]
pub(crate) fn check(is_valid: bool, parameter: Parameter, value: Value, rule: &'static str) -> Result<(), Error> {
    check_with(is_valid, parameter, || value, rule)
}

/// [`check`] with a value that takes work to make: `value` is called for a refusal alone.
#[inline]
pub(crate) fn check_with(
    is_valid: bool,
    parameter: Parameter,
    value: impl FnOnce() -> Value,
    rule: &'static str,
) -> Result<(), Error> {
    if is_valid { Ok(()) } else { Err(Error::Invalid { parameter, value: value(), rule }) }
}

/// Pinned rows, as a message names them: the lowest few, and how many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PinnedRows {
    rows: [u32; Self::CAPACITY],
    len: usize,
}

impl PinnedRows {
    const CAPACITY: usize = 8;

    /// Adds a row.
    pub fn push(&mut self, row: u32) {
        if let Some(slot) = self.rows.get_mut(self.len) {
            *slot = row;
        }
        self.len += 1;
    }

    /// The lowest of the rows.
    pub fn first(&self) -> &[u32] {
        &self.rows[..self.len.min(Self::CAPACITY)]
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl fmt::Display for PinnedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.len == 1 { "row" } else { "rows" })?;
        for (index, row) in self.first().iter().enumerate() {
            write!(f, "{} {row}", if index > 0 { "," } else { "" })?;
        }
        match self.len - self.first().len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Defines the parameters, each with the parts of its name: a name, which may be that of a list, and a field or method.
macro_rules! parameters {
    ($($(#[$doc:meta])* $variant:ident $(($index:ident))? = $name:literal $(, $field:literal)?;)+) => {
        /// What an error is about: a parameter of the operation that was called. Numbers are positions in a list, from 0.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Parameter {
            $($(#[$doc])* $variant $((parameters!(type $index)))?,)+
        }

        impl Parameter {
            /// The name in parts: the parameter, the position in it if it is a list, and the field or method if there is one.
            pub fn parts(self) -> (&'static str, Option<usize>, &'static str) {
                match self {
                    $(Self::$variant $(($index))? => ($name, parameters!(position $($index)?), concat!($($field)?)),)+
                }
            }
        }
    };
    (type $index:ident) => { usize };
    (position) => { None };
    (position $index:ident) => { Some($index) };
}

parameters! {
    /// The content of an item.
    Content = "content";
    /// The kind of an item.
    Kind = "kind";
    /// The source of an item.
    Source = "source";
    /// The row of a batch.
    Row = "row";
    /// The buffer for scores of a batch.
    Scores = "out", "len()";
    /// The buffer for scores of a table.
    TableScores = "out", "len()";
    /// The name of an entry of a list of weights.
    WeightName(index) = "weights", "name";
    /// The weight of an entry of a list of weights.
    Weight(index) = "weights", "weight";
    /// The children of a composite.
    Children = "children", "len()";
    /// The weight of a child of a composite.
    ChildWeight(index) = "children", "weight";
    /// The score of rows without a usable trust.
    DefaultScore = "default_score";
    /// The score of rows with the metadata value.
    Boost = "boost";
    /// An offset of a list of groups.
    Groups(index) = "groups";
    /// The score of rows without a timestamp.
    NullTimestampScore = "null_timestamp_score";
    /// The half-life of exponential decay.
    HalfLife = "half_life";
    /// The maximum age of window decay.
    MaxAge = "max_age";
    /// The steps of step decay.
    Steps = "steps", "len()";
    /// The maximum age of a step.
    StepMaxAge(index) = "steps", "max_age";
    /// The score of a step.
    StepScore(index) = "steps", "score";
    /// The slicer of a policy.
    Slicer = "slicer";
    /// The quotas of a policy.
    Quotas = "quotas", "len()";
    /// The kind of a quota.
    QuotaKind(index) = "quotas", "kind";
    /// The least share of a quota.
    QuotaMinPercent(index) = "quotas", "min_percent";
    /// The greatest share of a quota.
    QuotaMaxPercent(index) = "quotas", "max_percent";
    /// The count quotas of a policy.
    CountQuotas = "count_quotas", "len()";
    /// The kind of a count quota.
    CountQuotaKind(index) = "count_quotas", "kind";
    /// The least count of a count quota.
    CountQuotaMinCount(index) = "count_quotas", "min_count";
    /// The bucket size of a policy.
    BucketSize = "bucket_size";
    /// The window of a request.
    MaxTokens = "max_tokens";
    /// The target of a request.
    TargetTokens = "target_tokens";
    /// The output reserve of a request.
    OutputReserve = "output_reserve";
    /// The reserved tokens of a request.
    ReservedTokens = "reserved_tokens";
    /// The safety margin of a request.
    SafetyMarginPercent = "safety_margin_percent";
    /// The most rows of a request.
    MaxRows = "max_rows";
    /// The scores of a request.
    RequestScores = "scores", "len()";
    /// The rows that a selection is over.
    SelectionRows = "selection", "batch_len()";
    /// The buffer for what rows need.
    NeededTokens = "out", "len()";
    /// The bytes that say which rows to keep.
    Keep = "keep", "len()";
    /// One of these bytes.
    KeepByte(index) = "keep";
    /// An entry of a list of rows.
    Rows(index) = "rows";
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, index, field) = self.parts();
        f.write_str(name)?;
        if let Some(index) = index {
            write!(f, "[{index}]")?;
        }
        if field.is_empty() { Ok(()) } else { write!(f, ".{field}") }
    }
}

impl Error {
    /// The parameter that was refused, if it was one.
    pub fn parameter(&self) -> Option<Parameter> {
        match self {
            Self::EmptyContent => Some(Parameter::Content),
            Self::EmptyKind { parameter, .. }
            | Self::EmptySource { parameter, .. }
            | Self::Invalid { parameter, .. }
            | Self::OutOfRange { parameter, .. }
            | Self::LengthMismatch { parameter, .. } => Some(*parameter),
            _ => None,
        }
    }

    /// The message without the parameter's name: `is -1.0: a weight must be zero or more and finite`.
    pub fn complaint(&self) -> impl fmt::Display {
        Complaint(self)
    }
}

struct Complaint<'a>(&'a Error);

impl fmt::Display for Complaint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Error::EmptyContent => f.write_str("is empty: an item needs content"),
            Error::EmptyKind { text, .. } => {
                write!(f, "is blank ({text}): a kind needs a character that is not white space")
            }
            Error::EmptySource { text, .. } => {
                write!(f, "is blank ({text}): a source needs a character that is not white space")
            }
            Error::Invalid { value, rule, .. } => write!(f, "is {value}: {rule}"),
            Error::OutOfRange { index, len, .. } => write!(f, "is {index}: there are {len}, counted from 0"),
            Error::LengthMismatch { parameter, actual, expected } => {
                let of =
                    if *parameter == Parameter::TableScores { "the number of rows" } else { "the length of the batch" };
                write!(f, "is {actual}: it must be {expected}, {of}")
            }
            Error::CallbackFailed { callback, status, source } => {
                write!(f, "the {callback} callback failed with status {status}")?;
                source.as_ref().map_or(Ok(()), |error| write!(AfterColon { f, begun: false }, "{error}"))
            }
            Error::Custom(error) => write!(f, "a custom scorer failed: {error}"),
            Error::CustomInGroups => {
                f.write_str("a custom scorer cannot score groups: it has no view of a part of a batch")
            }
            Error::NoSystemClock => {
                f.write_str("there is no system clock on this platform: make the scorer with another clock")
            }
            Error::NoScores => f.write_str("the selector has no scorer: the request must bring scores"),
            Error::PreviousForGroups => {
                f.write_str("the request has an earlier selection: groups are selected without one")
            }
            Error::SelectionOfGroups => f.write_str("the selection is of groups: it must be of a whole batch"),
            Error::InGroup { group, start, end, error } => {
                write!(f, "group {group}, rows {start} to before {end}: {error}")
            }
            Error::PreviousTooLong { rows, len } => {
                write!(f, "the earlier selection is over {rows} rows: the batch has {len}")
            }
            Error::OverBudget { tokens, limit, pinned } => {
                let over = i128::from(*tokens) - i128::from(*limit);
                write!(f, "the rows to keep have {tokens} tokens: {over} more than the limit of {limit}")?;
                if pinned.is_empty() { Ok(()) } else { write!(f, "; pinned rows alone exceed it: {pinned}") }
            }
            Error::Shortfall { entry, required, found, kind } => {
                write!(f, "count_quotas[{entry}] requires {required} of kind {kind}: there are {found} candidates")
            }
            Error::TooLarge { units, capacity, cells, bucket_size, sufficient_bucket_size } => write!(
                f,
                "the knapsack table is too large: {units} units and a capacity of {capacity} buckets of {bucket_size} tokens make \
                 {cells} cells; a bucket_size of {sufficient_bucket_size} is enough"
            ),
            Error::OutOfMemory(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parameter) = self.parameter() {
            write!(f, "{parameter} ")?;
        }
        Complaint(self).fmt(f)
    }
}

/// Puts a colon before a text, unless the text is empty.
struct AfterColon<'a, 'b> {
    f: &'a mut fmt::Formatter<'b>,
    begun: bool,
}

impl fmt::Write for AfterColon<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if !self.begun && !text.is_empty() {
            self.begun = true;
            self.f.write_str(": ")?;
        }
        self.f.write_str(text)
    }
}

/// An offending value, kept without allocating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A real number.
    Double(f64),
    /// A whole number.
    Integer(i64),
    /// A count or a length.
    Size(usize),
    /// A text.
    Text(Excerpt),
    /// A weight and the kind or tag that it is for.
    Named(Excerpt, f64),
    /// A duplicate name and the position of the first.
    Duplicate(Excerpt, usize),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // `{:?}` writes 1e300 where `{}` writes 301 digits.
            Self::Double(value) => write!(f, "{value:?}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Size(value) => write!(f, "{value}"),
            Self::Text(text) => write!(f, "{text}"),
            Self::Named(name, value) => write!(f, "{value:?} (for {name})"),
            Self::Duplicate(name, first) => write!(f, "{name}, a duplicate of position {first}"),
        }
    }
}

/// The beginning of a text that a message quotes: all of it when it is short.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Excerpt {
    bytes: [u8; Self::CAPACITY],
    len: u8,
    truncated: bool,
}

impl Excerpt {
    const CAPACITY: usize = 38;

    /// Keeps as much of `text` as a message quotes.
    pub fn new(text: &str) -> Self {
        let mut len = text.len().min(Self::CAPACITY);
        while !text.is_char_boundary(len) {
            len -= 1;
        }
        let mut bytes = [0; Self::CAPACITY];
        bytes[..len].copy_from_slice(&text.as_bytes()[..len]);
        Self { bytes, len: len as u8, truncated: len < text.len() }
    }

    /// The kept text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }

    /// Whether the text was longer.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())?;
        if self.truncated { f.write_str("...") } else { Ok(()) }
    }
}

impl fmt::Debug for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
