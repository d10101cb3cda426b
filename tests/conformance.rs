//! Runs the conformance vectors through the C functions.
//!
//! The vectors are the `.toml` files below `tests/conformance`, or below the directory that
//! `CUPEL_CONFORMANCE_DIR` names. A directory of one's own may hold files of other stages, which are
//! named and skipped, and fields that are not known here, which are ignored.

#[path = "support/capi.rs"]
mod capi;
#[path = "support/vector.rs"]
mod vector;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use vector::UnknownFields;

/// All `.toml` files below a directory, in order of their paths.
fn vectors_below(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory)? {
            let path = entry?.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// What became of the vectors of a directory.
#[derive(Debug, Default)]
struct Report {
    run: usize,
    skipped: Vec<String>,
    failures: Vec<String>,
}

fn run_directory(directory: &Path, unknown: UnknownFields) -> io::Result<Report> {
    let mut report = Report::default();
    for path in vectors_below(directory)? {
        let name = path.strip_prefix(directory).unwrap_or(&path).display().to_string();
        match vector::run_file(&path, unknown) {
            None => report.skipped.push(name),
            Some(complaints) => {
                report.run += 1;
                report.failures.extend(complaints.iter().map(|complaint| format!("{name}: {complaint}")));
            }
        }
    }
    Ok(report)
}

#[test]
fn every_vector_holds() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let (directory, unknown) = match env::var_os("CUPEL_CONFORMANCE_DIR") {
        Some(directory) if !directory.is_empty() => (directory.into(), UnknownFields::Ignore),
        _ => (own, UnknownFields::Refuse),
    };
    let report = run_directory(&directory, unknown).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));

    let mut summary = String::new();
    for name in &report.skipped {
        writeln!(summary, "skipped, of a stage that is not known here: {name}").unwrap();
    }
    writeln!(
        summary,
        "conformance: {} vectors ran, {} files skipped, {} failures ({})",
        report.run,
        report.skipped.len(),
        report.failures.len(),
        directory.display(),
    )
    .unwrap();
    // Past the capture of the test harness: how many ran is worth seeing when all is well, too.
    io::stdout().lock().write_all(summary.as_bytes()).unwrap();

    assert!(report.run > 0, "there is no vector below {}", directory.display());
    assert!(report.failures.is_empty(), "\n{}\n", report.failures.join("\n"));
    if unknown == UnknownFields::Refuse {
        assert_eq!(report.skipped, Vec::<String>::new(), "own vectors are of known stages");
    }
}

/// The runner itself: what it must not let pass.
mod runner {
    use super::*;

    const PASSING: &str = r#"
        [test]
        name = "a hint is the score"
        stage = "scoring"
        scorer = "reflexive"
        [[items]]
        content = "a"
        tokens = 1
        futureRelevanceHint = 0.25
        [[expected]]
        content = "a"
        score_approx = 0.25
        [tolerance]
        exact = true
    "#;

    fn complaints(text: &str) -> Vec<String> {
        vector::run(text, UnknownFields::Refuse).expect("a scoring vector")
    }

    #[track_caller]
    fn assert_complains(from: &str, to: &str, about: &str) {
        let text = PASSING.replacen(from, to, 1);
        assert_ne!(text, PASSING, "nothing was replaced");
        let complaints = complaints(&text);
        assert!(complaints.iter().any(|complaint| complaint.contains(about)), "{about:?} is not in {complaints:?}");
    }

    #[test]
    fn accepts_a_passing_vector() {
        assert_eq!(complaints(PASSING), Vec::<String>::new());
    }

    #[test]
    fn tells_the_last_bit() {
        assert_complains("score_approx = 0.25", "score_approx = 0.25000000000000006", "expected");
        assert_complains("score_approx = 0.25", "score_approx = nan", "expected");
        assert_complains("Hint = 0.25", "Hint = -0.0", "-0.0");
        assert_complains("score_approx", "score_bits = \"0x3fd0000000000001\" #", "expected");
    }

    #[test]
    fn keeps_to_the_tolerance() {
        let tolerant = PASSING.replace("exact = true", "score_epsilon = 1e-3");
        assert_eq!(complaints(&tolerant.replace("= 0.25", "= 0.2501").replacen(".2501", ".25", 1)).len(), 0);
        assert_complains("0.25\n        [tol", "0.2511\n        [tol", "expected 0.2511");
        let ulps = PASSING.replace("exact = true", "score_ulps = 1");
        let near = ulps.replace("approx = 0.25", "approx = 0.25000000000000006");
        let far = ulps.replace("approx = 0.25", "approx = 0.2500000000000001");
        assert_eq!((complaints(&near).len(), complaints(&far).len()), (0, 1));
    }

