//! The model's cases, run through the library.

use cupel::batch::ItemBuilder;
use cupel::error::{Error, Parameter};
use cupel::select::{self, Selection, Selector};
use cupel::{Batch, MetadataValue};

use super::model::{Failure, Overflow, Placer, Policy, Request, Row, Selected, Slicer};

const GROUP_KEY: &str = "cupel:group";
const DUPLICATE_KEY: &str = "document";

pub fn push(batch: &mut Batch, row: &Row) {
    let mut item = ItemBuilder::new(&row.content, row.tokens).unwrap();
    item.kind(&row.kind).unwrap().pinned(row.pinned).unwrap();
    // Tags that some rows share, for frequency.
    if row.tokens % 4 != 0 {
        item.tag(&row.kind).unwrap().tag(&format!("tag {}", row.tokens % 5)).unwrap();
    }
    if let Some(timestamp) = row.timestamp {
        item.timestamp(timestamp).unwrap();
    }
    // Texts that are numbers come as texts and as doubles, which have the same text.
    for (key, text) in [(GROUP_KEY, &row.group), (DUPLICATE_KEY, &row.duplicate)] {
        if let Some(text) = text {
            let number = text.parse::<f64>();
            let value = match (number, row.tokens % 3) {
                (Ok(number), 0) if number.to_string() == *text => MetadataValue::Double(number),
                (_, 1) => MetadataValue::Other(text),
                _ => MetadataValue::String(text),
            };
            item.metadata(key, value).unwrap();
        }
    }
    batch.push(&item.build().unwrap()).unwrap();
}

pub fn selector(policy: &Policy, scorer: Option<cupel::scorer::SharedScorer>) -> Selector {
    let quotas: Vec<select::Quota<'_>> = policy
        .quotas
        .iter()
        .map(|(kind, min, max)| select::Quota { kind, min_percent: *min, max_percent: *max })
        .collect();
    let count_quotas: Vec<select::CountQuota<'_>> = policy
        .count_quotas
        .iter()
        .map(|(kind, min, max)| select::CountQuota { kind, min_count: *min, max_count: *max })
        .collect();
    Selector::new(select::Policy {
        scorer,
        slicer: match policy.slicer {
            Slicer::Greedy => select::Slicer::Greedy,
            Slicer::Knapsack => select::Slicer::Knapsack,
            Slicer::Ranked => select::Slicer::Ranked,
            Slicer::Prefix => select::Slicer::Prefix,
        },
        placer: match policy.placer {
            Placer::Chronological => select::Placer::Chronological,
            Placer::UShaped => select::Placer::UShaped,
            Placer::Ranked => select::Placer::Ranked,
            Placer::BatchOrder => select::Placer::BatchOrder,
        },
        overflow: match policy.overflow {
            Overflow::Fail => select::Overflow::Fail,
            Overflow::Truncate => select::Overflow::Truncate,
            Overflow::Proceed => select::Overflow::Proceed,
        },
        keep_duplicates: policy.keep_duplicates,
        bucket_size: policy.bucket_size,
        quotas: &quotas,
        count_quotas: &count_quotas,
        scarcity: if policy.scarcity_fails { select::Scarcity::Fail } else { select::Scarcity::Degrade },
        group_key: policy.groups.then_some(GROUP_KEY),
        duplicate_key: policy.duplicate_key.then_some(DUPLICATE_KEY),
        pinned_first: policy.pinned_first,
    })
    .unwrap()
}

pub fn request<'a>(
    request: &Request,
    scores: Option<&'a [f64]>,
    previous: select::Previous<'a>,
) -> select::Request<'a> {
    select::Request {
        max_tokens: request.max_tokens,
        target_tokens: request.target_tokens,
        output_reserve: request.output_reserve,
        reserved_tokens: request.reserved_tokens,
        safety_margin_percent: request.margin,
        max_rows: request.max_rows,
        scores,
        previous,
    }
}

pub fn selected(selection: &Selection) -> Selected {
    let tokens = selection.tokens();
    Selected {
        rows: selection.rows().to_vec(),
        scores: selection.scores().iter().map(|score| score.to_bits()).collect(),
        reasons: selection.reason_numbers().to_vec(),
        causes: selection.causes().to_vec(),
        shortfalls: selection.shortfalls().iter().map(|short| (short.entry, short.required, short.found)).collect(),
        kept: tokens.kept,
        pinned: tokens.pinned,
        considered: tokens.considered,
        effective_target: tokens.effective_target,
        available: tokens.available,
        overflow: tokens.overflow,
        stable: selection.is_stable(),
    }
}

/// An error in the model's terms. The pinned rows of a message are the lowest few.
pub fn failure(error: &Error) -> Failure {
    match error {
        Error::Invalid { parameter, .. } => Failure::Invalid(match parameter {
            Parameter::MaxTokens => "max_tokens",
            Parameter::TargetTokens => "target_tokens",
            Parameter::OutputReserve => "output_reserve",
            Parameter::ReservedTokens => "reserved_tokens",
            Parameter::SafetyMarginPercent => "safety_margin_percent",
            Parameter::MaxRows => "max_rows",
            _ => panic!("{error}"),
        }),
        Error::OverBudget { tokens, limit, pinned } => {
            Failure::OverBudget { tokens: *tokens, limit: *limit, pinned: pinned.first().to_vec() }
        }
        Error::Shortfall { entry, required, found, .. } => {
            Failure::Shortfall { entry: *entry, required: *required, found: *found }
        }
        _ => panic!("{error}"),
    }
}
