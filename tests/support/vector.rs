//! Reads one conformance vector; `tests/conformance/README.md` describes the form.

#[path = "selection_vector.rs"]
mod selection_vector;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};

use toml::value::{Datetime, Offset};
use toml::{Table, Value};

use crate::capi::{self, Batch, Clock, Item, ItemBuilder, Metadata, Scorer};

/// Whether fields that the form does not know are an error. They are in the project's own vectors, where
/// they would be a slip; elsewhere the form may have grown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownFields {
    Refuse,
    Ignore,
}

/// Why a file is no vector, or what it found.
#[derive(Debug)]
pub enum Failure {
    /// The file is not of the form.
    Form(String),
    /// The library refused something.
    Refused(capi::Error),
}

impl From<capi::Error> for Failure {
    fn from(error: capi::Error) -> Self {
        Self::Refused(error)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Form(message) => write!(f, "not a vector: {message}"),
            Self::Refused(error) => write!(f, "refused: {error}"),
        }
    }
}

type Outcome<T> = Result<T, Failure>;

fn form<T>(message: impl Into<String>) -> Outcome<T> {
    Err(Failure::Form(message.into()))
}

/// One table, and which of its fields were asked for.
pub struct Fields<'a> {
    table: &'a Table,
    path: String,
    unknown: UnknownFields,
    asked: RefCell<BTreeSet<String>>,
}

impl<'a> Fields<'a> {
    pub fn new(table: &'a Table, path: &str, unknown: UnknownFields) -> Self {
        Self { table, path: path.to_owned(), unknown, asked: RefCell::default() }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.asked.borrow_mut().insert(name.to_owned());
        self.table.get(name)
    }

    fn wrong<T>(&self, name: &str, wanted: &str) -> Outcome<T> {
        form(format!("{}.{name}: {wanted} wanted", self.path))
    }

    fn read<T>(&self, name: &str, wanted: &str, convert: impl FnOnce(&'a Value) -> Option<T>) -> Outcome<Option<T>> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => match convert(value) {
                None => self.wrong(name, wanted),
                some => Ok(some),
            },
        }
    }

    fn must<T>(&self, name: &str, found: Outcome<Option<T>>) -> Outcome<T> {
        match found? {
            Some(value) => Ok(value),
            None => form(format!("{}.{name} is missing", self.path)),
        }
    }

    fn text(&self, name: &str) -> Outcome<Option<&'a str>> {
        self.read(name, "a string", Value::as_str)
    }

    fn integer(&self, name: &str) -> Outcome<Option<i64>> {
        self.read(name, "an integer", Value::as_integer)
    }

    fn number(&self, name: &str) -> Outcome<Option<f64>> {
        self.read(name, "a number", as_number)
    }

    fn boolean(&self, name: &str) -> Outcome<Option<bool>> {
        self.read(name, "true or false", Value::as_bool)
    }

    fn flag(&self, name: &str) -> Outcome<bool> {
        Ok(self.boolean(name)?.unwrap_or(false))
    }

    fn texts(&self, name: &str) -> Outcome<Option<Vec<String>>> {
        self.read(name, "an array of strings", |value| {
            value.as_array()?.iter().map(|v| v.as_str().map(str::to_owned)).collect()
        })
    }

    fn numbers(&self, name: &str) -> Outcome<Option<Vec<f64>>> {
        self.read(name, "an array of numbers", |value| value.as_array()?.iter().map(as_number).collect())
    }

    fn table(&self, name: &str) -> Outcome<Option<Fields<'a>>> {
        Ok(self
            .read(name, "a table", Value::as_table)?
            .map(|table| Fields::new(table, &format!("{}.{name}", self.path), self.unknown)))
    }

    fn tables(&self, name: &str) -> Outcome<Option<Vec<Fields<'a>>>> {
        let tables: Option<Vec<&Table>> =
            self.read(name, "an array of tables", |value| value.as_array()?.iter().map(Value::as_table).collect())?;
        Ok(tables.map(|tables| {
            let fields = |(index, table)| Fields::new(table, &format!("{}.{name}[{index}]", self.path), self.unknown);
            tables.into_iter().enumerate().map(fields).collect()
        }))
    }

    /// An instant: `name` as a TOML datetime, or `name_ns` as Unix nanoseconds.
    fn instant(&self, name: &str) -> Outcome<Option<i64>> {
        let nanoseconds = self.integer(&format!("{name}{NANOSECONDS}"))?;
        let datetime = self.read(name, "a datetime", Value::as_datetime)?;
        match (datetime, nanoseconds) {
            (Some(_), Some(_)) => form(format!("{}.{name} is given twice", self.path)),
            (None, nanoseconds) => Ok(nanoseconds),
            (Some(datetime), None) => match unix_nanoseconds(datetime) {
                None => self.wrong(name, "a datetime with an offset, in the range of i64 nanoseconds,"),
                some => Ok(some),
            },
        }
    }

    /// A duration: `name_secs` in seconds, or `name_ns` in nanoseconds.
    fn duration(&self, name: &str) -> Outcome<i64> {
        let nanoseconds = self.integer(&format!("{name}{NANOSECONDS}"))?;
        let seconds = self.number(&format!("{name}_secs"))?;
        match (seconds, nanoseconds) {
            (Some(seconds), None) => Ok((seconds * 1e9).round() as i64),
            (None, Some(nanoseconds)) => Ok(nanoseconds),
            (Some(_), Some(_)) => form(format!("{}.{name} is given twice", self.path)),
            (None, None) => form(format!("{}.{name}_secs is missing", self.path)),
        }
    }

    /// Refuses fields that nobody asked for.
    fn finish(&self) -> Outcome<()> {
        let asked = self.asked.borrow();
        match self.table.keys().find(|key| !asked.contains(*key)) {
            Some(key) if self.unknown == UnknownFields::Refuse => {
                form(format!("{}.{key} is not a field of the form here", self.path))
            }
            _ => Ok(()),
        }
    }
}

