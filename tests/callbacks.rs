//! Custom scorers and clocks that do what the header allows, and some of what it does not.

// One reason holds for all: pointers and lengths come from live Rust values, and handles from the wrappers that own them.
#![allow(clippy::undocumented_unsafe_blocks)]

#[path = "support/capi.rs"]
mod capi;
#[path = "support/columns.rs"]
mod columns;

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use capi::{Batch, Clock, ItemBuilder, Scorer, bits, check, create};
use cupel::capi as c;

fn rows(hints: &[f64]) -> Batch {
    let mut batch = Batch::new(hints.len()).unwrap();
    let mut builder = ItemBuilder::new("content", 1).unwrap();
    for (row, &hint) in hints.iter().enumerate() {
        builder.reset("content", 1).unwrap();
        builder.set_future_relevance_hint(hint).unwrap();
        builder.set_timestamp(row as i64 * 1_000).unwrap();
        builder.set_priority(row as i64).unwrap();
        batch.push(&builder.build().unwrap()).unwrap();
    }
    batch
}

/// A custom scorer that gives these scores.
fn given(scores: &[f64]) -> Scorer {
    let scores = scores.to_vec();
    Scorer::custom(move |batch, out| {
        assert_eq!(batch.len(), out.len());
        out.copy_from_slice(&scores);
        Ok(())
    })
    .unwrap()
}

/// A pointer that a callback is to use on whatever thread it is called on.
struct Pointer<T>(*mut T);

unsafe impl<T> Send for Pointer<T> {}
unsafe impl<T> Sync for Pointer<T> {}

impl<T> Pointer<T> {
    fn get(&self) -> *mut T {
        self.0
    }
}

/// Counts how often it is dropped.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_failing_scorer_fails_the_call_with_its_own_status() {
    let batch = rows(&[0.25, 0.5]);
    for status in [1, 9, 13, -1, i32::MIN, i32::MAX] {
        let custom = Scorer::custom(move |_, out| {
            // What a call that fails has written is not seen.
            out.fill(7.0);
            Err(status)
        })
        .unwrap();
        let leaf = Scorer::reflexive().unwrap();
        for scorer in [
            Scorer::composite(&[(&leaf, 1.0), (&custom, 1.0)]).unwrap(),
            Scorer::composite(&[(&custom, 1.0), (&leaf, 1.0)]).unwrap(),
            Scorer::scaled(&Scorer::scaled(&custom).unwrap()).unwrap(),
            custom,
        ] {
            let error = scorer.score_batch(&batch).unwrap_err();
            assert_eq!(error.name, "CUPEL_STATUS_CALLBACK_FAILED");
            assert_eq!(error.message, format!("the score callback failed with status {status}"));
            let error = scorer.score_row(&batch, 1).unwrap_err();
            assert_eq!(error.name, "CUPEL_STATUS_CALLBACK_FAILED");
        }
        assert_eq!(leaf.score_batch(&batch).unwrap(), [0.25, 0.5]);
    }
}

#[test]
fn a_failing_clock_fails_the_call_with_its_own_status() {
    let batch = rows(&[0.25, 0.5]);
    let healthy = Arc::new(AtomicI64::new(0));
    let status = healthy.clone();
    let clock = Clock::custom(move || match status.load(Ordering::Relaxed) {
        0 => Ok(1_000),
        status => Err(status as i32),
    })
    .unwrap();
    let decay = Scorer::decay_window(&clock, 500, 0.5).unwrap();
    let scorer = Scorer::composite(&[(&Scorer::reflexive().unwrap(), 1.0), (&decay, 1.0)]).unwrap();
    assert_eq!(scorer.score_batch(&batch).unwrap(), [0.125, 0.75]);
    healthy.store(-42, Ordering::Relaxed);
    for scorer in [&scorer, &decay] {
        let error = scorer.score_batch(&batch).unwrap_err();
        assert_eq!(error.name, "CUPEL_STATUS_CALLBACK_FAILED");
        assert_eq!(error.message, "the now callback failed with status -42");
    }
    healthy.store(0, Ordering::Relaxed);
    assert_eq!(scorer.score_batch(&batch).unwrap(), [0.125, 0.75]);
}

