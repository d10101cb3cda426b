//! Reads what criterion measured, and writes the tables and the plots.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use plotters::prelude::*;

use crate::data::Shape;
use crate::memory::Memory;
use crate::scorers::Scorer;
use crate::{HOSTILE_SIZES, MAIN_SIZES, REFERENCE_SIZES, SIZES, selecting, tables};

/// What criterion has written of a benchmark to a file, if it was measured.
fn measured(group: &str, function: &str, size: usize, file: &str) -> Option<serde_json::Value> {
    let folder = |name: &str| name.replace(['?', '"', '/', '\\', '*', '<', '>', ':', '|', '^'], "_");
    let root = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let path = root.join("criterion").join(folder(group)).join(folder(function)).join(size.to_string());
    let text = std::fs::read_to_string(path.join("new").join(file)).ok()?;
    serde_json::from_str(&text).ok()
}

/// The median of a benchmark in nanoseconds for each item, if it was measured.
fn median(group: &str, function: &str, size: usize, items: usize) -> Option<f64> {
    let estimates = measured(group, function, size, "estimates.json")?;
    Some(estimates["median"]["point_estimate"].as_f64()? / items as f64)
}

/// The fastest sample of a benchmark in nanoseconds for each item, if it was measured.
fn fastest(group: &str, function: &str, size: usize, items: usize) -> Option<f64> {
    let samples = measured(group, function, size, "sample.json")?;
    let (times, iterations) = (samples["times"].as_array()?, samples["iters"].as_array()?);
    let each = times.iter().zip(iterations).filter_map(|(time, count)| Some(time.as_f64()? / count.as_f64()?));
    each.reduce(f64::min).map(|time| time / items as f64)
}

fn library(shape: Shape, scorer: Scorer, size: usize) -> Option<f64> {
    median(&format!("library {}", shape.name()), scorer.name(), size, size)
}

fn fastest_library(scorer: Scorer, size: usize) -> Option<f64> {
    fastest(&format!("library {}", Shape::Typical.name()), scorer.name(), size, size)
}

fn reference(shape: Shape, scorer: Scorer, size: usize) -> Option<f64> {
    median(&format!("reference {}", shape.name()), scorer.name(), size, 1)
}

fn floor(scorer: Scorer, size: usize) -> Option<f64> {
    median("floor", &format!("{} bytes", scorer.bytes_read()), size, size)
}

/// A figure with three digits that count, or a dash.
fn figure(value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value) if value < 10.0 => format!("{value:.2}"),
        Some(value) if value < 100.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.0}"),
    }
}

/// A figure, in bold where it is above its limit.
fn judged(value: Option<f64>, most: Option<f64>) -> String {
    match value.zip(most) {
        Some((value, most)) if value > most => format!("**{}**", figure(Some(value))),
        _ => figure(value),
    }
}

/// The limit of a figure.
fn limit(most: Option<f64>) -> String {
    most.map_or("–".to_owned(), |most| most.to_string())
}