const NANOSECONDS: &str = "_ns";

fn as_number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|integer| integer as f64))
}

/// Days since the Unix epoch of a date of the proleptic Gregorian calendar.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    // The year begins in March, so that the leap day is its last day.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let before_month = (153 * month + 2) / 5;
    365 * year + leap_days + before_month + day - 719_469
}

fn unix_nanoseconds(datetime: &Datetime) -> Option<i64> {
    let (date, time) = (datetime.date.as_ref()?, datetime.time.as_ref()?);
    let offset_minutes = match datetime.offset.as_ref()? {
        Offset::Z => 0,
        Offset::Custom { minutes } => i64::from(*minutes),
    };
    let days = days_since_epoch(date.year.into(), date.month.into(), date.day.into());
    let minutes = (days * 24 + i64::from(time.hour)) * 60 + i64::from(time.minute) - offset_minutes;
    let seconds = minutes * 60 + i64::from(time.second.unwrap_or(0));
    let nanoseconds = i128::from(seconds) * 1_000_000_000 + i128::from(time.nanosecond.unwrap_or(0));
    i64::try_from(nanoseconds).ok()
}

/// The score that a row must have.
#[derive(Debug)]
struct Expected {
    row: usize,
    content: String,
    score: f64,
    /// A score given by its bits is compared by its bits, whatever the tolerance.
    by_bits: bool,
    fields: Table,
}

#[derive(Debug, Clone, Copy)]
enum Tolerance {
    /// The same bits; any NaN for NaN.
    Exact,
    /// Nearer than this.
    Absolute(f64),
    /// At most this many doubles away.
    Ulps(u64),
}

impl Tolerance {
    /// What the form says where a vector says nothing.
    const DEFAULT: Self = Self::Absolute(1e-9);

    fn accepts(self, actual: f64, expected: f64) -> bool {
        let same = actual.to_bits() == expected.to_bits() || actual.is_nan() && expected.is_nan();
        match self {
            Self::Exact => same,
            Self::Absolute(epsilon) => same || (actual - expected).abs() < epsilon,
            Self::Ulps(ulps) => same || position(actual).abs_diff(position(expected)) <= ulps,
        }
    }
}

