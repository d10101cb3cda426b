//! Puts the conformance vectors into the program, which so needs no files where it runs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the directory can be read") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.push(path);
        }
    }
}

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../conformance");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    let mut code = String::from("const VECTORS: &[(&str, &str)] = &[\n");
    for path in &paths {
        println!("cargo::rerun-if-changed={}", path.display());
        let name = path.strip_prefix(&root).expect("it is below").display().to_string();
        writeln!(code, "    ({name:?}, include_str!({:?})),", path.display().to_string()).expect("a string grows");
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("vectors.rs"), code).expect("OUT_DIR can be written to");
}
