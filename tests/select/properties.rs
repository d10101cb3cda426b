//! Properties that relate several selections to each other, on random batches.

use cupel::Batch;
use cupel::select::{Previous, Selection, Selector};

use crate::model::{Overflow, Placer, Policy, Request, Row, Selected, Slicer};
use crate::random::Random;
use crate::{cases, library};

struct Given {
    rows: Vec<Row>,
    batch: Batch,
    scores: Vec<f64>,
}

impl Given {
    fn new(random: &mut Random) -> Self {
        let shape = cases::shape(random);
        let mut rows: Vec<Row> = (0..1 + random.below(20)).map(|_| cases::row(random, shape)).collect();
        let mut batch = Batch::new();
        for row in &mut rows {
            row.tokens %= 61;
            library::push(&mut batch, row);
        }
        let scores = rows.iter().map(|_| cases::score(random)).collect();
        Self { rows, batch, scores }
    }

    fn select(&self, selector: &Selector, request: &Request) -> Option<Selected> {
        let mut selection = Selection::new();
        let request = library::request(request, Some(&self.scores), Previous::None);
        selector.select(&self.batch, &request, &mut selection).ok()?;
        Some(library::selected(&selection))
    }

    fn tokens(&self) -> i64 {
        self.rows.iter().map(|row| row.tokens.max(0)).sum()
    }

    fn pinned_tokens(&self, policy: &Policy) -> i64 {
        let request = request(i64::MAX);
        self.select(&library::selector(policy, None), &request).expect("everything fits").pinned
    }
}

fn request(max_tokens: i64) -> Request {
    Request { max_tokens, target_tokens: 0, output_reserve: 0, reserved_tokens: 0, margin: 0.0, max_rows: 0 }
}

fn each_case(mut check: impl FnMut(&mut Random, Given, Policy)) {
    for seed in 1..=crate::case_count() / 20 {
        let random = &mut Random(seed.wrapping_mul(0x94D0_49BB_1331_11EB) | 1);
        let given = Given::new(random);
        let policy = cases::policy(random);
        check(random, given, policy);
    }
}

fn without_quotas(policy: Policy, slicer: Slicer) -> Policy {
    Policy { slicer, overflow: Overflow::Fail, quotas: Vec::new(), count_quotas: Vec::new(), ..policy }
}

#[test]
fn prefix_is_monotone_in_the_budget() {
    each_case(|_, given, policy| {
        let selector = library::selector(&without_quotas(policy, Slicer::Prefix), None);
        let mut before: Vec<u32> = Vec::new();
        for max_tokens in 0..given.tokens().min(300) {
            let Some(selected) = given.select(&selector, &request(max_tokens)) else { continue };
            assert!(before.iter().all(|row| selected.rows.contains(row)), "{before:?} {selected:?}");
            before = selected.rows;
        }
    });
}

#[test]
fn a_row_is_kept_from_what_it_needs_on() {
    each_case(|random, given, policy| {
        let slicer = [Slicer::Greedy, Slicer::Ranked, Slicer::Prefix][random.below(3) as usize];
        let policy = without_quotas(policy, slicer);
        let selector = library::selector(&policy, None);
        let pinned = given.pinned_tokens(&policy);
        let mut selection = Selection::new();
        let all = request(given.tokens() + 1);
        selector
            .select(&given.batch, &library::request(&all, Some(&given.scores), Previous::None), &mut selection)
            .unwrap();
        let mut needed = vec![0; given.rows.len()];
        selector.needed(&given.batch, &selection, &mut needed).unwrap();
        for (row, &needed) in needed.iter().enumerate().filter(|&(_, &needed)| needed > 0) {
            let is_kept = |target: i64| {
                let request = Request { target_tokens: pinned + target, ..request(i64::MAX) };
                pinned + target > 0 && given.select(&selector, &request).unwrap().reasons[row] < 16
            };
            assert!(is_kept(needed), "row {row} is kept at {needed}: {:#?} {policy:?} {:?}", given.rows, given.scores);
            assert!(is_kept(needed + random.below(50) as i64), "row {row} is kept above {needed}");
            if pinned + needed > 1 {
                assert!(!is_kept(needed - 1), "row {row} is dropped below {needed}");
            }
        }
    });
}