/// Where a double stands among all doubles in order; both zeros stand at 0.
fn position(number: f64) -> i64 {
    let magnitude = (number.to_bits() & !(1 << 63)) as i64;
    if number.is_sign_negative() { -magnitude } else { magnitude }
}

/// What an error must say.
#[derive(Debug, Default)]
struct ExpectedError {
    status: Option<String>,
    argument: Option<String>,
    position: Option<i64>,
    value: Option<Value>,
    contains: Vec<String>,
}

impl ExpectedError {
    fn read(root: &Fields) -> Outcome<Self> {
        let Some(fields) = root.table("error")? else {
            return Ok(Self::default());
        };
        let result = Self {
            status: fields.text("status")?.map(str::to_owned),
            argument: fields.text("argument")?.map(str::to_owned),
            position: fields.integer("position")?,
            value: fields.get("value").cloned(),
            contains: fields.texts("message_contains")?.unwrap_or_default(),
        };
        fields.finish()?;
        Ok(result)
    }

    fn complaints(&self, error: &capi::Error) -> Vec<String> {
        let mut complaints = Vec::new();
        let words: Vec<&str> = error
            .message
            .split(|c: char| !(c.is_alphanumeric() || "_.+-".contains(c)))
            .map(|word| word.trim_end_matches('.'))
            .collect();
        let mut require = |holds: bool, what: String| {
            if !holds {
                complaints.push(format!("the error does not have {what}: {error}"));
            }
        };
        if let Some(status) = &self.status {
            require(error.name == format!("CUPEL_STATUS_{status}"), format!("status {status}"));
        }
        if let Some(argument) = &self.argument {
            require(words.contains(&argument.as_str()), format!("the argument {argument:?}"));
        }
        if let Some(position) = self.position {
            let found = words.contains(&position.to_string().as_str());
            require(found, format!("the position {position}"));
        }
        match &self.value {
            None => {}
            Some(Value::String(text)) => {
                require(error.message.contains(text.as_str()), format!("the value {text:?}"));
            }
            Some(value) => {
                let wanted = as_number(value);
                let is_wanted = |word: &&str| match (word.parse::<f64>(), wanted) {
                    (Ok(found), Some(wanted)) => Tolerance::Exact.accepts(found, wanted),
                    _ => false,
                };
                require(words.iter().any(is_wanted), format!("the value {value}"));
            }
        }
        for text in &self.contains {
            require(error.message.contains(text.as_str()), format!("the text {text:?}"));
        }
        complaints
    }
}

/// At which step the library must refuse, if it must.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Never,
    Item,
    Construction,
    Scoring,
}

/// One test case.
pub struct Vector<'a> {
    root: Fields<'a>,
    name: &'a str,
    scorer: &'a str,
    refusal: Refusal,
}

impl<'a> Vector<'a> {
    /// The vector in a file's table; `None` when it tests something else than scoring.
    pub fn read(table: &'a Table, unknown: UnknownFields) -> Outcome<Option<Self>> {
        let root = Fields::new(table, "", unknown);
        let test = match (root.table("test")?, unknown) {
            (Some(test), _) => test,
            (None, UnknownFields::Ignore) => return Ok(None),
            (None, UnknownFields::Refuse) => return form("there is no [test] table"),
        };
        if test.must("stage", test.text("stage"))? != "scoring" {
            return Ok(None);
        }
        let refused = |name: &str| Ok::<_, Failure>(test.flag(name)? || root.flag(name)?);
        let refusal = match (
            refused("expect_item_error")?,
            refused("expect_construction_error")?,
            refused("expect_scoring_error")?,
        ) {
            (false, false, false) => Refusal::Never,
            (true, false, false) => Refusal::Item,
            (false, true, false) => Refusal::Construction,
            (false, false, true) => Refusal::Scoring,
            _ => return form("more than one error is expected"),
        };
        let name = test.must("name", test.text("name"))?;
        let scorer = match (test.text("scorer")?, refusal) {
            (Some(scorer), _) => scorer,
            (None, Refusal::Item) => "",
            (None, _) => return form("test.scorer is missing"),
        };
        test.finish()?;
        Ok(Some(Self { root, name, scorer, refusal }))
    }

