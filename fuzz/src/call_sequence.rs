//! A random program against the C ABI: any function, live handles, any order of frees, shared children, callbacks that call
//! back.
//!
//! Beside the handles the program keeps what it knows of them: the rows of each batch, and whether a scorer is pure. That is
//! what it holds the library to. Memory errors are for the sanitizer to find.

use std::cell::Cell;
use std::ptr;
use std::sync::{Arc, Mutex, Weak};

use arbitrary::{Result, Unstructured};
use cupel::capi as c;

use crate::capi::{self, Batch, BatchRef, Clock, Item, ItemBuilder, Scorer};
use crate::values::{self, Row, bits};

/// The longest program.
const MOST_STEPS: usize = 96;

/// How deep a callback may call back. Without a bound, programs would take time exponential in their length.
const MOST_NESTING: u32 = 3;

thread_local! {
    /// The nesting of callbacks.
    static NESTING: Cell<u32> = const { Cell::new(0) };
    /// A batch whose handle the next callback is to free.
    static DOOMED: Cell<*mut c::cupel_batch> = const { Cell::new(ptr::null_mut()) };
}

/// A handle that a callback may free while it is in use.
type Slot = Arc<Mutex<Option<Scorer>>>;

/// A scorer, and what is known of it.
struct Known {
    slot: Slot,
    /// The same rows get the same scores each time.
    pure: bool,
    /// There is no callback in it, which might fail or give anything.
    own: bool,
}

#[derive(Default)]
struct Program {
    builders: Vec<(ItemBuilder, Row)>,
    items: Vec<(Item, Row)>,
    batches: Vec<(Batch, Vec<Row>)>,
    scorers: Vec<Known>,
    clocks: Vec<(Clock, bool)>,
}

pub fn run(data: &[u8]) {
    let mut program = Program::default();
    let u = &mut Unstructured::new(data);
    for _ in 0..MOST_STEPS {
        if u.is_empty() || program.step(u).is_err() {
            break;
        }
    }
    program.free_in_any_order(data.len());
}

/// Takes an element out of anywhere.
fn take<T>(u: &mut Unstructured<'_>, values: &mut Vec<T>) -> Result<Option<T>> {
    if values.is_empty() {
        return Ok(None);
    }
    let index = u.choose_index(values.len())?;
    Ok(Some(values.swap_remove(index)))
}

fn choose<'a, T>(u: &mut Unstructured<'_>, values: &'a [T]) -> Result<Option<&'a T>> {
    if values.is_empty() { Ok(None) } else { u.choose(values).map(Some) }
}

/// The handle in a slot, which may be gone.
fn handle(slot: &Slot) -> *const c::cupel_scorer {
    slot.lock().unwrap().as_ref().map_or(ptr::null(), Scorer::as_ptr)
}

fn is_refused(result: &capi::Result<()>, status: i32) -> bool {
    result.as_ref().is_err_and(|error| error.status == status)
}

impl Program {
    fn step(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        match u.int_in_range(0..=19_u8)? {
            0 => self.make_builder(u),
            1 => self.change_builder(u),
            2 => self.build(u),
            3 => self.make_batch(u),
            4 | 5 => self.push(u),
            6 => self.change_batch(u),
            7 => self.append_json(u),
            8 => self.read_row(u),
            9 => self.make_clock(u),
            10 | 11 => self.make_scorer(u),
            12 => self.make_decay(u),
            13 | 14 => self.combine(u),
            15 => self.make_custom(u),
            16 | 17 => self.score(u),
            18 => self.round_trip(u),
            _ => self.free_one(u),
        }
    }

    fn make_builder(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let (content, tokens) = (values::text(u)?, values::integer(u)?);
        match ItemBuilder::new(&content, tokens) {
            Ok(builder) => self.builders.push((builder, fresh(content, tokens))),
            Err(error) => assert!(content.is_empty() && error.status == c::CUPEL_STATUS_EMPTY_CONTENT, "{error}"),
        }
        Ok(())
    }

