//! `cupel_scorer`: what gives rows their scores.

use libc::{c_char, c_void};

use crate::capi::batch::{Hold, cupel_batch};
use crate::capi::boundary::{call, create, create_with, free};
use crate::capi::clock::cupel_clock;
use crate::capi::error::{Place, Reason, Refusal, cupel_error};
use crate::capi::ownership::{Handle, Host};
use crate::capi::status::cupel_status;
use crate::capi::text::cupel_text;
use crate::capi::user_data::{cupel_destroy_callback, run_callback};
use crate::error::{Error, Parameter, Value};
use crate::json;
use crate::scorer::{
    Clock, Composite, Curve, Custom, Decay, Frequency, Kind, MetadataKey, MetadataTrust, Priority, Recency, Reflexive,
    Scaled, SharedScorer, Tag,
};
use crate::text::Match as TextMatch;

/// What gives every row of a batch a score.
///
/// Threads: immutable, any number of threads may use it at once. Lifetime: it belongs to the caller of the function that made
/// it, who frees it once with cupel_scorer_free(); the scorers that were made with it keep shares of their own, so that
/// handles are freed in any order.
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

/// A weight for a name: of a kind, or of a tag.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cupel_weight {
    /// The name, UTF-8, not NUL-terminated.
    pub name: *const c_char,
    /// Its length in bytes.
    pub name_len: usize,
    /// The weight: finite, zero or more.
    pub weight: f64,
}

/// A step of a decay curve.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct cupel_decay_step {
    /// Rows younger than this get the score, unless an earlier step gives them theirs. In nanoseconds, more than zero.
    pub max_age_nanoseconds: i64,
    /// The score: finite.
    pub score: f64,
}

/// When two tags are the same.
pub type cupel_text_match = i32;

/// Tags are the same when their bytes are.
pub const CUPEL_TEXT_MATCH_EXACT: cupel_text_match = 0;
/// Tags are the same when their bytes are, with ASCII letters folded to one case.
pub const CUPEL_TEXT_MATCH_ASCII_CASE_INSENSITIVE: cupel_text_match = 1;

/// Scores a whole batch in the host's own way.
///
/// @param user_data       What was given with the callback.
/// @param batch           The rows; the callback may read them, and score them with other scorers, but not change them.
/// @param out_scores      Where to put the scores, one a row. They are zeros before. They pass through untouched.
/// @param out_scores_len  How many there are: the length of the batch.
/// @return CUPEL_STATUS_OK, or any other number to fail the scoring call with CUPEL_STATUS_CALLBACK_FAILED.
///
/// Threads: it is called on the thread that scores, once in a scoring call, and by several threads at once when they do. No
/// C++ exception and no longjmp may leave it: that is undefined, and as built an exception aborts the process.
pub type cupel_score_callback = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        batch: *const cupel_batch,
        out_scores: *mut f64,
        out_scores_len: usize,
    ) -> cupel_status,
>;

/// Scores a whole batch, or says why it cannot.
///
/// @param user_data       What was given with the callback.
/// @param batch           As for cupel_score_callback.
/// @param out_scores      As for cupel_score_callback.
/// @param out_scores_len  As for cupel_score_callback.
/// @param out_error       NULL stands there. A callback that fails may put an error there, made by cupel_error_new() or received
///                        from a function of this library. It is the library's then, which frees it; its message becomes part
///                        of the message of the scoring call.
/// @return CUPEL_STATUS_OK, or any other number to fail the scoring call with CUPEL_STATUS_CALLBACK_FAILED.
///
/// Threads: as for cupel_score_callback.
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
    let weights = host.slice(weights, len, "weights")?;
    let mut list = Vec::new();
    list.try_reserve_exact(weights.len())?;
    for (index, entry) in weights.iter().enumerate() {
        let name = host.text_at(entry.name, entry.name_len, Place::field("weights", index, "name"))?;
        list.push((name, entry.weight));
    }
    Ok(list)
}

/// Makes a scorer of how recent a row is among its peers: of the rows with a timestamp, how many are strictly earlier, divided by
/// how many there are less one. Ties share a score; a row without a timestamp scores 0; the only one with one scores 1.
///
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_recency_new(
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_scorer, "out_scorer"), |_| Ok(cupel_scorer(Recency::new()?)))
}

