//! `cupel_scorer`: gives every row of a batch a score.

use std::ffi::c_char;

use libc::c_void;

use crate::batch::Batch;
use crate::capi::batch::{Hold, cupel_batch};
use crate::capi::boundary::{call, create, create_with, free, give};
use crate::capi::clock::cupel_clock;
use crate::capi::error::{Argument, Refusal, cupel_error};
use crate::capi::ownership::{Handle, Host, choice};
use crate::capi::status::cupel_status;
use crate::capi::text::cupel_text;
use crate::capi::user_data::{cupel_destroy_callback, run_callback};
use crate::error::{Error, Parameter};
use crate::json;
use crate::scorer::{
    Clock, Composite, Curve, Custom, Decay, Frequency, Kind, MetadataKey, MetadataTrust, Priority, Recency, Reflexive,
    Scaled, SharedScorer, Tag,
};
use crate::text::Match as TextMatch;

/// Gives every row of a batch a score. Scorers made with it keep their own references to it, so that handles may be
/// freed in any order.
#[derive(Debug)]
pub struct cupel_scorer(SharedScorer);

impl cupel_scorer {
    pub(super) fn scorer(&self) -> &SharedScorer {
        &self.0
    }
}

impl Handle for cupel_scorer {
    const NAME: &'static str = "scorer";
}

/// The weight of a kind or a tag.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cupel_weight {
    /// The name, UTF-8, not NUL-terminated.
    pub name: *const c_char,
    /// Its length in bytes.
    pub name_len: usize,
    /// The weight: finite, 0 or more.
    pub weight: f64,
}

/// A step of a decay curve.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cupel_decay_step {
    /// Rows younger than this get the score, unless an earlier step applies. In nanoseconds, more than 0.
    pub max_age_nanoseconds: i64,
    /// The score: finite.
    pub score: f64,
}

/// How two tags are compared.
pub type cupel_text_match = i32;

/// Tags are equal if their bytes are.
pub const CUPEL_TEXT_MATCH_EXACT: cupel_text_match = 0;
/// Tags are equal if their bytes are, after ASCII case folding.
pub const CUPEL_TEXT_MATCH_ASCII_CASE_INSENSITIVE: cupel_text_match = 1;

/// Scores a batch for a custom scorer.
///
/// @param batch The rows. The callback may read them and score them with other scorers, but not change them.
/// @param out_scores Where to put the scores, one for each row; they are 0 before the call. They are returned
///     unchanged.
/// @param out_scores_len The length of out_scores, which is the length of the batch.
pub type cupel_score_callback = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        batch: *const cupel_batch,
        out_scores: *mut f64,
        out_scores_len: usize,
    ) -> cupel_status,
>;

/// Scores a batch for a custom scorer, or fails with an error. Otherwise like cupel_score_callback.
///
/// @param batch As for cupel_score_callback.
/// @param out_scores As for cupel_score_callback.
/// @param out_scores_len As for cupel_score_callback.
/// @param out_error As for cupel_fallible_now_callback.
pub type cupel_fallible_score_callback = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        batch: *const cupel_batch,
        out_scores: *mut f64,
        out_scores_len: usize,
        out_error: *mut *mut cupel_error,
    ) -> cupel_status,
>;

/// Reads a list of weights.
fn weights<'a>(host: Host, weights: *const cupel_weight, len: usize) -> Result<Vec<(&'a str, f64)>, Refusal> {
    host.list(weights, len, "weights", |index, entry| {
        let name = host.text(entry.name, entry.name_len, Argument::field("weights", Some(index), "name"))?;
        Ok((name, entry.weight))
    })
}

/// The body of a constructor.
unsafe fn make(
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
    make: impl FnOnce(Host) -> Result<SharedScorer, Refusal>,
) -> cupel_status {
    create(out_error, (out_scorer, "out_scorer"), |host| make(host).map(cupel_scorer))
}

/// Makes a recency scorer: the number of rows with an earlier timestamp, divided by the number of rows with a timestamp
/// minus 1. Equal timestamps score the same. A row without a timestamp scores 0, and the only row with one scores 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_recency_new(
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    make(out_scorer, out_error, |_| Ok(Recency::new()?))
}