    /// Runs the test case and returns what is wrong: nothing, when it passes.
    pub fn run(&self) -> Vec<String> {
        let complaints = self.complaints().unwrap_or_else(|failure| vec![failure.to_string()]);
        complaints.iter().map(|complaint| format!("{:?}: {complaint}", self.name)).collect()
    }

    fn complaints(&self) -> Outcome<Vec<String>> {
        let error = ExpectedError::read(&self.root)?;
        let judge = |refused: capi::Error| Ok(error.complaints(&refused));

        let items = match (self.items(), self.refusal) {
            (Ok(_), Refusal::Item) => return Ok(vec!["no item was refused".to_owned()]),
            (Err(Failure::Refused(refused)), Refusal::Item) => return judge(refused),
            (items, _) => items?,
        };
        let scorer = match (self.scorer(), self.refusal) {
            (Ok(_), Refusal::Construction) => {
                return Ok(vec!["the scorer was not refused".to_owned()]);
            }
            (Err(Failure::Refused(refused)), Refusal::Construction) => {
                self.root.finish()?;
                return judge(refused);
            }
            (scorer, _) => scorer?,
        };
        let mut batch = Batch::new(0)?;
        for item in &items {
            batch.push(item)?;
        }
        let scored = scorer.score_batch(&batch);
        if self.refusal == Refusal::Scoring {
            self.root.finish()?;
            return match scored {
                Ok(_) => Ok(vec!["scoring was not refused".to_owned()]),
                Err(refused) => judge(refused),
            };
        }
        let scores = scored?;

        let tolerance = self.tolerance()?;
        let expected = self.expected(&items)?;
        self.root.finish()?;
        let mut complaints = Vec::new();
        for Expected { row, content, score, by_bits, fields } in &expected {
            let tolerance = if *by_bits { Tolerance::Exact } else { tolerance };
            if !tolerance.accepts(scores[*row], *score) {
                complaints.push(format!(
                    "row {row} ({content:?}): expected {score:?} ({:#018x}), scored {:?} ({:#018x}), {tolerance:?}",
                    score.to_bits(),
                    scores[*row],
                    scores[*row].to_bits(),
                ));
            }
            let fields = Fields::new(fields, &format!("expected[{row}]"), self.root.unknown);
            let own = batch.item(*row)?;
            for (item, place) in [(&items[*row], "the item"), (&own, "its row in the batch")] {
                for complaint in field_complaints(item, &fields)? {
                    complaints.push(format!("row {row} ({content:?}): {place}: {complaint}"));
                }
            }
            fields.finish()?;
        }
        complaints.extend(self.single_row_complaints(&scorer, &batch, &scores)?);
        Ok(complaints)
    }

    /// Scoring again, and scoring one row, must give the bits of the first scoring.
    fn single_row_complaints(&self, scorer: &Scorer, batch: &Batch, scores: &[f64]) -> Outcome<Vec<String>> {
        let moving = match self.root.table("clock")? {
            Some(clock) => clock.text("type")? == Some("callback"),
            None => false,
        };
        if moving {
            return Ok(Vec::new());
        }
        let mut complaints = Vec::new();
        let again = scorer.score_batch(batch)?;
        for (row, score) in scores.iter().enumerate() {
            for (what, other) in [("again", again[row]), ("on its own", scorer.score_row(batch, row)?)] {
                if !Tolerance::Exact.accepts(other, *score) {
                    complaints.push(format!("row {row}: {score:?}, but scored {what}: {other:?}"));
                }
            }
        }
        Ok(complaints)
    }

    fn items(&self) -> Outcome<Vec<Item>> {
        match self.root.tables("items")? {
            Some(items) => items.iter().map(build_item).collect(),
            None if self.refusal == Refusal::Construction => Ok(Vec::new()),
            None => form("there are no [[items]] (an empty batch is written `items = []`)"),
        }
    }