#[test]
fn a_scorer_that_writes_nothing_gives_zeros() {
    let batch = rows(&[0.25, 0.5, 1.0]);
    let nothing = Scorer::custom(|_, _| Ok(())).unwrap();
    // Calls before leave other scores in the memory that a call works in.
    for _ in 0..3 {
        let noise = Scorer::composite(&[(&given(&[9.0; 3]), 1.0), (&given(&[8.0; 3]), 2.0)]).unwrap();
        noise.score_batch(&batch).unwrap();
        assert_eq!(bits(&nothing.score_batch(&batch).unwrap()), [0; 3]);
        let sum = Scorer::composite(&[(&Scorer::reflexive().unwrap(), 1.0), (&nothing, 1.0)]).unwrap();
        assert_eq!(sum.score_batch(&batch).unwrap(), [0.125, 0.25, 0.5]);
        assert_eq!(Scorer::scaled(&nothing).unwrap().score_batch(&batch).unwrap(), [0.5; 3]);
    }
}

#[test]
fn a_clock_that_writes_nothing_says_the_epoch() {
    unsafe extern "C" fn silent(_: *mut c_void, _: *mut i64) -> i32 {
        0
    }
    let clock =
        create(|out, error| unsafe { c::cupel_clock_custom_new(Some(silent), ptr::null_mut(), None, out, error) })
            .map(Clock::from_raw)
            .unwrap();
    let mut builder = ItemBuilder::new("content", 1).unwrap();
    let mut batch = Batch::new(2).unwrap();
    for timestamp in [-10, 0] {
        builder.set_timestamp(timestamp).unwrap();
        batch.push(&builder.build().unwrap()).unwrap();
    }
    let scorer = Scorer::decay_exponential(&clock, 10, 0.5).unwrap();
    assert_eq!(scorer.score_batch(&batch).unwrap(), [0.5, 1.0]);
}

#[test]
fn what_a_scorer_writes_passes_through_untouched() {
    let odd = [
        f64::NAN,
        f64::from_bits(0xfff8_0000_0000_1234),
        f64::from_bits(0x7ff0_0000_0000_0001),
        f64::INFINITY,
        f64::NEG_INFINITY,
        -0.0,
        5e-324,
        f64::MAX,
        -3.5,
    ];
    let batch = rows(&[0.5; 9]);
    assert_eq!(bits(&given(&odd).score_batch(&batch).unwrap()), bits(&odd));
    for (row, score) in odd.iter().enumerate() {
        assert_eq!(given(&odd).score_row(&batch, row).unwrap().to_bits(), score.to_bits());
    }

    // The formula: (0.0 + NaN * 1) and so on.
    let composite = Scorer::composite(&[(&given(&odd), 1.0)]).unwrap().score_batch(&batch).unwrap();
    for (sum, score) in composite.iter().zip(odd) {
        let expected = 0.0 + score * 1.0;
        assert!(sum.to_bits() == expected.to_bits() || sum.is_nan() && expected.is_nan(), "{sum} and {expected}");
    }
    // Infinities of both signs have no sum: that is 0, whatever stands beside them, unless a score is NaN itself.
    let (plus, minus) = (given(&[f64::INFINITY; 9]), given(&[f64::NEG_INFINITY; 9]));
    let clash = Scorer::composite(&[(&plus, 1.0), (&minus, 1.0)]).unwrap();
    for children in [
        &[(&plus, 1.0), (&minus, 1.0)][..],
        &[(&clash, 1.0)],
        &[(&plus, 1.0), (&given(&[2.5; 9]), 1.0), (&minus, 1.0), (&given(&[7.5; 9]), 1.0)],
        &[(&given(&[2.5; 9]), 1.0), (&Scorer::composite(&[(&plus, 1.0)]).unwrap(), 1.0), (&minus, 1.0)],
    ] {
        assert_eq!(Scorer::composite(children).unwrap().score_batch(&batch).unwrap(), [0.0; 9]);
    }
    for children in [[&plus, &minus, &given(&odd)], [&given(&odd), &minus, &plus]] {
        let sums = Scorer::composite(&children.map(|child| (child, 1.0))).unwrap().score_batch(&batch).unwrap();
        assert!(sums.iter().zip(odd).all(|(&sum, odd)| if odd.is_nan() { sum.is_nan() } else { sum == 0.0 }));
    }

    let numbers = [f64::NAN, 1.0, f64::INFINITY, 3.0, f64::NEG_INFINITY, 2.0, f64::NAN, 1.5, 1.0];
    let scaled = Scorer::scaled(&given(&numbers)).unwrap();
    assert_eq!(scaled.score_batch(&batch).unwrap(), [0.5, 0.0, 0.5, 1.0, 0.5, 0.5, 0.5, 0.25, 0.0]);
    let hopeless = Scorer::scaled(&given(&[f64::NAN; 9])).unwrap();
    assert_eq!(hopeless.score_batch(&batch).unwrap(), [0.5; 9]);
}