/// Makes a priority scorer: the number of rows with a lower priority, divided by the number of rows with a priority
/// minus 1. Equal priorities score the same. A row without a priority scores 0, and the only row with one scores 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_priority_new(
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    make(out_scorer, out_error, |_| Ok(Priority::new()?))
}

/// Makes a frequency scorer: the number of other rows that share at least one tag with the row, under ASCII case
/// folding, divided by the number of other rows. A row without tags scores 0, and so does the only row of a batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_frequency_new(
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    make(out_scorer, out_error, |_| Ok(Frequency::new()?))
}

/// Makes a reflexive scorer: the future relevance hint, clamped to 0 to 1; 0 if it is missing or not finite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_reflexive_new(
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    make(out_scorer, out_error, |_| Ok(Reflexive::new()?))
}

/// Makes a kind scorer with the weights SystemPrompt 1.0, Memory 0.8, ToolOutput 0.6, Document 0.4 and Message 0.2.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_kind_default_new(
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    make(out_scorer, out_error, |_| Ok(Kind::with_default_weights()?))
}

/// Makes a kind scorer: the weight of the row's kind, or 0 if it has none. Scores are not clamped. Kinds are equal
/// under ASCII case folding.
///
/// @param weights Kinds and their weights, each kind once and not blank. They are copied.
/// @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_KIND, OUT_OF_RANGE, OUT_OF_MEMORY, INVALID_ARGUMENT (a weight that is
///         negative or not finite, a duplicate kind)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_kind_new(
    weights: *const cupel_weight,
    weights_len: usize,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    make(out_scorer, out_error, |host| Ok(Kind::new(self::weights(host, weights, weights_len)?)?))
}

/// Makes a tag scorer: the sum of the weights of the row's tags, divided by the sum of all weights, at most 1. Each
/// occurrence of a tag counts. A row without tags scores 0, and so does every row if the sum of all weights is 0.
///
/// @param weights Tags and their weights, each tag once. They are copied.
/// @param match A cupel_text_match.
/// @return NULL_ARGUMENT, INVALID_UTF8, OUT_OF_RANGE (an unknown match), OUT_OF_MEMORY, INVALID_ARGUMENT (a weight that
///         is negative or not finite, a duplicate tag, a sum of weights that overflows)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_tag_new(
    weights: *const cupel_weight,
    weights_len: usize,
    r#match: cupel_text_match,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    make(out_scorer, out_error, |host| {
        let values = [TextMatch::Exact, TextMatch::AsciiCaseInsensitive];
        let rule = "it must be CUPEL_TEXT_MATCH_EXACT or CUPEL_TEXT_MATCH_ASCII_CASE_INSENSITIVE";
        let text_match = choice("match", r#match, &values, rule)?;
        Ok(Tag::new(self::weights(host, weights, weights_len)?, text_match)?)
    })
}

/// Makes a metadata trust scorer: the value of the metadata key `cupel:trust`, clamped to 0 to 1. It is a double, or a
/// string that is read as a decimal number.
///
/// @param default_score The score of rows without a usable trust; from 0 to 1.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_metadata_trust_new(
    default_score: f64,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    make(out_scorer, out_error, |_| Ok(MetadataTrust::new(default_score)?))
}

/// Makes a metadata key scorer: `boost` for rows whose metadata has `key` with a value whose text is equal to `value`,
/// byte for byte, and 1 for all others. The text of a double is the shortest decimal that reads back as the same
/// number: `1`, `0.85`.
///
/// @param key The key, UTF-8; may be empty. It is copied.
/// @param boost The score of rows that match: finite, more than 0.
/// @return NULL_ARGUMENT, INVALID_UTF8, INVALID_ARGUMENT, OUT_OF_RANGE, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_metadata_key_new(
    key: *const c_char,
    key_len: usize,
    value: *const c_char,
    value_len: usize,
    boost: f64,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    make(out_scorer, out_error, |host| {
        let key = host.text(key, key_len, "key")?;
        let value = host.text(value, value_len, "value")?;
        Ok(MetadataKey::new(key, value, boost)?)
    })
}

