//! Random scorer trees, as scorers of the library and of the reference.
//!
//! Every parameter is one that both accept and score alike. Left out, since the two differ on purpose: weights of -0.0, sums of
//! weights that overflow, step entries out of order, scores so great that their range overflows. Weights of tags are multiples
//! of 2^-10, so that the reference, which adds them up in the order of a hash map, gets the same sum in any order.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, Duration, Utc};
use cupel_reference as reference;
use cupel_reference::Scorer as _;
use cupel_reference::{ContextItem, ContextKind};
use proptest::collection::vec;
use proptest::prelude::*;

use super::capi::{Batch, Clock, Scorer};
use super::exact::check_exponential;
use super::rows::{self, KEYS, KINDS, Row, TAGS};

/// The greatest score that a leaf gives: the range of two such scores is still finite.
const GREATEST: f64 = 1e300;

#[derive(Debug, Clone)]
pub enum Tree {
    Recency,
    Priority,
    Frequency,
    Reflexive,
    KindDefault,
    Kind(Vec<(usize, f64)>),
    Tag(Vec<(usize, u32)>, bool),
    Trust(f64),
    Key(usize, String, f64),
    Exponential { now: i64, half_life: i64, null: f64 },
    Window { now: i64, max_age: i64, null: f64 },
    Step { now: i64, steps: Vec<(i64, f64)>, null: f64 },
    Composite(Vec<(Tree, f64)>),
    Scaled(Box<Tree>),
}

/// A finite number of 0 or more, -0.0 left out.
fn weight() -> impl Strategy<Value = f64> {
    (0_u8..10, any::<u64>()).prop_map(|(shape, bits)| match shape {
        0 => 0.0,
        1 => 1.0,
        2 => [5e-324, 1e-300, f64::MIN_POSITIVE, GREATEST][bits as usize % 4],
        3..6 => (bits % 100) as f64 / 10.0,
        _ => (bits >> 11) as f64 / (1_u64 << 50) as f64,
    })
}

fn positive() -> impl Strategy<Value = f64> {
    weight().prop_map(|weight| if weight == 0.0 { 0.1 } else { weight })
}

fn unit() -> impl Strategy<Value = f64> {
    (0_u8..6, any::<u64>()).prop_map(|(shape, bits)| match shape {
        0 => 0.0,
        1 => -0.0,
        2 => 1.0,
        3 => 0.5,
        _ => (bits >> 11) as f64 / (1_u64 << 53) as f64,
    })
}

fn step_score() -> impl Strategy<Value = f64> {
    (weight(), any::<bool>()).prop_map(|(score, negative)| if negative { -score } else { score })
}

/// A length of time in nanoseconds: usually minutes to days, sometimes anything there is.
fn duration() -> impl Strategy<Value = i64> {
    (0_u8..8, any::<i64>()).prop_map(|(shape, value)| match shape {
        0 => 1,
        1 => i64::MAX,
        2 => value.checked_abs().unwrap_or(1).max(1),
        3 => 1 + value.rem_euclid(10),
        4..6 => (1 + value.rem_euclid(6)) * 3_600_000_000_000,
        _ => 1 + value.rem_euclid(86_400_000_000_000),
    })
}

/// The first entry of each kind, under the rule for when kinds are the same.
fn distinct_kinds(list: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    let mut kept: Vec<(usize, f64)> = Vec::new();
    for (kind, weight) in list {
        if !kept.iter().any(|&(other, _)| KINDS[other].eq_ignore_ascii_case(KINDS[kind])) {
            kept.push((kind, weight));
        }
    }
    kept
}

fn distinct_tags(list: Vec<(usize, u32)>, fold: bool) -> Vec<(usize, u32)> {
    let mut kept: Vec<(usize, u32)> = Vec::new();
    for (tag, weight) in list {
        let same = |other: &str| if fold { other.eq_ignore_ascii_case(TAGS[tag]) } else { other == TAGS[tag] };
        if !kept.iter().any(|&(other, _)| same(TAGS[other])) {
            kept.push((tag, weight));
        }
    }
    kept
}