    #[test]
    fn wants_every_row_and_no_other() {
        assert_complains("[[expected]]", "[[items]]\ncontent='b'\ntokens=1\n[[expected]]", "2 items and 1");
        assert_complains("content = \"a\"\n        score", "content = \"b\"\n        score", "no item has");
    }

    #[test]
    fn refuses_what_is_not_of_the_form() {
        assert_complains("tokens = 1", "tokens = 1\nprioriti = 3", "prioriti");
        assert_complains("tokens = 1", "tokens = \"1\"", "tokens");
        assert_complains("exact = true", "exakt = true", "exakt");
        assert_complains("scorer = \"reflexive\"", "scorer = \"reflex\"", "reflex");
        assert_complains("[[items]]", "[config]\nboost = 2.0\n[[items]]", "boost");
        assert_complains("[test]", "[tset]", "no [test]");
        assert_complains("[test]", "[test", "not TOML");
    }

    #[test]
    fn wants_the_error_that_is_expected() {
        assert_complains(
            "scorer = \"reflexive\"",
            "scorer = \"reflexive\"\nexpect_construction_error = true",
            "the scorer was not refused",
        );
        let refused = r#"
            [test]
            name = "a default above one"
            stage = "scoring"
            scorer = "metadata_trust"
            expect_construction_error = true
            [config]
            default_score = 1.25
            [error]
            status = "INVALID_ARGUMENT"
            argument = "default_score"
            value = 1.25
        "#;
        assert_eq!(complaints(refused), Vec::<String>::new());
        for (from, to) in [
            ("INVALID_ARGUMENT", "NULL_ARGUMENT"),
            ("argument = \"default_score\"", "argument = \"boost\""),
            ("value = 1.25", "value = 1.5"),
            ("value = 1.25", "position = 7"),
        ] {
            assert_eq!(complaints(&refused.replace(from, to)).len(), 1, "{from} -> {to}");
        }
    }

    #[test]
    fn reads_datetimes_to_the_nanosecond() {
        for (datetime, nanoseconds) in [
            ("1970-01-01T00:00:00Z", "0"),
            ("1969-12-31T23:59:59.999999999Z", "-1"),
            ("2000-02-29T12:00:00.000000001+01:30", "951820200000000001"),
            ("2024-06-15T00:00Z", "1718409600000000000"),
            ("1677-09-21T00:12:43.145224192Z", "-9223372036854775808"),
            ("2262-04-11T23:47:16.854775807Z", "9223372036854775807"),
        ] {
            let text = PASSING
                .replace("tokens = 1", &format!("tokens = 1\ntimestamp = {datetime}"))
                .replace("score_approx = 0.25", &format!("score_approx = 0.25\ntimestamp_ns = {nanoseconds}"));
            assert_eq!(complaints(&text), Vec::<String>::new(), "{datetime}");
        }
        assert_complains("tokens = 1", "tokens = 1\ntimestamp = 2024-06-15T00:00:00", "offset");
    }

    #[test]
    fn skips_other_stages_and_unknown_fields_of_other_directories() {
        let counting = PASSING.replace("\"scoring\"", "\"counting\"");
        assert!(vector::run(&counting, UnknownFields::Ignore).is_none());
        assert!(vector::run("[package]", UnknownFields::Ignore).is_none());
        let newer = PASSING.replace("tokens = 1", "tokens = 1\nnewer = 3");
        assert_eq!(vector::run(&newer, UnknownFields::Ignore), Some(Vec::new()));
        let silent = PASSING.replace("[tolerance]", "").replace("exact = true", "");
        assert_eq!(vector::run(&silent, UnknownFields::Ignore), Some(Vec::new()));
        assert_eq!(complaints(&silent).len(), 1);
    }

    #[test]
    fn finds_nothing_in_an_empty_directory() {
        let directory = env::temp_dir().join(format!("cupel-conformance-{}", std::process::id()));
        fs::create_dir_all(directory.join("scoring")).unwrap();
        let report = run_directory(&directory, UnknownFields::Refuse);
        fs::remove_dir_all(&directory).unwrap();
        assert_eq!(report.unwrap().run, 0);
        assert!(run_directory(&directory, UnknownFields::Refuse).is_err());
    }
}