/// Makes an exponential decay scorer: 2 to the power of -(age / half-life), within one unit in the last place. The age
/// is the present time minus the timestamp, and 0 for a timestamp in the future.
///
/// @param half_life_nanoseconds The half-life in nanoseconds, more than 0.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_decay_exponential_new(
    clock: *const cupel_clock,
    half_life_nanoseconds: i64,
    null_timestamp_score: f64,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    make(out_scorer, out_error, |host| {
        let clock = host.handle(clock)?.clock();
        Ok(Decay::new(clock, Curve::exponential(half_life_nanoseconds)?, null_timestamp_score)?)
    })
}

/// Makes a window decay scorer: 1 for rows younger than an age, 0 for all others.
///
/// @param max_age_nanoseconds The age in nanoseconds, more than 0.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_decay_window_new(
    clock: *const cupel_clock,
    max_age_nanoseconds: i64,
    null_timestamp_score: f64,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    make(out_scorer, out_error, |host| {
        let clock = host.handle(clock)?.clock();
        Ok(Decay::new(clock, Curve::window(max_age_nanoseconds)?, null_timestamp_score)?)
    })
}

/// Makes a step decay scorer: the score of the first step whose maximum age is more than the row's age, or else of the
/// last step.
///
/// @param steps The steps, youngest first: ages more than 0 and strictly increasing, scores finite. They are copied.
/// @param steps_len The number of steps; at least 1.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_RANGE, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_decay_step_new(
    clock: *const cupel_clock,
    steps: *const cupel_decay_step,
    steps_len: usize,
    null_timestamp_score: f64,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    make(out_scorer, out_error, |host| {
        let clock = host.handle(clock)?.clock();
        let steps = host.slice(steps, steps_len, "steps")?;
        let curve = Curve::step(steps.iter().map(|step| (step.max_age_nanoseconds, step.score)))?;
        Ok(Decay::new(clock, curve, null_timestamp_score)?)
    })
}

/// Makes a composite scorer: the weighted mean of other scorers, ((0 + s0 * w0) + s1 * w1) + ... in the order given,
/// where each w is the child's weight divided by the sum of all weights.
///
/// @param children The scorers. The composite keeps its own references to them.
/// @param weights The weights of the children: finite, more than 0. They are copied.
/// @param children_len The length of children and of weights; at least 1.
/// @return NULL_ARGUMENT (an entry too), INVALID_ARGUMENT, OUT_OF_RANGE, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_composite_new(
    children: *const *const cupel_scorer,
    weights: *const f64,
    children_len: usize,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    make(out_scorer, out_error, |host| {
        let children = host.list(children, children_len, "children", |index, &child| {
            Ok(&host.optional(child).ok_or_else(|| Refusal::null(Argument::entry("children", index)))?.0)
        })?;
        let weights = host.slice(weights, children_len, "weights")?;
        Ok(Composite::new(children.into_iter().zip(weights.iter().copied()))?)
    })
}

/// Makes a scaled scorer: another scorer's scores, scaled to 0 to 1 over the batch by (s - min) / (max - min) over the
/// finite scores. A row whose score is not finite scores 0.5, and so does every row if all scores are equal.
///
/// @param inner The other scorer. This one keeps its own reference to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_scaled_new(
    inner: *const cupel_scorer,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    make(out_scorer, out_error, |host| {
        let inner = host.optional(inner).ok_or_else(|| Refusal::null("inner"))?;
        Ok(Scaled::new(&inner.0)?)
    })
}

/// Makes a custom scorer, which calls the host for the scores.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_custom_new(
    callback: cupel_score_callback,
    user_data: *mut c_void,
    destroy: cupel_destroy_callback,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    let callback = callback.map(|callback| move |user_data, batch, out, len, _| callback(user_data, batch, out, len));
    new_custom(callback, (user_data, destroy), out_scorer, out_error)
}

