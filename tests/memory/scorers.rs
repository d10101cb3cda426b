//! Scorers and clocks: made, combined, and scored with.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use cupel::capi as c;

use crate::allocator::without_leak;
use crate::attempt::Attempt;
use crate::capi::{Clock, Scorer};
use crate::fixtures::{NOW, batch, bits, scorers};

type Out = *mut *mut c::cupel_scorer;
type OutError = *mut *mut c::cupel_error;

/// Tries a function that makes a scorer.
fn make<S>(name: &str, set_up: &dyn Fn() -> S, call: &dyn Fn(&S, Out, OutError) -> i32) {
    let batch = batch(9);
    Attempt {
        name,
        set_up: &|| (set_up(), None::<Scorer>),
        call: &|(from, made), error| {
            let mut scorer = ptr::null_mut();
            let status = call(from, &mut scorer, error);
            *made = (!scorer.is_null()).then(|| Scorer::from_raw(scorer));
            status
        },
        look: &|(_, made)| made.as_ref().map(|scorer| bits(&scorer.score_batch(&batch).unwrap())),
        least: 1,
    }
    .run();
}

fn weight(name: &'static str, weight: f64) -> c::cupel_weight {
    c::cupel_weight { name: name.as_ptr().cast(), name_len: name.len(), weight }
}

#[test]
fn plain_scorers_are_made() {
    let kinds = [weight("Memory", 1.0), weight("A kind that is longer than most", 2.0), weight("x", 0.5)];
    let tags = [weight("tag 1", 1.0), weight("A tag that is longer than most tags", 2.0), weight("y", 0.5)];
    let key = "a key that is longer than most keys";
    // SAFETY, for each: arrays and texts that are live, of the lengths that are given.
    unsafe {
        make("cupel_scorer_recency_new", &|| (), &|(), out, error| c::cupel_scorer_recency_new(out, error));
        make("cupel_scorer_priority_new", &|| (), &|(), out, error| c::cupel_scorer_priority_new(out, error));
        make("cupel_scorer_frequency_new", &|| (), &|(), out, error| c::cupel_scorer_frequency_new(out, error));
        make("cupel_scorer_reflexive_new", &|| (), &|(), out, error| c::cupel_scorer_reflexive_new(out, error));
        make("cupel_scorer_kind_default_new", &|| (), &|(), out, error| c::cupel_scorer_kind_default_new(out, error));
        make("cupel_scorer_kind_new", &|| (), &|(), out, error| {
            c::cupel_scorer_kind_new(kinds.as_ptr(), kinds.len(), out, error)
        });
        for text_match in [0, 1] {
            make("cupel_scorer_tag_new", &|| (), &|(), out, error| {
                c::cupel_scorer_tag_new(tags.as_ptr(), tags.len(), text_match, out, error)
            });
        }
        make("cupel_scorer_metadata_trust_new", &|| (), &|(), out, error| {
            c::cupel_scorer_metadata_trust_new(0.5, out, error)
        });
        make("cupel_scorer_metadata_key_new", &|| (), &|(), out, error| {
            c::cupel_scorer_metadata_key_new(
                key.as_ptr().cast(),
                key.len(),
                key.as_ptr().cast(),
                key.len(),
                2.0,
                out,
                error,
            )
        });
    }
}

#[test]
fn decay_is_made() {
    let steps = [
        c::cupel_decay_step { max_age_nanoseconds: 10, score: 1.0 },
        c::cupel_decay_step { max_age_nanoseconds: i64::MAX, score: 0.5 },
    ];
    let clock = || Clock::fixed(NOW).unwrap();
    // SAFETY, for each: a live clock, and an array of the length that is given.
    unsafe {
        make("cupel_scorer_decay_exponential_new", &clock, &|clock, out, error| {
            c::cupel_scorer_decay_exponential_new(clock.as_ptr(), 1_000_000_000, 0.5, out, error)
        });
        make("cupel_scorer_decay_window_new", &clock, &|clock, out, error| {
            c::cupel_scorer_decay_window_new(clock.as_ptr(), 1_000_000_000, 0.5, out, error)
        });
        make("cupel_scorer_decay_step_new", &clock, &|clock, out, error| {
            c::cupel_scorer_decay_step_new(clock.as_ptr(), steps.as_ptr(), steps.len(), 0.5, out, error)
        });
    }
}

#[test]
fn scorers_are_combined() {
    for (name, inner) in scorers() {
        // SAFETY: a live scorer.
        make(&format!("cupel_scorer_scaled_new over {name}"), &|| (), &|(), out, error| unsafe {
            c::cupel_scorer_scaled_new(inner.as_ptr(), out, error)
        });
    }
    let scorers = scorers();
    let children: Vec<_> = scorers.iter().chain(&scorers).map(|(_, scorer)| scorer.as_ptr()).collect();
    let weights = vec![0.75; children.len()];
    // SAFETY: live scorers, and arrays of the length that is given.
    make("cupel_scorer_composite_new", &|| (), &|(), out, error| unsafe {
        c::cupel_scorer_composite_new(children.as_ptr(), weights.as_ptr(), children.len(), out, error)
    });
}

