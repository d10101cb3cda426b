//! The same rows and the same tree in the library and in the reference crate: the same bits.
//!
//! The values stay where the two mean to agree. Tag weights are multiples of an eighth, whose sums are exact in any order, which
//! the reference needs; sums do not overflow; steps come in order; and exponential decay, whose last digit the reference takes
//! from the platform, is compared on its own, within an ulp of each.

use std::collections::{HashMap, HashSet};

use arbitrary::{Result, Unstructured};
use chrono::{DateTime, Duration, Utc};
use cupel_reference as reference;
use cupel_reference::Scorer as _;

use crate::capi::{Batch, Clock, Metadata, Scorer};
use crate::values::{self, Row};

/// How deep a tree may get, where a scaled scorer counts twice: each one makes the reference score all rows for every row.
const MOST_DEPTH: u32 = 4;
const MOST_ROWS: usize = 24;

const MILLISECOND: i64 = 1_000_000;

/// A scorer in both libraries.
struct Pair {
    ours: Scorer,
    theirs: Box<dyn reference::Scorer>,
}

struct FixedTime(DateTime<Utc>);

impl reference::TimeProvider for FixedTime {
    fn now(&self) -> DateTime<Utc> {
        self.0
    }
}

pub fn run(data: &[u8]) {
    let _ = attempt(&mut Unstructured::new(data));
}

fn attempt(u: &mut Unstructured<'_>) -> Result<()> {
    let now = instant(u)?;
    let rows = (0..values::len(u, MOST_ROWS)?).map(|_| generate(u)).collect::<Result<Vec<_>>>()?;
    let mut batch = Batch::new(rows.len()).unwrap();
    rows.iter().for_each(|row| batch.push(&row.item()).unwrap());
    let theirs: Vec<_> = rows.iter().map(reference_item).collect();

    let half_life = duration(u)?;
    exponential(&batch, &theirs, now, half_life, fraction(u)?);
    for _ in 0..=values::len(u, 3)? {
        let pair = pair(u, now, 0)?;
        let scores = pair.ours.score_batch(&batch).unwrap();
        for (item, score) in theirs.iter().zip(&scores) {
            let expected = pair.theirs.score(item, &theirs);
            assert_eq!(score.to_bits(), expected.to_bits(), "{score} here, {expected} there");
        }
    }
    Ok(())
}

/// A row that both libraries can hold: metadata is text in the reference.
fn generate(u: &mut Unstructured<'_>) -> Result<Row> {
    let mut row = Row::generate(u)?;
    row.metadata.retain(|(_, value)| matches!(value, Metadata::String(_)));
    if u.arbitrary()? {
        row.set_metadata("cupel:trust".into(), Metadata::String(values::double(u)?.to_string()));
    }
    if row.timestamp.is_some() {
        row.timestamp = Some(instant(u)?);
    }
    Ok(row)
}

fn reference_item(row: &Row) -> reference::ContextItem {
    let metadata = row.metadata.iter().map(|(key, value)| match value {
        Metadata::String(text) => (key.clone(), text.clone()),
        other => panic!("{other:?} is no text"),
    });
    let mut builder = reference::ContextItemBuilder::new(row.content.clone(), row.tokens)
        .kind(reference::ContextKind::new(row.kind.clone()).unwrap())
        .tags(row.tags.clone())
        .metadata(metadata.collect());
    if let Some(priority) = row.priority {
        builder = builder.priority(priority);
    }
    if let Some(timestamp) = row.timestamp {
        builder = builder.timestamp(DateTime::from_timestamp_nanos(timestamp));
    }
    if let Some(hint) = row.hint {
        builder = builder.future_relevance_hint(hint);
    }
    builder.build().unwrap()
}

/// An instant near others, in whole milliseconds, which is how far the reference looks.
fn instant(u: &mut Unstructured<'_>) -> Result<i64> {
    let around = *u.choose(&[0, 1_750_000_000_000, -5_000, 9_000_000_000_000])?;
    let off = if u.arbitrary()? { i64::from(u.arbitrary::<i8>()?) } else { i64::from(u.arbitrary::<i32>()?) };
    Ok((around + off) * MILLISECOND)
}

fn duration(u: &mut Unstructured<'_>) -> Result<i64> {
    let milliseconds = if u.arbitrary()? { u.int_in_range(1..=200)? } else { u.int_in_range(1..=4_000_000_000_i64)? };
    Ok(milliseconds * MILLISECOND)
}

fn fraction(u: &mut Unstructured<'_>) -> Result<f64> {
    Ok(f64::from(u.int_in_range(0..=1000_u16)?) / 1000.0)
}

/// Any finite score that leaves room for the arithmetic of a tree.
fn moderate(u: &mut Unstructured<'_>) -> Result<f64> {
    let value = values::double(u)?;
    Ok(if value.is_finite() && value.abs() < 1e200 { value } else { 0.25 })
}

fn exponential(batch: &Batch, theirs: &[reference::ContextItem], now: i64, half_life: i64, null_score: f64) {
    let clock = Clock::fixed(now).unwrap();
    let scorer = Scorer::decay_exponential(&clock, half_life, null_score).unwrap();
    let curve = reference::DecayCurve::exponential(Duration::nanoseconds(half_life)).unwrap();
    let time = Box::new(FixedTime(DateTime::from_timestamp_nanos(now)));
    let reference = reference::DecayScorer::new(time, curve, null_score).unwrap();
    for (item, score) in theirs.iter().zip(scorer.score_batch(batch).unwrap()) {
        let expected = reference.score(item, theirs);
        // The reference divides rounded seconds by rounded seconds, and so has an exponent with up to three roundings in it;
        // the score's relative error grows with the exponent.
        let tolerance = 1e-15 + 4.0 * f64::EPSILON * expected.max(f64::MIN_POSITIVE).log2().abs();
        assert!(
            (score - expected).abs() <= tolerance * expected.abs() + f64::MIN_POSITIVE,
            "{score} here, {expected} there"
        );
    }
}

