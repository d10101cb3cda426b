//! Makes the C header from the functions of `src/capi`, and names the shared library after the version of its ABI.
//!
//! cbindgen makes the declarations; here they are put in the order in which a reader wants them, under the introduction of
//! `src/capi/introduction.h`. What holds for every function is added to its comment: see [`complete`]. The header is written to the
//! build's output folder, where a test finds it. With `CUPEL_UPDATE_HEADER=1` it replaces the one in `include/`, which is committed.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

/// The sections of the header: a title, and how the names begin that belong there. The first that fits counts.
const SECTIONS: [(&str, &[&str]); 13] = [
    ("Version", &["CUPEL_VERSION_", "CUPEL_ABI_VERSION", "cupel_version", "cupel_abi_version"]),
    ("Status", &["cupel_status", "CUPEL_STATUS_"]),
    ("Errors", &["cupel_error", "cupel_destroy_callback"]),
    ("Texts that the library made", &["cupel_text_data", "cupel_text_len", "cupel_text_free", "cupel_text;"]),
    ("Building an item", &["cupel_item_builder"]),
    ("Reading an item", &["cupel_item", "cupel_metadata_type", "CUPEL_METADATA_TYPE_"]),
    ("Clocks", &["cupel_clock", "cupel_now_callback", "cupel_fallible_now_callback"]),
    ("Arrow", &["cupel_arrow_options", "CUPEL_ARROW_", "cupel_batch_append_arrow", "cupel_scorer_score_arrow"]),
    (
        "Reading the rows of a batch by column",
        &["cupel_batch_read_", "cupel_batch_kinds_len", "cupel_batch_sources_len", "cupel_batch_metadata_keys_len"],
    ),
    ("Batches", &["cupel_batch", "cupel_text_column", "cupel_columns"]),
    (
        "Scoring",
        &["cupel_scorer_score_", "cupel_scorer;", "cupel_scorer_columns", "CUPEL_COLUMN_", "cupel_scorer_free"],
    ),
    (
        "Selecting",
        &[
            "cupel_sel",
            "cupel_policy",
            "cupel_request",
            "cupel_quota",
            "cupel_count_quota",
            "cupel_slicer",
            "CUPEL_SLICER_",
            "cupel_placer",
            "CUPEL_PLACER_",
            "cupel_overflow",
            "CUPEL_OVERFLOW_",
            "cupel_scarcity",
            "CUPEL_SCARCITY_",
            "cupel_shortfall",
            "cupel_reason",
            "CUPEL_REASON_",
        ],
    ),
    ("Scorers", &["cupel_", "CUPEL_TEXT_MATCH_"]),
];