#[test]
fn a_scorer_reads_the_rows_and_scores_them_with_other_scorers() {
    let batch = rows(&[0.25, 0.75, 0.5]);
    let inner = Scorer::composite(&[(&Scorer::reflexive().unwrap(), 1.0), (&Scorer::recency().unwrap(), 1.0)]).unwrap();
    let expected = inner.score_batch(&batch).unwrap();
    let custom = Scorer::custom(move |batch, out| {
        // The same batch, from within the call that scores it, twice over.
        for _ in 0..2 {
            check(|error| unsafe {
                c::cupel_scorer_score_batch(inner.as_ptr(), batch.0, out.as_mut_ptr(), out.len(), error)
            })
            .map_err(|error| error.status)?;
        }
        for (row, score) in out.iter_mut().enumerate() {
            let item = batch.item(row).map_err(|error| error.status)?;
            *score += item.priority().unwrap().unwrap() as f64;
        }
        Ok(())
    })
    .unwrap();
    let expected: Vec<f64> = expected.iter().enumerate().map(|(row, score)| score + row as f64).collect();
    assert_eq!(custom.score_batch(&batch).unwrap(), expected);
    // Within a tree, whose other scores must survive the scoring inside.
    let reflexive = Scorer::reflexive().unwrap();
    let tree =
        Scorer::composite(&[(&Scorer::scaled(&reflexive).unwrap(), 1.0), (&custom, 1.0), (&reflexive, 2.0)]).unwrap();
    let scaled = [0.0, 1.0, 0.5];
    let hints = [0.25, 0.75, 0.5];
    let sums: Vec<f64> = (0..3).map(|row| (scaled[row] * 0.25 + expected[row] * 0.25) + hints[row] * 0.5).collect();
    assert_eq!(tree.score_batch(&batch).unwrap(), sums);
}

#[test]
fn a_scorer_may_score_the_same_batch_with_itself_in_it() {
    let batch = rows(&[0.25, 0.75]);
    let depth = Arc::new(AtomicUsize::new(0));
    let myself = Arc::new(Mutex::new(Pointer(ptr::null_mut::<c::cupel_scorer>())));
    let (below, handle) = (depth.clone(), myself.clone());
    let custom = Scorer::custom(move |batch, out| {
        if below.fetch_add(1, Ordering::Relaxed) == 20 {
            out.fill(1.0);
            return Ok(());
        }
        let scorer = handle.lock().unwrap().get();
        check(|error| unsafe { c::cupel_scorer_score_batch(scorer, batch.0, out.as_mut_ptr(), out.len(), error) })
            .map_err(|error| error.status)?;
        out.iter_mut().for_each(|score| *score += 1.0);
        Ok(())
    })
    .unwrap();
    *myself.lock().unwrap() = Pointer(custom.as_ptr().cast_mut());
    assert_eq!(custom.score_batch(&batch).unwrap(), [21.0, 21.0]);
    assert_eq!(depth.load(Ordering::Relaxed), 21);
}

#[test]
fn a_scorer_may_free_its_own_handle_during_the_call() {
    let batch = rows(&[0.25, 0.75]);
    for below in [false, true] {
        let freed = Arc::new(AtomicUsize::new(0));
        let count = freed.clone();
        let counted = Counted(count);
        let handle = Arc::new(Mutex::new(Pointer(ptr::null_mut::<c::cupel_scorer>())));
        let to_free = handle.clone();
        let custom = Scorer::custom(move |_, out| {
            let handle = std::mem::replace(&mut *to_free.lock().unwrap(), Pointer(ptr::null_mut()));
            unsafe { c::cupel_scorer_free(handle.get()) };
            // The data of the callback that is running is still there.
            assert_eq!(counted.0.load(Ordering::Relaxed), 0);
            out.fill(2.0);
            Ok(())
        })
        .unwrap();
        let root = if below {
            let root = Scorer::scaled(&Scorer::scaled(&custom).unwrap()).unwrap();
            drop(custom);
            root
        } else {
            custom
        };
        let root = root.into_raw();
        *handle.lock().unwrap() = Pointer(root);
        let mut scores = [0.0; 2];
        let batch = batch.as_ptr();
        check(|error| unsafe { c::cupel_scorer_score_batch(root, batch, scores.as_mut_ptr(), 2, error) }).unwrap();
        assert_eq!(scores, if below { [0.5; 2] } else { [2.0; 2] });
        assert_eq!(freed.load(Ordering::Relaxed), 1, "its data went with the call that held the last share");
    }
}