/// Writes everything that a full run measured, or prints what a quick one did.
/// `large_memory` is the share of a large table that scoring it takes.
pub fn write(quick: bool, memory: &Memory, large_memory: Option<f64>) {
    let main = main_table();
    let build = build_table(memory);
    if quick {
        println!(
            "\n{main}\n{build}\n{}\n{}\n{}\n{}",
            json_table(),
            small_table(),
            tables_table(large_memory),
            selecting_table()
        );
        return;
    }
    let folder = Path::new("docs");
    let mut text = String::from(
        "# Benchmarks\n\nMade by `make bench`: the library through its C ABI, the reference crate `cupel` 1.2 item by item, and the floor, which \
         streams the columns\nthat a scorer needs and writes 8 bytes a row, in one run on one machine. Nanoseconds per item, one thread: medians, and\nthe fastest of the samples beside them where a figure has a limit. A limit is missed when the fastest sample is above it (bold).\n\n",
    );
    let _ = writeln!(text, "Machine: {}.\n\n## Typical data\n\n{main}", machine());
    let _ = writeln!(text, "## Growth\n\n{}", growth_table());
    let _ = writeln!(text, "## All sizes\n\n{}", sizes_tables());
    let _ = writeln!(text, "## Hostile shapes\n\n{}", hostile_table());
    let _ = writeln!(text, "## Building and memory\n\n{build}");
    let _ = writeln!(text, "## JSON\n\n{}", json_table());
    let _ = writeln!(text, "## Small batches and callbacks\n\n{}", small_table());
    let _ = writeln!(text, "## Tables and groups\n\n{}", tables_table(large_memory));
    let _ = writeln!(text, "## Selecting\n\n{}", selecting_table());
    for (shape, file) in [(Shape::Typical, "benchmarks-typical.svg"), (Shape::Missing, "benchmarks-missing.svg")] {
        plot(shape, &folder.join(file)).expect("docs/ can be written to");
        let _ = writeln!(text, "![Nanoseconds per item against the number of items, {} data]({file})\n", shape.name());
    }
    std::fs::write(folder.join("benchmarks.md"), text.trim_end().to_owned() + "\n").expect("docs/ can be written to");
    println!("\n{main}\n{}\n{}\nWrote docs/benchmarks.md.", growth_table(), hostile_table());
}

fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        cpu.lines().find_map(|line| line.strip_prefix("model name")).map(|rest| rest.trim_matches([' ', '\t', ':']));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let path = if cupel::kernel::uses_avx2() { "AVX2 kernels" } else { "portable kernels" };
    format!("{}, {cores} cores, {}, {path}", model.unwrap_or("unknown processor"), std::env::consts::OS)
}

/// Each scorer at the two sizes that have a target.
fn main_table() -> String {
    let mut text = String::from(
        "| scorer | 10k | fastest | at most | 1M | fastest | at most | floor 10k | floor 1M | reference 1k | reference 4k |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for scorer in Scorer::ALL {
        let (ten_thousand, million) = scorer.target();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {ten_thousand} | {} | {} | {million} | {} | {} | {} | {} |",
            scorer.name(),
            figure(library(Shape::Typical, scorer, MAIN_SIZES[0])),
            judged(fastest_library(scorer, MAIN_SIZES[0]), Some(ten_thousand)),
            figure(library(Shape::Typical, scorer, MAIN_SIZES[1])),
            judged(fastest_library(scorer, MAIN_SIZES[1]), Some(million)),
            figure(floor(scorer, MAIN_SIZES[0])),
            figure(floor(scorer, MAIN_SIZES[1])),
            figure(reference(Shape::Typical, scorer, REFERENCE_SIZES[1])),
            figure(reference(Shape::Typical, scorer, REFERENCE_SIZES[2])),
        );
    }
    text
}

/// How the cost per item grows from 10,000 to 1,000,000: as N to this power, and by this factor; and by which factor the floor does,
/// which is how much further away the memory of the larger batch is.
fn growth_table() -> String {
    let mut text =
        String::from("| scorer | exponent of N, per item | factor | factor of the floor |\n|---|---|---|---|\n");
    let growth = |cost: fn(Scorer, usize) -> Option<f64>, scorer: Scorer| {
        let [small, large] = MAIN_SIZES.map(|size| cost(scorer, size));
        small.zip(large).map(|(small, large)| large / small)
    };
    for scorer in Scorer::ALL {
        let factor = growth(|scorer, size| library(Shape::Typical, scorer, size), scorer);
        let exponent = factor.map(|factor| factor.ln() / (MAIN_SIZES[1] as f64 / MAIN_SIZES[0] as f64).ln());
        let exponent = exponent.map_or("–".to_owned(), |exponent| format!("{exponent:.2}"));
        let _ = writeln!(
            text,
            "| {} | {exponent} | {} | {} |",
            scorer.name(),
            figure(factor),
            figure(growth(floor, scorer)),
        );
    }
    text
}

