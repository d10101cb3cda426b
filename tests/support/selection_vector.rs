//! Vectors of the stages after scoring: slicing, placing, and the pipeline as a whole.

use cupel::capi as c;
use toml::Table;

use super::{Fields, Outcome, ScorerBuilder, UnknownFields, build_item, form};
use crate::capi::selecting::{Policy, Selection, Selector, View, reason_name, request};
use crate::capi::{Batch, Item, ItemBuilder};

/// A stage after scoring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Slicing,
    Placing,
    Pipeline,
}

impl Stage {
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "slicing" => Some(Self::Slicing),
            "placing" => Some(Self::Placing),
            "pipeline" => Some(Self::Pipeline),
            _ => None,
        }
    }
}

/// Runs a vector; what is wrong comes back.
pub fn run(table: &Table, unknown: UnknownFields, stage: Stage) -> Vec<String> {
    let root = Fields::new(table, "", unknown);
    let complaints = match stage {
        Stage::Slicing => slicing(&root),
        Stage::Placing => placing(&root),
        Stage::Pipeline => pipeline(&root),
    };
    complaints.unwrap_or_else(|failure| vec![failure.to_string()])
}

fn number_of(names: &[(&str, i32)], name: &str) -> Outcome<i32> {
    match names.iter().find(|(known, _)| *known == name) {
        Some(&(_, number)) => Ok(number),
        None => form(format!("{name:?} is none of {names:?}")),
    }
}

const SLICERS: [(&str, i32); 4] = [
    ("greedy", c::CUPEL_SLICER_GREEDY),
    ("knapsack", c::CUPEL_SLICER_KNAPSACK),
    ("ranked", c::CUPEL_SLICER_RANKED),
    ("prefix", c::CUPEL_SLICER_PREFIX),
];
const PLACERS: [(&str, i32); 5] = [
    ("chronological", c::CUPEL_PLACER_CHRONOLOGICAL),
    ("u-shaped", c::CUPEL_PLACER_U_SHAPED),
    ("ushaped", c::CUPEL_PLACER_U_SHAPED),
    ("ranked", c::CUPEL_PLACER_RANKED),
    ("batch-order", c::CUPEL_PLACER_BATCH_ORDER),
];
const OVERFLOWS: [(&str, i32); 4] = [
    ("throw", c::CUPEL_OVERFLOW_FAIL),
    ("fail", c::CUPEL_OVERFLOW_FAIL),
    ("truncate", c::CUPEL_OVERFLOW_TRUNCATE),
    ("proceed", c::CUPEL_OVERFLOW_PROCEED),
];
const SCARCITIES: [(&str, i32); 3] =
    [("degrade", c::CUPEL_SCARCITY_DEGRADE), ("throw", c::CUPEL_SCARCITY_FAIL), ("fail", c::CUPEL_SCARCITY_FAIL)];
/// Upstream's names of reasons.
const REASONS: [(&str, i32); 7] = [
    ("Scored", c::CUPEL_REASON_SCORED),
    ("Pinned", c::CUPEL_REASON_PINNED),
    ("ZeroToken", c::CUPEL_REASON_ZERO_TOKENS),
    ("BudgetExceeded", c::CUPEL_REASON_BUDGET),
    ("Deduplicated", c::CUPEL_REASON_DUPLICATE),
    ("NegativeTokens", c::CUPEL_REASON_NEGATIVE_TOKENS),
    ("PinnedOverride", c::CUPEL_REASON_PINNED_OVERRIDE),
];