#[test]
fn a_scorer_may_free_the_batch_during_the_call() {
    let hints = [0.25, 0.75];
    let batch = rows(&hints).into_raw();
    let pointer = Pointer(batch);
    let custom = Scorer::custom(move |rows, out| {
        unsafe { c::cupel_batch_free(pointer.get()) };
        assert_eq!(rows.len(), 2);
        for (row, score) in out.iter_mut().enumerate() {
            *score = rows.item(row).unwrap().future_relevance_hint().unwrap().unwrap();
        }
        Ok(())
    })
    .unwrap();
    let tree = Scorer::composite(&[(&custom, 1.0), (&Scorer::reflexive().unwrap(), 1.0)]).unwrap();
    let mut scores = [0.0; 2];
    check(|error| unsafe { c::cupel_scorer_score_batch(tree.as_ptr(), batch, scores.as_mut_ptr(), 2, error) }).unwrap();
    assert_eq!(scores, hints);
}

#[test]
fn a_batch_cannot_be_changed_while_it_is_scored() {
    let hints = [0.25, 0.75];
    let mut batch = rows(&hints);
    let item = batch.item(0).unwrap();
    let pointer = Pointer(batch.as_mut_ptr());
    let custom = Scorer::custom(move |_, out| {
        let batch = pointer.get();
        let set = unsafe {
            let mut set: c::cupel_columns = std::mem::zeroed();
            set.struct_size = size_of::<c::cupel_columns>();
            set.rows = 1;
            set
        };
        let json = r#"{"content": "a", "tokens": 1}"#;
        unsafe {
            for refused in [
                check(|error| c::cupel_batch_push(batch, item.as_ptr(), error)),
                check(|error| c::cupel_batch_append_columns(batch, &set, error)),
                check(|error| c::cupel_batch_append_json(batch, json.as_ptr().cast(), json.len(), error)),
                check(|error| c::cupel_batch_clear(batch, error)),
                check(|error| c::cupel_batch_retain(batch, [1, 0].as_ptr(), 2, error)),
                check(|error| c::cupel_batch_retain_rows(batch, [1].as_ptr(), 1, error)),
                check(|error| c::cupel_batch_keep_last(batch, 1, error)),
                check(|error| c::cupel_batch_reserve(batch, 10, error)),
                check(|error| c::cupel_batch_shrink(batch, error)),
            ] {
                let error = refused.unwrap_err();
                assert_eq!(error.name, "CUPEL_STATUS_BUSY");
                assert_eq!(error.message, "batch is being scored: it cannot be changed until that call returns");
            }
        }
        out.fill(1.0);
        Ok(())
    })
    .unwrap();
    for _ in 0..2 {
        assert_eq!(custom.score_batch(&batch).unwrap(), [1.0, 1.0]);
        assert_eq!(batch.len(), 2);
        assert_eq!(Scorer::reflexive().unwrap().score_batch(&batch).unwrap(), hints);
    }
    // Afterwards it can be, after a call that failed too.
    Scorer::custom(|_, _| Err(1)).unwrap().score_batch(&batch).unwrap_err();
    batch.push(&batch.item(1).unwrap()).unwrap();
    batch.clear().unwrap();
    assert!(batch.is_empty());
}