fn sizes_tables() -> String {
    let mut text = String::new();
    for shape in [Shape::Typical, Shape::Missing] {
        let _ = writeln!(
            text,
            "Data: {}.\n\n| scorer | 20 | 100 | 1k | 10k | 100k | 1M |\n|---|---|---|---|---|---|---|",
            shape.name()
        );
        for scorer in Scorer::ALL {
            let figures = SIZES.map(|size| figure(library(shape, scorer, size)));
            let _ = writeln!(text, "| {} | {} |", scorer.name(), figures.join(" | "));
        }
        text.push('\n');
    }
    text
}

/// What hostile data costs, beside the reference on the same data.
fn hostile_table() -> String {
    let mut text = String::from(
        "| scorer | data | 1k | 100k | reference 1k | 1k, of the reference |\n|---|---|---|---|---|---|\n",
    );
    let mut worst: Option<(f64, String)> = None;
    let keys = Shape::HOSTILE_KEYS.iter().flat_map(|&shape| [(Scorer::Recency, shape), (Scorer::Priority, shape)]);
    let tags = Shape::HOSTILE_TAGS.iter().flat_map(|&shape| [(Scorer::Frequency, shape), (Scorer::Tag, shape)]);
    for (scorer, shape) in keys.chain(tags) {
        let [small, large] = HOSTILE_SIZES.map(|size| library(shape, scorer, size));
        let reference = reference(shape, scorer, HOSTILE_SIZES[0]);
        let ratio = small.zip(reference).map(|(small, reference)| small / reference);
        if let Some(ratio) = ratio.filter(|ratio| worst.as_ref().is_none_or(|(worst, _)| worst < ratio)) {
            worst = Some((ratio, format!("{}, {}", scorer.name(), shape.name())));
        }
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            scorer.name(),
            shape.name(),
            figure(small),
            figure(large),
            figure(reference),
            ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.4}")),
        );
    }
    if let Some((ratio, which)) = worst {
        let _ = writeln!(text, "\nWorst ratio to the reference: {ratio:.4} ({which}).");
    }
    text
}

fn build_table(memory: &Memory) -> String {
    let mut text = String::from("| building | data | 10k | fastest | 1M | fastest |\n|---|---|---|---|---|---|\n");
    for shape in [Shape::Typical].into_iter().chain(Shape::BUILDING) {
        let group = format!("build {}", shape.name());
        for how in ["by columns", "by item", "by item, new builders", "reference"] {
            let figures = MAIN_SIZES.map(|size| {
                [median(&group, how, size, size), fastest(&group, how, size, size)].map(figure).join(" | ")
            });
            let _ = writeln!(text, "| {how} | {} | {} |", shape.name(), figures.join(" | "));
        }
    }
    let _ = write!(
        text,
        "\n| bytes per item at {} items | | at most |\n|---|---|---|\n| batch, by columns | {:.1} | 80 |\n| batch, by item | {:.1} | 80 |\n\
         | scratch of the composite | {:.1} | 32 |\n| the reference's items | {:.0} | |\n",
        memory.rows, memory.by_columns, memory.by_item, memory.scratch, memory.reference,
    );
    text
}

/// Reading JSON, beside a reader that only parses and keeps what it read.
fn json_table() -> String {
    let mut text = String::from(
        "| text | bytes | ns a byte | fastest | serde_json into values, fastest | ratio |\n|---|---|---|---|---|---|\n",
    );
    for (name, json) in crate::json_texts() {
        let group = format!("JSON {name}");
        let own = fastest(&group, "library", 0, json.len());
        let peer = fastest(&group, "serde_json", 0, json.len());
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {} | {} |",
            json.len(),
            figure(median(&group, "library", 0, json.len())),
            figure(own),
            figure(peer),
            figure(own.zip(peer).map(|(own, peer)| own / peer)),
        );
    }
    text
}