/// What parameters are for that mean the same in all functions whose names begin like this. The first that fits counts.
const PARAMETERS: [(&str, &str, &str); 32] = [
    ("", "out_error", "Where to put the error of a call that fails; may be NULL."),
    ("", "first_row", "The first row."),
    ("", "row", "The row, from 0."),
    ("", "index", "The index, from 0."),
    ("", "json", "The text, UTF-8."),
    ("", "weights_len", "The number of weights; may be 0."),
    (
        "",
        "groups",
        "groups_len + 1 offsets into the rows: from 0 to the length of the batch, never decreasing. Group i has the rows from `groups[i]` to before `groups[i + 1]`; it may be empty.",
    ),
    ("", "groups_len", "The number of groups."),
    ("", "schema", "The type of the table. It is read during the call, and stays the caller's to release."),
    ("", "array", "The table. It is read during the call, and stays the caller's to release."),
    ("", "options", "How the table is read; NULL stands for all defaults."),
    ("", "user_data", "Passed to the callbacks as it is; may be NULL."),
    (
        "",
        "destroy",
        "Called once with user_data when the object and every scorer made with it are gone; may be NULL. A call that fails does not call it: user_data then still belongs to the caller.",
    ),
    ("", "out_present", "Where to put whether it is set."),
    (
        "",
        "out_scores",
        "Where to put the scores, one for each row: higher means more worth keeping. May be NULL if there are no rows.",
    ),
    ("", "out_scores_len", "The length of out_scores: the number of rows."),
    ("cupel_batch_read_", "rows", "The number of rows to read."),
    ("cupel_batch_read_", "out_codes", "Where to put the codes: `rows` entries."),
    (
        "cupel_batch_read_",
        "out_validity",
        "Where to put, for each row, 1 where the value is set and 0 where it is not; may be NULL.",
    ),
    (
        "cupel_batch_read_",
        "out_offsets",
        "Where to put the offsets of the texts into out_data: one more than there are texts, the first of which is 0.",
    ),
    (
        "cupel_batch_read_",
        "out_data",
        "Where to put the bytes of the texts, one after another; NULL to read the offsets only.",
    ),
    ("cupel_batch_read_", "out_data_len", "The length of out_data: the last offset or more; 0 with NULL."),
    (
        "cupel_item_",
        "out_data",
        "Where to put the address of the text: UTF-8, not NUL-terminated, the item's own, valid as long as the item is.",
    ),
    ("cupel_item_builder_", "content", "The content, UTF-8, not empty. It is copied."),
    ("cupel_item_builder_", "tokens", "Its size in tokens, as the host counted it. Any number; never checked."),
    (
        "cupel_item_builder_",
        "key",
        "The key, UTF-8; may be empty. It is copied. Keys that begin with `cupel:` are reserved for conventions.",
    ),
    ("cupel_", "value", "The text, UTF-8; may be empty. It is copied."),
    ("cupel_scorer_", "callback", "Scores a whole batch."),
    ("cupel_clock_", "callback", "Tells the present time."),
    (
        "cupel_selector_select",
        "selection",
        "Where to put the result. If the call fails, it is what it was before, and so are the arrays of its views.",
    ),
    ("cupel_scorer_", "clock", "The source of the present time. The scorer keeps its own reference to it."),
    ("cupel_scorer_", "null_timestamp_score", "The score of rows without a timestamp; from 0 to 1."),
];

/// The thread rule and the lifetime of a type whose comment does not state them.
const HANDLE_RULE: &str = "Threads: immutable, any number of threads may use it at once. Lifetime: it belongs to the caller of \
                           the function that made it, who frees it once with cupel_type_free().";

/// The thread rule of a callback whose comment does not state its own.
const CALLBACK_RULE: &str = "it is called on the thread that scores, once in a scoring call, and by several threads at once if \
                             they score at once. It must not throw a C++ exception or leave by longjmp: that is undefined, \
                             and in this build an exception aborts.";

/// What a callback returns whose comment does not say so itself.
const CALLBACK_STATUSES: &str =
    "CUPEL_STATUS_OK, or any other number to fail the scoring call with CUPEL_STATUS_CALLBACK_FAILED.";

fn main() {
    println!("cargo:rerun-if-changed=src/capi");
    println!("cargo:rerun-if-changed=cbindgen.toml");
    println!("cargo:rerun-if-env-changed=CUPEL_UPDATE_HEADER");

    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    name_shared_library(&root, &out_dir);
    let out = out_dir.join("cupel.h");
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml is in order");
    let bindings = cbindgen::Builder::new().with_config(config).with_crate(&root).generate();
    let mut declarations = Vec::new();
    bindings.expect("src/capi is something that cbindgen reads").write(&mut declarations);
    let declarations = String::from_utf8(declarations).expect("cbindgen writes UTF-8");
    let introduction =
        std::fs::read_to_string(root.join("src/capi/introduction.h")).expect("the introduction is there");
    std::fs::write(&out, header(&introduction, &declarations)).expect("OUT_DIR can be written to");
    if env::var_os("CUPEL_UPDATE_HEADER").is_some_and(|update| update == "1") {
        std::fs::copy(&out, root.join("include/cupel.h")).expect("include/ can be written to");
    }
}