#[test]
fn an_empty_batch_is_no_exception() {
    let calls = Arc::new(AtomicUsize::new(0));
    let count = calls.clone();
    let custom = Scorer::custom(move |batch, out| {
        count.fetch_add(1, Ordering::Relaxed);
        assert!(batch.is_empty() && out.is_empty());
        Err(3)
    })
    .unwrap();
    let error = custom.score_batch(&Batch::new(0).unwrap()).unwrap_err();
    assert_eq!(error.name, "CUPEL_STATUS_CALLBACK_FAILED");
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

/// Callbacks on a counter, which is what their user data points to.
mod counted {
    use super::*;

    pub unsafe extern "C" fn score(_: *mut c_void, _: *const c::cupel_batch, _: *mut f64, _: usize) -> i32 {
        0
    }

    pub unsafe extern "C" fn now(_: *mut c_void, _: *mut i64) -> i32 {
        0
    }

    pub unsafe extern "C" fn destroy(user_data: *mut c_void) {
        unsafe { &*user_data.cast::<AtomicUsize>() }.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn destroy_is_called_once_when_the_last_share_is_gone() {
    let destroyed = AtomicUsize::new(0);
    let count = || destroyed.load(Ordering::Relaxed);
    let user_data = (&raw const destroyed).cast_mut().cast();
    let custom = create(|out, error| unsafe {
        c::cupel_scorer_custom_new(Some(counted::score), user_data, Some(counted::destroy), out, error)
    })
    .map(Scorer::from_raw)
    .unwrap();
    let scaled = Scorer::scaled(&custom).unwrap();
    let pair = Scorer::composite(&[(&custom, 1.0), (&scaled, 1.0)]).unwrap();
    pair.score_batch(&rows(&[0.5; 3])).unwrap();
    drop(custom);
    assert_eq!(count(), 0);
    drop(scaled);
    assert_eq!(count(), 0);
    drop(pair);
    assert_eq!(count(), 1);

    let clock = create(|out, error| unsafe {
        c::cupel_clock_custom_new(Some(counted::now), user_data, Some(counted::destroy), out, error)
    })
    .map(Clock::from_raw)
    .unwrap();
    let first = Scorer::decay_window(&clock, 10, 0.5).unwrap();
    let second = Scorer::scaled(&Scorer::decay_exponential(&clock, 10, 0.5).unwrap()).unwrap();
    let third = Scorer::from_json(r#"{"type": "decay", "curve": {"window": {"maxAge": "1s"}}}"#, Some(&clock)).unwrap();
    drop(clock);
    drop(first);
    drop(second);
    assert_eq!(count(), 1);
    assert_eq!(third.score_batch(&rows(&[0.5])).unwrap(), [1.0]);
    drop(third);
    assert_eq!(count(), 2);
}

#[test]
fn destroy_is_not_called_when_the_constructor_fails() {
    let destroyed = AtomicUsize::new(0);
    let user_data = (&raw const destroyed).cast_mut().cast();
    let destroy: c::cupel_destroy_callback = Some(counted::destroy);
    unsafe {
        let null = ptr::null_mut();
        check(|error| c::cupel_scorer_custom_new(Some(counted::score), user_data, destroy, null, error)).unwrap_err();
        let null = ptr::null_mut();
        check(|error| c::cupel_clock_custom_new(Some(counted::now), user_data, destroy, null, error)).unwrap_err();
    }
    create(|out, error| unsafe { c::cupel_scorer_custom_new(None, user_data, destroy, out, error) }).unwrap_err();
    create(|out, error| unsafe { c::cupel_clock_custom_new(None, user_data, destroy, out, error) }).unwrap_err();
    assert_eq!(destroyed.load(Ordering::Relaxed), 0);
}

#[test]
fn without_destroy_and_user_data_callbacks_work_too() {
    let batch = rows(&[0.25, 0.5]);
    let custom = create(|out, error| unsafe {
        c::cupel_scorer_custom_new(Some(counted::score), ptr::null_mut(), None, out, error)
    })
    .map(Scorer::from_raw)
    .unwrap();
    assert_eq!(custom.score_batch(&batch).unwrap(), [0.0, 0.0]);
}

#[test]
fn callbacks_run_on_the_threads_that_score() {
    const THREADS: usize = 8;
    const CALLS: usize = 200;
    let batch = rows(&[0.25, 0.5, 0.75]);
    let calls = Arc::new(AtomicUsize::new(0));
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (count, now_running, peak) = (calls.clone(), running, most.clone());
    // All threads are inside a callback at once before any of them goes on: nothing keeps them out of each other's way.
    let together = Barrier::new(THREADS);
    let first = Mutex::new(std::collections::HashSet::new());
    let custom = Scorer::custom(move |batch, out| {
        peak.fetch_max(now_running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        if first.lock().unwrap().insert(thread::current().id()) {
            together.wait();
        }
        count.fetch_add(1, Ordering::Relaxed);
        for (row, score) in out.iter_mut().enumerate() {
            *score = batch.item(row).unwrap().future_relevance_hint().unwrap().unwrap();
        }
        now_running.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    })
    .unwrap();
    let clock = Clock::custom(|| Ok(2_000)).unwrap();
    let decay = Scorer::decay_window(&clock, 1, 0.5).unwrap();
    let tree = Scorer::composite(&[(&custom, 1.0), (&decay, 1.0)]).unwrap();
    drop((clock, decay, custom));
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..CALLS {
                    assert_eq!(tree.score_batch(&batch).unwrap(), [0.125, 0.25, 0.875]);
                }
            });
        }
    });
    assert_eq!(calls.load(Ordering::Relaxed), THREADS * CALLS);
    assert_eq!(most.load(Ordering::Relaxed), THREADS);
}