    fn change_builder(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        if self.builders.is_empty() {
            return Ok(());
        }
        let index = u.choose_index(self.builders.len())?;
        let (builder, row) = &mut self.builders[index];
        for _ in 0..=values::len(u, 7)? {
            match u.int_in_range(0..=9_u8)? {
                0 => {
                    let kind = values::text(u)?;
                    match builder.set_kind(&kind) {
                        Ok(()) => row.kind = kind,
                        Err(error) => assert_eq!(error.status, c::CUPEL_STATUS_EMPTY_KIND, "{error}"),
                    }
                }
                1 => {
                    let source = values::text(u)?;
                    match builder.set_source(&source) {
                        Ok(()) => row.source = source,
                        Err(error) => assert_eq!(error.status, c::CUPEL_STATUS_EMPTY_SOURCE, "{error}"),
                    }
                }
                2 => {
                    let tag = values::text(u)?;
                    builder.add_tag(&tag).unwrap();
                    row.tags.push(tag);
                }
                3 => {
                    let (key, value) = (values::text(u)?, values::metadata(u)?);
                    builder.set_metadata(&key, &value).unwrap();
                    row.set_metadata(key, value);
                }
                4 => {
                    let priority = values::integer(u)?;
                    builder.set_priority(priority).unwrap();
                    row.priority = Some(priority);
                }
                5 => {
                    let timestamp = values::integer(u)?;
                    builder.set_timestamp(timestamp).unwrap();
                    row.timestamp = Some(timestamp);
                }
                6 => {
                    let hint = values::double(u)?;
                    builder.set_future_relevance_hint(hint).unwrap();
                    row.hint = Some(hint);
                }
                7 => {
                    let pinned = u.arbitrary()?;
                    builder.set_pinned(pinned).unwrap();
                    row.pinned = pinned;
                }
                8 => {
                    let tokens = values::integer(u)?;
                    builder.set_original_tokens(tokens).unwrap();
                    row.original_tokens = Some(tokens);
                }
                _ => {
                    let (content, tokens) = (values::text(u)?, values::integer(u)?);
                    match builder.reset(&content, tokens) {
                        Ok(()) => *row = fresh(content, tokens),
                        Err(error) => assert_eq!(error.status, c::CUPEL_STATUS_EMPTY_CONTENT, "{error}"),
                    }
                }
            }
        }
        Ok(())
    }

    fn build(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        if let Some((builder, row)) = choose(u, &self.builders)? {
            let item = builder.build().unwrap();
            Row::read(&item).assert_same(row);
            self.items.push((item, row.clone()));
        }
        Ok(())
    }

    fn make_batch(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let capacity = values::len(u, 20)?;
        self.batches.push((Batch::new(capacity).unwrap(), Vec::new()));
        // More rows than there can be.
        let refused = Batch::new(usize::MAX - capacity).map(drop);
        assert!(is_refused(&refused, c::CUPEL_STATUS_OUT_OF_MEMORY), "{refused:?}");
        Ok(())
    }

    fn push(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        if self.batches.is_empty() {
            return Ok(());
        }
        let index = u.choose_index(self.batches.len())?;
        let (batch, rows) = &mut self.batches[index];
        if u.ratio(1, 3)? {
            let row = Row::generate(u)?;
            batch.push(&row.item()).unwrap();
            rows.push(row);
        } else if let Some((item, row)) = choose(u, &self.items)? {
            for _ in 0..=values::len(u, 3)? {
                batch.push(item).unwrap();
                rows.push(row.clone());
            }
        }
        assert_eq!(batch.len(), rows.len());
        Ok(())
    }

    fn change_batch(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        if self.batches.is_empty() {
            return Ok(());
        }
        let index = u.choose_index(self.batches.len())?;
        let (batch, rows) = &mut self.batches[index];
        let raw = batch.as_mut_ptr();
        let (choice, more) = (u.int_in_range(0..=3_u8)?, values::len(u, 300)?);
        // SAFETY: a live handle, used by this thread alone.
        capi::check(|error| unsafe {
            match choice {
                0 => c::cupel_batch_clear(raw, error),
                1 => c::cupel_batch_shrink(raw, error),
                _ => c::cupel_batch_reserve(raw, more, error),
            }
        })
        .unwrap();
        if choice == 0 {
            rows.clear();
        }
        assert_eq!(batch.len(), rows.len());
        Ok(())
    }