/// Makes a scorer of how important a row is among its peers: of the rows with a priority, how many have a strictly lower one,
/// divided by how many there are less one. Ties share a score; a row without a priority scores 0; the only one with one scores 1.
///
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_priority_new(
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_scorer, "out_scorer"), |_| Ok(cupel_scorer(Priority::new()?)))
}

/// Makes a scorer of how many of the other rows share at least one tag with a row, ASCII case-insensitive, divided by how many
/// other rows there are. A row without tags scores 0, and so does the only row of a batch.
///
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_frequency_new(
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_scorer, "out_scorer"), |_| Ok(cupel_scorer(Frequency::new()?)))
}

/// Makes a scorer of the host's own hint: clamped to 0 to 1, and 0 where it is missing or not finite.
///
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_reflexive_new(
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_scorer, "out_scorer"), |_| Ok(cupel_scorer(Reflexive::new()?)))
}

/// Makes a kind scorer with the weights SystemPrompt 1.0, Memory 0.8, ToolOutput 0.6, Document 0.4 and Message 0.2.
///
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_kind_default_new(
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_scorer, "out_scorer"), |_| Ok(cupel_scorer(Kind::with_default_weights()?)))
}

/// Makes a scorer of a row's kind: the weight of its kind, else 0. Never clamped. Kinds are the same under ASCII case folding.
///
/// @param weights      Kinds with their weights; a kind may stand there once and not be blank. They are copied.
/// @param weights_len  How many there are; may be 0.
/// @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_KIND, OUT_OF_RANGE (a length that cannot be), OUT_OF_MEMORY, INVALID_ARGUMENT (a weight that is
///         negative or not finite, a kind that stands there twice)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_kind_new(
    weights: *const cupel_weight,
    weights_len: usize,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_scorer, "out_scorer"), |host| {
        Ok(cupel_scorer(Kind::new(self::weights(host, weights, weights_len)?)?))
    })
}

/// Makes a scorer of a row's tags: the sum of their weights divided by the sum of all weights, but at most 1. Each occurrence of a
/// tag counts. A row without tags scores 0, and so does every row when the weights add up to 0.
///
/// @param weights      Tags with their weights; a tag may stand there once. They are copied.
/// @param weights_len  How many there are; may be 0.
/// @param match        A cupel_text_match.
/// @return NULL_ARGUMENT, INVALID_UTF8, OUT_OF_RANGE (an unknown match), OUT_OF_MEMORY, INVALID_ARGUMENT (a weight that is negative or not
///         finite, a tag that stands there twice, a sum of weights that overflows)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_tag_new(
    weights: *const cupel_weight,
    weights_len: usize,
    r#match: cupel_text_match,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_scorer, "out_scorer"), |host| {
        let rule = match r#match {
            CUPEL_TEXT_MATCH_EXACT => TextMatch::Exact,
            CUPEL_TEXT_MATCH_ASCII_CASE_INSENSITIVE => TextMatch::AsciiCaseInsensitive,
            other => {
                return Err(Reason::OutOfRange {
                    argument: Place::argument("match"),
                    value: Value::Integer(other.into()),
                    rule: "it must be CUPEL_TEXT_MATCH_EXACT or CUPEL_TEXT_MATCH_ASCII_CASE_INSENSITIVE",
                }
                .into());
            }
        };
        Ok(cupel_scorer(Tag::new(self::weights(host, weights, weights_len)?, rule)?))
    })
}

/// Makes a scorer of the trust that the host put at the metadata key `cupel:trust`: a double as it is, a string read as a decimal
/// number, clamped to 0 to 1.
///
/// @param default_score  For rows without a usable trust; from 0 to 1.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_metadata_trust_new(
    default_score: f64,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_scorer, "out_scorer"), |_| Ok(cupel_scorer(MetadataTrust::new(default_score)?)))
}

/// Makes a scorer that gives `boost` to rows whose metadata has `key` with a value whose text is `value` byte for byte, and 1 to
/// all others. The text of a double is its shortest decimal that reads back the same: `1`, `0.85`.
///
/// @param key        The key, UTF-8; may be empty. It is copied.
/// @param key_len    Its length in bytes.
/// @param value      The text, UTF-8; may be empty. It is copied.
/// @param value_len  Its length in bytes.
/// @param boost      The score of rows that match: finite, more than 0.
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
    create(out_error, (out_scorer, "out_scorer"), |host| {
        let key = host.text(key, key_len, "key")?;
        let value = host.text(value, value_len, "value")?;
        Ok(cupel_scorer(MetadataKey::new(key, value, boost)?))
    })
}