#[test]
fn a_slow_callback_does_not_keep_others_from_scoring() {
    let batch = rows(&[0.25, 0.5]);
    let (entered, leave) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let (inside, go_on) = (entered.clone(), leave.clone());
    let slow = Scorer::custom(move |_, out| {
        inside.wait();
        go_on.wait();
        out.fill(1.0);
        Ok(())
    })
    .unwrap();
    thread::scope(|scope| {
        let call = scope.spawn(|| slow.score_batch(&batch).unwrap());
        entered.wait();
        assert_eq!(Scorer::reflexive().unwrap().score_batch(&batch).unwrap(), [0.25, 0.5]);
        leave.wait();
        assert_eq!(call.join().unwrap(), [1.0, 1.0]);
    });
}

#[test]
fn the_last_share_may_go_on_another_thread() {
    let destroyed = Arc::new(AtomicUsize::new(0));
    for _ in 0..200 {
        let before = destroyed.load(Ordering::Relaxed);
        let counted = Counted(destroyed.clone());
        let custom = Scorer::custom(move |_, _| {
            let _ = &counted;
            Ok(())
        })
        .unwrap();
        let parents: Vec<_> = (0..4).map(|_| Scorer::scaled(&custom).unwrap()).collect();
        drop(custom);
        thread::scope(|scope| {
            for parent in parents {
                scope.spawn(move || drop(parent));
            }
        });
        assert_eq!(destroyed.load(Ordering::Relaxed), before + 1);
    }
}

#[test]
fn a_clock_is_read_once_in_a_call_for_the_whole_tree() {
    let reads = Arc::new(AtomicI64::new(0));
    let count = reads.clone();
    // Each reading is an hour later than the one before.
    let clock = Clock::custom(move || Ok(count.fetch_add(1, Ordering::Relaxed) * 3_600_000_000_000)).unwrap();
    let window = Scorer::decay_window(&clock, 1, 0.0).unwrap();
    let exponential = Scorer::decay_exponential(&clock, 3_600_000_000_000, 0.0).unwrap();
    let steps = Scorer::decay_step(&clock, &[(1, 1.0), (2, 0.25)], 0.0).unwrap();
    let inner = Scorer::composite(&[(&window, 1.0), (&exponential, 1.0)]).unwrap();
    let tree = Scorer::composite(&[(&inner, 2.0), (&steps, 1.0), (&window, 1.0)]).unwrap();
    assert_eq!(reads.load(Ordering::Relaxed), 0, "nothing is read before there is something to score");

    let mut builder = ItemBuilder::new("content", 1).unwrap();
    builder.set_timestamp(0).unwrap();
    let item = builder.build().unwrap();
    let mut batch = Batch::new(0).unwrap();
    for _ in 0..100 {
        batch.push(&item).unwrap();
    }
    // Every row and every scorer sees the first reading, which is the rows' own instant; then the second, one half-life on.
    assert_eq!(tree.score_batch(&batch).unwrap(), [1.0; 100]);
    assert_eq!(reads.load(Ordering::Relaxed), 1);
    assert_eq!(tree.score_batch(&batch).unwrap(), [0.5 * (0.5 * 0.5) + 0.25 * 0.25; 100]);
    assert_eq!(reads.load(Ordering::Relaxed), 2);
    tree.score_row(&batch, 50).unwrap();
    assert_eq!(reads.load(Ordering::Relaxed), 3);
}