    fn append_json(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        const TEXTS: [&str; 5] = [
            r#"{"content": "one", "tokens": 1}"#,
            r#"[{"content": "a", "tokens": 1, "kind": "k", "tags": ["x", "X", "x"]}, {"content": "b", "tokens": -2}]"#,
            "[]",
            r#"[{"content": "a", "tokens": 1}, {"content": "", "tokens": 1}]"#,
            r#"{"content": "a", "tokens": 1, "metadata": {"k": 1e400}}"#,
        ];
        if self.batches.is_empty() {
            return Ok(());
        }
        let index = u.choose_index(self.batches.len())?;
        let (batch, rows) = &mut self.batches[index];
        let json = *u.choose(&TEXTS)?;
        match batch.append_json(json) {
            Ok(()) => rows.extend((rows.len()..batch.len()).map(|row| values::row(batch, row))),
            Err(error) => assert_eq!(error.status, c::CUPEL_STATUS_INVALID_JSON, "{error}"),
        }
        assert_eq!(batch.len(), rows.len());
        Ok(())
    }

    fn read_row(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        if let Some((batch, rows)) = choose(u, &self.batches)? {
            let index: usize = u.int_in_range(0..=rows.len())?;
            match batch.item(index) {
                Ok(item) => {
                    Row::read(&item).assert_same(&rows[index]);
                    self.items.push((item, rows[index].clone()));
                }
                Err(error) => {
                    assert_eq!((index, error.status), (rows.len(), c::CUPEL_STATUS_OUT_OF_RANGE), "{error}");
                }
            }
        }
        Ok(())
    }

    fn make_clock(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let (clock, pure) = match u.int_in_range(0..=3_u8)? {
            0 => (Clock::system(), false),
            1 => (Clock::fixed(values::integer(u)?), true),
            2 => {
                let now = values::integer(u)?;
                (Clock::custom(move || Ok(now)), true)
            }
            _ => {
                let status = u.arbitrary::<i32>()?.max(1);
                (Clock::custom(move || Err(status)), false)
            }
        };
        self.clocks.push((clock.unwrap(), pure));
        Ok(())
    }

    fn keep(&mut self, scorer: capi::Result<Scorer>, pure: bool, own: bool) {
        match scorer {
            Ok(scorer) => self.scorers.push(Known { slot: Arc::new(Mutex::new(Some(scorer))), pure, own }),
            Err(error) => {
                let documented =
                    [c::CUPEL_STATUS_INVALID_ARGUMENT, c::CUPEL_STATUS_EMPTY_KIND, c::CUPEL_STATUS_OUT_OF_RANGE];
                assert!(documented.contains(&error.status), "{error}");
            }
        }
    }

    fn make_scorer(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let scorer = match u.int_in_range(0..=8_u8)? {
            0 => Scorer::recency(),
            1 => Scorer::priority(),
            2 => Scorer::frequency(),
            3 => Scorer::reflexive(),
            4 => Scorer::kind_default(),
            5 => Scorer::kind(&weights(u)?),
            6 => Scorer::tag(&weights(u)?, u.int_in_range(-1..=2)?),
            7 => Scorer::metadata_trust(values::double(u)?),
            _ => Scorer::metadata_key(&values::text(u)?, &values::text(u)?, values::double(u)?),
        };
        self.keep(scorer, true, true);
        Ok(())
    }

    fn make_decay(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let null_score = values::double(u)?;
        let Some((clock, pure)) = choose(u, &self.clocks)? else { return Ok(()) };
        let scorer = match u.int_in_range(0..=2_u8)? {
            0 => Scorer::decay_exponential(clock, values::integer(u)?, null_score),
            1 => Scorer::decay_window(clock, values::integer(u)?, null_score),
            _ => {
                let mut steps = Vec::new();
                for _ in 0..values::len(u, 5)? {
                    steps.push((values::integer(u)?, values::double(u)?));
                }
                if u.arbitrary()? {
                    steps.sort_by_key(|&(age, _)| age);
                }
                Scorer::decay_step(clock, &steps, null_score)
            }
        };
        let pure = *pure;
        self.keep(scorer, pure, pure);
        Ok(())
    }