fn leaf() -> impl Strategy<Value = Tree> {
    let tags = vec((0..TAGS.len(), 0_u32..0x10_0000), 0..6);
    let steps = vec((duration(), step_score()), 1..6).prop_map(|mut steps| {
        steps.sort_by_key(|&(max_age, _)| max_age);
        steps.dedup_by_key(|&mut (max_age, _)| max_age);
        steps
    });
    let value = (0_u8..4, 0..rows::TEXTS.len(), 0..rows::NUMBERS.len()).prop_map(|(shape, text, number)| match shape {
        0 => rows::NUMBERS[number].to_string(),
        1 => rows::OTHERS[number % 2].to_owned(),
        _ => rows::TEXTS[text].to_owned(),
    });
    prop_oneof![
        2 => Just(Tree::Recency),
        2 => Just(Tree::Priority),
        3 => Just(Tree::Frequency),
        2 => Just(Tree::Reflexive),
        1 => Just(Tree::KindDefault),
        2 => vec((0..KINDS.len(), weight()), 0..6).prop_map(|list| Tree::Kind(distinct_kinds(list))),
        3 => (tags, any::<bool>()).prop_map(|(list, fold)| Tree::Tag(distinct_tags(list, fold), fold)),
        2 => unit().prop_map(Tree::Trust),
        2 => (0..KEYS.len(), value, positive()).prop_map(|(key, value, boost)| Tree::Key(key, value, boost)),
        2 => (rows::instant(), duration(), unit()).prop_map(|(now, max_age, null)| Tree::Window { now, max_age, null }),
        2 => (rows::instant(), steps, unit()).prop_map(|(now, steps, null)| Tree::Step { now, steps, null }),
        2 => (rows::instant(), duration(), unit())
            .prop_map(|(now, half_life, null)| Tree::Exponential { now, half_life, null }),
    ]
}

/// A tree of depth 3 or less: two levels of composite and scaled scorers over leaves.
pub fn tree() -> impl Strategy<Value = Tree> {
    leaf().prop_recursive(2, 16, 4, |inner| {
        prop_oneof![
            3 => vec((inner.clone(), positive()), 1..5).prop_map(Tree::Composite),
            2 => inner.prop_map(|inner| Tree::Scaled(Box::new(inner))),
        ]
    })
}

impl Tree {
    pub fn has_exponential(&self) -> bool {
        match self {
            Self::Exponential { .. } => true,
            Self::Composite(children) => children.iter().any(|(child, _)| child.has_exponential()),
            Self::Scaled(inner) => inner.has_exponential(),
            _ => false,
        }
    }

    /// Whether the sign of a score that is zero may hang on the order of the rows: the least of tied zeros is the first.
    pub fn has_scaled(&self) -> bool {
        match self {
            Self::Scaled(_) => true,
            Self::Composite(children) => children.iter().any(|(child, _)| child.has_scaled()),
            _ => false,
        }
    }

    /// The same tree with instants and half-lives of whole milliseconds, below which the reference does not look.
    pub fn in_whole_milliseconds(self) -> Self {
        use rows::whole_milliseconds as whole;
        match self {
            Self::Exponential { now, half_life, null } => {
                Self::Exponential { now: whole(now), half_life: whole(half_life).max(1_000_000), null }
            }
            Self::Composite(children) => {
                let children = children.into_iter();
                Self::Composite(children.map(|(child, weight)| (child.in_whole_milliseconds(), weight)).collect())
            }
            Self::Scaled(inner) => Self::Scaled(Box::new(inner.in_whole_milliseconds())),
            other => other,
        }
    }

