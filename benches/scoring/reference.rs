//! The reference crate, item by item, as it is used.

use std::collections::HashMap;

use chrono::{DateTime, Duration, Utc};
use cupel_reference::{
    CompositeScorer, ContextItem, ContextItemBuilder, ContextKind, DecayCurve, DecayScorer, FrequencyScorer,
    KindScorer, MetadataKeyScorer, MetadataTrustScorer, PriorityScorer, RecencyScorer, ReflexiveScorer, ScaledScorer,
    TagScorer, TimeProvider,
};

use crate::data::{NOW, Row};
use crate::scorers::Scorer;

struct Fixed;

impl TimeProvider for Fixed {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp_nanos(NOW)
    }
}

pub fn items(rows: &[Row]) -> Vec<ContextItem> {
    rows.iter().map(item).collect()
}

fn item(row: &Row) -> ContextItem {
    let mut builder = ContextItemBuilder::new(&*row.content, row.tokens).tags(row.tags.clone());
    if let Some(kind) = row.kind {
        builder = builder.kind(ContextKind::new(kind).expect("a kind"));
    }
    if let Some(priority) = row.priority {
        builder = builder.priority(priority);
    }
    if let Some(timestamp) = row.timestamp {
        builder = builder.timestamp(DateTime::from_timestamp_nanos(timestamp));
    }
    if let Some(hint) = row.hint {
        builder = builder.future_relevance_hint(hint);
    }
    let mut metadata = HashMap::new();
    if let Some(trust) = row.trust {
        metadata.insert("cupel:trust".to_owned(), trust.to_string());
    }
    if let Some(topic) = row.topic {
        metadata.insert("topic".to_owned(), topic.to_owned());
    }
    metadata.extend(row.more.iter().cloned());
    builder.metadata(metadata).build().expect("an item")
}

pub fn scorer(scorer: Scorer) -> Box<dyn cupel_reference::Scorer> {
    let decay = |curve| Box::new(DecayScorer::new(Box::new(Fixed), curve, 0.5).expect("a scorer"));
    match scorer {
        Scorer::Recency => Box::new(RecencyScorer),
        Scorer::Priority => Box::new(PriorityScorer),
        Scorer::Kind => Box::new(KindScorer::with_default_weights()),
        Scorer::Tag => {
            let weights = [("tag-1", 1.0), ("tag-2", 2.0), ("tag-3", 3.0), ("tag-40", 4.0)];
            Box::new(TagScorer::new(weights.map(|(tag, weight)| (tag.to_owned(), weight)).into()).expect("a scorer"))
        }
        Scorer::Frequency => Box::new(FrequencyScorer),
        Scorer::Reflexive => Box::new(ReflexiveScorer),
        Scorer::Trust => Box::new(MetadataTrustScorer::new(0.5).expect("a scorer")),
        Scorer::MetadataKey => Box::new(MetadataKeyScorer::new("topic", "deploy", 1.5).expect("a scorer")),
        Scorer::DecayExponential => decay(DecayCurve::exponential(Duration::days(7)).expect("a curve")),
        Scorer::DecayWindow => decay(DecayCurve::window(Duration::days(7)).expect("a curve")),
        Scorer::DecayStep => decay(
            DecayCurve::step(vec![(Duration::days(1), 1.0), (Duration::days(7), 0.5), (Duration::days(14), 0.2)])
                .expect("a curve"),
        ),
        Scorer::ScaledKind => Box::new(ScaledScorer::new(self::scorer(Scorer::Kind))),
        Scorer::ScaledRecency => Box::new(ScaledScorer::new(self::scorer(Scorer::Recency))),
        Scorer::Composite => {
            let children =
                [(Scorer::Recency, 0.4), (Scorer::Kind, 0.3), (Scorer::Frequency, 0.2), (Scorer::Trust, 0.1)];
            let children = children.map(|(child, weight)| (self::scorer(child), weight));
            Box::new(CompositeScorer::new(children.into()).expect("a scorer"))
        }
    }
}
