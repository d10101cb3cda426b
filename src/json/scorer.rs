//! Scorers from JSON and back: a row of [`TYPES`] for each type that can be read, and an arm of [`write_fields`] for each that can
//! be written.
//!
//! Neither direction recurses, so that the stack does not bound how deep a scorer may be.

use std::borrow::Cow;

use crate::error::Parameter;
use crate::json::duration::{self, Duration};
use crate::json::error::JsonError;
use crate::json::failure::{Failure, Rule};
use crate::json::tree::{Tree, Value};
use crate::json::writer::JsonWriter;
use crate::json::{MAX_SCORER_BYTES, MAX_SCORERS, SCORER_LIMIT};
use crate::memory::{OutOfMemory, try_push};
use crate::scorer::{
    Clock, Composite, Curve, Decay, Frequency, Kind, MetadataKey, MetadataTrust, Parameters, Priority, Recency,
    Reflexive, Scaled, Shape, SharedScorer, Tag, Weights,
};
use crate::text::Match as TextMatch;

/// A type of scorer that can be read.
struct Type {
    name: &'static str,
    /// The fields that it knows, `weight` among them, which is checked where it belongs.
    fields: &'static [&'static str],
    read: fn(&Entry<'_>) -> Result<SharedScorer, Failure>,
}

const TYPES: [Type; 11] = [
    Type { name: "recency", fields: &["type", "weight"], read: |_| Ok(Recency::new()?) },
    Type { name: "priority", fields: &["type", "weight"], read: |_| Ok(Priority::new()?) },
    Type { name: "frequency", fields: &["type", "weight"], read: |_| Ok(Frequency::new()?) },
    Type { name: "reflexive", fields: &["type", "weight"], read: |_| Ok(Reflexive::new()?) },
    Type { name: "kind", fields: &["type", "weight", "kindWeights"], read: read_kind },
    Type { name: "tag", fields: &["type", "weight", "tagWeights", "match"], read: read_tag },
    Type { name: "scaled", fields: &["type", "weight", "innerScorer"], read: read_scaled },
    Type { name: "composite", fields: &["type", "weight", "scorers"], read: read_composite },
    Type { name: "metadataTrust", fields: &["type", "weight", "defaultScore"], read: read_metadata_trust },
    Type { name: "metadataKey", fields: &["type", "weight", "key", "value", "boost"], read: read_metadata_key },
    Type { name: "decay", fields: &["type", "weight", "curve", "nullTimestampScore"], read: read_decay },
];

const TYPE_NAMES: [&str; TYPES.len()] = {
    let mut names = [""; TYPES.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = TYPES[index].name;
        index += 1;
    }
    names
};

/// What an entry of a policy of the .NET library may have, whatever its type; null where it does not apply.
const ENTRY_FIELDS: [&str; 3] = ["kindWeights", "tagWeights", "innerScorer"];

/// The rules for when tags are the same.
const MATCHES: [&str; 2] = ["exact", "asciiCaseInsensitive"];

/// The shapes of a curve.
const SHAPES: [&str; 3] = ["exponential", "window", "step"];

/// Makes the scorer that a JSON text describes. Decay scorers get the time from `clock`.
///
/// The text is an object with `type` and the fields of that type, or an object with `scorers` and no `type`, a policy, which is a
/// composite and whose other fields are passed over.
///
/// # Errors
///
/// [`JsonError::Invalid`] for what is not JSON, an unknown or missing field, a value that the scorer refuses, a duplicate key,
/// nesting more than 64 deep, more than 100,000 scorers, and a text of more than 64 MiB.
pub fn read_scorer(json: &str, clock: &Clock) -> Result<SharedScorer, JsonError> {
    let scorer = Tree::parse(json, MAX_SCORER_BYTES).and_then(|tree| read_tree(tree.root(), clock));
    scorer.map_err(|failure| failure.locate(json))
}

/// A scorer in the text.
struct Pending<'a> {
    value: Value<'a>,
    scorer_type: &'static Type,
    /// Where its children are in the list of all scorers.
    children: std::ops::Range<usize>,
}