    fn tolerance(&self) -> Outcome<Tolerance> {
        let Some(fields) = self.root.table("tolerance")? else {
            return match self.root.unknown {
                UnknownFields::Refuse => form("there is no [tolerance]"),
                UnknownFields::Ignore => Ok(Tolerance::DEFAULT),
            };
        };
        let exact = fields.flag("exact")?;
        let ulps = fields.integer("score_ulps")?;
        let epsilon = match (fields.number("score_epsilon")?, fields.number("epsilon")?) {
            (Some(_), Some(_)) => return form("tolerance: epsilon is given twice"),
            (given, short) => given.or(short),
        };
        fields.finish()?;
        match (exact, ulps, epsilon) {
            (true, None, None) => Ok(Tolerance::Exact),
            (false, Some(ulps), None) => Ok(Tolerance::Ulps(ulps.unsigned_abs())),
            (false, None, Some(epsilon)) => Ok(Tolerance::Absolute(epsilon)),
            (false, None, None) => Ok(Tolerance::DEFAULT),
            _ => form("tolerance: more than one is given"),
        }
    }

    /// The expectations with their rows: an item's content is its name, and of items with the same
    /// content the first expectation means the first.
    fn expected(&self, items: &[Item]) -> Outcome<Vec<Expected>> {
        let Some(entries) = self.root.tables("expected")? else {
            return form("there are no [[expected]] scores");
        };
        if entries.len() != items.len() {
            return form(format!("{} items and {} expected", items.len(), entries.len()));
        }
        let mut rows: BTreeMap<String, VecDeque<usize>> = BTreeMap::new();
        for (row, item) in items.iter().enumerate() {
            rows.entry(item.content()?).or_default().push_back(row);
        }
        entries
            .iter()
            .map(|fields| {
                let content = fields.must("content", fields.text("content"))?.to_owned();
                let Some(row) = rows.get_mut(&content).and_then(VecDeque::pop_front) else {
                    return form(format!("{}: no item has the content {content:?}", fields.path));
                };
                let bits = fields.read("score_bits", "\"0x\" and 16 hexadecimal digits", |value| {
                    let digits = value.as_str()?.strip_prefix("0x")?;
                    u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 16)
                })?;
                let score = match (fields.number("score_approx")?, bits.map(f64::from_bits)) {
                    (Some(score), None) | (None, Some(score)) => score,
                    (Some(score), Some(exact)) if Tolerance::DEFAULT.accepts(score, exact) => exact,
                    (Some(_), Some(_)) => {
                        return form(format!("{}: score_approx and score_bits differ", fields.path));
                    }
                    (None, None) => {
                        return form(format!("{}.score_approx is missing", fields.path));
                    }
                };
                let mut rest = fields.table.clone();
                for name in ["content", "score_approx", "score_bits"] {
                    rest.remove(name);
                }
                Ok(Expected { row, content, score, by_bits: bits.is_some(), fields: rest })
            })
            .collect()
    }

    fn scorer(&self) -> Outcome<Scorer> {
        let mut builder = ScorerBuilder { clock: None, shared: BTreeMap::new() };
        if let Some(clock) = self.root.table("clock")? {
            builder.clock = Some(build_clock(&clock)?);
            clock.finish()?;
        }
        if let Some(shared) = self.root.table("shared")? {
            for name in shared.table.keys() {
                let fields = shared.must(name, shared.table(name))?;
                let kind = fields.must("type", fields.text("type"))?;
                let scorer = builder.build(kind, &fields)?;
                fields.finish()?;
                builder.shared.insert(name.clone(), scorer);
            }
        }
        let none = Table::new();
        let config = self.root.table("config")?.unwrap_or_else(|| Fields::new(&none, ".config", self.root.unknown));
        let scorer = builder.build(self.scorer, &config)?;
        config.finish()?;
        Ok(scorer)
    }
}

