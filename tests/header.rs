//! The committed header is what the build makes, declares what the library exports, and says what each of it is for.

#[path = "support/header.rs"]
mod header;

use std::collections::BTreeSet;

#[test]
fn the_committed_header_is_what_the_build_makes() {
    let made = include_str!(concat!(env!("OUT_DIR"), "/cupel.h"));
    let committed = header::text();
    if let Some((line, (committed, made))) =
        committed.lines().zip(made.lines()).enumerate().find(|(_, (committed, made))| committed != made)
    {
        panic!("line {}: include/cupel.h has {committed:?}, the build makes {made:?}; run `make header`", line + 1);
    }
    assert!(
        committed == made,
        "one of include/cupel.h and what the build makes goes on after the other's end; run `make header`"
    );
}

#[test]
fn the_library_exports_the_functions_of_the_header_and_nothing_else() {
    let functions = header::functions();
    let declared: BTreeSet<String> = functions.iter().map(|function| function.name.clone()).collect();
    assert_eq!(declared.len(), functions.len(), "no function is declared twice");
    assert!(declared.contains("cupel_scorer_score_batch") && declared.len() > 60, "{declared:?}");
    assert_eq!(declared, header::exported());
    // Counted another way: a name right before a parenthesis.
    let code = header::code();
    let called = code.match_indices('(').filter_map(|(at, _)| {
        let start = code[..at].rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |before| before + 1);
        code[start..at].starts_with("cupel_").then(|| code[start..at].to_owned())
    });
    assert_eq!(declared, called.collect());
}

#[test]
fn names_keep_to_the_prefix() {
    for line in header::text().lines() {
        if let Some(name) = line.strip_prefix("#define ").and_then(|rest| rest.split_whitespace().next()) {
            // The guards and flags of Arrow's structs are named by Arrow.
            assert!(name.starts_with("CUPEL_") || name.starts_with("ARROW_"), "{line}");
        }
    }
    assert!(header::functions().iter().all(|function| function.name.starts_with("cupel_")));
}

#[test]
fn everything_has_a_comment() {
    let text = header::text();
    let lines: Vec<&str> = text.lines().collect();
    let mut inside = false;
    let mut documented = 0;
    for (at, &line) in lines.iter().enumerate() {
        let field = inside && line.starts_with("    ") && line.ends_with(';');
        let function = line.starts_with("CUPEL_API");
        let named = line.starts_with("typedef")
            || line.starts_with("#define CUPEL_STATUS_")
            || line.starts_with("#define CUPEL_TEXT_");
        if field || function || named {
            let above = lines[at - 1].trim();
            assert!(above.ends_with("*/"), "line {}: {line:?} comes after {above:?}, without a comment", at + 1);
            documented += 1;
        }
        if line.starts_with("typedef struct") && line.ends_with('{') {
            inside = true;
        }
        if line.starts_with('}') {
            inside = false;
        }
    }
    assert!(documented > 120, "{documented}");
}

#[test]
fn every_parameter_is_described_where_the_function_is() {
    let text = header::text();
    for function in header::functions() {
        // Comments speak of functions too, with the parenthesis of a call; the declaration lies outside them.
        let name = format!("{}(", function.name);
        let declared = text.match_indices(&name).map(|(at, _)| at).find(|&at| is_code(&text, at));
        let at = declared.expect("it is declared");
        let comment = &text[text[..at].rfind("/**").expect("it has a comment")..at];
        for parameter in &function.parameters {
            assert!(comment.contains(&format!("@param {} ", parameter.name)), "{}: {}", function.name, parameter.name);
        }
        assert!(comment.contains("Threads: "), "{}: no thread rule", function.name);
    }
}

/// Whether a place in the header lies outside comments.
fn is_code(text: &str, at: usize) -> bool {
    text[..at].rfind("*/") > text[..at].rfind("/*")
}