#[test]
fn two_clocks_are_two_sources() {
    let batch = rows(&[0.5]);
    let (first, second) = (Clock::custom(|| Ok(0)).unwrap(), Clock::custom(|| Ok(10)).unwrap());
    let tree = Scorer::composite(&[
        (&Scorer::decay_exponential(&first, 10, 0.0).unwrap(), 1.0),
        (&Scorer::decay_exponential(&second, 10, 0.0).unwrap(), 1.0),
    ])
    .unwrap();
    assert_eq!(tree.score_batch(&batch).unwrap(), [0.75]);
}

#[test]
fn system_clocks_see_one_instant_in_a_call() {
    // Rows from now to two seconds on. Those from the instant of the call on are younger than a nanosecond: one scorer gives them
    // 1, the other -1. Were the second one to look at the clock again, after all these rows, some row would not add up to 0.
    const ROWS: usize = 200_000;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as i64;
    let timestamps: Vec<i64> = (0..ROWS as i64).map(|row| now + row * 10_000).collect();
    let mut set = columns::columns(ROWS);
    set.timestamp = timestamps.as_ptr();
    let mut batch = Batch::new(ROWS).unwrap();
    columns::append(&mut batch, &set).unwrap();

    let plus = Scorer::decay_window(&Clock::system().unwrap(), 1, 0.0).unwrap();
    let minus = Scorer::decay_step(&Clock::system().unwrap(), &[(1, -1.0), (2, 0.0)], 0.0).unwrap();
    let json =
        r#"{"type": "decay", "curve": {"step": [{"maxAge": "1ns", "score": -1}, {"maxAge": "2ns", "score": 0}]}}"#;
    let by_default = Scorer::from_json(json, None).unwrap();
    let alone = plus.score_batch(&batch).unwrap();
    assert!(alone[0] == 0.0 && alone[ROWS - 1] == 1.0, "the instant of the call lies among the rows");
    for other in [minus, by_default] {
        let sum = Scorer::composite(&[(&plus, 1.0), (&other, 1.0)]).unwrap();
        assert_eq!(sum.score_batch(&batch).unwrap(), [0.0; ROWS]);
    }
}

/// A callback that fails with the text in its user data, or with no text where that is NULL.
unsafe extern "C" fn fail_with_text(
    user_data: *mut c_void,
    _: *const c::cupel_batch,
    _: *mut f64,
    _: usize,
    out_error: *mut *mut c::cupel_error,
) -> i32 {
    unsafe {
        assert!((*out_error).is_null());
        if let Some(text) = user_data.cast::<Vec<u8>>().as_ref() {
            *out_error = c::cupel_error_new(7, text.as_ptr().cast(), text.len());
        }
    }
    7
}

/// A callback that passes on the error of a scoring call of its own.
unsafe extern "C" fn fail_with_nested_error(
    user_data: *mut c_void,
    batch: *const c::cupel_batch,
    out_scores: *mut f64,
    len: usize,
    out_error: *mut *mut c::cupel_error,
) -> i32 {
    unsafe { c::cupel_scorer_score_batch(user_data.cast(), batch, out_scores, len, out_error) }
}

/// A callback that succeeds and leaves an error all the same.
unsafe extern "C" fn succeed_with_error(
    _: *mut c_void,
    _: *const c::cupel_batch,
    _: *mut f64,
    _: usize,
    out_error: *mut *mut c::cupel_error,
) -> i32 {
    unsafe { *out_error = c::cupel_error_new(1, c"ignored".as_ptr(), 7) };
    0
}

unsafe extern "C" fn no_time(_: *mut c_void, _: *mut i64, out_error: *mut *mut c::cupel_error) -> i32 {
    unsafe { *out_error = c::cupel_error_new(0, c"no network".as_ptr(), 10) };
    3
}

type FallibleScore =
    unsafe extern "C" fn(*mut c_void, *const c::cupel_batch, *mut f64, usize, *mut *mut c::cupel_error) -> i32;

fn fallible(callback: FallibleScore, data: *mut c_void) -> *mut c::cupel_scorer {
    create(|out, error| unsafe { c::cupel_scorer_custom_fallible_new(Some(callback), data, None, out, error) }).unwrap()
}