/// The fields of `[config]` that every stage may have.
fn policy(config: &Fields) -> Outcome<Policy> {
    let mut policy = Policy::default();
    let slicer = match config.text("slicer")? {
        Some(slicer) => Some(slicer),
        None => config.text("inner_slicer")?,
    };
    if let Some(slicer) = slicer {
        policy.slicer = number_of(&SLICERS, slicer)?;
    }
    policy.bucket_size = config.integer("bucket_size")?.unwrap_or(0);
    for quota in config.tables("quotas")?.unwrap_or_default() {
        let kind = quota.must("kind", quota.text("kind"))?.to_owned();
        let require = quota.must("require", quota.number("require"))?;
        policy.quotas.push((kind, require, quota.must("cap", quota.number("cap"))?));
        quota.finish()?;
    }
    for entry in config.tables("entries")?.unwrap_or_default() {
        let kind = entry.must("kind", entry.text("kind"))?.to_owned();
        let require = entry.must("require_count", entry.integer("require_count"))? as usize;
        let cap = entry.integer("cap_count")?.map_or(usize::MAX, |cap| cap as usize);
        policy.count_quotas.push((kind, require, cap));
        entry.finish()?;
    }
    if let Some(scarcity) = config.text("scarcity_behavior")? {
        policy.scarcity = number_of(&SCARCITIES, scarcity)?;
    }
    if let Some(placer) = config.text("placer")? {
        policy.placer = number_of(&PLACERS, placer)?;
    }
    if let Some(overflow) = config.text("overflow_strategy")? {
        policy.overflow = number_of(&OVERFLOWS, overflow)?;
    }
    policy.keep_duplicates = (!config.boolean("deduplication")?.unwrap_or(true)).into();
    policy.group_key = config.text("group_key")?.map(str::to_owned);
    policy.duplicate_key = config.text("duplicate_key")?.map(str::to_owned);
    policy.pinned_first = config.flag("pinned_first")?.into();
    Ok(policy)
}

/// Rows with scores, which must come best first.
fn scored_items(list: &[Fields]) -> Outcome<(Batch, Vec<String>, Vec<f64>)> {
    let mut batch = Batch::new(list.len())?;
    let (mut contents, mut scores) = (Vec::new(), Vec::new());
    for fields in list {
        let content = fields.must("content", fields.text("content"))?;
        let mut item = ItemBuilder::new(content, fields.must("tokens", fields.integer("tokens"))?)?;
        if let Some(kind) = fields.text("kind")? {
            item.set_kind(kind)?;
        }
        if let Some(timestamp) = fields.instant("timestamp")? {
            item.set_timestamp(timestamp)?;
        }
        batch.push(&item.build()?)?;
        contents.push(content.to_owned());
        scores.push(fields.must("score", fields.number("score"))?);
        fields.finish()?;
    }
    Ok((batch, contents, scores))
}

fn select(policy: &Policy, batch: &Batch, mut request: c::cupel_request, scores: &[f64]) -> Outcome<View> {
    (request.scores, request.scores_len) = (scores.as_ptr(), scores.len());
    let mut selection = Selection::new()?;
    Selector::new(policy, None)?.select(batch, &request, &mut selection)?;
    Ok(selection.read())
}

fn compare<T: PartialEq + std::fmt::Debug>(complaints: &mut Vec<String>, what: &str, found: T, expected: T) {
    if found != expected {
        complaints.push(format!("{what}: found {found:?}, expected {expected:?}"));
    }
}