/// Makes a scorer that halves with every half-life of a row's age: 2 to the power of -(age / half-life), within one unit in the
/// last place. The age is now less the timestamp, and 0 for a row from the future.
///
/// @param clock  The source of the present instant. The scorer keeps a share of it.
/// @param half_life_nanoseconds  In nanoseconds, more than 0.
/// @param null_timestamp_score  For rows without a timestamp; from 0 to 1.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_decay_exponential_new(
    clock: *const cupel_clock,
    half_life_nanoseconds: i64,
    null_timestamp_score: f64,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_scorer, "out_scorer"), |host| {
        let clock = host.handle(clock)?.clock();
        Ok(cupel_scorer(Decay::new(clock, Curve::exponential(half_life_nanoseconds)?, null_timestamp_score)?))
    })
}

/// Makes a scorer that gives 1 to rows younger than an age and 0 to the others.
///
/// @param clock  The source of the present instant. The scorer keeps a share of it.
/// @param max_age_nanoseconds  In nanoseconds, more than 0.
/// @param null_timestamp_score  For rows without a timestamp; from 0 to 1.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_decay_window_new(
    clock: *const cupel_clock,
    max_age_nanoseconds: i64,
    null_timestamp_score: f64,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_scorer, "out_scorer"), |host| {
        let clock = host.handle(clock)?.clock();
        Ok(cupel_scorer(Decay::new(clock, Curve::window(max_age_nanoseconds)?, null_timestamp_score)?))
    })
}

/// Makes a scorer that gives a row the score of the first step whose greatest age lies above the row's age, else that of the last.
///
/// @param clock  The source of the present instant. The scorer keeps a share of it.
/// @param steps      The steps, youngest first: ages more than 0 and strictly increasing, scores finite. They are copied.
/// @param steps_len  How many there are; at least 1.
/// @param null_timestamp_score  For rows without a timestamp; from 0 to 1.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_RANGE (a length that cannot be), OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_decay_step_new(
    clock: *const cupel_clock,
    steps: *const cupel_decay_step,
    steps_len: usize,
    null_timestamp_score: f64,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_scorer, "out_scorer"), |host| {
        let clock = host.handle(clock)?.clock();
        let steps = host.slice(steps, steps_len, "steps")?;
        let curve = Curve::step(steps.iter().map(|step| (step.max_age_nanoseconds, step.score)))?;
        Ok(cupel_scorer(Decay::new(clock, curve, null_timestamp_score)?))
    })
}

/// Makes a scorer of the weighted mean of other scorers: ((0 + s0 * w0) + s1 * w1) + ..., in the order given, where each w is the
/// child's weight divided by the sum of all weights.
///
/// @param children      The scorers. The composite keeps shares of them; they stay the caller's, and may be used again.
/// @param weights       Their weights: finite, more than 0. They are copied.
/// @param children_len  How many there are of each; at least 1.
/// @return NULL_ARGUMENT (an entry too), INVALID_ARGUMENT, OUT_OF_RANGE (a length that cannot be), OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_composite_new(
    children: *const *const cupel_scorer,
    weights: *const f64,
    children_len: usize,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_scorer, "out_scorer"), |host| {
        let children = host.slice(children, children_len, "children")?;
        let weights = host.slice(weights, children_len, "weights")?;
        let mut entries = Vec::new();
        entries.try_reserve_exact(children.len())?;
        for (index, (&child, &weight)) in children.iter().zip(weights).enumerate() {
            let child = host.optional(child).ok_or(Reason::Null(Place::entry("children", index)))?;
            entries.push((&child.0, weight));
        }
        Ok(cupel_scorer(Composite::new(entries)?))
    })
}

/// Makes a scorer that stretches another one's scores to 0 to 1 over the batch: (s - min) / (max - min) over the finite scores. A
/// row whose score is not finite gets 0.5, and so does every row when all are equal.
///
/// @param inner  The other scorer. This one keeps a share of it; it stays the caller's, and may be used again.
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_scaled_new(
    inner: *const cupel_scorer,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_scorer, "out_scorer"), |host| {
        let inner = host.optional(inner).ok_or_else(|| Refusal::null("inner"))?;
        Ok(cupel_scorer(Scaled::new(&inner.0)?))
    })
}