fn build_item(fields: &Fields) -> Outcome<Item> {
    let content = fields.must("content", fields.text("content"))?;
    let mut item = ItemBuilder::new(content, fields.must("tokens", fields.integer("tokens"))?)?;
    if let Some(kind) = fields.text("kind")? {
        item.set_kind(kind)?;
    }
    if let Some(source) = fields.text("source")? {
        item.set_source(source)?;
    }
    if let Some(priority) = fields.integer("priority")? {
        item.set_priority(priority)?;
    }
    for tag in fields.texts("tags")?.unwrap_or_default() {
        item.add_tag(&tag)?;
    }
    for (key, value) in metadata(fields)?.unwrap_or_default() {
        item.set_metadata(&key, &value)?;
    }
    if let Some(timestamp) = fields.instant("timestamp")? {
        item.set_timestamp(timestamp)?;
    }
    if let Some(hint) = fields.number("futureRelevanceHint")? {
        item.set_future_relevance_hint(hint)?;
    }
    if let Some(pinned) = fields.boolean("pinned")? {
        item.set_pinned(pinned)?;
    }
    if let Some(tokens) = fields.integer("originalTokens")? {
        item.set_original_tokens(tokens)?;
    }
    fields.finish()?;
    Ok(item.build()?)
}

/// Metadata as a table, or as a list of `{ key, value }` where the order or a key set twice matters.
fn metadata(fields: &Fields) -> Outcome<Option<Vec<(String, Metadata)>>> {
    let value = |value: &Value| match value {
        Value::String(text) => Some(Metadata::String(text.clone())),
        Value::Float(number) => Some(Metadata::Double(*number)),
        Value::Integer(number) => Some(Metadata::Double(*number as f64)),
        Value::Table(table) if table.len() == 1 => Some(Metadata::Other(table.get("other")?.as_str()?.to_owned())),
        _ => None,
    };
    let entry = |entry: &Value| {
        let entry = entry.as_table()?;
        Some((entry.get("key")?.as_str()?.to_owned(), value(entry.get("value")?)?))
    };
    fields.read("metadata", "a table of metadata", |metadata| match metadata {
        Value::Table(table) => table.iter().map(|(key, entry)| Some((key.clone(), value(entry)?))).collect(),
        Value::Array(entries) => entries.iter().map(entry).collect(),
        _ => None,
    })
}

/// Compares the fields of an item with those that an expectation names.
fn field_complaints(item: &Item, fields: &Fields) -> Outcome<Vec<String>> {
    let mut complaints = Vec::new();
    let mut compare = |name: &str, wanted: String, found: String| {
        if wanted != found {
            complaints.push(format!("{name} is {found}, expected {wanted}"));
        }
    };
    if let Some(kind) = fields.text("kind")? {
        compare("kind", kind.to_owned(), item.kind()?);
    }
    if let Some(source) = fields.text("source")? {
        compare("source", source.to_owned(), item.source()?);
    }
    if let Some(tokens) = fields.integer("tokens")? {
        compare("tokens", tokens.to_string(), item.tokens()?.to_string());
    }
    if let Some(pinned) = fields.boolean("pinned")? {
        compare("pinned", pinned.to_string(), item.pinned()?.to_string());
    }
    if let Some(tags) = fields.texts("tags")? {
        compare("tags", format!("{tags:?}"), format!("{:?}", item.tags()?));
    }
    if let Some(wanted) = metadata(fields)? {
        // The order of the entries of a batch's row is open.
        let sorted = |mut entries: Vec<(String, Metadata)>| {
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            format!("{entries:?}")
        };
        compare("metadata", sorted(wanted), sorted(item.metadata()?));
    }
    let absent = fields.texts("absent")?.unwrap_or_default();
    let mut optional = |name: &str, wanted: Option<String>, found: Option<String>| {
        if wanted.is_some() || absent.iter().any(|absent| absent == name) {
            compare(name, format!("{wanted:?}"), format!("{found:?}"));
        }
    };
    // Hints are compared by their bits: a NaN keeps its payload, a zero its sign.
    let bits = |hint: f64| format!("{:#018x}", hint.to_bits());
    let text = |number: i64| number.to_string();
    optional("priority", fields.integer("priority")?.map(text), item.priority()?.map(text));
    optional("timestamp", fields.instant("timestamp")?.map(text), item.timestamp()?.map(text));
    optional("originalTokens", fields.integer("originalTokens")?.map(text), item.original_tokens()?.map(text));
    optional(
        "futureRelevanceHint",
        fields.number("futureRelevanceHint")?.map(bits),
        item.future_relevance_hint()?.map(bits),
    );
    Ok(complaints)
}

