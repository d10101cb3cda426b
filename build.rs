//! Makes the C header from the functions of `src/capi`, and names the shared library after the version of its ABI.
//!
//! cbindgen makes the declarations; here they are put in the order in which a reader wants them, under the introduction of
//! `src/capi/introduction.h`. What holds for every function is added to its comment: see [`complete`]. The header is written beside the build's other output, where a test finds it.
//! `CUPEL_UPDATE_HEADER=1` has it replace the one in `include/`, which is committed.

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

/// Adds to the comment of a function what follows from its declaration, unless the comment says it: the parameters that receive an
/// error or a new handle, and the thread rule.
fn complete(block: &str) -> String {
    let Some((comment, declaration)) = block.split_once("\n */\nCUPEL_API") else { return block.to_owned() };
    let parameters = declaration.split_once('(').map_or("", |(_, parameters)| parameters.trim_end_matches(");"));
    let mut added = String::new();
    for parameter in parameters.split(',') {
        let Some((of, name)) = parameter.trim().split_once(" **out_") else { continue };
        if comment.contains(&format!("@param out_{name} ")) {
            continue;
        }
        let purpose = match name {
            "error" => "the error of a call that fails; may be NULL.".to_owned(),
            _ => format!("the {name}, which the caller frees with {}_free().", of.trim_start_matches("struct ")),
        };
        added.push_str(&format!("\n * @param out_{name}  Where to put {purpose}"));
    }
    let mut comment = comment.to_owned();
    comment.insert_str(comment.find("\n * @return").unwrap_or(comment.len()), &added);
    if !comment.contains("\n * Threads: ") {
        let rule = match parameters.split(',').next().and_then(|first| first.split_once(" *")) {
            _ if name(block).ends_with("_free") => "one at a time.".to_owned(),
            Some((of, name)) if !of.contains("const") && of.contains("cupel_") && !name.starts_with('*') => {
                format!("one at a time for each {name}.")
            }
            _ => "any number at once.".to_owned(),
        };
        comment.push_str(&format!("\n *\n * Threads: {rule}"));
    }
    format!("{comment}\n */\nCUPEL_API{declaration}")
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