/// Makes a scorer that asks the host.
///
/// @param callback   Scores a whole batch.
/// @param user_data  Passed to the callbacks as it is; may be NULL.
/// @param destroy    Called once with user_data when this scorer and every one made with it are gone; may be NULL. It is not called
///                   when this function fails: user_data is still the caller's then.
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_custom_new(
    callback: cupel_score_callback,
    user_data: *mut c_void,
    destroy: cupel_destroy_callback,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create_with(out_error, (out_scorer, "out_scorer"), (user_data, destroy), |user_data| {
        let callback = callback.ok_or_else(|| Refusal::null("callback"))?;
        Ok(cupel_scorer(Custom::new(move |batch, out| {
            let rows = cupel_batch::from_batch(batch);
            run_callback("score", |_| callback(user_data.pointer(), rows, out.as_mut_ptr(), out.len()))
        })?))
    })
}

/// Makes a scorer that asks the host, with a callback that can say why it failed. Otherwise like cupel_scorer_custom_new().
///
/// @param callback   Scores a whole batch.
/// @param user_data  Passed to the callbacks as it is; may be NULL.
/// @param destroy    Called once with user_data when this scorer and every one made with it are gone; may be NULL. It is not called
///                   when this function fails: user_data is still the caller's then.
/// @return NULL_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_custom_fallible_new(
    callback: cupel_fallible_score_callback,
    user_data: *mut c_void,
    destroy: cupel_destroy_callback,
    out_scorer: *mut *mut cupel_scorer,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create_with(out_error, (out_scorer, "out_scorer"), (user_data, destroy), |user_data| {
        let callback = callback.ok_or_else(|| Refusal::null("callback"))?;
        Ok(cupel_scorer(Custom::new(move |batch, out| {
            let rows = cupel_batch::from_batch(batch);
            run_callback("score", |error| callback(user_data.pointer(), rows, out.as_mut_ptr(), out.len(), error))
        })?))
    })
}

/// The type of a scorer, as in its JSON: `"recency"`, `"composite"`; that of a scorer of the host's own is `"custom"`.
///
/// @param scorer  The scorer; NULL gives `""`.
/// @return        A NUL-terminated text that lives for ever. Never NULL.
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

/// How many scorers a scorer combines: the children of a composite, 1 for scaled, else 0.
///
/// @param scorer  The scorer; NULL gives 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_children_len(scorer: *const cupel_scorer) -> usize {
    scorer.as_ref().map_or(0, |scorer| scorer.0.children().len())
}

/// Gives one of the scorers that a scorer combines, to find out why a row has its score. Scored over the same rows, the children of
/// a composite give ((0 + s0 * w0) + s1 * w1) + ... = its score, to the bit, unless that is undefined.
///
/// @param scorer      The scorer.
/// @param index       The position of the child, from 0.
/// @param out_child   Where to put a share of the child, which the caller frees with cupel_scorer_free().
/// @param out_weight  Where to put its weight: in a composite its share of the sum of all weights, else 1. May be NULL.
/// @return NULL_ARGUMENT, OUT_OF_RANGE, OUT_OF_MEMORY
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
        let child = scorer.children().get(index).ok_or(Reason::NoSuchIndex { index, len })?;
        out_child.write(cupel_scorer(child.clone()).hand_over()?.as_ptr());
        if !out_weight.is_null() {
            host.out(out_weight, "out_weight")?.write(scorer.scorer().child_weight(index));
        }
        Ok(())
    })
}

/// Makes a scorer, with everything below it, from a JSON text: an object with `type` and what that type takes, or a policy with
/// `scorers`.
///
/// @param json      The text, UTF-8.
/// @param json_len  Its length in bytes.
/// @param clock     The source of the present instant for decay; NULL is the system's clock.
/// @return NULL_ARGUMENT, INVALID_UTF8, INVALID_JSON (the message gives path, line and column), OUT_OF_RANGE, OUT_OF_MEMORY
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

/// Writes a scorer, with everything below it, as the JSON that cupel_scorer_from_json() reads. Clocks are not written.
///
/// @param scorer    The scorer; a custom scorer, or one with a custom scorer below it, is refused.
/// @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_to_json(
    scorer: *const cupel_scorer,
    out_text: *mut *mut cupel_text,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    create(out_error, (out_text, "out_text"), |host| Ok(cupel_text::new(json::write_scorer(&host.handle(scorer)?.0)?)?))
}