/// Reads a scorer object: first the scorers that it has in it, parents before children; then makes them, children before parents.
pub fn read_tree(root: Value<'_>, clock: &Clock) -> Result<SharedScorer, Failure> {
    let mut pending = Vec::new();
    let is_policy = root.field("type")?.is_none() && root.field("scorers")?.is_some();
    if is_policy {
        let scorer_type = TYPES.iter().find(|known| known.name == "composite").unwrap_or(&TYPES[0]);
        try_push(&mut pending, Pending { value: root, scorer_type, children: 0..0 })?;
    } else {
        if let Some(weight) = root.field("weight")? {
            return Err(weight.failure(Rule::Invalid("only a scorer in another one has a weight")));
        }
        push(&mut pending, root)?;
    }
    let mut next = 0;
    while let Some(Pending { value, scorer_type, .. }) = pending.get(next) {
        let (value, first_child) = (*value, pending.len());
        match scorer_type.name {
            "scaled" => push(&mut pending, value.required("innerScorer")?)?,
            "composite" => value.required("scorers")?.array()?.try_for_each(|child| push(&mut pending, child))?,
            _ => {}
        }
        pending[next].children = first_child..pending.len();
        next += 1;
    }
    // From the last to the first.
    let mut made: Vec<SharedScorer> = Vec::new();
    made.try_reserve_exact(pending.len()).map_err(OutOfMemory::from)?;
    for Pending { value, scorer_type, children } in pending.iter().rev() {
        let children = &made[pending.len() - children.end..pending.len() - children.start];
        let entry = Entry { value: *value, children, clock };
        made.push((scorer_type.read)(&entry).map_err(|failure| entry.locate_refusal(failure))?);
    }
    made.pop().ok_or_else(|| root.failure(Rule::Missing("type")))
}

fn push<'a>(pending: &mut Vec<Pending<'a>>, value: Value<'a>) -> Result<(), Failure> {
    if pending.len() == MAX_SCORERS {
        return Err(value.failure(Rule::TooManyScorers));
    }
    let scorer_type = &TYPES[value.required("type")?.choice(&TYPE_NAMES)?];
    value.check_fields(scorer_type.fields, &ENTRY_FIELDS)?;
    Ok(try_push(pending, Pending { value, scorer_type, children: 0..0 })?)
}

/// A scorer object whose children are made.
struct Entry<'a> {
    value: Value<'a>,
    /// The children, from the last to the first.
    children: &'a [SharedScorer],
    clock: &'a Clock,
}

impl<'a> Entry<'a> {
    /// Puts a refusal by the constructor at the value of the parameter that it is about.
    #[cold]
    fn locate_refusal(&self, failure: Failure) -> Failure {
        let Rule::Refused(error) = failure.rule else { return failure };
        let at = error.parameter().and_then(|parameter| self.locate(parameter)).unwrap_or(self.value);
        at.failure(Rule::Refused(error))
    }

    /// The value that a parameter was read from.
    fn locate(&self, parameter: Parameter) -> Option<Value<'a>> {
        let value = self.value;
        let weights = || value.get("kindWeights").or_else(|| value.get("tagWeights"));
        let curve = |shape| value.get("curve")?.get(shape);
        match parameter {
            Parameter::WeightName(index) => Some(weights()?.members().ok()?.nth(index)?.0),
            Parameter::Weight(index) => Some(weights()?.members().ok()?.nth(index)?.1),
            Parameter::Children => value.get("scorers"),
            Parameter::ChildWeight(index) => value.get("scorers")?.entry(index)?.get("weight"),
            Parameter::DefaultScore => value.get("defaultScore"),
            Parameter::Boost => value.get("boost"),
            Parameter::NullTimestampScore => value.get("nullTimestampScore"),
            Parameter::HalfLife => curve("exponential")?.get("halfLife"),
            Parameter::MaxAge => curve("window")?.get("maxAge"),
            Parameter::Steps => curve("step"),
            Parameter::StepMaxAge(index) => curve("step")?.entry(index)?.get("maxAge"),
            Parameter::StepScore(index) => curve("step")?.entry(index)?.get("score"),
            _ => None,
        }
    }
}