/// What small batches and callbacks cost.
fn small_table() -> String {
    let mut text = String::from("| | median | fastest | at most |\n|---|---|---|---|\n");
    for (name, group, function, size, items) in [
        (
            "20 rows: make by columns, score by the composite, free; ns a batch",
            "small",
            "make, score, free",
            SIZES[0],
            1,
        ),
        (
            "custom scorer that reads a field item by item, 10k; ns a row",
            "custom",
            "by item",
            MAIN_SIZES[0],
            MAIN_SIZES[0],
        ),
        (
            "custom scorer that reads a field by column, 10k; ns a row",
            "custom",
            "by column",
            MAIN_SIZES[0],
            MAIN_SIZES[0],
        ),
        ("priority, 10k; ns a row", "custom", "priority", MAIN_SIZES[0], MAIN_SIZES[0]),
    ] {
        let [typical, least] = [median(group, function, size, items), fastest(group, function, size, items)];
        let _ = writeln!(text, "| {name} | {} | {} | – |", figure(typical), figure(least));
    }
    for Measured { name, typical, least, most } in bindings() {
        let least = judged(Some(least), most);
        let _ = writeln!(text, "| {name} | {} | {least} | {} |", figure(Some(typical)), limit(most));
    }
    text
}

/// What a binding measured.
struct Measured {
    name: String,
    typical: f64,
    least: f64,
    most: Option<f64>,
}

/// What the bindings measured: name, median, fastest and where there is one the limit of each figure.
fn bindings() -> Vec<Measured> {
    let file = std::env::var_os("CUPEL_BENCH_BINDINGS").map(std::fs::read_to_string);
    let lines = file.map_or(String::new(), |text| text.expect("the file of the bindings can be read"));
    let number = |field: &str| field.parse().expect("a figure is a number");
    let row = |line: &str| {
        let mut fields = line.split('\t');
        let mut next = || fields.next().expect("a line has a name and two figures");
        let (name, typical, least) = (next().to_owned(), number(next()), number(next()));
        Measured { name, typical, least, most: fields.next().map(number) }
    };
    lines.lines().map(row).collect()
}

/// What selecting costs, with its limits: in nanoseconds after scoring, and as a part of the reference's pipeline.
fn selecting_table() -> String {
    let mut text = String::from(
        "| after scoring, ns per item | 10k | fastest | at most | 1M | fastest | at most |\n|---|---|---|---|---|---|---|\n",
    );
    let least = |name: &str, size: usize| fastest(selecting::GROUP, name, size, size);
    let mut row = |name: &str, limits: [Option<f64>; 2], shown: [Option<f64>; 2], fastest: [Option<f64>; 2]| {
        let _ = write!(text, "| {name} ");
        for column in 0..2 {
            let judgement = judged(fastest[column], limits[column]);
            let _ = write!(text, "| {} | {judgement} | {} ", figure(shown[column]), limit(limits[column]));
        }
        text.push_str("|\n");
    };
    for (name, limits) in [
        (selecting::GREEDY_WINDOW, [Some(14.0), Some(22.0)]),
        (selecting::GREEDY_HALF, [Some(28.0), Some(70.0)]),
        (selecting::GREEDY_GROUPS, [None, None]),
        (selecting::DEDUPLICATED, [None, None]),
        (selecting::KNAPSACK, [None, Some(90.0)]),
    ] {
        let shown = MAIN_SIZES.map(|size| median(selecting::GROUP, name, size, size));
        row(name, limits, shown, MAIN_SIZES.map(|size| least(name, size)));
    }
    let on_top = |cost: &dyn Fn(&str, usize) -> Option<f64>| {
        MAIN_SIZES.map(|size| Some(cost(selecting::DEDUPLICATED, size)? - cost(selecting::GREEDY_WINDOW, size)?))
    };
    let shown = on_top(&|name, size| median(selecting::GROUP, name, size, size));
    row("deduplication on top", [Some(12.0), Some(90.0)], shown, on_top(&least));

    text.push_str("\n| whole pipeline, ns per item | items | median | fastest | reference | part of it | at most |\n");
    text.push_str("|---|---|---|---|---|---|---|\n");
    for (name, limits) in [(selecting::REFLEXIVE, [0.04, 0.04]), (selecting::CHAT, [0.03, 0.006])] {
        for (size, most) in selecting::REFERENCE_SIZES.into_iter().zip(limits) {
            let (own, peer) = (least(name, size), least(&format!("reference {name}"), size));
            let part = own.zip(peer).map(|(own, peer)| own / peer);
            let _ = writeln!(
                text,
                "| {name} | {size} | {} | {} | {} | {} | {most} |",
                figure(median(selecting::GROUP, name, size, size)),
                figure(own),
                figure(peer),
                part.map_or("–".to_owned(), |part| {
                    let text = format!("{part:.4}");
                    if part > most { format!("**{text}**") } else { text }
                }),
            );
        }
    }
    text
}