/// Scores every row of a batch in one call. A call that fails writes no score.
///
/// @param scorer          The scorer.
/// @param batch           The rows.
/// @param out_scores      Where to put the scores, one a row: higher means more worth keeping. May be NULL for an empty batch.
/// @param out_scores_len  The length of out_scores. It must equal the length of the batch.
/// @return NULL_ARGUMENT, LENGTH_MISMATCH, CALLBACK_FAILED, OUT_OF_MEMORY
///
/// Threads: any number at once, while nobody changes the batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_score_batch(
    scorer: *const cupel_scorer,
    batch: *const cupel_batch,
    out_scores: *mut f64,
    out_scores_len: usize,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        // A share of its own: a custom scorer may free the handle during the call.
        let scorer = host.handle(scorer)?.0.clone();
        let (_hold, batch) = Hold::new(host, batch)?;
        if out_scores_len != batch.len() {
            let (actual, expected) = (out_scores_len, batch.len());
            return Err(Error::LengthMismatch { parameter: Parameter::Scores, actual, expected }.into());
        }
        scorer.score_batch(batch, host.slice_mut(out_scores, out_scores_len, "out_scores")?)?;
        Ok(())
    })
}

/// Reads the offsets of groups: one more than there are groups.
pub(super) fn group_offsets<'a>(host: Host, groups: *const i64, groups_len: usize) -> Result<&'a [i64], Refusal> {
    let too_long = Reason::TooLong { argument: Place::argument("groups"), len: groups_len };
    let offsets_len = groups_len.checked_add(1).filter(|len| len.checked_mul(8).is_some()).ok_or(too_long)?;
    host.slice(groups, offsets_len, "groups")
}

/// Scores every row of a batch among the rows of its group, in one call: each row gets the score that it would have in a batch of its
/// group alone, to the bit. A clock is read once. A call that fails writes no score.
///
/// A custom scorer is refused, and so is one that combines custom scorers: a callback has no view of a part of a batch.
///
/// @param scorer          The scorer.
/// @param batch           The rows, those of a group next to each other.
/// @param groups          groups_len + 1 offsets into the rows: from 0 to the length of the batch, never going down. Group i has the
///                        rows from `groups[i]` to before `groups[i + 1]`; it may be empty.
/// @param groups_len      The number of groups.
/// @param out_scores      Where to put the scores, one a row. May be NULL for an empty batch.
/// @param out_scores_len  The length of out_scores. It must equal the length of the batch.
/// @return NULL_ARGUMENT, LENGTH_MISMATCH, INVALID_ARGUMENT (offsets that are not as above, a custom scorer), OUT_OF_RANGE (a length
///         that cannot be), CALLBACK_FAILED (a clock), OUT_OF_MEMORY
///
/// Threads: any number at once, while nobody changes the batch.
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
        let scorer = host.handle(scorer)?.0.clone();
        let (_hold, batch) = Hold::new(host, batch)?;
        if out_scores_len != batch.len() {
            let (actual, expected) = (out_scores_len, batch.len());
            return Err(Error::LengthMismatch { parameter: Parameter::Scores, actual, expected }.into());
        }
        let groups = group_offsets(host, groups, groups_len)?;
        scorer.score_groups(batch, groups, host.slice_mut(out_scores, out_scores_len, "out_scores")?)?;
        Ok(())
    })
}

/// Scores one row of a batch: what cupel_scorer_score_batch() gives it, at the cost of the whole batch.
///
/// @param scorer     The scorer.
/// @param batch      The rows.
/// @param row        The row, from 0.
/// @param out_score  Where to put the score.
/// @return NULL_ARGUMENT, OUT_OF_RANGE, CALLBACK_FAILED, OUT_OF_MEMORY
///
/// Threads: any number at once, while nobody changes the batch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_score_row(
    scorer: *const cupel_scorer,
    batch: *const cupel_batch,
    row: usize,
    out_score: *mut f64,
    out_error: *mut *mut cupel_error,
) -> cupel_status {
    call(out_error, |host| {
        let out_score = host.out(out_score, "out_score")?;
        let scorer = host.handle(scorer)?.0.clone();
        let (_hold, batch) = Hold::new(host, batch)?;
        out_score.write(scorer.score_row(batch, row)?);
        Ok(())
    })
}

/// Frees a scorer.
///
/// @param scorer  A scorer; NULL does nothing. It must not be freed twice.
///
/// The scorers that were made with it go on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cupel_scorer_free(scorer: *mut cupel_scorer) {
    free(scorer);
}
