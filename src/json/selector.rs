//! Selectors from JSON and back: a policy, as the .NET library writes it, with fields of our own.

use std::borrow::Cow;

use crate::error::Parameter;
use crate::json::error::JsonError;
use crate::json::failure::{Failure, Rule};
use crate::json::scorer::{read_tree, write_tree};
use crate::json::tree::{Tree, Value};
use crate::json::writer::JsonWriter;
use crate::json::{MAX_SCORER_BYTES, SCORER_LIMIT};
use crate::memory::try_collect;
use crate::scorer::{Clock, SharedScorer};
use crate::select::{CountQuota, Overflow, Placer, Policy, Quota, Scarcity, Selector, Slicer};

/// The names of the slicers, by their numbers. A stream is read as greedy, as there is nothing to stream in a batch.
const SLICERS: [&str; 5] = ["greedy", "knapsack", "ranked", "prefix", STREAM];
const STREAM: &str = "stream";
/// The names of the placers, by their numbers.
const PLACERS: [&str; 4] = ["chronological", "uShaped", "ranked", "batchOrder"];
/// The names of the strategies, by their numbers.
const OVERFLOWS: [&str; 3] = ["throw", "truncate", "proceed"];
/// The names of what scarcity does, by their numbers.
const SCARCITIES: [&str; 2] = ["degrade", "throw"];

/// Makes the selector that a JSON text describes. Decay scorers get the time from `clock`.
///
/// The text is an object: a policy. Its scorer is `scorer`, or a composite of `scorers`; without either every request must bring
/// scores. Fields that are not known are passed over, as the .NET library does.
///
/// # Errors
///
/// [`JsonError::Invalid`] for what is not JSON, a value that breaks a rule, and what [`read_scorer`](super::read_scorer) refuses
/// in a scorer.
pub fn read_selector(json: &str, clock: &Clock) -> Result<Selector, JsonError> {
    let selector = Tree::parse(json, MAX_SCORER_BYTES).and_then(|tree| read_policy(tree.root(), clock));
    selector.map_err(|failure| failure.locate(json))
}

fn read_policy(root: Value<'_>, clock: &Clock) -> Result<Selector, Failure> {
    let scorer = read_scorer_of(root, clock)?;
    let choice = |name, of| root.field(name)?.map_or(Ok(0), |value| value.choice(of));
    let slicer = choice("slicerType", &SLICERS)?;
    let is_stream = SLICERS[slicer] == STREAM;
    let slicer = [Slicer::Greedy, Slicer::Knapsack, Slicer::Ranked, Slicer::Prefix, Slicer::Greedy][slicer];
    let bucket_size = match root.field("knapsackBucketSize")? {
        None => Policy::DEFAULT_BUCKET_SIZE,
        Some(value) if slicer != Slicer::Knapsack => {
            return Err(value.failure(Rule::Invalid("only the slicer knapsack has a bucket size")));
        }
        Some(value) => integer(value, 1)?,
    };
    if let Some(value) = root.field("streamBatchSize")? {
        if !is_stream {
            return Err(value.failure(Rule::Invalid("only the slicer stream has a batch size")));
        }
        integer(value, 1)?;
    }
    let quotas = match root.field("quotas")? {
        None => Vec::new(),
        Some(value) if is_stream => {
            return Err(value.failure(Rule::Invalid("the slicer stream takes no quotas")));
        }
        Some(value) => read_quotas(value)?,
    };
    let count_quotas = root.field("countQuotas")?.map_or(Ok(Vec::new()), read_count_quotas)?;
    let (group_key, duplicate_key) = (text(root, "groupKey")?, text(root, "duplicateKey")?);
    let quotas = quotas.iter().map(|&(ref kind, min_percent, max_percent)| Quota { kind, min_percent, max_percent });
    let count_quotas =
        count_quotas.iter().map(|&(ref kind, min_count, max_count)| CountQuota { kind, min_count, max_count });
    let policy = Policy {
        scorer,
        slicer,
        placer: [Placer::Chronological, Placer::UShaped, Placer::Ranked, Placer::BatchOrder]
            [choice("placerType", &PLACERS)?],
        overflow: [Overflow::Fail, Overflow::Truncate, Overflow::Proceed][choice("overflowStrategy", &OVERFLOWS)?],
        keep_duplicates: !root.field("deduplicationEnabled")?.map_or(Ok(true), boolean)?,
        bucket_size,
        quotas: &try_collect(quotas)?,
        count_quotas: &try_collect(count_quotas)?,
        scarcity: [Scarcity::Degrade, Scarcity::Fail][choice("scarcity", &SCARCITIES)?],
        group_key: group_key.as_deref(),
        duplicate_key: duplicate_key.as_deref(),
        pinned_first: root.field("pinnedFirst")?.map_or(Ok(false), boolean)?,
    };
    Selector::new(policy).map_err(|error| {
        let at = error.parameter().and_then(|parameter| locate(root, parameter)).unwrap_or(root);
        at.failure(Rule::Refused(error))
    })
}

fn read_scorer_of(root: Value<'_>, clock: &Clock) -> Result<Option<SharedScorer>, Failure> {
    match (root.field("scorer")?, root.field("scorers")?) {
        (Some(scorer), Some(_)) => Err(scorer.failure(Rule::Invalid("a policy has either \"scorer\" or \"scorers\""))),
        (Some(scorer), None) => read_tree(scorer, clock).map(Some),
        // The policy is an object with scorers: a composite.
        (None, Some(_)) => read_tree(root, clock).map(Some),
        (None, None) => match root.field("type")? {
            None => Ok(None),
            Some(name) => {
                Err(name.failure(Rule::Invalid("the scorer of a policy is the value of its field \"scorer\"")))
            }
        },
    }
}