    pub fn to_ours(&self) -> Scorer {
        let clock = |now: i64| Clock::fixed(now).unwrap();
        let scorer = match self {
            Self::Recency => Scorer::recency(),
            Self::Priority => Scorer::priority(),
            Self::Frequency => Scorer::frequency(),
            Self::Reflexive => Scorer::reflexive(),
            Self::KindDefault => Scorer::kind_default(),
            Self::Kind(list) => {
                Scorer::kind(&list.iter().map(|&(kind, weight)| (KINDS[kind].to_owned(), weight)).collect::<Vec<_>>())
            }
            Self::Tag(list, fold) => {
                let list: Vec<_> =
                    list.iter().map(|&(tag, weight)| (TAGS[tag].to_owned(), tag_weight(weight))).collect();
                Scorer::tag(&list, (*fold).into())
            }
            Self::Trust(default) => Scorer::metadata_trust(*default),
            Self::Key(key, value, boost) => Scorer::metadata_key(KEYS[*key], value, *boost),
            Self::Exponential { now, half_life, null } => Scorer::decay_exponential(&clock(*now), *half_life, *null),
            Self::Window { now, max_age, null } => Scorer::decay_window(&clock(*now), *max_age, *null),
            Self::Step { now, steps, null } => Scorer::decay_step(&clock(*now), steps, *null),
            Self::Composite(children) => {
                let children: Vec<_> = children.iter().map(|(child, weight)| (child.to_ours(), *weight)).collect();
                Scorer::composite(&children.iter().map(|(child, weight)| (child, *weight)).collect::<Vec<_>>())
            }
            Self::Scaled(inner) => Scorer::scaled(&inner.to_ours()),
        };
        scorer.unwrap()
    }

    /// The reference's scorer for these rows.
    ///
    /// Exponential decay is the one scorer in which the last digits may differ, and what is computed from its scores would
    /// differ by any amount. So its scores are held against the reference's and the true values here, each by itself, and the
    /// rest of the tree is then given the very scores that the library found.
    pub fn to_reference(&self, rows: &[Row], batch: &Batch) -> Box<dyn reference::Scorer> {
        let scorer: Box<dyn reference::Scorer> = match self {
            Self::Recency => Box::new(reference::RecencyScorer),
            Self::Priority => Box::new(reference::PriorityScorer),
            Self::Frequency => Box::new(reference::FrequencyScorer),
            Self::Reflexive => Box::new(reference::ReflexiveScorer),
            Self::KindDefault => Box::new(reference::KindScorer::with_default_weights()),
            Self::Kind(list) => {
                let list = list.iter().map(|&(kind, weight)| (ContextKind::new(KINDS[kind]).unwrap(), weight));
                Box::new(reference::KindScorer::new(list.collect()).unwrap())
            }
            Self::Tag(list, fold) => {
                let name = |tag: usize| if *fold { TAGS[tag].to_ascii_lowercase() } else { TAGS[tag].to_owned() };
                let weights: HashMap<_, _> =
                    list.iter().map(|&(tag, weight)| (name(tag), tag_weight(weight))).collect();
                let scorer = reference::TagScorer::new(weights).unwrap();
                if *fold { Box::new(Folded::new(scorer, rows)) } else { Box::new(scorer) }
            }
            Self::Trust(default) => Box::new(reference::MetadataTrustScorer::new(*default).unwrap()),
            Self::Key(key, value, boost) => {
                Box::new(reference::MetadataKeyScorer::new(KEYS[*key], value.as_str(), *boost).unwrap())
            }
            Self::Exponential { now, half_life, null } => {
                let ours = self.to_ours().score_batch(batch).unwrap();
                let curve = reference::DecayCurve::exponential(Duration::nanoseconds(*half_life)).unwrap();
                let theirs = decay(*now, curve, *null);
                let items: Vec<_> = rows.iter().map(Row::to_reference).collect();
                for ((row, item), &ours) in rows.iter().zip(&items).zip(&ours) {
                    match row.timestamp {
                        None => assert_eq!(ours.to_bits(), null.to_bits()),
                        Some(timestamp) => {
                            check_exponential(*now, timestamp, *half_life, ours, theirs.score(item, &items));
                        }
                    }
                }
                return Box::new(Given(ours));
            }
            Self::Window { now, max_age, null } => {
                Box::new(decay(*now, reference::DecayCurve::window(Duration::nanoseconds(*max_age)).unwrap(), *null))
            }
            Self::Step { now, steps, null } => {
                let steps = steps.iter().map(|&(max_age, score)| (Duration::nanoseconds(max_age), score)).collect();
                Box::new(decay(*now, reference::DecayCurve::step(steps).unwrap(), *null))
            }
            Self::Composite(children) => {
                let children =
                    children.iter().map(|(child, weight)| (child.to_reference(rows, batch), *weight)).collect();
                Box::new(reference::CompositeScorer::new(children).unwrap())
            }
            Self::Scaled(inner) => Box::new(reference::ScaledScorer::new(inner.to_reference(rows, batch))),
        };
        Box::new(Remembered::new(scorer, rows.len()))
    }
}