fn build_clock(fields: &Fields) -> Outcome<Clock> {
    let kind = fields.must("type", fields.text("type"))?;
    if kind == "system" {
        return Ok(Clock::system()?);
    }
    if let Some(status) = fields.integer("fails_with")? {
        return Ok(Clock::custom(move || Err(status as capi::Status))?);
    }
    let now = fields.must("reference_time", fields.instant("reference_time"))?;
    match kind {
        "fixed" => Ok(Clock::fixed(now)?),
        "callback" => {
            let advance = fields.integer("advance_ns")?.unwrap_or(0);
            let now = AtomicI64::new(now);
            Ok(Clock::custom(move || Ok(now.fetch_add(advance, Ordering::Relaxed)))?)
        }
        _ => fields.wrong("type", "\"fixed\", \"system\" or \"callback\""),
    }
}

/// Builds scorers from `[config]` and the tables inside it.
struct ScorerBuilder {
    clock: Option<Clock>,
    shared: BTreeMap<String, Scorer>,
}

impl ScorerBuilder {
    fn build(&self, kind: &str, fields: &Fields) -> Outcome<Scorer> {
        Ok(match kind {
            "recency" => Scorer::recency()?,
            "priority" => Scorer::priority()?,
            "frequency" => Scorer::frequency()?,
            "reflexive" => Scorer::reflexive()?,
            "kind" => self.kind(fields)?,
            "tag" => self.tag(fields)?,
            "metadata_trust" => Scorer::metadata_trust(fields.number("default_score")?.unwrap_or(0.5))?,
            "metadata_key" => Scorer::metadata_key(
                fields.must("key", fields.text("key"))?,
                fields.must("value", fields.text("value"))?,
                fields.must("boost", fields.number("boost"))?,
            )?,
            "decay" => self.decay(fields)?,
            "composite" => self.composite(fields)?,
            "scaled" => self.scaled(fields)?,
            "custom" => self.custom(fields)?,
            other => return form(format!("{}: unknown scorer type {other:?}", fields.path)),
        })
    }

    fn weights(&self, fields: &Fields, list: &str, name: &str) -> Outcome<Vec<(String, f64)>> {
        fields
            .must(list, fields.tables(list))?
            .iter()
            .map(|entry| {
                let text = entry.must(name, entry.text(name))?.to_owned();
                let weight = entry.must("weight", entry.number("weight"))?;
                entry.finish()?;
                Ok((text, weight))
            })
            .collect()
    }

    fn kind(&self, fields: &Fields) -> Outcome<Scorer> {
        if fields.flag("use_default_weights")? || fields.get("weights").is_none() {
            return Ok(Scorer::kind_default()?);
        }
        Ok(Scorer::kind(&self.weights(fields, "weights", "kind")?)?)
    }

    fn tag(&self, fields: &Fields) -> Outcome<Scorer> {
        let text_match = match fields.text("match")?.unwrap_or("exact") {
            "exact" => 0,
            "ascii_case_insensitive" => 1,
            _ => return fields.wrong("match", "\"exact\" or \"ascii_case_insensitive\""),
        };
        Ok(Scorer::tag(&self.weights(fields, "tag_weights", "tag")?, text_match)?)
    }

    fn decay(&self, fields: &Fields) -> Outcome<Scorer> {
        let own = fields.instant("reference_time")?.map(Clock::fixed).transpose()?;
        let Some(clock) = own.as_ref().or(self.clock.as_ref()) else {
            return form(format!("{}.reference_time is missing", fields.path));
        };
        let null_score = fields.number("null_timestamp_score")?.unwrap_or(0.5);
        let curve = fields.must("curve", fields.table("curve"))?;
        let scorer = match curve.must("type", curve.text("type"))? {
            "exponential" => Scorer::decay_exponential(clock, curve.duration("half_life")?, null_score)?,
            "window" => Scorer::decay_window(clock, curve.duration("max_age")?, null_score)?,
            "step" => {
                let steps = curve
                    .must("windows", curve.tables("windows"))?
                    .iter()
                    .map(|step| {
                        let entry = (step.duration("max_age")?, step.must("score", step.number("score"))?);
                        step.finish()?;
                        Ok(entry)
                    })
                    .collect::<Outcome<Vec<_>>>()?;
                Scorer::decay_step(clock, &steps, null_score)?
            }
            _ => return curve.wrong("type", "\"exponential\", \"window\" or \"step\""),
        };
        curve.finish()?;
        Ok(scorer)
    }