    fn combine(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let mut children = Vec::new();
        let mut weights = Vec::new();
        let (mut pure, mut own) = (true, true);
        let scaled = u.ratio(1, 3)?;
        for _ in 0..if scaled { 1 } else { values::len(u, 4)? } {
            if let Some(known) = choose(u, &self.scorers)? {
                children.push(handle(&known.slot));
                weights.push(if u.ratio(1, 12)? { values::double(u)? } else { values::weight(u)? });
                (pure, own) = (pure && known.pure, own && known.own);
            }
        }
        let gone = children.iter().any(|child| child.is_null());
        let scorer = capi::create(|out, error| {
            // SAFETY: live handles or NULL, and arrays of the length that is given.
            unsafe {
                match (scaled, children.first()) {
                    (true, Some(&inner)) => c::cupel_scorer_scaled_new(inner, out, error),
                    (true, None) => c::cupel_scorer_scaled_new(ptr::null(), out, error),
                    (false, _) => {
                        c::cupel_scorer_composite_new(children.as_ptr(), weights.as_ptr(), children.len(), out, error)
                    }
                }
            }
        });
        match scorer {
            Err(error) if error.status == c::CUPEL_STATUS_NULL_ARGUMENT => {
                assert!(gone || children.is_empty() && scaled, "{error}");
            }
            scorer => self.keep(scorer.map(Scorer::from_raw), pure, own),
        }
        Ok(())
    }

    fn make_custom(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let slot = Slot::default();
        let choice = u.int_in_range(0..=8_u8)?;
        let other = choose(u, &self.scorers)?.map(|known| known.slot.clone());
        let value = values::double(u)?;
        let status = u.arbitrary::<i32>()?.max(1);
        let own: Weak<Mutex<Option<Scorer>>> = Arc::downgrade(&slot);
        let scorer = Scorer::custom(move |batch, scores| {
            free_the_doomed();
            match choice {
                0 => scores.fill(value),
                1 => scores.iter_mut().enumerate().for_each(|(row, score)| *score = row as f64),
                2 => return Err(status),
                3 => {} // writes nothing
                4 => {
                    for (row, score) in scores.iter_mut().enumerate() {
                        *score = batch.item(row).unwrap().tokens().unwrap() as f64;
                    }
                }
                5 => drop(own.upgrade().and_then(|slot| slot.lock().unwrap().take())),
                6 => try_to_change(batch),
                _ => call_back(other.as_ref(), batch, scores),
            }
            Ok(())
        })
        .unwrap();
        *slot.lock().unwrap() = Some(scorer);
        self.scorers.push(Known { slot, pure: matches!(choice, 0 | 1 | 3 | 4 | 6), own: false });
        Ok(())
    }

    fn score(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        if self.batches.is_empty() {
            return Ok(());
        }
        let index = u.choose_index(self.batches.len())?;
        let Some(known) = choose(u, &self.scorers)? else { return Ok(()) };
        let (slot, pure, own) = (known.slot.clone(), known.pure, known.own);
        if handle(&slot).is_null() {
            return Ok(());
        }
        let rows = self.batches[index].1.len();
        if u.ratio(1, 8)? {
            return self.score_while_the_batch_is_freed(&slot, index);
        }
        let batch = &self.batches[index].0;
        let scores = score(&slot, batch.as_ptr(), rows);
        if own {
            let scores = scores.as_ref().unwrap();
            assert!(!scores.iter().any(|score| score.is_nan()), "{scores:?}");
        }
        if pure {
            let scores = scores.as_ref().unwrap();
            assert_eq!(bits(&score(&slot, batch.as_ptr(), rows).unwrap()), bits(scores));
            let row = u.int_in_range(0..=rows)?;
            let alone = slot.lock().unwrap().as_ref().unwrap().score_row(batch, row);
            match alone {
                Ok(score) => assert_eq!(score.to_bits(), scores[row].to_bits()),
                Err(error) => assert_eq!((row, error.status), (rows, c::CUPEL_STATUS_OUT_OF_RANGE), "{error}"),
            }
        }
        if let Err(error) = &scores {
            assert_eq!(error.status, c::CUPEL_STATUS_CALLBACK_FAILED, "{error}");
        }
        // A buffer of another length.
        let refused = score(&slot, batch.as_ptr(), rows + 1).map(drop);
        assert!(handle(&slot).is_null() || is_refused(&refused, c::CUPEL_STATUS_LENGTH_MISMATCH), "{refused:?}");
        Ok(())
    }

    /// Scores a batch whose handle the first callback frees.
    fn score_while_the_batch_is_freed(&mut self, slot: &Slot, index: usize) -> Result<()> {
        let (batch, rows) = self.batches.swap_remove(index);
        let raw = batch.into_raw();
        DOOMED.set(raw);
        let _ = score(slot, raw, rows.len());
        if DOOMED.replace(ptr::null_mut()).is_null() {
            return Ok(()); // a callback was called, and freed it
        }
        self.batches.push((Batch::from_raw(raw), rows));
        Ok(())
    }

