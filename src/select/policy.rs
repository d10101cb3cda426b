//! What a selector is made of.

use crate::error::{Error, Excerpt, Parameter, Value, check, check_with};
use crate::memory::{try_push, try_string};
use crate::scorer::SharedScorer;
use crate::text::{Match, TextInterner, is_blank};

/// How candidates are chosen while there is budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Slicer {
    /// By value per token, best first; what does not fit is skipped.
    #[default]
    Greedy,
    /// The set with the greatest total value that fits, in buckets of tokens.
    Knapsack,
    /// By score, best first; what does not fit is skipped.
    Ranked,
    /// By score, best first, up to the first that does not fit.
    Prefix,
}

/// The order of the rows that are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Placer {
    /// By timestamp, oldest first; rows without one come last.
    #[default]
    Chronological,
    /// The best at both ends, the worst in the middle.
    UShaped,
    /// By score, best first.
    Ranked,
    /// As in the batch.
    BatchOrder,
}

/// What happens when the rows that are kept exceed the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Overflow {
    /// The call fails.
    #[default]
    Fail,
    /// Rows that are not pinned are dropped, worst first, until the rest fits.
    Truncate,
    /// All stay, up to the window less the output reserve.
    Proceed,
}

/// What happens when there are fewer candidates of a kind than a count quota requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Scarcity {
    /// The selection records a shortfall.
    #[default]
    Degrade,
    /// The call fails.
    Fail,
}

/// The share of the target that goes to a kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quota<'a> {
    /// The kind; kinds are equal under ASCII case folding.
    pub kind: &'a str,
    /// The least share, in percent.
    pub min_percent: f64,
    /// The greatest share, in percent.
    pub max_percent: f64,
}

/// How many units of a kind are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountQuota<'a> {
    /// The kind; kinds are equal under ASCII case folding.
    pub kind: &'a str,
    /// At least this many, whatever they cost.
    pub min_count: usize,
    /// At most this many; `usize::MAX` is no limit.
    pub max_count: usize,
}

/// How to select; [`Selector::new`](crate::select::Selector::new) checks it. The default has no scorer, so that every request
/// brings scores.
#[derive(Clone, Debug)]
pub struct Policy<'a> {
    /// Gives the scores, unless a request brings them.
    pub scorer: Option<SharedScorer>,
    /// How candidates are chosen.
    pub slicer: Slicer,
    /// The order of the rows that are kept.
    pub placer: Placer,
    /// What happens when pinned rows or count quotas exceed the target.
    pub overflow: Overflow,
    /// Whether rows with equal contents are kept side by side.
    pub keep_duplicates: bool,
    /// The tokens of a knapsack bucket, 1 or more.
    pub bucket_size: i64,
    /// Shares of the target by kind.
    pub quotas: &'a [Quota<'a>],
    /// Counts by kind.
    pub count_quotas: &'a [CountQuota<'a>],
    /// What happens when a count quota cannot be met.
    pub scarcity: Scarcity,
    /// The metadata key whose text makes rows a group, which is kept or dropped as one.
    pub group_key: Option<&'a str>,
    /// The metadata key whose text is compared to find duplicates, instead of the content.
    pub duplicate_key: Option<&'a str>,
    /// Whether pinned units come before all others, whatever the placer.
    pub pinned_first: bool,
}

impl Default for Policy<'_> {
    fn default() -> Self {
        Self {
            scorer: None,
            slicer: Slicer::default(),
            placer: Placer::default(),
            overflow: Overflow::default(),
            keep_duplicates: false,
            bucket_size: Self::DEFAULT_BUCKET_SIZE,
            quotas: &[],
            count_quotas: &[],
            scarcity: Scarcity::default(),
            group_key: None,
            duplicate_key: None,
            pinned_first: false,
        }
    }
}

impl Policy<'_> {
    /// The bucket size of a policy that does not give one.
    pub const DEFAULT_BUCKET_SIZE: i64 = 100;

    /// The default policy with a scorer.
    pub fn of(scorer: &SharedScorer) -> Self {
        Self { scorer: Some(scorer.clone()), ..Self::default() }
    }
}

