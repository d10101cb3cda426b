//! What a batch call costs, beside the reference crate and beside what memory allows.
//!
//! Everything is measured in one run on one machine, by criterion; `report` then writes `docs/benchmarks.md` and its plots.
//! `CUPEL_BENCH=quick` measures the main figures only and prints them.

#[path = "../../tests/support/arrow.rs"]
mod arrow;
mod data;
mod floor;
#[macro_use]
mod library;
mod memory;
#[path = "../../src/kernel/random.rs"]
#[allow(dead_code, reason = "tests need more of it")]
mod random;
mod reference;
mod report;
mod scorers;
mod selecting;
mod tables;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion};

use crate::data::Shape;
use crate::floor::Floor;
use crate::library::{Batch, Builders, Columns};
use crate::scorers::Scorer;
use crate::tables::{Layout, Table};

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

/// The sizes at which the library and the floor are measured.
const SIZES: [usize; 6] = [20, 100, 1_000, 10_000, 100_000, 1_000_000];
/// Those that the table needs.
const MAIN_SIZES: [usize; 2] = [10_000, 1_000_000];
/// The sizes at which the reference is measured: item by item it costs up to N^2 for each item.
const REFERENCE_SIZES: [usize; 3] = [100, 1_000, 4_000];
/// The sizes of the hostile shapes: one that the reference can do, and one that shows growth.
const HOSTILE_SIZES: [usize; 2] = [1_000, 100_000];
/// The widths of the columns that scorers read.
const WIDTHS: [usize; 4] = [1, 4, 8, 21];

/// How long a benchmark is measured.
const TIME: Duration = Duration::from_millis(500);

fn main() {
    let quick = std::env::var("CUPEL_BENCH").is_ok_and(|mode| mode == "quick");
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(if quick { 50 } else { 150 }))
        .measurement_time(TIME / if quick { 2 } else { 1 })
        .sample_size(if quick { 10 } else { 20 })
        .without_plots()
        .configure_from_args();
    let sizes: &[usize] = if quick { &MAIN_SIZES } else { &SIZES };
    let shapes: &[Shape] = if quick { &[Shape::Typical] } else { &[Shape::Typical, Shape::Missing] };

    for &shape in shapes {
        library(&mut criterion, shape, sizes, &Scorer::ALL);
    }
    floor(&mut criterion, sizes);
    let reference_sizes: &[usize] = if quick { &[1_000] } else { &REFERENCE_SIZES };
    for &size in reference_sizes {
        reference(&mut criterion, Shape::Typical, size, &Scorer::ALL);
    }
    for &size in &MAIN_SIZES {
        build(&mut criterion, Shape::Typical, size);
    }
    for shape in Shape::BUILDING {
        build(&mut criterion, shape, MAIN_SIZES[0]);
    }
    json(&mut criterion);
    small(&mut criterion);
    custom(&mut criterion);
    selecting::measure(&mut criterion, if quick { &[1_000] } else { &selecting::REFERENCE_SIZES });
    let large_memory = tables(&mut criterion, quick);
    if !quick {
        for shape in Shape::HOSTILE_KEYS {
            library(&mut criterion, shape, &HOSTILE_SIZES, &[Scorer::Recency, Scorer::Priority]);
        }
        for shape in Shape::HOSTILE_TAGS {
            library(&mut criterion, shape, &HOSTILE_SIZES, &[Scorer::Frequency, Scorer::Tag]);
        }
        for shape in Shape::HOSTILE_KEYS {
            reference(&mut criterion, shape, HOSTILE_SIZES[0], &[Scorer::Recency, Scorer::Priority]);
        }
        for shape in Shape::HOSTILE_TAGS {
            reference(&mut criterion, shape, HOSTILE_SIZES[0], &[Scorer::Frequency, Scorer::Tag]);
        }
    }
    criterion.final_summary();

    let memory = memory::measure(1_000_000);
    report::write(quick, &memory, large_memory);
}