/// Gives the shared library a SONAME that ends in `CUPEL_ABI_VERSION`, so that a program which was linked with it refuses to
/// start with a library of another ABI.
fn name_shared_library(root: &Path, out_dir: &Path) {
    let source = std::fs::read_to_string(root.join("src/capi/version.rs")).expect("src/capi/version.rs is there");
    let version = source
        .lines()
        .find_map(|line| line.strip_prefix("pub const CUPEL_ABI_VERSION: u32 = ")?.strip_suffix(';'))
        .expect("src/capi/version.rs defines CUPEL_ABI_VERSION");
    let (argument, file, name) = match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("windows") => return,
        // A module of WebAssembly has no name that others link to.
        _ if env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") => return,
        Ok("macos") => {
            let name = format!("libcupel.{version}.dylib");
            (format!("-Wl,-install_name,@rpath/{name}"), "libcupel.dylib", name)
        }
        _ => {
            let name = format!("libcupel.so.{version}");
            (format!("-Wl,-soname,{name}"), "libcupel.so", name)
        }
    };
    println!("cargo::rustc-link-arg-cdylib={argument}");

    // A program that is linked with the library in the target folder looks for it there by that name. OUT_DIR is
    // build/PACKAGE/out below that folder. In a package from a registry nothing is linked with it.
    #[cfg(unix)]
    if let Some(folder) = out_dir.ancestors().nth(3).filter(|_| root.join("scripts").is_dir()) {
        let link = folder.join(&name);
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(file, &link).expect("the target folder can be written to");
    }
    #[cfg(not(unix))]
    let _ = (file, name, out_dir);
}

/// The whole header.
fn header(introduction: &str, declarations: &str) -> String {
    // Every declaration comes with its comment, and every comment with its declaration.
    let blocks = declarations.split("\n/**").map(|block| block.trim().trim_start_matches("/**"));
    // cbindgen takes up constants of the Rust interface too.
    let blocks: Vec<&str> = blocks.filter(|block| name(block).to_ascii_lowercase().starts_with("cupel_")).collect();
    let mut text = introduction.trim_end().to_owned();
    text.push('\n');
    let mut put = |title: &str, blocks: Vec<&&str>| {
        text.push_str(&format!("\n/* {:-<112} */\n/* {title:112} */\n/* {:-<112} */\n", "", ""));
        for block in blocks {
            text.push_str(&format!("\n/**\n {}\n", complete(block)));
        }
    };
    let (opaque, rest): (Vec<_>, Vec<_>) = blocks.iter().partition(|block| is_opaque(block));
    put("Handles", opaque);
    for (section, &(title, _)) in SECTIONS.iter().enumerate() {
        // Constants and types before the functions that take them.
        let mut own: Vec<&&str> = rest.iter().filter(|block| section_of(name(block)) == section).copied().collect();
        own.sort_by_key(|block| (block.contains("CUPEL_API"), !block.contains("\n#define")));
        put(title, own);
    }
    text.push_str("\n#ifdef __cplusplus\n} /* extern \"C\" */\n#endif\n\n#endif /* CUPEL_H */\n");
    text
}