fn slicing(root: &Fields) -> Outcome<Vec<String>> {
    let test = root.must("test", root.table("test"))?;
    let slicer = test.must("slicer", test.text("slicer"))?;
    let none = Table::new();
    let config = root.table("config")?.unwrap_or_else(|| Fields::new(&none, ".config", root.unknown));
    let mut policy = policy(&config)?;
    config.finish()?;
    match slicer {
        "quota" | "count_quota" => {}
        "count_constrained_knapsack" => policy.slicer = c::CUPEL_SLICER_KNAPSACK,
        slicer => policy.slicer = number_of(&SLICERS, slicer)?,
    }
    policy.keep_duplicates = 1;
    policy.overflow = c::CUPEL_OVERFLOW_PROCEED;
    let budget = root.must("budget", root.table("budget"))?;
    let target = budget.must("target_tokens", budget.integer("target_tokens"))?;
    budget.finish()?;
    let (batch, contents, scores) = scored_items(&root.must("scored_items", root.tables("scored_items"))?)?;
    let expected = root.must("expected", root.table("expected"))?;
    let mut wanted = expected.must("selected_contents", expected.texts("selected_contents"))?;
    wanted.sort();
    let view = select(&policy, &batch, request(i64::MAX, target), &scores)?;
    let mut found: Vec<String> = view.rows.iter().map(|&row| contents[row as usize].clone()).collect();
    found.sort();
    let mut complaints = Vec::new();
    compare(&mut complaints, "selected", found, wanted);
    if let Some(count) = expected.integer("shortfall_count")? {
        compare(&mut complaints, "shortfalls", view.shortfalls.len() as i64, count);
    }
    if let Some(count) = expected.integer("cap_excluded_count")? {
        let capped = view.reasons.iter().filter(|&&reason| i32::from(reason) == c::CUPEL_REASON_COUNT_CAP).count();
        compare(&mut complaints, "dropped by a cap", capped as i64, count);
    }
    expected.finish()?;
    Ok(complaints)
}

fn placing(root: &Fields) -> Outcome<Vec<String>> {
    let test = root.must("test", root.table("test"))?;
    let policy = Policy {
        slicer: c::CUPEL_SLICER_RANKED,
        placer: number_of(&PLACERS, test.must("placer", test.text("placer"))?)?,
        keep_duplicates: 1,
        ..Policy::default()
    };
    let (batch, contents, scores) = scored_items(&root.must("items", root.tables("items"))?)?;
    let view = select(&policy, &batch, request(i64::MAX, i64::MAX), &scores)?;
    let expected = root.must("expected", root.table("expected"))?;
    let wanted = expected.must("ordered_contents", expected.texts("ordered_contents"))?;
    expected.finish()?;
    let found = view.rows.iter().map(|&row| contents[row as usize].clone()).collect();
    let mut complaints = Vec::new();
    compare(&mut complaints, "order", found, wanted);
    Ok(complaints)
}

fn pipeline(root: &Fields) -> Outcome<Vec<String>> {
    let config = root.must("config", root.table("config"))?;
    let policy = policy(&config)?;
    let builder = ScorerBuilder { clock: None, shared: Default::default() };
    let scorer = match config.tables("scorers")? {
        None => None,
        Some(_) => Some(builder.composite(&config)?),
    };
    config.finish()?;
    let items = root.must("items", root.tables("items"))?;
    let items: Vec<Item> = items.iter().map(build_item).collect::<Outcome<_>>()?;
    let mut batch = Batch::new(items.len())?;
    items.iter().try_for_each(|item| batch.push(item))?;
    let contents: Vec<String> = items.iter().map(Item::content).collect::<Result<_, _>>()?;

    let budget = root.must("budget", root.table("budget"))?;
    let mut asked = request(
        budget.must("max_tokens", budget.integer("max_tokens"))?,
        budget.must("target_tokens", budget.integer("target_tokens"))?,
    );
    asked.output_reserve = budget.integer("output_reserve")?.unwrap_or(0);
    asked.reserved_tokens = budget.integer("reserved_tokens")?.unwrap_or(0);
    asked.safety_margin_percent = budget.number("safety_margin_percent")?.unwrap_or(0.0);
    asked.max_rows = budget.integer("max_rows")?.unwrap_or(0) as usize;
    budget.finish()?;
    let scores = root.numbers("scores")?;
    if let Some(scores) = &scores {
        (asked.scores, asked.scores_len) = (scores.as_ptr(), scores.len());
    }

    let error = super::ExpectedError::read(root)?;
    let mut selection = Selection::new()?;
    let result =
        Selector::new(&policy, scorer.as_ref()).and_then(|selector| selector.select(&batch, &asked, &mut selection));
    if error.status.is_some() {
        return Ok(match result {
            Ok(()) => vec!["the selection was not refused".to_owned()],
            Err(refused) => error.complaints(&refused),
        });
    }
    result?;
    let view = selection.read();
    let mut complaints = Vec::new();
    let mut wanted = Vec::new();
    for output in root.must("expected_output", root.tables("expected_output"))? {
        wanted.push(output.must("content", output.text("content"))?.to_owned());
        output.finish()?;
    }
    let found: Vec<String> = view.rows.iter().map(|&row| contents[row as usize].clone()).collect();
    compare(&mut complaints, "output", found, wanted);
    if let Some(expected) = root.table("expected")? {
        if let Some(diagnostics) = expected.table("diagnostics")? {
            complaints.extend(report(&diagnostics, &view, &contents, &items)?);
        }
        if let Some(reasons) = expected.texts("reasons")? {
            let found = view.reasons.iter().map(|&reason| reason_name(reason)).collect();
            compare(&mut complaints, "reasons", found, reasons);
        }
        for (name, found) in [
            ("kept_tokens", view.kept_tokens),
            ("pinned_tokens", view.pinned_tokens),
            ("considered_tokens", view.considered_tokens),
            ("effective_target", view.effective_target),
            ("available_tokens", view.available_tokens),
            ("overflow_tokens", view.overflow_tokens),
            ("shortfall_count", view.shortfalls.len() as i64),
        ] {
            if let Some(wanted) = expected.integer(name)? {
                compare(&mut complaints, name, found, wanted);
            }
        }
        if let Some(wanted) = expected.read("causes", "an array of integers", |value| {
            value.as_array()?.iter().map(toml::Value::as_integer).collect::<Option<Vec<_>>>()
        })? {
            let found = view.causes.iter().map(|&cause| if cause == u32::MAX { -1 } else { cause.into() }).collect();
            compare(&mut complaints, "causes", found, wanted);
        }
        expected.finish()?;
    }
    Ok(complaints)
}