type NamedWeights<'a> = Vec<(Cow<'a, str>, f64)>;

fn read_weights(value: Value<'_>) -> Result<NamedWeights<'_>, Failure> {
    let mut weights = Vec::new();
    for (name, weight) in value.members()? {
        try_push(&mut weights, (name.string()?, weight.number()?))?;
    }
    Ok(weights)
}

fn borrowed<'a>(weights: &'a NamedWeights<'_>) -> impl Iterator<Item = (&'a str, f64)> {
    weights.iter().map(|(name, weight)| (&**name, *weight))
}

fn read_kind(entry: &Entry<'_>) -> Result<SharedScorer, Failure> {
    let Some(weights) = entry.value.field("kindWeights")? else { return Ok(Kind::with_default_weights()?) };
    Ok(Kind::new(borrowed(&read_weights(weights)?))?)
}

fn read_tag(entry: &Entry<'_>) -> Result<SharedScorer, Failure> {
    let weights = read_weights(entry.value.required("tagWeights")?)?;
    let rule = match entry.value.field("match")? {
        None => TextMatch::Exact,
        Some(rule) => [TextMatch::Exact, TextMatch::AsciiCaseInsensitive][rule.choice(&MATCHES)?],
    };
    Ok(Tag::new(borrowed(&weights), rule)?)
}

fn read_scaled(entry: &Entry<'_>) -> Result<SharedScorer, Failure> {
    let inner = entry.value.required("innerScorer")?;
    // In a policy of the .NET library an inner scorer has a weight, which nothing asks for.
    if let Some(weight) = inner.field("weight")?
        && weight.number()? <= 0.0
    {
        return Err(weight.failure(Rule::Invalid("a weight must be more than zero and finite")));
    }
    Ok(Scaled::new(&entry.children[0])?)
}

fn read_composite(entry: &Entry<'_>) -> Result<SharedScorer, Failure> {
    let mut children = Vec::new();
    for (child, scorer) in entry.value.required("scorers")?.array()?.zip(entry.children.iter().rev()) {
        try_push(&mut children, (scorer, child.required("weight")?.number()?))?;
    }
    Ok(Composite::new(children)?)
}

fn read_metadata_trust(entry: &Entry<'_>) -> Result<SharedScorer, Failure> {
    Ok(MetadataTrust::new(entry.value.field("defaultScore")?.map_or(Ok(0.5), Value::number)?)?)
}

fn read_metadata_key(entry: &Entry<'_>) -> Result<SharedScorer, Failure> {
    let (key, value) = (entry.value.required("key")?.string()?, entry.value.required("value")?.string()?);
    Ok(MetadataKey::new(&key, &value, entry.value.required("boost")?.number()?)?)
}

fn read_decay(entry: &Entry<'_>) -> Result<SharedScorer, Failure> {
    let curve = entry.value.required("curve")?;
    curve.check_fields(&SHAPES, &[])?;
    let curve = match (curve.field("exponential")?, curve.field("window")?, curve.field("step")?) {
        (Some(shape), None, None) => {
            shape.check_fields(&["halfLife"], &[])?;
            Curve::exponential(read_duration(shape.required("halfLife")?)?)?
        }
        (None, Some(shape), None) => {
            shape.check_fields(&["maxAge"], &[])?;
            Curve::window(read_duration(shape.required("maxAge")?)?)?
        }
        (None, None, Some(steps)) => Curve::step(steps.list(|step| {
            step.check_fields(&["maxAge", "score"], &[])?;
            Ok((read_duration(step.required("maxAge")?)?, step.required("score")?.number()?))
        })?)?,
        _ => return Err(curve.failure(Rule::NotOneField(&SHAPES))),
    };
    let null_timestamp_score = entry.value.field("nullTimestampScore")?.map_or(Ok(0.5), Value::number)?;
    Ok(Decay::new(entry.clock, curve, null_timestamp_score)?)
}

fn read_duration(value: Value<'_>) -> Result<i64, Failure> {
    duration::parse(&value.string()?).map_err(|rule| value.failure(rule))
}