    fn round_trip(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let Some(known) = choose(u, &self.scorers)? else { return Ok(()) };
        let written = match &*known.slot.lock().unwrap() {
            Some(scorer) => scorer.to_json(),
            None => return Ok(()),
        };
        match written {
            Ok(json) => {
                let clock = choose(u, &self.clocks)?.map(|(clock, _)| clock);
                let again = Scorer::from_json(&json, clock).unwrap_or_else(|error| panic!("{error}: {json}"));
                assert_eq!(again.to_json().unwrap(), json);
            }
            Err(error) => assert_eq!(error.status, c::CUPEL_STATUS_INVALID_ARGUMENT, "{error}"),
        }
        Ok(())
    }

    fn free_one(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        match u.int_in_range(0..=4_u8)? {
            0 => drop(take(u, &mut self.builders)?),
            1 => drop(take(u, &mut self.items)?),
            2 => drop(take(u, &mut self.batches)?),
            3 => drop(take(u, &mut self.scorers)?),
            _ => drop(take(u, &mut self.clocks)?),
        }
        Ok(())
    }

    /// Frees what is left, each kind of handle earlier or later.
    fn free_in_any_order(mut self, seed: usize) {
        for turn in 0..5 {
            match (turn + seed) % 5 {
                0 => self.builders.clear(),
                1 => self.items.clear(),
                2 => self.batches.clear(),
                3 if seed.is_multiple_of(2) => self.scorers.clear(),
                3 => while self.scorers.pop().is_some() {},
                _ => self.clocks.clear(),
            }
        }
    }
}

fn fresh(content: String, tokens: i64) -> Row {
    Row { content, tokens, kind: "Message".to_owned(), source: "Chat".to_owned(), ..Row::default() }
}

fn weights(u: &mut Unstructured<'_>) -> Result<Vec<(String, f64)>> {
    let mut weights = Vec::new();
    for _ in 0..values::len(u, 4)? {
        let weight = if u.ratio(1, 6)? { values::double(u)? } else { values::weight(u)? };
        weights.push((values::text(u)?, weight));
    }
    Ok(weights)
}

/// Scores with whatever stands in a slot. Nothing is locked meanwhile: a callback may take the handle away.
fn score(slot: &Slot, batch: *const c::cupel_batch, rows: usize) -> capi::Result<Vec<f64>> {
    let scorer = handle(slot);
    let mut scores = vec![0.0; rows];
    // SAFETY: live handles or NULL, and a buffer of the length that is given.
    capi::check(|error| unsafe { c::cupel_scorer_score_batch(scorer, batch, scores.as_mut_ptr(), rows, error) })?;
    Ok(scores)
}

fn free_the_doomed() {
    let batch = DOOMED.replace(ptr::null_mut());
    // SAFETY: NULL, or the handle of a batch whose owner has given it up to here.
    unsafe { c::cupel_batch_free(batch) };
}

/// What changes a batch is refused while it is scored.
fn try_to_change(batch: BatchRef) {
    let raw = batch.0.cast_mut();
    // SAFETY: a live handle, used by this thread alone.
    let refused = unsafe {
        [
            capi::check(|error| c::cupel_batch_clear(raw, error)),
            capi::check(|error| c::cupel_batch_shrink(raw, error)),
            capi::check(|error| c::cupel_batch_reserve(raw, 1, error)),
            capi::check(|error| c::cupel_batch_append_json(raw, c"[]".as_ptr(), 2, error)),
        ]
    };
    for refused in refused {
        assert!(is_refused(&refused, c::CUPEL_STATUS_BUSY), "{refused:?}");
    }
}

/// Scores the same batch with another scorer, within a bound.
fn call_back(other: Option<&Slot>, batch: BatchRef, scores: &mut [f64]) {
    let nesting = NESTING.get();
    let Some(other) = other.filter(|_| nesting < MOST_NESTING) else { return };
    NESTING.set(nesting + 1);
    match score(other, batch.0, batch.len()) {
        Ok(inner) => scores.copy_from_slice(&inner),
        Err(error) => {
            let expected = [c::CUPEL_STATUS_CALLBACK_FAILED, c::CUPEL_STATUS_NULL_ARGUMENT];
            assert!(expected.contains(&error.status), "{error}");
        }
    }
    NESTING.set(nesting);
}