/// Compares upstream's report: the included and excluded rows by content.
fn report(diagnostics: &Fields, view: &View, contents: &[String], items: &[Item]) -> Outcome<Vec<String>> {
    let mut complaints = Vec::new();
    if let Some(summary) = diagnostics.table("summary")? {
        if let Some(count) = summary.integer("total_candidates")? {
            compare(&mut complaints, "candidates", view.reasons.len() as i64, count);
        }
        if let Some(tokens) = summary.integer("total_tokens_considered")? {
            compare(&mut complaints, "considered", view.considered_tokens, tokens);
        }
        summary.finish()?;
    }
    for (list, name) in [("included", "inclusion_reason"), ("excluded", "exclusion_reason")] {
        for entry in diagnostics.tables(list)?.unwrap_or_default() {
            let content = entry.must("content", entry.text("content"))?;
            let wanted = number_of(&REASONS, entry.must(name, entry.text(name))?)?;
            let score = entry.must("score_approx", entry.number("score_approx"))?;
            let row =
                (0..contents.len()).find(|&row| contents[row] == content && i32::from(view.reasons[row]) == wanted);
            let Some(row) = row else {
                complaints.push(format!("no row {content:?} has the reason {wanted}: {:?}", view.reasons));
                continue;
            };
            if (view.scores[row] - score).abs() > 1e-9 {
                complaints.push(format!("the score of {content:?} is {}, expected {score}", view.scores[row]));
            }
            for field in ["displaced_by", "deduplicated_against"] {
                if let Some(cause) = entry.text(field)? {
                    let found = contents.get(view.causes[row] as usize).map(String::as_str);
                    compare(&mut complaints, field, found, Some(cause));
                }
            }
            for field in ["item_tokens", "tokens"] {
                if let Some(tokens) = entry.integer(field)? {
                    compare(&mut complaints, field, items[row].tokens()?, tokens);
                }
            }
            if let Some(tokens) = entry.integer("available_tokens")? {
                compare(&mut complaints, "available_tokens", view.available_tokens, tokens);
            }
            entry.finish()?;
        }
    }
    diagnostics.finish()?;
    Ok(complaints)
}