fn tag_weight(weight: u32) -> f64 {
    f64::from(weight) / 1024.0
}

fn decay(now: i64, curve: reference::DecayCurve, null: f64) -> reference::DecayScorer {
    struct Fixed(DateTime<Utc>);
    impl reference::TimeProvider for Fixed {
        fn now(&self) -> DateTime<Utc> {
            self.0
        }
    }
    reference::DecayScorer::new(Box::new(Fixed(rows::instant_of(now))), curve, null).unwrap()
}

fn row_of(item: &ContextItem, all: &[ContextItem]) -> usize {
    (std::ptr::from_ref(item).addr() - all.as_ptr().addr()) / size_of::<ContextItem>()
}

/// Scores of a leaf that are known already.
struct Given(Vec<f64>);

impl reference::Scorer for Given {
    fn score(&self, item: &ContextItem, all: &[ContextItem]) -> f64 {
        self.0[row_of(item, all)]
    }
}

/// The reference's tag scorer on rows whose tags are in lower case, as it has no rule of its own for folding.
struct Folded {
    scorer: reference::TagScorer,
    items: Vec<ContextItem>,
}

impl Folded {
    fn new(scorer: reference::TagScorer, rows: &[Row]) -> Self {
        let items = rows.iter().map(|row| {
            let tags = row.tags.iter().map(|&tag| TAGS[tag].to_ascii_lowercase()).collect();
            reference::ContextItemBuilder::new("content", 0).tags(tags).build().unwrap()
        });
        Self { scorer, items: items.collect() }
    }
}

impl reference::Scorer for Folded {
    fn score(&self, item: &ContextItem, all: &[ContextItem]) -> f64 {
        self.scorer.score(&self.items[row_of(item, all)], &self.items)
    }
}

/// A scorer of the reference that computes each row once. The reference asks an inner scorer for every row again for every
/// row, which for nested ones takes the fourth power of the rows.
struct Remembered {
    scorer: Box<dyn reference::Scorer>,
    scores: Arc<[AtomicU64]>,
}

/// A NaN that no arithmetic makes.
const UNKNOWN: u64 = 0x7ff8_dead_beef_0002;

impl Remembered {
    fn new(scorer: Box<dyn reference::Scorer>, rows: usize) -> Self {
        Self { scorer, scores: (0..rows).map(|_| AtomicU64::new(UNKNOWN)).collect() }
    }
}

impl reference::Scorer for Remembered {
    fn score(&self, item: &ContextItem, all: &[ContextItem]) -> f64 {
        let known = &self.scores[row_of(item, all)];
        let mut bits = known.load(Ordering::Relaxed);
        if bits == UNKNOWN {
            bits = self.scorer.score(item, all).to_bits();
            known.store(bits, Ordering::Relaxed);
        }
        f64::from_bits(bits)
    }
}