/// A policy that was checked, in memory of its own.
#[derive(Debug)]
pub(crate) struct CheckedPolicy {
    pub scorer: Option<SharedScorer>,
    pub slicer: Slicer,
    pub placer: Placer,
    pub overflow: Overflow,
    pub scarcity: Scarcity,
    pub keep_duplicates: bool,
    pub pinned_first: bool,
    pub bucket_size: i64,
    pub quotas: KindTable<f64>,
    pub count_quotas: KindTable<usize>,
    pub group_key: Option<String>,
    pub duplicate_key: Option<String>,
}

/// The least and the greatest amount of a quota.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<T> {
    pub min: T,
    pub max: T,
}

/// Limits by kind, in the order they were given.
#[derive(Debug)]
pub(crate) struct KindTable<T> {
    kinds: TextInterner,
    entries: Vec<Limits<T>>,
}

impl<T> KindTable<T> {
    fn new() -> Self {
        Self { kinds: TextInterner::new(Match::AsciiCaseInsensitive), entries: Vec::new() }
    }

    fn push(&mut self, parameter: Parameter, kind: &str, entry: Limits<T>) -> Result<(), Error> {
        if is_blank(kind) {
            return Err(Error::EmptyKind { parameter, text: Excerpt::new(kind) });
        }
        let number = self.kinds.intern(kind.into())? as usize;
        let value = || Value::Duplicate(Excerpt::new(kind), number);
        check_with(number == self.entries.len(), parameter, value, "a kind may occur once")?;
        Ok(try_push(&mut self.entries, entry)?)
    }

    /// The position of the entry of a kind.
    pub fn find(&self, kind: &str) -> Option<usize> {
        self.kinds.get(kind).map(|number| number as usize)
    }

    pub fn kind(&self, entry: usize) -> &str {
        self.kinds.text(entry as u32)
    }

    pub fn entries(&self) -> &[Limits<T>] {
        &self.entries
    }
}

/// What the sum of the least shares may exceed 100 by: decimal fractions that add up to 100 may add up to a little more in
/// binary.
const PERCENT_TOLERANCE: f64 = 1e-9;

impl CheckedPolicy {
    pub fn new(policy: Policy<'_>) -> Result<Self, Error> {
        let mut quotas = KindTable::new();
        let mut sum = 0.0;
        for (index, &Quota { kind, min_percent: min, max_percent: max }) in policy.quotas.iter().enumerate() {
            quotas.push(Parameter::QuotaKind(index), kind, Limits { min, max })?;
            let (min_parameter, max_parameter) = (Parameter::QuotaMinPercent(index), Parameter::QuotaMaxPercent(index));
            for (parameter, percent) in [(min_parameter, min), (max_parameter, max)] {
                let rule = "a percentage must lie from 0 to 100";
                check((0.0..=100.0).contains(&percent), parameter, Value::Double(percent), rule)?;
            }
            let value = Value::Double(min);
            check(min <= max, min_parameter, value, "the least share must not exceed the greatest")?;
            sum += min;
            let rule = "the least shares must not add up to more than 100";
            check(sum <= 100.0 + PERCENT_TOLERANCE, min_parameter, value, rule)?;
        }
        let mut count_quotas = KindTable::new();
        for (index, &CountQuota { kind, min_count: min, max_count: max }) in policy.count_quotas.iter().enumerate() {
            count_quotas.push(Parameter::CountQuotaKind(index), kind, Limits { min, max })?;
            let value = Value::Integer(i64::try_from(min).unwrap_or(i64::MAX));
            let rule = "the least count must not exceed the greatest";
            check(min <= max, Parameter::CountQuotaMinCount(index), value, rule)?;
        }
        let value = Value::Integer(policy.bucket_size);
        check(policy.bucket_size >= 1, Parameter::BucketSize, value, "a bucket must hold 1 token or more")?;
        Ok(Self {
            scorer: policy.scorer,
            slicer: policy.slicer,
            placer: policy.placer,
            overflow: policy.overflow,
            scarcity: policy.scarcity,
            keep_duplicates: policy.keep_duplicates,
            pinned_first: policy.pinned_first,
            bucket_size: policy.bucket_size,
            quotas,
            count_quotas,
            group_key: policy.group_key.map(try_string).transpose()?,
            duplicate_key: policy.duplicate_key.map(try_string).transpose()?,
        })
    }

    /// Whether a request may limit the rows.
    pub fn takes_max_rows(&self) -> bool {
        self.slicer != Slicer::Knapsack && self.quotas.entries.is_empty() && self.count_quotas.entries.is_empty()
    }
}