/// What Arrow tables and groups of 20 rows cost, with building, beside what they are compared with.
fn tables_table(large_memory: Option<f64>) -> String {
    let mut text =
        String::from("| 1M rows, ns a row | median | fastest | ratio | to | at most |\n|---|---|---|---|---|---|\n");
    let (size, large) = (MAIN_SIZES[1], tables::LARGE);
    for (function, size, peer, most) in [
        ("append columns", size, "append columns", None),
        ("append Arrow, offsets", size, "append columns", Some(1.25)),
        ("append Arrow, views", size, "append columns", Some(2.0)),
        ("one batch", size, "one batch", None),
        ("score_groups", size, "one batch", Some(1.5)),
        ("score_arrow", size, "one batch", None),
        (tables::LOOP, size, "score_arrow", None),
        ("score_arrow", large, "score_arrow", Some(1.15)),
    ] {
        let own = fastest("tables", function, size, size);
        let other = fastest("tables", peer, MAIN_SIZES[1], MAIN_SIZES[1]);
        let ratio = own.zip(other).map(|(own, other)| own / other);
        let missed = ratio.zip(most).is_some_and(|(ratio, most): (f64, f64)| ratio > most);
        let mark = if missed { "**" } else { "" };
        let _ = writeln!(
            text,
            "| {function}{} | {} | {} | {mark}{}{mark} | {peer} | {} |",
            if size == large { ", 10M rows" } else { "" },
            figure(median("tables", function, size, size)),
            figure(own),
            figure(ratio),
            figure(most),
        );
    }
    if let Some(share) = large_memory {
        let mark = if share > 0.22 { "**" } else { "" };
        let _ = writeln!(
            text,
            "\nMemory that score_arrow takes for 10M rows, scores included: {mark}{share:.3}{mark} of the table, at most 0.22."
        );
    }
    text
}

/// Nanoseconds per item against N, both axes logarithmic, a line for each scorer, with the reference and the floor.
fn plot(shape: Shape, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::new(path, (1000, 700)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(format!("ns per item, {} data", shape.name()), ("sans-serif", 20))
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d((10.0..2e6).log_scale(), (0.05..2e7).log_scale())?;
    chart.configure_mesh().x_desc("items").y_desc("ns per item").light_line_style(WHITE).draw()?;
    for (index, scorer) in Scorer::ALL.into_iter().enumerate() {
        let color = Palette99::pick(index).to_rgba();
        let measured = SIZES.iter().filter_map(|&size| Some((size as f64, library(shape, scorer, size)?)));
        chart
            .draw_series(LineSeries::new(measured, color.stroke_width(2)))?
            .label(scorer.name())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
        let peer =
            REFERENCE_SIZES.iter().filter_map(|&size| Some((size as f64, reference(Shape::Typical, scorer, size)?)));
        chart.draw_series(DashedLineSeries::new(peer, 4, 4, color.stroke_width(1)))?;
    }
    let least = SIZES.iter().filter_map(|&size| Some((size as f64, floor(Scorer::Reflexive, size)?)));
    chart
        .draw_series(LineSeries::new(least, BLACK.stroke_width(3)))?
        .label("floor of 8 bytes")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 16, y)], BLACK.stroke_width(3)));
    chart
        .draw_series(std::iter::empty::<Circle<(f64, f64), i32>>())?
        .label("dashed: the reference")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 16, y)], BLACK.stroke_width(1)));
    chart.configure_series_labels().position(SeriesLabelPosition::UpperLeft).background_style(WHITE.mix(0.8)).draw()?;
    area.present()?;
    Ok(())
}