fn pair(u: &mut Unstructured<'_>, now: i64, depth: u32) -> Result<Pair> {
    let most = if depth < MOST_DEPTH { 11 } else { 8 };
    Ok(match u.int_in_range(0..=most)? {
        0 => Pair { ours: Scorer::recency().unwrap(), theirs: Box::new(reference::RecencyScorer) },
        1 => Pair { ours: Scorer::priority().unwrap(), theirs: Box::new(reference::PriorityScorer) },
        2 => Pair { ours: Scorer::frequency().unwrap(), theirs: Box::new(reference::FrequencyScorer) },
        3 => Pair { ours: Scorer::reflexive().unwrap(), theirs: Box::new(reference::ReflexiveScorer) },
        4 => kind(u)?,
        5 => tag(u)?,
        6 => trust(u)?,
        7 => key(u)?,
        8 => decay(u, now)?,
        9 => {
            let inner = pair(u, now, depth + 2)?;
            let ours = Scorer::scaled(&inner.ours).unwrap();
            Pair { ours, theirs: Box::new(reference::ScaledScorer::new(inner.theirs)) }
        }
        _ => composite(u, now, depth)?,
    })
}

fn kind(u: &mut Unstructured<'_>) -> Result<Pair> {
    if u.arbitrary()? {
        let theirs = Box::new(reference::KindScorer::with_default_weights());
        return Ok(Pair { ours: Scorer::kind_default().unwrap(), theirs });
    }
    let mut seen = HashSet::new();
    let mut weights = Vec::new();
    for _ in 0..values::len(u, 4)? {
        let (kind, weight) = (values::name(u)?, moderate(u)?.abs());
        if seen.insert(kind.to_ascii_lowercase()) {
            weights.push((kind, weight));
        }
    }
    let theirs = weights.iter().map(|(kind, weight)| (reference::ContextKind::new(kind.clone()).unwrap(), *weight));
    let theirs = reference::KindScorer::new(theirs.collect()).unwrap();
    Ok(Pair { ours: Scorer::kind(&weights).unwrap(), theirs: Box::new(theirs) })
}

fn tag(u: &mut Unstructured<'_>) -> Result<Pair> {
    let mut weights = HashMap::new();
    for _ in 0..values::len(u, 4)? {
        weights.insert(values::text(u)?, if u.ratio(1, 5)? { 0.0 } else { values::weight(u)? });
    }
    let list: Vec<_> = weights.iter().map(|(tag, weight)| (tag.clone(), *weight)).collect();
    let theirs = Box::new(reference::TagScorer::new(weights).unwrap());
    Ok(Pair { ours: Scorer::tag(&list, 0).unwrap(), theirs })
}

fn trust(u: &mut Unstructured<'_>) -> Result<Pair> {
    let score = fraction(u)?;
    let theirs = Box::new(reference::MetadataTrustScorer::new(score).unwrap());
    Ok(Pair { ours: Scorer::metadata_trust(score).unwrap(), theirs })
}

fn key(u: &mut Unstructured<'_>) -> Result<Pair> {
    let (key, value, boost) = (values::text(u)?, values::text(u)?, moderate(u)?.abs().max(0.125));
    let ours = Scorer::metadata_key(&key, &value, boost).unwrap();
    Ok(Pair { ours, theirs: Box::new(reference::MetadataKeyScorer::new(key, value, boost).unwrap()) })
}

fn decay(u: &mut Unstructured<'_>, now: i64) -> Result<Pair> {
    let clock = Clock::fixed(now).unwrap();
    let null_score = fraction(u)?;
    let (ours, curve) = if u.arbitrary()? {
        let age = duration(u)?;
        let curve = reference::DecayCurve::window(Duration::nanoseconds(age)).unwrap();
        (Scorer::decay_window(&clock, age, null_score).unwrap(), curve)
    } else {
        let mut steps = vec![(duration(u)?, moderate(u)?)];
        for _ in 0..values::len(u, 4)? {
            let (age, _) = steps[steps.len() - 1];
            steps.push((age + duration(u)?, moderate(u)?));
        }
        let theirs = steps.iter().map(|&(age, score)| (Duration::nanoseconds(age), score)).collect();
        (Scorer::decay_step(&clock, &steps, null_score).unwrap(), reference::DecayCurve::step(theirs).unwrap())
    };
    let time = Box::new(FixedTime(DateTime::from_timestamp_nanos(now)));
    Ok(Pair { ours, theirs: Box::new(reference::DecayScorer::new(time, curve, null_score).unwrap()) })
}

fn composite(u: &mut Unstructured<'_>, now: i64, depth: u32) -> Result<Pair> {
    let mut ours = Vec::new();
    let mut theirs: Vec<(Box<dyn reference::Scorer>, f64)> = Vec::new();
    for _ in 0..=values::len(u, 3)? {
        let (child, weight) = (pair(u, now, depth + 1)?, values::weight(u)?);
        ours.push((child.ours, weight));
        theirs.push((child.theirs, weight));
    }
    let children: Vec<_> = ours.iter().map(|(child, weight)| (child, *weight)).collect();
    let ours = Scorer::composite(&children).unwrap();
    Ok(Pair { ours, theirs: Box::new(reference::CompositeScorer::new(theirs).unwrap()) })
}