/// Kinds, each with its least and its greatest amount.
type Limits<'a, T> = Vec<(Cow<'a, str>, T, T)>;

/// Quotas in percent.
fn read_quotas(value: Value<'_>) -> Result<Limits<'_, f64>, Failure> {
    value.list(|entry| {
        let kind = entry.required("kind")?.string()?;
        let (min, max) = (entry.field("minPercent")?, entry.field("maxPercent")?);
        if min.is_none() && max.is_none() {
            return Err(entry.failure(Rule::Missing("minPercent")));
        }
        let min = min.map_or(Ok(0.0), Value::number)?;
        Ok((kind, min, max.map_or(Ok(100.0), Value::number)?))
    })
}

/// Quotas in units.
fn read_count_quotas(value: Value<'_>) -> Result<Limits<'_, usize>, Failure> {
    let count = |value| integer(value, 0).map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    value.list(|entry| {
        entry.check_fields(&["kind", "minCount", "maxCount"], &[])?;
        let kind = entry.required("kind")?.string()?;
        let min = entry.field("minCount")?.map_or(Ok(0), count)?;
        Ok((kind, min, entry.field("maxCount")?.map_or(Ok(usize::MAX), count)?))
    })
}

fn boolean(value: Value<'_>) -> Result<bool, Failure> {
    match value.json() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(value.failure(Rule::Invalid("must be true or false"))),
    }
}

/// A whole number of at least `least`, which is 0 or 1. What no 64 bits hold counts as the greatest that they do.
fn integer(value: Value<'_>, least: i64) -> Result<i64, Failure> {
    let number = value.number()?;
    let whole = value.json().parse().unwrap_or(number as i64);
    if number.fract() == 0.0 && whole >= least {
        return Ok(whole);
    }
    let rule = if least == 0 { "must be a whole number, 0 or more" } else { "must be a whole number, 1 or more" };
    Err(value.failure(Rule::Invalid(rule)))
}

fn text<'a>(object: Value<'a>, name: &str) -> Result<Option<Cow<'a, str>>, Failure> {
    object.field(name)?.map(Value::string).transpose()
}

/// The value that a parameter of the policy was read from.
fn locate(root: Value<'_>, parameter: Parameter) -> Option<Value<'_>> {
    let (list, index, field) = match parameter {
        Parameter::QuotaKind(index) => ("quotas", index, "kind"),
        Parameter::QuotaMinPercent(index) => ("quotas", index, "minPercent"),
        Parameter::QuotaMaxPercent(index) => ("quotas", index, "maxPercent"),
        Parameter::CountQuotaKind(index) => ("countQuotas", index, "kind"),
        Parameter::CountQuotaMinCount(index) => ("countQuotas", index, "minCount"),
        Parameter::BucketSize => return root.get("knapsackBucketSize"),
        _ => return None,
    };
    let entry = root.get(list)?.entry(index)?;
    // A limit that is not given is refused at its entry.
    Some(entry.get(field).unwrap_or(entry))
}

/// Writes a selector as the JSON that [`read_selector`] reads: its scorer, and what is not the default. Clocks are not written.
///
/// # Errors
///
/// [`JsonError::NoJsonForm`] for a scorer that has none.
pub fn write_selector(selector: &Selector) -> Result<String, JsonError> {
    let policy = selector.policy();
    let mut json = JsonWriter::new(SCORER_LIMIT);
    json.begin('{');
    if let Some(scorer) = &policy.scorer {
        write_tree(json.name("scorer"), scorer);
    }
    for (name, names, number) in [
        ("slicerType", &SLICERS[..], policy.slicer as usize),
        ("placerType", &PLACERS, policy.placer as usize),
        ("overflowStrategy", &OVERFLOWS, policy.overflow as usize),
        ("scarcity", &SCARCITIES, policy.scarcity as usize),
    ] {
        if number > 0 {
            json.name(name).plain(names[number]);
        }
    }
    if policy.keep_duplicates {
        json.name("deduplicationEnabled").literal(false);
    }
    if policy.slicer == Slicer::Knapsack && policy.bucket_size != Policy::DEFAULT_BUCKET_SIZE {
        json.name("knapsackBucketSize").literal(policy.bucket_size);
    }
    if !policy.quotas.entries().is_empty() {
        json.name("quotas").begin('[');
        for (entry, percents) in policy.quotas.entries().iter().enumerate() {
            json.begin('{');
            json.name("kind").string(policy.quotas.kind(entry));
            json.name("minPercent").number(percents.min);
            json.name("maxPercent").number(percents.max);
            json.end('}');
        }
        json.end(']');
    }
    if !policy.count_quotas.entries().is_empty() {
        json.name("countQuotas").begin('[');
        for (entry, counts) in policy.count_quotas.entries().iter().enumerate() {
            json.begin('{');
            json.name("kind").string(policy.count_quotas.kind(entry));
            json.name("minCount").literal(counts.min);
            if counts.max != usize::MAX {
                json.name("maxCount").literal(counts.max);
            }
            json.end('}');
        }
        json.end(']');
    }
    for (name, key) in [("groupKey", &policy.group_key), ("duplicateKey", &policy.duplicate_key)] {
        if let Some(key) = key {
            json.name(name).string(key);
        }
    }
    if policy.pinned_first {
        json.name("pinnedFirst").literal(true);
    }
    json.end('}');
    json.finish()
}
