//! A random program of pushes and selections with every policy, held to the model of the library's tests and to what every
//! selection promises.

use arbitrary::{Result, Unstructured};
use cupel::select::Selector;

use crate::values;

#[path = "../../tests/select/library.rs"]
#[allow(clippy::all, reason = "shared with the library's tests, which are linted")]
mod library;
#[path = "../../tests/select/model.rs"]
#[allow(clippy::all, reason = "shared with the library's tests, which are linted")]
mod model;
#[path = "../../tests/select/session.rs"]
#[allow(clippy::all, reason = "shared with the library's tests, which are linted")]
mod session;

use model::{Overflow, Placer, Policy, Request, Row, Slicer};
use session::Session;

/// The longest program.
const MOST_STEPS: usize = 24;
/// The model takes time quadratic in the rows.
const MOST_ROWS: usize = 64;
/// The columns of the model's knapsack table.
const MOST_BUCKETS: i64 = 1_000;

/// Kinds with case variants. Folding stops at ASCII.
const KINDS: [&str; 6] = ["Message", "mESSAGE", "ToolOutput", "Memory", "É", "é"];

pub fn run(data: &[u8]) {
    let _ = attempt(&mut Unstructured::new(data));
}

fn attempt(u: &mut Unstructured<'_>) -> Result<()> {
    let mut session = Session::new();
    let (mut policy, mut selector) = policy(u)?;
    for _ in 0..MOST_STEPS {
        if u.is_empty() {
            break;
        }
        match u.int_in_range(0..=5_u8)? {
            0..3 => {
                for _ in 0..values::len(u, MOST_ROWS - session.rows.len())?.min(12) {
                    session.push(row(u)?);
                }
            }
            3 => (policy, selector) = self::policy(u)?,
            _ => {
                let request = request(u, &policy, session.tokens())?;
                let scores = session.rows.iter().map(|_| score(u)).collect::<Result<Vec<_>>>()?;
                session.select(&selector, &policy, &request, &scores, u.arbitrary()?);
                if u.ratio(1, 2)? {
                    let groups = groups(u, session.rows.len())?;
                    session.select_groups(&selector, &policy, &request, &scores, &groups);
                }
            }
        }
    }
    Ok(())
}

/// Offsets of groups, some of which may be empty.
fn groups(u: &mut Unstructured<'_>, rows: usize) -> Result<Vec<i64>> {
    let mut offsets = vec![0];
    while offsets.len() < MOST_ROWS && offsets[offsets.len() - 1] < rows as i64 {
        let last = offsets[offsets.len() - 1];
        offsets.push(u.int_in_range(last..=rows as i64)?);
    }
    offsets.push(rows as i64);
    Ok(offsets)
}

fn score(u: &mut Unstructured<'_>) -> Result<f64> {
    if u.ratio(1, 4)? { values::double(u) } else { Ok(f64::from(u.arbitrary::<u8>()?) / 64.0) }
}

fn row(u: &mut Unstructured<'_>) -> Result<Row> {
    let number = |u: &mut Unstructured<'_>| Ok(Some(u.int_in_range(0..=7_u8)?.to_string()));
    Ok(Row {
        content: values::name(u)?,
        tokens: if u.ratio(1, 8)? { values::integer(u)? } else { u.arbitrary::<u8>()?.into() },
        kind: (*u.choose(&KINDS)?).to_owned(),
        pinned: u.ratio(1, 12)?,
        timestamp: if u.arbitrary()? { Some(values::integer(u)?) } else { None },
        group: if u.ratio(1, 3)? { number(u)? } else { None },
        duplicate: if u.arbitrary()? { number(u)? } else { None },
    })
}

fn policy(u: &mut Unstructured<'_>) -> Result<(Policy, Selector)> {
    let mut quotas = Vec::new();
    let mut count_quotas = Vec::new();
    let mut sum = 0.0;
    // The variants of a kind are one kind, which has one entry in a list.
    for kind in ["message", "TOOLOUTPUT", "Memory", "é", "absent"] {
        if u.ratio(1, 5)? {
            let percent = |u: &mut Unstructured<'_>| Ok(f64::from(u.int_in_range(0..=1000_u16)?) / 10.0);
            let (mut min, max): (f64, f64) = (percent(u)?, percent(u)?);
            min = min.min(max);
            if sum + min > 100.0 {
                min = 0.0;
            }
            sum += min;
            quotas.push((kind.to_owned(), min, max));
        }
        if u.ratio(1, 5)? {
            let min = values::len(u, 4)?;
            let max = if u.arbitrary()? { usize::MAX } else { min + values::len(u, 4)? };
            count_quotas.push((kind.to_owned(), min, max));
        }
    }
    let policy = Policy {
        slicer: *u.choose(&[Slicer::Greedy, Slicer::Knapsack, Slicer::Ranked, Slicer::Prefix])?,
        placer: *u.choose(&[Placer::Chronological, Placer::UShaped, Placer::Ranked, Placer::BatchOrder])?,
        overflow: *u.choose(&[Overflow::Fail, Overflow::Truncate, Overflow::Proceed])?,
        keep_duplicates: u.arbitrary()?,
        bucket_size: *u.choose(&[1, 2, 7, 100, i64::MAX])?,
        quotas,
        count_quotas,
        scarcity_fails: u.ratio(1, 4)?,
        groups: u.arbitrary()?,
        duplicate_key: u.ratio(1, 4)?,
        pinned_first: u.ratio(1, 4)?,
    };
    let selector = library::selector(&policy, None);
    Ok((policy, selector))
}

/// A request, mostly one that is valid and too small for `tokens`.
fn request(u: &mut Unstructured<'_>, policy: &Policy, tokens: i64) -> Result<Request> {
    let up_to = |u: &mut Unstructured<'_>, most: i64| u.int_in_range(0..=most.max(0));
    let mut max_tokens = if u.ratio(1, 8)? { values::integer(u)? } else { up_to(u, tokens)? };
    if policy.slicer == Slicer::Knapsack {
        max_tokens = max_tokens.min(policy.bucket_size.saturating_mul(MOST_BUCKETS));
    }
    Ok(Request {
        max_tokens,
        target_tokens: match u.int_in_range(0..=7_u8)? {
            0 => values::integer(u)?,
            1..4 => 0,
            _ => up_to(u, max_tokens)?,
        },
        output_reserve: match u.int_in_range(0..=7_u8)? {
            0 => values::integer(u)?,
            1 => up_to(u, max_tokens)?,
            _ => 0,
        },
        reserved_tokens: match u.int_in_range(0..=7_u8)? {
            0 => values::integer(u)?,
            1 => up_to(u, max_tokens)?,
            _ => 0,
        },
        margin: match u.int_in_range(0..=7_u8)? {
            0 => values::double(u)?,
            1 => f64::from(u.int_in_range(0..=1000_u16)?) / 10.0,
            _ => 0.0,
        },
        max_rows: if u.ratio(1, 4)? { values::len(u, 12)? } else { 0 },
    })
}
