//! Ranks items of a JSON file with a scorer of a JSON file, or the text files of a folder: which of them are most worth
//! showing to a model?
//!
//! ```sh
//! cargo run --example rank -- examples/data/scorer.json examples/data/agent-session.jsonl [HOW_MANY]
//! cargo run --example rank -- [FOLDER] [HOW_MANY]
//! ```
//!
//! In a folder a file is an item: its text is the content, its time of change the timestamp, the names of the folders around
//! it are its tags, and its ending says what kind it is. The scorer is composed of recency, decay, kind and frequency.

use std::error::Error;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{env, fs};

use cupel::batch::{Batch, ItemBuilder};
use cupel::json::{append_items, read_scorer};
use cupel::scorer::{Clock, Composite, Curve, Decay, Frequency, Kind, Recency, Scaled, SharedScorer};
use cupel::select::{Placer, Policy, Request, Selection, Selector, Slicer};

const CONTENT_WIDTH: usize = 60;
const DAY: i64 = 86_400_000_000_000;
const MOST_BYTES: u64 = 1 << 20;
const SKIPPED_FOLDERS: [&str; 2] = ["target", "node_modules"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let first = PathBuf::from(arguments.next().unwrap_or_else(|| ".".into()));
    let (batch, names, scorer) = if first.is_file() {
        let items = arguments.next().ok_or("after the file of the scorer comes the file of the items")?;
        read_json(&first, Path::new(&items))?
    } else {
        let (batch, names) = read_folder(&first)?;
        (batch, names, file_scorer()?)
    };
    let best = arguments.next().unwrap_or_else(|| "10".into());
    let best: usize = best.parse().map_err(|_| format!("how many to show is a whole number, not {best:?}"))?;

    // The best rows, best first, whatever they cost.
    let policy =
        Policy { slicer: Slicer::Ranked, placer: Placer::Ranked, keep_duplicates: true, ..Policy::of(&scorer) };
    let mut selection = Selection::new();
    Selector::new(policy)?.select(&batch, &Request { max_rows: best, ..Request::of(i64::MAX) }, &mut selection)?;
    println!("{:>4}  {:>8}  {:>7}  {:<12}  item", "rank", "score", "tokens", "kind");
    for (rank, &row) in selection.rows().iter().enumerate() {
        let row = row as usize;
        let item = batch.item(row)?;
        let (score, name) = (selection.scores()[row], &names[row]);
        println!("{:>4}  {score:.6}  {:>7}  {:<12}  {name}", rank + 1, item.tokens(), item.kind());
    }
    println!("{} of {} items", selection.rows().len(), batch.len());
    Ok(())
}

/// A scorer and items as JSON; an item is shown as the beginning of its content.
fn read_json(scorer: &Path, items: &Path) -> Result<(Batch, Vec<String>, SharedScorer), Box<dyn Error>> {
    let in_file = |path: &Path, error: &dyn Display| format!("{}: {error}", path.display());
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| in_file(path, &error));
    let tree = read_scorer(&read(scorer)?, &Clock::system()).map_err(|error| in_file(scorer, &error))?;
    let mut batch = Batch::new();
    append_items(&mut batch, &read(items)?).map_err(|error| in_file(items, &error))?;
    let mut names = Vec::new();
    for row in 0..batch.len() {
        let words: Vec<_> = batch.item(row)?.content().split_whitespace().map(str::to_owned).collect();
        names.push(words.join(" ").chars().take(CONTENT_WIDTH).collect());
    }
    Ok((batch, names, tree))
}

/// The text files of a folder, and their names.
fn read_folder(folder: &Path) -> Result<(Batch, Vec<String>), Box<dyn Error>> {
    let mut paths = Vec::new();
    collect_files(folder, &mut paths)?;
    paths.sort();
    // Rows and names go together: a file that is no text gets neither.
    let mut batch = Batch::new();
    let mut names = Vec::new();
    for path in &paths {
        let name = path.strip_prefix(folder).unwrap_or(path);
        if push_file(&mut batch, path, name)? {
            names.push(name.display().to_string());
        }
    }
    if batch.is_empty() {
        return Err(format!("there are no text files in {}", folder.display()).into());
    }
    Ok((batch, names))
}

/// Recent files first, documents before code, and files beside many others before those that stand apart.
fn file_scorer() -> Result<SharedScorer, Box<dyn Error>> {
    let kind = Kind::new([("Document", 1.0), ("Code", 0.8), ("Test", 0.5), ("Data", 0.1)])?;
    let decay = Decay::new(&Clock::system(), Curve::exponential(7 * DAY)?, 0.5)?;
    // In a fresh checkout all files are of the same minute; scaled, even that tells them apart.
    let decay = Scaled::new(&decay)?;
    Ok(Composite::new([(&Recency::new()?, 2.0), (&decay, 2.0), (&kind, 4.0), (&Frequency::new()?, 1.0)])?)
}

/// Appends a file as a row, unless it is too long, empty or no UTF-8 text.
fn push_file(batch: &mut Batch, path: &Path, name: &Path) -> Result<bool, Box<dyn Error>> {
    let metadata = fs::metadata(path)?;
    if metadata.len() > MOST_BYTES {
        return Ok(false);
    }
    let Ok(content) = String::from_utf8(fs::read(path)?) else { return Ok(false) };
    if content.is_empty() {
        return Ok(false);
    }
    // Four bytes a token: a host that has a tokenizer counts.
    let mut item = ItemBuilder::new(&content, content.len().div_ceil(4) as i64)?;
    item.kind(kind_of(name))?.source("Files")?;
    if let Ok(age) = metadata.modified()?.duration_since(UNIX_EPOCH) {
        item.timestamp(i64::try_from(age.as_nanos())?)?;
    }
    for folder in name.parent().into_iter().flat_map(Path::iter) {
        item.tag(&folder.to_string_lossy())?;
    }
    batch.push(&item.build()?)?;
    Ok(true)
}

fn kind_of(name: &Path) -> &'static str {
    let is_test = name.iter().any(|part| part.to_string_lossy().to_lowercase().contains("test"));
    match name.extension().and_then(|ending| ending.to_str()) {
        Some("md" | "rst" | "adoc") => "Document",
        Some("json" | "jsonl" | "csv" | "lock" | "svg" | "txt") => "Data",
        _ if is_test => "Test",
        _ => "Code",
    }
}

/// Finds the files below a folder, past those that are hidden, built or only linked.
fn collect_files(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let kind = entry.file_type()?;
        if name.starts_with('.') {
            continue;
        }
        if kind.is_file() {
            paths.push(entry.path());
        } else if kind.is_dir() && !SKIPPED_FOLDERS.contains(&&*name) {
            collect_files(&entry.path(), paths)?;
        }
    }
    Ok(())
}