/// Makes a custom scorer with a callback that can fail with an error. Otherwise like cupel_scorer_custom_new().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_custom_fallible_new(
    callback: cupel_fallible_score_callback,
    user_data: *mut c_void,
    destroy: cupel_destroy_callback,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    let callback = callback.map(|callback| move |data, batch, out, len, error| callback(data, batch, out, len, error));
    new_custom(callback, (user_data, destroy), out_scorer, out_error)
}

unsafe fn new_custom<F>(
    callback: Option<F>,
    user_data: (*mut c_void, cupel_destroy_callback),
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status
where
    F: Fn(*mut c_void, *const cupel_batch, *mut f64, usize, *mut *mut cupel_error) -> cupel_status,
    F: Send + Sync + 'static,
{
    create_with(out_error, (out_scorer, "out_scorer"), user_data, |user_data| {
        let callback = callback.ok_or_else(|| Refusal::null("callback"))?;
        Ok(cupel_scorer(Custom::new(move |batch, out| {
            let rows = cupel_batch::from_batch(batch);
            run_callback("score", |error| callback(user_data.pointer(), rows, out.as_mut_ptr(), out.len(), error))
        })?))
    })
}

/// The type of a scorer as it is written in JSON: `"recency"`, `"composite"`; `"custom"` for a custom scorer.
///
/// @param scorer The scorer; NULL gives `""`.
/// @return A NUL-terminated text that is never freed. Never NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_type(scorer: *const cupel_scorer) -> *const c_char {
    let name = match scorer.as_ref().map(|scorer| scorer.0.scorer().name()) {
        None => c"",
        Some("recency") => c"recency",
        Some("priority") => c"priority",
        Some("frequency") => c"frequency",
        Some("reflexive") => c"reflexive",
        Some("kind") => c"kind",
        Some("tag") => c"tag",
        Some("scaled") => c"scaled",
        Some("composite") => c"composite",
        Some("metadataTrust") => c"metadataTrust",
        Some("metadataKey") => c"metadataKey",
        Some("decay") => c"decay",
        Some(_) => c"custom",
    };
    name.as_ptr()
}

/// The number of children of a scorer: those of a composite, 1 for a scaled scorer, else 0.
///
/// @param scorer The scorer; NULL gives 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_children_len(scorer: *const cupel_scorer) -> usize {
    scorer.as_ref().map_or(0, |scorer| scorer.0.children().len())
}

/// Gives a child of a scorer, to explain a row's score. Scored over the same rows, the children of a composite give
/// ((0 + s0 * w0) + s1 * w1) + ... = its score, bit for bit, unless that is undefined.
///
/// @param out_child Where to put a new reference to the child, which the caller frees with cupel_scorer_free().
/// @param out_weight Where to put its weight: in a composite its weight divided by the sum of all weights, else 1. May
///     be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_child(
    scorer: *const cupel_scorer,
    index: usize,
    out_child: *mut *mut cupel_scorer,
    out_weight: *mut f64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let out_child = host.out(out_child, "out_child")?;
        let scorer = &host.handle(scorer)?.0;
        let len = scorer.children().len();
        let child = scorer.children().get(index).ok_or_else(|| Refusal::no_such_index(index, len))?;
        out_child.write(cupel_scorer(child.clone()).hand_over()?.as_ptr());
        if !out_weight.is_null() {
            host.out(out_weight, "out_weight")?.write(scorer.scorer().child_weight(index));
        }
        Ok(())
    })
}

/// Makes a scorer and its children from JSON: an object with `type` and what that type takes, or a policy with
/// `scorers`.
///
/// @param clock The source of the present time for decay; NULL is the system's clock.
/// @return NULL_ARGUMENT, INVALID_UTF8, INVALID_JSON (the message gives path, line and column), OUT_OF_RANGE,
///         OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_from_json(
    json: *const c_char,
    json_len: usize,
    clock: *const cupel_clock,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_scorer, "out_scorer"), |host| {
        let json = host.text(json, json_len, "json")?;
        let clock = host.optional(clock).map_or(Clock::system(), |clock| clock.clock().clone());
        Ok(cupel_scorer(json::read_scorer(json, &clock)?))
    })
}