#[test]
fn the_first_k_are_those_of_a_stable_sort() {
    each_case(|random, given, policy| {
        let policy = Policy {
            placer: Placer::Ranked,
            keep_duplicates: true,
            groups: false,
            ..without_quotas(policy, Slicer::Ranked)
        };
        let k = 1 + random.below(given.rows.len() as u64) as usize;
        let request = Request { max_rows: k, ..request(i64::MAX) };
        let selected = given.select(&library::selector(&policy, None), &request).unwrap();
        let is_peer = |row: &usize| given.rows[*row].tokens >= 0 && !given.rows[*row].pinned;
        let mut expected: Vec<usize> = (0..given.rows.len()).filter(is_peer).collect();
        let pinned = given.rows.iter().filter(|row| row.pinned && row.tokens >= 0).count();
        // NaN after all numbers, and the two zeros alike.
        expected.sort_by(|&a, &b| {
            let (a, b) = (given.scores[a], given.scores[b]);
            a.is_nan().cmp(&b.is_nan()).then(b.partial_cmp(&a).unwrap_or(std::cmp::Ordering::Equal))
        });
        expected.truncate(k.saturating_sub(pinned));
        let found: Vec<usize> = selected.rows.iter().map(|&row| row as usize).filter(is_peer).collect();
        assert_eq!(found, expected);
    });
}

#[test]
fn the_order_of_quotas_does_not_matter() {
    each_case(|random, given, mut policy| {
        policy.scarcity_fails = false;
        let request = request(random.below(given.tokens() as u64 + 2) as i64);
        let mut expected = given.select(&library::selector(&policy, None), &request);
        policy.quotas.reverse();
        policy.count_quotas.reverse();
        let found = given.select(&library::selector(&policy, None), &request);
        if let Some(expected) = &mut expected {
            expected.shortfalls.iter_mut().for_each(|short| short.0 = policy.count_quotas.len() - 1 - short.0);
            expected.shortfalls.reverse();
        }
        assert_eq!(found, expected, "{:#?} {policy:?}", given.rows);
    });
}

#[test]
fn a_knapsack_is_worth_as_much_as_a_greedy_fill() {
    each_case(|random, mut given, policy| {
        // One token a bucket: both fill the same budget. Scores that are whole ten-thousandths are values without rounding.
        given.scores.iter_mut().for_each(|score| *score = random.below(20_000) as f64 / 10_000.0);
        let request = request(random.below(given.tokens() as u64 + 2) as i64);
        let [knapsack, greedy] = [Slicer::Knapsack, Slicer::Greedy].map(|slicer| {
            let policy = Policy { bucket_size: 1, groups: false, ..without_quotas(policy.clone(), slicer) };
            let selected = given.select(&library::selector(&policy, None), &request)?;
            let value = |row: &u32| (given.scores[*row as usize] * 10_000.0).floor() as u64;
            let has_weight = |row: &&u32| !given.rows[**row as usize].pinned && given.rows[**row as usize].tokens > 0;
            Some(selected.rows.iter().filter(has_weight).map(value).sum::<u64>())
        });
        assert_eq!(knapsack.is_some(), greedy.is_some());
        assert!(knapsack >= greedy, "{knapsack:?} {greedy:?} {:#?} {:?}", given.rows, given.scores);
    });
}

#[test]
fn threads_that_share_a_selector_get_the_same_selection() {
    each_case(|random, given, policy| {
        let selector = library::selector(&policy, None);
        let request = request(random.below(given.tokens() as u64 + 2) as i64);
        let expected = given.select(&selector, &request);
        assert_eq!(given.select(&selector, &request), expected);
        std::thread::scope(|scope| {
            let threads = [(); 3].map(|()| scope.spawn(|| given.select(&selector, &request)));
            threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), expected));
        });
    });
}