/// Writes a scorer, with all below it, as the JSON that [`read_scorer`] reads. Clocks are not written.
///
/// # Errors
///
/// [`JsonError::NoJsonForm`] for a custom scorer anywhere in it, nesting more than 64 deep, more than 100,000 scorers, where one
/// that is shared counts each time, and more than 64 MiB of text.
pub fn write_scorer(scorer: &SharedScorer) -> Result<String, JsonError> {
    let mut json = JsonWriter::new(SCORER_LIMIT);
    write_tree(&mut json, scorer);
    json.finish()
}

/// Writes a scorer object.
pub fn write_tree(json: &mut JsonWriter, scorer: &SharedScorer) {
    // The scorers that are begun and not ended, each with the number of children that are written.
    let mut open: Vec<(&SharedScorer, usize)> = Vec::new();
    let mut written = 0;
    let mut next = Some(scorer);
    while !json.has_failed() {
        if let Some(scorer) = next {
            if written == MAX_SCORERS {
                json.fail(JsonError::NoJsonForm(
                    "the scorer has too many scorers in it: its JSON may have 100,000, and repeats those that are shared",
                ));
            }
            written += 1;
            json.begin('{');
            json.name("type").plain(scorer.scorer().name());
            write_fields(json, scorer.scorer().parameters());
            if let Err(error) = try_push(&mut open, (scorer, 0)) {
                json.fail(error.into());
            }
        }
        let Some((scorer, children)) = open.last_mut() else { break };
        next = scorer.children().get(*children);
        *children += 1;
        if next.is_some() {
            continue;
        }
        if let Parameters::Composite(_) = scorer.scorer().parameters() {
            json.end(']');
        }
        open.pop();
        if let Some((parent, children)) = open.last()
            && let Parameters::Composite(weights) = parent.scorer().parameters()
        {
            json.name("weight").number(weights[children - 1]);
        }
        json.end('}');
    }
}

/// Writes the fields of a scorer other than `type`, up to where its children come.
fn write_fields(json: &mut JsonWriter, parameters: Parameters<'_>) {
    match parameters {
        Parameters::Recency | Parameters::Priority | Parameters::Frequency | Parameters::Reflexive => {}
        Parameters::Kind(None) => {}
        Parameters::Kind(Some(weights)) => write_weights(json.name("kindWeights"), weights),
        Parameters::Tag(weights, rule) => {
            write_weights(json.name("tagWeights"), weights);
            if rule == TextMatch::AsciiCaseInsensitive {
                json.name("match").plain(MATCHES[1]);
            }
        }
        Parameters::Scaled => _ = json.name("innerScorer"),
        Parameters::Composite(_) => json.name("scorers").begin('['),
        Parameters::MetadataTrust(default_score) => json.name("defaultScore").number(default_score),
        Parameters::MetadataKey { key, value, boost } => {
            json.name("key").string(key);
            json.name("value").string(value);
            json.name("boost").number(boost);
        }
        Parameters::Decay(curve, null_timestamp_score) => {
            json.name("curve").begin('{');
            match curve.shape() {
                Shape::Exponential { half_life } => write_shape(json, "exponential", "halfLife", *half_life),
                Shape::Window { max_age } => write_shape(json, "window", "maxAge", *max_age),
                Shape::Step(steps) => {
                    json.name("step").begin('[');
                    for (max_age, score) in steps {
                        json.begin('{');
                        json.name("maxAge").plain(Duration(*max_age));
                        json.name("score").number(*score);
                        json.end('}');
                    }
                    json.end(']');
                }
            }
            json.end('}');
            json.name("nullTimestampScore").number(null_timestamp_score);
        }
        Parameters::Custom => json.fail(JsonError::NoJsonForm(
            "a custom scorer has no JSON form, and neither has a scorer that contains one",
        )),
    }
}

fn write_weights(json: &mut JsonWriter, weights: &Weights) {
    json.begin('{');
    weights.iter().for_each(|(name, weight)| json.name(name).number(weight));
    json.end('}');
}

fn write_shape(json: &mut JsonWriter, shape: &str, field: &str, nanoseconds: i64) {
    json.name(shape).begin('{');
    json.name(field).plain(Duration(nanoseconds));
    json.end('}');
}