/// Lays out the comment of a function or a callback: a description, the parameters in order, the statuses, the thread
/// rule. What the comment does not mention is added: see [`usual_text`], [`usual_statuses`] and [`thread_rule`]. A handle gets
/// its thread rule and its lifetime.
fn complete(block: &str) -> String {
    let Some((comment, declaration)) = block.split_once("\n */\n") else { return block.to_owned() };
    if is_opaque(block) && !comment.contains("\n * Threads: ") {
        let mut text = format!("{comment}\n *");
        wrap(&mut text, "", &HANDLE_RULE.replace("cupel_type", name(block).trim_end_matches(';')));
        return format!("{text}\n */\n{declaration}");
    }
    let Some((_, parameters)) = declaration.rsplit_once('(').filter(|_| !declaration.contains('{')) else {
        return block.to_owned();
    };
    let function = name(block);
    let parameters = parameters.trim_end_matches(");").split(',').filter_map(|parameter| {
        let (of, name) = parameter.trim().rsplit_once([' ', '*'])?;
        Some((parameter.trim().strip_suffix(name)?.trim_end(), name)).filter(|_| !of.is_empty())
    });
    let parameters: Vec<(&str, &str)> = parameters.collect();

    let (comment, threads) = match comment.split_once("\n *\n * Threads: ") {
        Some((comment, threads)) => (comment, threads.to_owned()),
        None => (comment, thread_rule(function, &parameters)),
    };
    let (description, tags) = comment.split_once("\n * @").unwrap_or((comment, ""));
    let (mut described, mut statuses) = (BTreeMap::new(), usual_statuses(function, &parameters));
    for tag in tags.split("\n * @").filter(|tag| !tag.is_empty()) {
        match tag.split_once(' ') {
            Some(("return", text)) => statuses = text.to_owned(),
            Some(("param", text)) => described.extend(text.split_once(' ')),
            _ => panic!("{function}: @{tag} is not understood"),
        }
    }

    let mut text = String::new();
    for paragraph in description.trim_end_matches("\n *").split("\n *\n") {
        wrap(&mut text, "", paragraph);
        text.push_str("\n *");
    }
    let width = parameters.iter().map(|(_, name)| name.len()).max().unwrap_or_default();
    for (position, &(_, name)) in parameters.iter().enumerate() {
        let usual = || usual_text(function, &parameters, position);
        let purpose = described.remove(name).map_or_else(usual, str::to_owned);
        wrap(&mut text, &format!("@param {name:width$}  "), &purpose);
    }
    assert!(described.is_empty(), "{function} has no parameters {described:?}");
    if !statuses.is_empty() {
        wrap(&mut text, "@return ", &statuses);
    }
    if !text.ends_with("\n *") {
        text.push_str("\n *");
    }
    wrap(&mut text, "Threads: ", &threads);
    format!("{}\n */\n{declaration}", text.trim_start())
}

/// Appends lines of a comment, at most 120 columns wide. The first one begins with `label`, the others are indented below a tag.
fn wrap(comment: &mut String, label: &str, text: &str) {
    let indent = if label.starts_with('@') { " ".repeat(label.len()) } else { String::new() };
    let mut line = format!(" * {label}");
    let lines = text.lines().map(|line| line.trim_start().strip_prefix("* ").unwrap_or(line));
    for word in lines.flat_map(str::split_whitespace) {
        if line.len() + word.len() > 120 {
            comment.push_str(&format!("\n{}", line.trim_end()));
            line = format!(" * {indent}");
        }
        line.push_str(word);
        line.push(' ');
    }
    comment.push_str(&format!("\n{}", line.trim_end()));
}

/// What a parameter is for, where its function does not say it: by its name, or by its type.
fn usual_text(function: &str, parameters: &[(&str, &str)], position: usize) -> String {
    let (of, name) = parameters[position];
    let has = |parameter| parameters.iter().any(|(_, name)| *name == parameter);
    let listed = PARAMETERS.iter().find(|(scope, listed, _)| function.starts_with(scope) && *listed == name);
    let handle =
        of.trim_start_matches("const ").strip_prefix("struct ").map_or("", |of| of.trim_end_matches([' ', '*']));
    let before = position.checked_sub(1).map(|before| parameters[before]);
    match (listed, name.strip_prefix("out_")) {
        _ if is_callback(function) && name == "user_data" => {
            "The pointer that was passed with the callback.".to_owned()
        }
        (Some((_, _, text)), _) => (*text).to_owned(),
        (None, Some(made)) if of.ends_with("**") => {
            format!("Where to put the {made}, which the caller frees with {handle}_free().")
        }
        (None, Some(_)) if has("first_row") && has("out_validity") => {
            "Where to put them: `rows` entries, 0 where it is not set.".to_owned()
        }
        (None, Some(_)) if has("first_row") => "Where to put them: `rows` entries.".to_owned(),
        (None, Some(_)) if has("out_present") => "Where to put it; 0 if it is not set.".to_owned(),
        (None, Some("len")) if has("out_data") => "Where to put its length in bytes.".to_owned(),
        (None, Some(_)) => "Where to put it.".to_owned(),
        (None, None) if function.ends_with("_free") => {
            format!("The {name}; NULL does nothing. It must not be freed twice.")
        }
        (None, None) if function.ends_with("_len") && parameters.len() == 1 => format!("The {name}; NULL gives 0."),
        (None, None) if !handle.is_empty() => format!("The {name}."),
        (None, None)
            if before.is_some_and(|(of, text)| of == "const char *" && name.strip_suffix("_len") == Some(text)) =>
        {
            "Its length in bytes.".to_owned()
        }
        _ => panic!("{function} does not describe {name}"),
    }
}