/// The message of a scoring call that fails.
fn message_of(scorer: *const c::cupel_scorer, batch: *const c::cupel_batch) -> String {
    let mut scores = [7.0; 2];
    let error = check(|error| unsafe { c::cupel_scorer_score_batch(scorer, batch, scores.as_mut_ptr(), 2, error) });
    assert_eq!(scores, [7.0; 2]);
    let error = error.unwrap_err();
    assert_eq!(error.name, "CUPEL_STATUS_CALLBACK_FAILED");
    error.message
}

#[test]
fn a_callback_says_why_it_failed() {
    let rows = rows(&[0.25, 0.5]);
    let batch = rows.as_ptr();
    unsafe {
        let mut text = b"the model \xFF is\0 gone".to_vec();
        let explained = fallible(fail_with_text, (&raw mut text).cast());
        let silent = fallible(fail_with_text, ptr::null_mut());
        let nested = fallible(fail_with_nested_error, explained.cast());
        let success = fallible(succeed_with_error, ptr::null_mut());
        let why = "the score callback failed with status 7: the model \u{FFFD} is? gone";
        assert_eq!(message_of(explained, batch), why);
        assert_eq!(message_of(silent, batch), "the score callback failed with status 7");
        assert_eq!(message_of(nested, batch), format!("the score callback failed with status 9: {why}"));
        let mut scores = [7.0; 2];
        check(|error| c::cupel_scorer_score_batch(success, batch, scores.as_mut_ptr(), 2, error)).unwrap();
        assert_eq!(scores, [0.0; 2]);

        let clock =
            create(|out, error| c::cupel_clock_custom_fallible_new(Some(no_time), ptr::null_mut(), None, out, error));
        let clock = clock.unwrap();
        let decay = create(|out, error| c::cupel_scorer_decay_window_new(clock, 1, 0.5, out, error)).unwrap();
        assert_eq!(message_of(decay, batch), "the now callback failed with status 3: no network");
        for scorer in [explained, silent, nested, success, decay] {
            c::cupel_scorer_free(scorer);
        }
        c::cupel_clock_free(clock);
    }
}

/// The type of the payloads of these tests.
const PAYLOAD: u64 = 42;

/// A callback that fails with its user data as the payload.
unsafe extern "C" fn fail_with_payload(
    user_data: *mut c_void,
    _: *const c::cupel_batch,
    _: *mut f64,
    _: usize,
    out_error: *mut *mut c::cupel_error,
) -> i32 {
    unsafe {
        *out_error = c::cupel_error_with_payload_new(7, c"why".as_ptr(), 3, PAYLOAD, user_data, Some(counted::destroy));
    }
    7
}

#[test]
fn an_error_carries_an_object_of_the_host_to_the_caller() {
    let destroyed = AtomicUsize::new(0);
    let object = (&raw const destroyed).cast_mut().cast::<c_void>();
    let batch = rows(&[0.25, 0.5]);
    unsafe {
        let leaf = fallible(fail_with_payload, object);
        let children = [leaf.cast_const()];
        let tree = create(|out, error| c::cupel_scorer_composite_new(children.as_ptr(), [1.0].as_ptr(), 1, out, error));
        let tree = tree.unwrap();
        let nested = fallible(fail_with_nested_error, tree.cast());
        let mut scores = [7.0; 2];
        for (count, scorer) in [leaf, tree, nested].into_iter().enumerate() {
            let mut error = ptr::null_mut();
            let status = c::cupel_scorer_score_batch(scorer, batch.as_ptr(), scores.as_mut_ptr(), 2, &raw mut error);
            assert_eq!(capi::status_name(status), "CUPEL_STATUS_CALLBACK_FAILED");
            assert_eq!(c::cupel_error_payload(error, PAYLOAD), object);
            assert_eq!(c::cupel_error_payload(error, PAYLOAD + 1), ptr::null_mut());
            assert_eq!(destroyed.load(Ordering::Relaxed), count);
            c::cupel_error_free(error);
            assert_eq!(destroyed.load(Ordering::Relaxed), count + 1);
        }
        // Nobody asks for the error: the object goes with it.
        c::cupel_scorer_score_batch(leaf, batch.as_ptr(), scores.as_mut_ptr(), 2, ptr::null_mut());
        assert_eq!(destroyed.load(Ordering::Relaxed), 4);
        for scorer in [leaf, tree, nested] {
            c::cupel_scorer_free(scorer);
        }
    }
}