    fn composite(&self, fields: &Fields) -> Outcome<Scorer> {
        let entries = match fields.tables("scorers")? {
            Some(entries) => entries,
            None => fields.must("children", fields.tables("children"))?,
        };
        let mut own = Vec::new();
        let mut weights = Vec::new();
        for entry in &entries {
            weights.push(entry.must("weight", entry.number("weight"))?);
            own.push(self.child(entry)?);
            entry.finish()?;
        }
        let children: Vec<_> = own.iter().map(|child| child.scorer(self)).zip(weights).collect();
        Ok(Scorer::composite(&children)?)
    }

    fn scaled(&self, fields: &Fields) -> Outcome<Scorer> {
        if let Some(Value::String(kind)) = fields.get("inner_scorer") {
            let none = Table::new();
            let inner = self.build(kind, &Fields::new(&none, &fields.path, fields.unknown))?;
            return Ok(Scorer::scaled(&inner)?);
        }
        let inner = fields.must("inner_scorer", fields.table("inner_scorer"))?;
        let child = self.child(&inner)?;
        inner.finish()?;
        Ok(Scorer::scaled(child.scorer(self))?)
    }

    fn child(&self, fields: &Fields) -> Outcome<Child> {
        let kind = fields.must("type", fields.text("type"))?;
        if kind != "shared" {
            return Ok(Child::Own(self.build(kind, fields)?));
        }
        let name = fields.must("name", fields.text("name"))?;
        if !self.shared.contains_key(name) {
            return form(format!("{}: there is no [shared.{name}] before it", fields.path));
        }
        Ok(Child::Shared(name.to_owned()))
    }

    fn custom(&self, fields: &Fields) -> Outcome<Scorer> {
        if let Some(status) = fields.integer("fails_with")? {
            return Ok(Scorer::custom(move |_, _| Err(status as capi::Status))?);
        }
        let scores = fields.must("scores", fields.numbers("scores"))?;
        Ok(Scorer::custom(move |batch, out| {
            assert_eq!((batch.len(), out.len()), (scores.len(), scores.len()), "rows to fill");
            out.copy_from_slice(&scores);
            Ok(())
        })?)
    }
}

/// A child of a composite or scaled scorer: built for it, or one of `[shared]`.
enum Child {
    Own(Scorer),
    Shared(String),
}

impl Child {
    fn scorer<'a>(&'a self, builder: &'a ScorerBuilder) -> &'a Scorer {
        match self {
            Self::Own(scorer) => scorer,
            Self::Shared(name) => &builder.shared[name],
        }
    }
}

/// Reads and runs one vector. `None` when it is of a stage that is not known here.
pub fn run(text: &str, unknown: UnknownFields) -> Option<Vec<String>> {
    let table: Table = match text.parse() {
        Ok(table) => table,
        Err(error) => return Some(vec![format!("not TOML: {error}")]),
    };
    let stage = table.get("test").and_then(|test| test.get("stage")).and_then(Value::as_str);
    if let Some(stage) = stage.and_then(selection_vector::Stage::named) {
        return Some(selection_vector::run(&table, unknown, stage));
    }
    match Vector::read(&table, unknown) {
        Ok(vector) => vector.map(|vector| vector.run()),
        Err(failure) => Some(vec![failure.to_string()]),
    }
}

/// Reads and runs one vector from a file.
pub fn run_file(path: &Path, unknown: UnknownFields) -> Option<Vec<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => run(&text, unknown),
        Err(error) => Some(vec![format!("cannot be read: {error}")]),
    }
}