unsafe extern "C" fn count(user_data: *mut c_void) {
    // SAFETY: the data is a counter that outlives what it was given to.
    unsafe { &*user_data.cast::<AtomicUsize>() }.fetch_add(1, Ordering::Relaxed);
}

unsafe extern "C" fn halves(_: *mut c_void, _: *const c::cupel_batch, scores: *mut f64, len: usize) -> i32 {
    for row in 0..len {
        // SAFETY: the library lends as many scores.
        unsafe { scores.add(row).write(0.5) };
    }
    0
}

unsafe extern "C" fn now(_: *mut c_void, out: *mut i64) -> i32 {
    // SAFETY: the library lends the place.
    unsafe { out.write(NOW) };
    0
}

/// How often `destroy` is called: once for each handle that was made, and never for one that was not.
#[test]
fn what_was_not_made_is_not_destroyed() {
    let (made, destroyed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let data = (&raw const destroyed).cast_mut().cast();
    // SAFETY: callbacks that fit, and a counter that outlives the scorer.
    make("cupel_scorer_custom_new", &|| (), &|(), out, error| unsafe {
        let status = c::cupel_scorer_custom_new(Some(halves), data, Some(count), out, error);
        made.fetch_add(usize::from(status == 0), Ordering::Relaxed);
        status
    });
    assert_eq!(made.load(Ordering::Relaxed), destroyed.load(Ordering::Relaxed));
}

#[test]
fn clocks_are_made() {
    let (made, destroyed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let data: *mut c_void = (&raw const destroyed).cast_mut().cast();
    let try_clock = |name: &str, call: &dyn Fn(*mut *mut c::cupel_clock, OutError) -> i32, least| {
        Attempt {
            name,
            set_up: &|| None::<Clock>,
            call: &|made, error| {
                let mut clock = ptr::null_mut();
                let status = call(&mut clock, error);
                *made = (!clock.is_null()).then(|| Clock::from_raw(clock));
                status
            },
            look: &Option::is_some,
            least,
        }
        .run();
    };
    // SAFETY, for each: out-parameters that are good for writes, callbacks that fit, and a counter that outlives the clock.
    unsafe {
        try_clock("cupel_clock_fixed_new", &|out, error| c::cupel_clock_fixed_new(NOW, out, error), 1);
        try_clock("cupel_clock_system_new", &|out, error| c::cupel_clock_system_new(out, error), 1);
        try_clock(
            "cupel_clock_custom_new",
            &|out, error| {
                let status = c::cupel_clock_custom_new(Some(now), data, Some(count), out, error);
                made.fetch_add(usize::from(status == 0), Ordering::Relaxed);
                status
            },
            2,
        );
    }
    assert_eq!(made.load(Ordering::Relaxed), destroyed.load(Ordering::Relaxed));
}

/// A bit pattern that no scorer writes.
const UNTOUCHED: u64 = 0x7ff8_dead_beef_0001;

#[test]
fn batches_are_scored() {
    for rows in [0, 1, 40, 300] {
        let mut failures = 0;
        for (name, scorer) in scorers() {
            failures += Attempt {
                name: &format!("cupel_scorer_score_batch of {rows} rows with {name}"),
                // A fresh batch, in which scoring has left nothing.
                set_up: &|| (batch(rows), vec![f64::from_bits(UNTOUCHED); rows as usize]),
                // SAFETY: live handles, and as many scores as rows.
                call: &|(batch, scores), error| unsafe {
                    let (data, len) = (scores.as_mut_ptr(), scores.len());
                    c::cupel_scorer_score_batch(scorer.as_ptr(), batch.as_ptr(), data, len, error)
                },
                look: &|(_, scores)| bits(scores),
                // The simplest scorers write where they are told to, and need nothing.
                least: 0,
            }
            .run();
        }
        assert!(rows < 300 || failures >= 20, "{rows} rows: {failures} failures");
    }
}

#[test]
fn rows_are_scored() {
    for (name, scorer) in scorers() {
        Attempt {
            name: &format!("cupel_scorer_score_row with {name}"),
            set_up: &|| (batch(40), f64::from_bits(UNTOUCHED)),
            // SAFETY: live handles, and a place for the score.
            call: &|(batch, score), error| unsafe {
                c::cupel_scorer_score_row(scorer.as_ptr(), batch.as_ptr(), 17, score, error)
            },
            look: &|(_, score)| score.to_bits(),
            least: 0,
        }
        .run();
    }
}

/// A tree of a thousand scorers: what it takes to plan it, and to let it go.
#[test]
fn a_deep_tree_leaks_nothing() {
    without_leak("a deep tree", || {
        let mut tree = Scorer::recency().unwrap();
        for _ in 0..1000 {
            tree = Scorer::composite(&[(&tree, 1.0), (&tree, 2.0)]).unwrap();
        }
        tree.score_batch(&batch(10)).unwrap();
    });
}