/// Scores batches that are already built. The sizes of a scorer come one after another: how its cost grows is not to depend on how
/// busy the machine was when.
fn library(criterion: &mut Criterion, shape: Shape, sizes: &[usize], scorers: &[Scorer]) {
    let mut batches: Vec<(Batch, Vec<f64>)> =
        sizes.iter().map(|&size| (Batch::by_columns(&Columns::new(&shape.rows(size))), vec![0.0; size])).collect();
    let mut group = criterion.benchmark_group(format!("library {}", shape.name()));
    for &kind in scorers {
        let scorer = library::Scorer::new(kind.json());
        for (batch, out) in &mut batches {
            if shape == Shape::Typical && sizes == SIZES {
                // These are what the table shows, and neighbours of a machine are loud for seconds at a time.
                group.measurement_time(TIME * if MAIN_SIZES.contains(&batch.len()) { 3 } else { 1 });
            }
            group.bench_function(BenchmarkId::new(kind.name(), batch.len()), |bencher| {
                bencher.iter(|| scorer.score(batch, black_box(out)));
            });
        }
    }
}

/// Scores one row after another: a single row is what an iteration costs.
fn reference(criterion: &mut Criterion, shape: Shape, size: usize, scorers: &[Scorer]) {
    let items = reference::items(&shape.rows(size));
    let mut group = criterion.benchmark_group(format!("reference {}", shape.name()));
    for &kind in scorers {
        let scorer = reference::scorer(kind);
        let mut next = 0;
        group.sample_size(10).bench_function(BenchmarkId::new(kind.name(), size), |bencher| {
            bencher.iter(|| {
                next = (next + 1) % items.len();
                scorer.score(black_box(&items[next]), &items)
            });
        });
    }
}

fn floor(criterion: &mut Criterion, sizes: &[usize]) {
    let mut floors: Vec<(usize, Floor)> = sizes.iter().map(|&size| (size, Floor::new(size))).collect();
    let mut group = criterion.benchmark_group("floor");
    for width in WIDTHS {
        for (size, floor) in &mut floors {
            group.bench_function(BenchmarkId::new(format!("{width} bytes"), *size), |bencher| {
                bencher.iter(|| black_box(floor.stream(black_box(width))).len());
            });
        }
    }
}

/// Builds a batch.
fn build(criterion: &mut Criterion, shape: Shape, size: usize) {
    let rows = shape.rows(size);
    let columns = Columns::new(&rows);
    let mut group = criterion.benchmark_group(format!("build {}", shape.name()));
    // Longer than the others: what the allocator and the system do on the way makes it vary more.
    group.sample_size(if size <= 10_000 { 50 } else { 10 }).measurement_time(Duration::from_secs(3));
    // One after another, as a host has it: hundreds of batches that are kept until the end of a sample would measure how fast the
    // system hands out pages.
    let one_at_a_time = BatchSize::PerIteration;
    group.bench_function(BenchmarkId::new("by columns", size), |bencher| {
        bencher.iter_batched(|| (), |()| Batch::by_columns(&columns), one_at_a_time);
    });
    group.bench_function(BenchmarkId::new("by item", size), |bencher| {
        bencher.iter_batched(|| (), |()| Batch::by_item(&columns, Builders::OneForAll), one_at_a_time);
    });
    group.bench_function(BenchmarkId::new("by item, new builders", size), |bencher| {
        bencher.iter_batched(|| (), |()| Batch::by_item(&columns, Builders::OneForEach), one_at_a_time);
    });
    if size <= 10_000 {
        group.bench_function(BenchmarkId::new("reference", size), |bencher| {
            bencher.iter_batched(|| (), |()| reference::items(&rows), one_at_a_time);
        });
    }
}

/// Reads JSON Lines into a batch, beside serde_json, which reads the same text into values and keeps them.
fn json(criterion: &mut Criterion) {
    for (name, text) in json_texts() {
        let mut group = criterion.benchmark_group(format!("JSON {name}"));
        group.sample_size(20).measurement_time(Duration::from_secs(2));
        group.bench_function(BenchmarkId::new("library", 0), |bencher| {
            bencher.iter_batched(|| (), |()| Batch::by_json(&text), BatchSize::PerIteration);
        });
        group.bench_function(BenchmarkId::new("serde_json", 0), |bencher| {
            let read = || serde_json::Deserializer::from_str(&text).into_iter::<serde_json::Value>();
            bencher.iter_batched(|| (), |()| read().map(Result::unwrap).collect::<Vec<_>>(), BatchSize::PerIteration);
        });
    }
}

