//! A naive model of selecting, written from the rules of `docs/selecting-rules.md` and without the library's code.
//!
//! Everything is a list that is sorted or walked in the order in which the rules say it; nothing here is fast.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A row of a batch, as far as selecting reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub content: String,
    pub tokens: i64,
    pub kind: String,
    pub pinned: bool,
    pub timestamp: Option<i64>,
    /// The text at the group key.
    pub group: Option<String>,
    /// The text at the duplicate key.
    pub duplicate: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slicer {
    Greedy,
    Knapsack,
    Ranked,
    Prefix,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placer {
    Chronological,
    UShaped,
    Ranked,
    BatchOrder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    Fail,
    Truncate,
    Proceed,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    pub slicer: Slicer,
    pub placer: Placer,
    pub overflow: Overflow,
    pub keep_duplicates: bool,
    pub bucket_size: i64,
    /// Kind, min and max percent.
    pub quotas: Vec<(String, f64, f64)>,
    /// Kind, min and max count.
    pub count_quotas: Vec<(String, usize, usize)>,
    pub scarcity_fails: bool,
    pub groups: bool,
    pub duplicate_key: bool,
    pub pinned_first: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub max_tokens: i64,
    pub target_tokens: i64,
    pub output_reserve: i64,
    pub reserved_tokens: i64,
    pub margin: f64,
    pub max_rows: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selected {
    pub rows: Vec<u32>,
    /// Bits.
    pub scores: Vec<u64>,
    pub reasons: Vec<u8>,
    pub causes: Vec<u32>,
    pub shortfalls: Vec<(usize, usize, usize)>,
    pub kept: i64,
    pub pinned: i64,
    pub considered: i64,
    pub effective_target: i64,
    pub available: i64,
    pub overflow: i64,
    pub stable: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    Invalid(&'static str),
    OverBudget { tokens: i64, limit: i64, pinned: Vec<u32> },
    Shortfall { entry: usize, required: usize, found: usize },
}

pub const NO_CAUSE: u32 = u32::MAX;

const SCORED: u8 = 1;
const PINNED: u8 = 2;
const ZERO_TOKENS: u8 = 3;
const GROUP: u8 = 4;
const BUDGET: u8 = 16;
const DUPLICATE: u8 = 17;
const NEGATIVE_TOKENS: u8 = 18;
const PINNED_OVERRIDE: u8 = 19;
const COUNT_CAP: u8 = 20;
const ROW_LIMIT: u8 = 21;

fn key(x: f64) -> u64 {
    if x.is_nan() {
        return 0;
    }
    let b = (x + 0.0).to_bits();
    if b >> 63 == 1 { !b } else { b | 1 << 63 }
}

#[derive(Debug, Clone)]
struct Unit {
    rows: Vec<usize>,
    tokens: i128,
    score: f64,
    value: f64,
    kind: String,
    pinned: bool,
}

impl Unit {
    fn first(&self) -> usize {
        self.rows[0]
    }
}

fn sorted_order(a: &Unit, b: &Unit) -> Ordering {
    key(b.score).cmp(&key(a.score)).then(a.first().cmp(&b.first()))
}

fn clamp(x: i128) -> i64 {
    x.max(i64::MIN.into()).min(i64::MAX.into()) as i64
}

/// The units of the rows with tokens of 0 or more, by first row.
fn units_of(rows: &[Row], policy: &Policy, scores: &[f64]) -> Vec<Unit> {
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut by_text: BTreeMap<&str, usize> = BTreeMap::new();
    for (row, fields) in rows.iter().enumerate() {
        if fields.tokens < 0 {
            continue;
        }
        match fields.group.as_deref().filter(|_| policy.groups) {
            None => members.push(vec![row]),
            Some(text) => match by_text.get(text) {
                Some(&unit) => members[unit].push(row),
                None => {
                    by_text.insert(text, members.len());
                    members.push(vec![row]);
                }
            },
        }
    }
    let unit = |members: Vec<usize>| {
        let mut score = scores[members[0]];
        let mut value = 0.0;
        for &row in &members {
            value += scores[row];
            if key(scores[row]) > key(score) {
                score = scores[row];
            }
        }
        if members.len() == 1 {
            value = scores[members[0]];
        }
        Unit {
            tokens: members.iter().map(|&row| i128::from(rows[row].tokens)).sum(),
            score,
            value,
            kind: rows[members[0]].kind.to_ascii_lowercase(),
            pinned: members.iter().any(|&row| rows[row].pinned),
            rows: members,
        }
    };
    members.into_iter().map(unit).collect()
}

struct Numbers {
    target: i128,
    ceiling: i128,
    limit: i128,
    reserve: i128,
}

fn check(request: &Request, policy: &Policy) -> Result<Numbers, Failure> {
    let wrong = |name, is_wrong| if is_wrong { Err(Failure::Invalid(name)) } else { Ok(()) };
    wrong("max_tokens", request.max_tokens < 0)?;
    wrong("target_tokens", request.target_tokens < 0 || request.target_tokens > request.max_tokens)?;
    wrong("output_reserve", request.output_reserve < 0 || request.output_reserve > request.max_tokens)?;
    wrong("reserved_tokens", request.reserved_tokens < 0)?;
    wrong("safety_margin_percent", !(request.margin >= 0.0 && request.margin <= 100.0))?;
    let construction =
        policy.slicer == Slicer::Knapsack || !policy.quotas.is_empty() || !policy.count_quotas.is_empty();
    wrong("max_rows", request.max_rows > 0 && construction)?;
    let ceiling = i128::from(request.max_tokens) - i128::from(request.output_reserve);
    let target = if request.target_tokens == 0 { ceiling } else { request.target_tokens.into() };
    Ok(Numbers { target, ceiling, limit: target.min(ceiling), reserve: request.output_reserve.into() })
}

/// Emax and E.
fn effective(request: &Request, numbers: &Numbers, pinned: i128) -> (i128, i128) {
    let reserved = i128::from(request.reserved_tokens);
    let mut most = (numbers.ceiling - pinned - reserved).max(0);
    let mut target = (numbers.target - pinned - reserved).max(0).min(most);
    if request.margin > 0.0 {
        let f = 1.0 - request.margin / 100.0;
        let floor = |x: i128| ((x as f64 * f).floor() as i128).min(x);
        most = floor(most);
        target = floor(target).min(most);
    }
    (most, target)
}

/// What a slicer gives: units in the order in which it took them, and those that only the row limit kept out.
#[derive(Default)]
struct Sliced {
    taken: Vec<usize>,
    row_limited: Vec<usize>,
}

fn fill(units: &[Unit], mut order: Vec<usize>, density: bool, stops: bool, target: i128, left: usize) -> Sliced {
    if density {
        let d = |unit: &Unit| if unit.tokens == 0 { f64::MAX } else { unit.value / (unit.tokens as f64) };
        // Stable: ties stay in sorted order.
        order.sort_by_key(|&unit| std::cmp::Reverse(key(d(&units[unit]))));
    }
    let (mut remaining, mut left) = (target, left);
    let mut sliced = Sliced::default();
    for (position, &unit) in order.iter().enumerate() {
        let fits = units[unit].tokens <= remaining;
        if fits && units[unit].rows.len() <= left {
            remaining -= units[unit].tokens;
            left -= units[unit].rows.len();
            sliced.taken.push(unit);
        } else if stops {
            if fits {
                sliced.row_limited.extend(&order[position..]);
            }
            break;
        } else if fits {
            sliced.row_limited.push(unit);
        }
    }
    sliced
}

fn knapsack(units: &[Unit], order: &[usize], scores: &[f64], target: i128, bucket: i64) -> Vec<usize> {
    let mut taken: Vec<usize> = order.iter().copied().filter(|&unit| units[unit].tokens == 0).collect();
    let capacity = (target / i128::from(bucket)) as usize;
    if capacity == 0 {
        return taken;
    }
    let items: Vec<usize> = order.iter().copied().filter(|&unit| units[unit].tokens > 0).collect();
    let value = |row: &usize| {
        let scaled = (scores[*row] * 10000.0).floor();
        if scaled.is_nan() || scaled < 0.0 {
            0
        } else if scaled > 4294967295.0 {
            4294967295
        } else {
            scaled as u64
        }
    };
    let mut best = vec![0_u64; capacity + 1];
    let mut keep = vec![vec![false; capacity + 1]; items.len()];
    for (item, &unit) in items.iter().enumerate() {
        let weight = (units[unit].tokens - 1) / i128::from(bucket) + 1;
        let value: u64 = units[unit].rows.iter().map(value).sum();
        for room in (0..=capacity).rev() {
            if weight <= room as i128 && best[room - weight as usize] + value > best[room] {
                best[room] = best[room - weight as usize] + value;
                keep[item][room] = true;
            }
        }
    }
    let mut room = capacity;
    for (item, &unit) in items.iter().enumerate().rev() {
        if keep[item][room] {
            taken.push(unit);
            room -= ((units[unit].tokens - 1) / i128::from(bucket) + 1) as usize;
        }
    }
    // By score; the sort is stable, so that among equal scores units without tokens come first and the others from the last on.
    taken.sort_by_key(|&unit| std::cmp::Reverse(key(units[unit].score)));
    taken
}

fn inner(policy: &Policy, units: &[Unit], order: &[usize], scores: &[f64], target: i128, left: usize) -> Sliced {
    match policy.slicer {
        Slicer::Greedy => fill(units, order.to_vec(), true, false, target, left),
        Slicer::Ranked => fill(units, order.to_vec(), false, false, target, left),
        Slicer::Prefix => fill(units, order.to_vec(), false, true, target, left),
        Slicer::Knapsack => {
            Sliced { taken: knapsack(units, order, scores, target, policy.bucket_size), row_limited: Vec::new() }
        }
    }
}

fn by_quotas(policy: &Policy, units: &[Unit], order: &[usize], scores: &[f64], target: i128, left: usize) -> Sliced {
    if policy.quotas.is_empty() {
        return inner(policy, units, order, scores, target, left);
    }
    let part = |percent: f64| ((percent / 100.0 * target as f64).floor() as i128).min(target);
    let limits = |kind: &str| {
        let entry = policy.quotas.iter().find(|(name, ..)| name.eq_ignore_ascii_case(kind));
        entry.map_or((0, target), |&(_, min, max)| (part(min), part(max)))
    };
    let unassigned = (target - policy.quotas.iter().map(|&(_, min, _)| part(min)).sum::<i128>()).max(0);
    let mut kinds: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &unit in order {
        kinds.entry(&units[unit].kind).or_default().push(unit);
    }
    let mass = |members: &[usize]| members.iter().map(|&unit| units[unit].tokens).sum::<i128>();
    let shares = |kind: &str| limits(kind).1 > limits(kind).0;
    let total: i128 = kinds.iter().filter(|(kind, _)| shares(kind)).map(|(_, members)| mass(members)).sum();
    let mut sliced = Sliced::default();
    for (kind, members) in &kinds {
        let (require, cap) = limits(kind);
        let share = if total == 0 || !shares(kind) { 0 } else { floor_of(unassigned, mass(members), total) };
        let budget = (require + share).min(cap);
        if budget > 0 {
            sliced.taken.extend(inner(policy, units, members, scores, budget, left).taken);
        }
    }
    sliced
}

/// floor(a * b / c) with b <= c, by the schoolbook.
fn floor_of(a: i128, b: i128, c: i128) -> i128 {
    match a.checked_mul(b) {
        Some(product) => product / c,
        None => {
            // a = 2h + r: floor(a * b / c) from the quotient and the rest of h * b / c.
            fn divide(a: i128, b: i128, c: i128) -> (i128, i128) {
                if a == 0 {
                    return (0, 0);
                }
                let (quotient, rest) = divide(a / 2, b, c);
                let rest = rest * 2 + if a % 2 == 1 { b } else { 0 };
                (quotient * 2 + rest / c, rest % c)
            }
            divide(a, b, c).0
        }
    }
}

pub fn select(
    rows: &[Row],
    policy: &Policy,
    request: &Request,
    given: &[f64],
    previous: Option<&Selected>,
) -> Result<Selected, Failure> {
    let numbers = check(request, policy)?;
    let raw_units = units_of(rows, policy, given);
    let pinned_tokens: i128 = raw_units.iter().filter(|unit| unit.pinned).map(|unit| unit.tokens).sum();
    let pinned_rows = || {
        let mut all: Vec<u32> = raw_units
            .iter()
            .filter(|unit| unit.pinned)
            .flat_map(|unit| unit.rows.iter().map(|&row| row as u32))
            .collect();
        all.sort_unstable();
        all
    };
    let over = |tokens: i128, limit: i128| {
        let pinned = if pinned_tokens > limit { pinned_rows() } else { Vec::new() };
        Failure::OverBudget { tokens: clamp(tokens), limit: clamp(limit), pinned }
    };
    if pinned_tokens > numbers.ceiling {
        return Err(over(pinned_tokens, numbers.ceiling));
    }

    let mut scores = given.to_vec();
    let mut reasons = vec![0; rows.len()];
    let mut causes = vec![NO_CAUSE; rows.len()];
    for (row, fields) in rows.iter().enumerate() {
        if fields.tokens < 0 {
            scores[row] = 0.0;
            reasons[row] = NEGATIVE_TOKENS;
        }
    }
    for unit in raw_units.iter().filter(|unit| unit.pinned) {
        for &row in &unit.rows {
            scores[row] = 1.0;
            reasons[row] = if rows[row].pinned { PINNED } else { GROUP };
        }
    }
    let considered = clamp(rows.iter().map(|row| i128::from(row.tokens)).sum());
    let compared_text = |row: usize| {
        let text = if policy.duplicate_key { rows[row].duplicate.as_deref() } else { Some(rows[row].content.as_str()) };
        text.filter(|text| policy.duplicate_key || !text.is_empty())
    };
    let bits = |scores: &[f64]| scores.iter().map(|score| score.to_bits()).collect::<Vec<_>>();

    if let Some(previous) = previous.filter(|previous| !previous.reasons.is_empty()) {
        let old = previous.reasons.len();
        let unit_of = |row: usize| raw_units.iter().find(|unit| unit.rows.contains(&row));
        let exempt = |row: usize| rows[row].pinned || unit_of(row).is_some_and(|unit| unit.rows.len() > 1);
        let room = effective(request, &numbers, 0).0;
        let mut kept: Vec<usize> = previous.rows.iter().map(|&row| row as usize).collect();
        let mut equal_to = BTreeMap::new();
        for row in (old..rows.len()).filter(|&row| rows[row].tokens >= 0) {
            if !policy.keep_duplicates && !exempt(row) {
                let equal = |other: &&usize| !exempt(**other) && compared_text(**other) == compared_text(row);
                let lowest = kept.iter().filter(equal).min().filter(|_| compared_text(row).is_some());
                if let Some(&lowest) = lowest {
                    equal_to.insert(row, lowest);
                    continue;
                }
            }
            kept.push(row);
        }
        let tokens: i128 = kept.iter().map(|&row| i128::from(rows[row].tokens)).sum();
        let was_dropped =
            |row: usize| row < old && previous.reasons[row] >= 16 && previous.reasons[row] != NEGATIVE_TOKENS;
        let torn = (old..rows.len()).any(|row| {
            unit_of(row).is_some_and(|unit| unit.rows.len() > 1 && unit.rows.iter().any(|&other| was_dropped(other)))
        });
        if tokens <= room && (request.max_rows == 0 || kept.len() <= request.max_rows) && !torn {
            for row in 0..rows.len() {
                if row < old {
                    (reasons[row], causes[row]) = (previous.reasons[row], previous.causes[row]);
                } else if let Some(&lowest) = equal_to.get(&row) {
                    (reasons[row], causes[row]) = (DUPLICATE, lowest as u32);
                } else if reasons[row] == 0 {
                    reasons[row] = if unit_of(row).unwrap().tokens == 0 { ZERO_TOKENS } else { SCORED };
                }
            }
            return Ok(Selected {
                rows: kept.iter().map(|&row| row as u32).collect(),
                scores: bits(&scores),
                reasons,
                causes,
                shortfalls: Vec::new(),
                kept: clamp(tokens),
                pinned: clamp(pinned_tokens),
                considered,
                effective_target: clamp(room),
                available: clamp(room - tokens),
                overflow: clamp((tokens - numbers.target).max(0)),
                stable: true,
            });
        }
    }

    let units: Vec<Unit> = units_of(rows, policy, given);
    let mut order: Vec<usize> = (0..units.len()).filter(|&unit| !units[unit].pinned).collect();
    if !policy.keep_duplicates {
        let mut best: BTreeMap<&str, usize> = BTreeMap::new();
        let mut by_rank = order.clone();
        by_rank.sort_by(|&a, &b| sorted_order(&units[a], &units[b]));
        for unit in by_rank {
            if units[unit].rows.len() > 1 {
                continue;
            }
            let row = units[unit].first();
            let Some(text) = compared_text(row) else { continue };
            match best.get(text) {
                None => {
                    best.insert(text, row);
                }
                Some(&survivor) => {
                    reasons[row] = DUPLICATE;
                    causes[row] = survivor as u32;
                }
            }
        }
        order.retain(|&unit| reasons[units[unit].first()] != DUPLICATE);
    }
    order.sort_by(|&a, &b| sorted_order(&units[a], &units[b]));

    let (_, target) = effective(request, &numbers, pinned_tokens);
    let pinned_count: usize = units.iter().filter(|unit| unit.pinned).map(|unit| unit.rows.len()).sum();
    let left = if request.max_rows == 0 { usize::MAX } else { request.max_rows.saturating_sub(pinned_count) };

    let mut sliced = Sliced::default();
    let mut shortfalls = Vec::new();
    if !order.is_empty() && target > 0 {
        if policy.count_quotas.is_empty() {
            sliced = by_quotas(policy, &units, &order, given, target, left);
        } else {
            let mut counts = vec![0_usize; policy.count_quotas.len()];
            let entry_of = |unit: usize| {
                policy.count_quotas.iter().position(|(kind, ..)| kind.eq_ignore_ascii_case(&units[unit].kind))
            };
            let mut committed = Vec::new();
            for (entry, &(_, min, _)) in policy.count_quotas.iter().enumerate() {
                let found: Vec<usize> =
                    order.iter().copied().filter(|&unit| entry_of(unit) == Some(entry)).take(min).collect();
                counts[entry] = found.len();
                if found.len() < min {
                    if policy.scarcity_fails {
                        return Err(Failure::Shortfall { entry, required: min, found: found.len() });
                    }
                    shortfalls.push((entry, min, found.len()));
                }
                committed.extend(found);
            }
            let cost: i128 = committed.iter().map(|&unit| units[unit].tokens).sum();
            let rest: Vec<usize> = order.iter().copied().filter(|unit| !committed.contains(unit)).collect();
            sliced.taken = committed;
            if target - cost > 0 {
                for unit in by_quotas(policy, &units, &rest, given, target - cost, left).taken {
                    if let Some(entry) = entry_of(unit) {
                        if counts[entry] >= policy.count_quotas[entry].2 {
                            continue;
                        }
                        counts[entry] += 1;
                    }
                    sliced.taken.push(unit);
                }
            }
        }
    }

    let sliced_tokens: i128 = sliced.taken.iter().map(|&unit| units[unit].tokens).sum();
    let merged_tokens = pinned_tokens + sliced_tokens;
    let pinned: Vec<usize> = (0..units.len()).filter(|&unit| units[unit].pinned).collect();
    let mut kept: Vec<usize> = order.iter().copied().filter(|unit| sliced.taken.contains(unit)).collect();
    let mut truncated = Vec::new();
    if merged_tokens > numbers.limit {
        match policy.overflow {
            Overflow::Fail => return Err(over(merged_tokens, numbers.limit)),
            Overflow::Proceed => {
                if merged_tokens > numbers.ceiling {
                    return Err(over(merged_tokens, numbers.ceiling));
                }
            }
            Overflow::Truncate => {
                let mut so_far = pinned_tokens;
                kept.retain(|&unit| {
                    if so_far + units[unit].tokens <= numbers.limit {
                        so_far += units[unit].tokens;
                        return true;
                    }
                    truncated.push(unit);
                    false
                });
            }
        }
    }

    for &unit in &order {
        let tokens = units[unit].tokens;
        let capped = policy.count_quotas.iter().any(|(kind, _, max)| {
            kind.eq_ignore_ascii_case(&units[unit].kind)
                && sliced.taken.iter().filter(|&&other| units[other].kind == units[unit].kind).count() == *max
        });
        let first_pinned = rows.iter().position(|row| row.pinned && row.tokens >= 0);
        let (reason, cause) = if kept.contains(&unit) {
            (if tokens == 0 { ZERO_TOKENS } else { SCORED }, NO_CAUSE)
        } else if sliced.row_limited.contains(&unit) {
            (ROW_LIMIT, NO_CAUSE)
        } else if pinned_tokens > 0 && tokens > target && tokens <= numbers.target - numbers.reserve {
            (PINNED_OVERRIDE, first_pinned.unwrap() as u32)
        } else if capped && tokens <= target && !truncated.contains(&unit) {
            (COUNT_CAP, NO_CAUSE)
        } else {
            (BUDGET, NO_CAUSE)
        };
        for &row in &units[unit].rows {
            (reasons[row], causes[row]) = (reason, cause);
        }
    }

    let merged: Vec<usize> = pinned.iter().chain(&kept).copied().collect();
    let score_of = |unit: usize| if units[unit].pinned { 1.0 } else { units[unit].score };
    let time_of = |unit: usize| units[unit].rows.iter().find_map(|&row| rows[row].timestamp);
    let place = |mut list: Vec<usize>| {
        match policy.placer {
            Placer::Chronological => list.sort_by_key(|&unit| (time_of(unit).is_none(), time_of(unit))),
            Placer::Ranked | Placer::UShaped => list.sort_by_key(|&unit| std::cmp::Reverse(key(score_of(unit)))),
            Placer::BatchOrder => list.sort_by_key(|&unit| units[unit].first()),
        }
        if policy.placer != Placer::UShaped {
            return list;
        }
        let mut placed = vec![0; list.len()];
        let (mut front, mut back) = (0, list.len());
        for (rank, unit) in list.into_iter().enumerate() {
            if rank % 2 == 0 {
                placed[front] = unit;
                front += 1;
            } else {
                back -= 1;
                placed[back] = unit;
            }
        }
        placed
    };
    let placed = if policy.pinned_first {
        let mut placed = pinned.clone();
        placed.extend(place(kept.clone()));
        placed
    } else {
        place(merged.clone())
    };
    let kept_tokens: i128 = merged.iter().map(|&unit| units[unit].tokens).sum();
    Ok(Selected {
        rows: placed.iter().flat_map(|&unit| units[unit].rows.iter().map(|&row| row as u32)).collect(),
        scores: bits(&scores),
        reasons,
        causes,
        shortfalls,
        kept: clamp(kept_tokens),
        pinned: clamp(pinned_tokens),
        considered,
        effective_target: clamp(target),
        available: clamp(target - sliced_tokens),
        overflow: clamp((merged_tokens - numbers.target).max(0)),
        stable: false,
    })
}

/// What `needed` gives, for greedy, ranked and prefix without quotas.
pub fn needed(rows: &[Row], policy: &Policy, scores: &[f64], selected: &Selected) -> Vec<i64> {
    let units = units_of(rows, policy, scores);
    let mut out: Vec<i64> = vec![-1; rows.len()];
    let mut order: Vec<usize> = (0..units.len())
        .filter(|&unit| !units[unit].pinned && selected.reasons[units[unit].first()] != DUPLICATE)
        .collect();
    order.sort_by(|&a, &b| sorted_order(&units[a], &units[b]));
    if policy.slicer == Slicer::Greedy {
        let d = |unit: &Unit| if unit.tokens == 0 { f64::MAX } else { unit.value / (unit.tokens as f64) };
        order.sort_by_key(|&unit| std::cmp::Reverse(key(d(&units[unit]))));
    }
    for unit in units.iter().filter(|unit| unit.pinned) {
        unit.rows.iter().for_each(|&row| out[row] = 0);
    }
    let mut before = 0;
    for unit in order {
        let unit = &units[unit];
        before += unit.tokens;
        let needed = if unit.tokens == 0 && policy.slicer != Slicer::Prefix { 1 } else { before.max(1) };
        unit.rows.iter().for_each(|&row| out[row] = clamp(needed));
    }
    out
}