/// Writes a scorer and its children as JSON that cupel_scorer_from_json() reads. Clocks are not written.
///
/// @param scorer The scorer. One that is or contains a custom scorer is refused.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_to_json(
    scorer: *const cupel_scorer,
    out_text: *mut *mut cupel_text,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_text, "out_text"), |host| Ok(cupel_text::new(json::write_scorer(&host.handle(scorer)?.0)?)?))
}

/// The scorer and the batch of a scoring call. The call has its own reference to the scorer: a custom scorer may free
/// the handle.
fn scored<'a>(
    host: Host,
    scorer: *const cupel_scorer,
    batch: *const cupel_batch,
) -> Result<(SharedScorer, Hold, &'a Batch), Refusal> {
    let scorer = host.handle(scorer)?.0.clone();
    let (hold, batch) = Hold::new(host, batch)?;
    Ok((scorer, hold, batch))
}

fn check_scores_len(actual: usize, expected: usize) -> Result<(), Error> {
    match actual == expected {
        true => Ok(()),
        false => Err(Error::LengthMismatch { parameter: Parameter::Scores, actual, expected }),
    }
}

/// Scores every row of a batch. A call that fails writes no score.
///
/// @return NULL_ARGUMENT, LENGTH_MISMATCH, CALLBACK_FAILED, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_score_batch(
    scorer: *const cupel_scorer,
    batch: *const cupel_batch,
    out_scores: *mut f64,
    out_scores_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let (scorer, _hold, batch) = scored(host, scorer, batch)?;
        check_scores_len(out_scores_len, batch.len())?;
        scorer.score_batch(batch, host.slice_mut(out_scores, out_scores_len, "out_scores")?)?;
        Ok(())
    })
}

/// Reads the offsets of groups: one more than there are groups.
pub(super) fn group_offsets<'a>(host: Host, groups: *const i64, groups_len: usize) -> Result<&'a [i64], Refusal> {
    let offsets_len = groups_len.checked_add(1).filter(|len| len.checked_mul(8).is_some());
    host.slice(groups, offsets_len.ok_or_else(|| Refusal::too_long("groups", groups_len))?, "groups")
}

/// Scores every row of a batch among the rows of its group: each row gets the score that it would have in a batch of
/// its group alone, bit for bit. The clock is read once. A call that fails writes no score.
///
/// A scorer that is or contains a custom scorer is refused: a callback has no view of a part of a batch.
///
/// @param batch The rows, those of a group next to each other.
/// @return NULL_ARGUMENT, LENGTH_MISMATCH, INVALID_ARGUMENT (offsets that are not as above, a custom scorer),
///         OUT_OF_RANGE, CALLBACK_FAILED (a clock), OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_score_groups(
    scorer: *const cupel_scorer,
    batch: *const cupel_batch,
    groups: *const i64,
    groups_len: usize,
    out_scores: *mut f64,
    out_scores_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let (scorer, _hold, batch) = scored(host, scorer, batch)?;
        check_scores_len(out_scores_len, batch.len())?;
        let groups = group_offsets(host, groups, groups_len)?;
        scorer.score_groups(batch, groups, host.slice_mut(out_scores, out_scores_len, "out_scores")?)?;
        Ok(())
    })
}

/// Scores one row of a batch: the score that cupel_scorer_score_batch() gives it, at the cost of the whole batch.
///
/// @return NULL_ARGUMENT, OUT_OF_RANGE, CALLBACK_FAILED, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_score_row(
    scorer: *const cupel_scorer,
    batch: *const cupel_batch,
    row: usize,
    out_score: *mut f64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    give(out_error, (out_score, "out_score"), |host| {
        let (scorer, _hold, batch) = scored(host, scorer, batch)?;
        Ok(scorer.score_row(batch, row)?)
    })
}

/// Frees a scorer. The scorers made with it keep working.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_free(scorer: *mut cupel_scorer) {
    free(scorer);
}