/// What is read: a recorded session, and generated rows.
fn json_texts() -> [(&'static str, String); 2] {
    let session = std::fs::read_to_string("examples/data/agent-session.jsonl").expect("the session is there");
    [("session", session), ("10k rows", data::json_lines(&Shape::Messages.rows(10_000)))]
}

/// Makes a batch of 20 rows, scores it and frees it: what an agent's turn costs that keeps nothing.
fn small(criterion: &mut Criterion) {
    let columns = Columns::new(&Shape::Typical.rows(SIZES[0]));
    let scorer = library::Scorer::new(Scorer::Composite.json());
    let mut out = vec![0.0; SIZES[0]];
    let mut group = criterion.benchmark_group("small");
    group.sample_size(50);
    group.bench_function(BenchmarkId::new("make, score, free", SIZES[0]), |bencher| {
        bencher.iter(|| scorer.score(&Batch::by_columns(&columns), black_box(&mut out)));
    });
}

/// A custom scorer that reads one field, beside the scorer of the library that reads it.
fn custom(criterion: &mut Criterion) {
    let size = MAIN_SIZES[0];
    let batch = Batch::by_columns(&Columns::new(&Shape::Typical.rows(size)));
    let mut out = vec![0.0; size];
    let mut group = criterion.benchmark_group("custom");
    for (name, scorer) in [
        ("by item", library::Scorer::custom_by_item()),
        ("by column", library::Scorer::custom_by_column()),
        ("priority", library::Scorer::new(Scorer::Priority.json())),
    ] {
        group.bench_function(BenchmarkId::new(name, size), |bencher| {
            bencher.iter(|| scorer.score(&batch, black_box(&mut out)));
        });
    }
}

/// Appends Arrow tables, beside columns of the host, and scores conversations, beside one batch of all rows. The result is what
/// scoring a large table takes of memory, as a part of the table, unless the run is a quick one.
fn tables(criterion: &mut Criterion, quick: bool) -> Option<f64> {
    let size = MAIN_SIZES[1];
    let rows = Shape::Typical.rows(size);
    let columns = Columns::new(&rows);
    let [offsets, views] = [Layout::Offsets, Layout::Views].map(|layout| Table::new(&rows, size, layout));
    let one_at_a_time = BatchSize::PerIteration;
    let mut group = criterion.benchmark_group("tables");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    group.bench_function(BenchmarkId::new("append columns", size), |bencher| {
        bencher.iter_batched(|| (), |()| Batch::by_columns(&columns), one_at_a_time);
    });
    group.bench_function(BenchmarkId::new("append Arrow, offsets", size), |bencher| {
        bencher.iter_batched(|| (), |()| offsets.batch(), one_at_a_time);
    });
    group.bench_function(BenchmarkId::new("append Arrow, views", size), |bencher| {
        bencher.iter_batched(|| (), |()| views.batch(), one_at_a_time);
    });
    let scorer = library::Scorer::new(Scorer::Composite.json());
    let groups = tables::groups(size);
    let mut out = vec![0.0; size];
    group.bench_function(BenchmarkId::new("one batch", size), |bencher| {
        bencher.iter(|| scorer.score(&Batch::by_columns(&columns), black_box(&mut out)));
    });
    group.bench_function(BenchmarkId::new("score_groups", size), |bencher| {
        bencher.iter(|| {
            let batch = Batch::by_columns(&columns);
            tables::score_groups(&scorer, &batch, &groups, black_box(&mut out));
            batch
        });
    });
    group.bench_function(BenchmarkId::new("score_arrow", size), |bencher| {
        bencher.iter(|| offsets.score(&scorer, black_box(&mut out)));
    });
    let conversations: Vec<Columns> = rows.chunks(tables::GROUP).map(Columns::new).collect();
    let batch = Batch::new(tables::GROUP);
    group.bench_function(BenchmarkId::new(tables::LOOP, size), |bencher| {
        bencher.iter(|| {
            for (columns, out) in conversations.iter().zip(out.chunks_mut(tables::GROUP)) {
                batch.replace(columns);
                scorer.score(&batch, black_box(out));
            }
        });
    });
    if quick {
        return None;
    }
    drop((columns, offsets, views, conversations));
    let large = Table::new(&rows, tables::LARGE, Layout::Offsets);
    out.resize(tables::LARGE, 0.0);
    let extra = memory::most_during(|| large.score(&scorer, &mut out));
    group.bench_function(BenchmarkId::new("score_arrow", tables::LARGE), |bencher| {
        bencher.iter(|| large.score(&scorer, black_box(&mut out)));
    });
    Some(extra as f64 / large.bytes() as f64)
}
