//! Random batches, policies and requests.

use crate::model::{Overflow, Placer, Policy, Request, Row, Slicer};
use crate::random::Random;

const KINDS: [&str; 6] = ["Message", "message", "ToolOutput", "TOOLOUTPUT", "Memory", "Straße"];

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len() as u64) as usize]
}

fn chance(random: &mut Random, percent: u64) -> bool {
    random.below(100) < percent
}

/// How large the numbers of a case are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    Small,
    /// Up to the greatest integers.
    Huge,
}

/// What the rows of a case are like.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    scale: Scale,
    pinned: u64,
    negative: u64,
    zero: u64,
    contents: u64,
    groups: u64,
    grouped: u64,
    kinds: usize,
    timestamps: u64,
}

pub fn shape(random: &mut Random) -> Shape {
    Shape {
        scale: if chance(random, 8) { Scale::Huge } else { Scale::Small },
        pinned: pick(random, &[0, 0, 5, 15, 50]),
        negative: pick(random, &[0, 0, 0, 10]),
        zero: pick(random, &[0, 5, 30]),
        contents: pick(random, &[2, 8, 40, 1_000]),
        groups: pick(random, &[1, 2, 6, 20]),
        grouped: pick(random, &[0, 30, 90]),
        kinds: pick(random, &[1, 3, KINDS.len()]),
        timestamps: pick(random, &[0, 50, 100]),
    }
}

pub fn row(random: &mut Random, shape: Shape) -> Row {
    let tokens = match shape.scale {
        _ if chance(random, shape.zero) => 0,
        _ if chance(random, shape.negative) => -1 - random.below(5) as i64,
        Scale::Small => 1 + random.below(60) as i64,
        Scale::Huge => {
            pick(random, &[1, 7, i64::MAX, i64::MAX - 1, i64::MAX / 2, i64::MAX / 3, 1 << 53, (1 << 53) + 1])
        }
    };
    let content = format!("content {}", random.below(shape.contents));
    let text = |random: &mut Random, of: u64| Some(format!("{}", random.below(of)));
    Row {
        content,
        tokens,
        kind: pick(random, &KINDS[..shape.kinds]).to_owned(),
        pinned: chance(random, shape.pinned),
        timestamp: chance(random, shape.timestamps).then(|| random.below(6) as i64 - 2),
        group: if chance(random, shape.grouped) { text(random, shape.groups) } else { None },
        duplicate: if chance(random, 70) { text(random, shape.contents) } else { None },
    }
}

/// Offsets of groups of some rows each; groups may be empty.
pub fn groups(random: &mut Random, rows: usize) -> Vec<i64> {
    let most = pick(random, &[1, 3, 12, 100]);
    let mut offsets = vec![0];
    while offsets[offsets.len() - 1] < rows as i64 {
        offsets.push((offsets[offsets.len() - 1] + random.below(most + 1) as i64).min(rows as i64));
    }
    offsets.extend(chance(random, 10).then_some(rows as i64));
    offsets
}

pub fn score(random: &mut Random) -> f64 {
    match random.below(12) {
        0 => random.double(),
        1..4 => random.below(4) as f64 / 4.0,
        4 => -random.unit(),
        5 => random.unit() * 1e6,
        _ => random.unit(),
    }
}

pub fn policy(random: &mut Random) -> Policy {
    let mut quotas = Vec::new();
    let mut left = 100.0;
    if chance(random, 30) {
        for kind in ["MESSAGE", "tooloutput", "Memory", "absent"] {
            if chance(random, 60) {
                let min = (random.below(40) as f64 * 0.7_f64).min(left);
                let max = if chance(random, 30) { 100.0 } else { (min + random.below(60) as f64).min(100.0) };
                left -= min;
                quotas.push((kind.to_owned(), min, max));
            }
        }
    }
    let mut count_quotas = Vec::new();
    if chance(random, 30) {
        for kind in ["message", "ToolOutput", "memory", "absent"] {
            if chance(random, 60) {
                let min = random.below(4) as usize;
                let max = if chance(random, 30) { usize::MAX } else { min + random.below(3) as usize };
                count_quotas.push((kind.to_owned(), min, max));
            }
        }
    }
    Policy {
        slicer: pick(random, &[Slicer::Greedy, Slicer::Knapsack, Slicer::Ranked, Slicer::Prefix]),
        placer: pick(random, &[Placer::Chronological, Placer::UShaped, Placer::Ranked, Placer::BatchOrder]),
        overflow: pick(random, &[Overflow::Fail, Overflow::Truncate, Overflow::Proceed]),
        keep_duplicates: chance(random, 40),
        bucket_size: pick(random, &[1, 2, 7, 100]),
        quotas,
        count_quotas,
        scarcity_fails: chance(random, 20),
        groups: chance(random, 40),
        duplicate_key: chance(random, 20),
        pinned_first: chance(random, 20),
    }
}

/// A request; `tokens` is the sum of a batch's tokens, so that budgets are of its size.
pub fn request(random: &mut Random, policy: &Policy, tokens: i64) -> Request {
    // The model's knapsack has a cell for each token at a bucket of 1.
    let knapsack = policy.slicer == Slicer::Knapsack;
    let scale = tokens.clamp(10, if knapsack { 3_000 } else { i64::MAX / 2 });
    let max_tokens = match random.below(20) {
        0 if !knapsack => i64::MAX,
        1 => random.below(3) as i64 - 1,
        _ => random.below(scale as u64 + scale as u64 / 2) as i64,
    };
    let target_tokens = match random.below(10) {
        0..3 => 0,
        3 => max_tokens.saturating_add(random.below(2) as i64),
        4 => -(random.below(2) as i64),
        _ => random.below(max_tokens.max(1) as u64) as i64,
    };
    let output_reserve = match random.below(10) {
        0 => random.below(max_tokens.max(1) as u64 + 2) as i64,
        1 => random.below(max_tokens.max(1) as u64 / 4 + 1) as i64,
        _ => 0,
    };
    let construction = knapsack || !policy.quotas.is_empty() || !policy.count_quotas.is_empty();
    Request {
        max_tokens,
        target_tokens,
        output_reserve,
        reserved_tokens: match random.below(10) {
            0 => random.below(max_tokens.max(1) as u64 / 4 + 1) as i64,
            1 => pick(random, &[i64::MAX, -1, 0, 1, 2]),
            _ => 0,
        },
        margin: match random.below(12) {
            0 => 10.0,
            1 => random.unit() * 100.0,
            2 => pick(random, &[100.0, f64::NAN, -0.0, -1.0, 1e-300, 100.1]),
            _ => 0.0,
        },
        max_rows: match random.below(10) {
            0..3 if !construction || chance(random, 5) => random.below(8) as usize,
            _ => 0,
        },
    }
}