/// The statuses of a function that can fail, or of a callback, whose comment does not list them: those that its parameters can
/// cause.
fn usual_statuses(function: &str, parameters: &[(&str, &str)]) -> String {
    let any = |fits: &dyn Fn(&str, &str) -> bool| parameters.iter().any(|(of, name)| fits(of, name));
    match is_callback(function) {
        true if any(&|_, name| name.starts_with("out_")) => return CALLBACK_STATUSES.to_owned(),
        false if any(&|_, name| name == "out_error") => {}
        _ => return String::new(),
    }
    let takes_text = any(&|of, text| of == "const char *" && any(&|_, len| len.strip_suffix("_len") == Some(text)));
    let makes_handle = any(&|of, name| of.starts_with("struct ") && of.ends_with("**") && name != "out_error");
    let statuses = [
        ("NULL_ARGUMENT", true),
        ("INVALID_UTF8", takes_text),
        ("INVALID_ARGUMENT", function.starts_with("cupel_batch_read_")),
        ("LENGTH_MISMATCH", any(&|_, name| name == "out_data_len")),
        ("OUT_OF_RANGE", takes_text || any(&|_, name| matches!(name, "row" | "first_row" | "index"))),
        ("BUSY", any(&|of, _| of == "struct cupel_batch *")),
        ("OUT_OF_MEMORY", makes_handle || any(&|of, _| of == "struct cupel_item_builder *")),
    ];
    let statuses: Vec<&str> = statuses.iter().filter(|(_, applies)| *applies).map(|(status, _)| *status).collect();
    statuses.join(", ")
}

/// The thread rule of a function that does not state its own.
fn thread_rule(function: &str, parameters: &[(&str, &str)]) -> String {
    if is_callback(function) {
        return CALLBACK_RULE.to_owned();
    }
    let handles = parameters.iter().filter(|(of, name)| of.contains("struct cupel_") && !name.starts_with("out_"));
    let mut rule = "any number at once".to_owned();
    for (of, name) in handles {
        if function.ends_with("_free") {
            return "one at a time.".to_owned();
        } else if !of.starts_with("const ") {
            return format!("one at a time for each {name}.");
        } else if matches!(*name, "batch" | "builder") {
            rule.push_str(&format!(", while nobody changes the {name}"));
        }
    }
    rule + "."
}

/// Whether a name is that of a callback, which [`name`] gives with its parameters.
fn is_callback(name: &str) -> bool {
    name.contains("_callback)")
}

fn is_opaque(block: &str) -> bool {
    block.contains("\ntypedef struct cupel_") && !block.contains('{')
}

/// The name that a block declares, with what follows it on the line where that matters.
fn name(block: &str) -> &str {
    let (_, declaration) = block.rsplit_once("*/\n").unwrap_or(("", block));
    if let Some(define) = declaration.strip_prefix("#define ") {
        return define;
    }
    let end = match declaration.find("CUPEL_API").and(declaration.find('(')) {
        Some(parameters) => parameters,
        None => match declaration.find("(*") {
            Some(callback) => return &declaration[callback + 2..],
            None => declaration.len(),
        },
    };
    let words = &declaration[..end];
    &words[words.rfind([' ', '*']).map_or(0, |before| before + 1)..]
}

fn section_of(name: &str) -> usize {
    let section = SECTIONS.iter().position(|(_, beginnings)| beginnings.iter().any(|b| name.starts_with(b)));
    section.unwrap_or_else(|| panic!("no section of the header is for {name}"))
}
