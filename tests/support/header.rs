//! What include/cupel.h declares, and what the built library exports.

#![allow(dead_code, reason = "each test target uses its own share")]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// A parameter of a function, as the header has it.
#[derive(Debug, Clone)]
pub struct Parameter {
    pub name: String,
    pub text: String,
}

impl Parameter {
    pub fn is_pointer(&self) -> bool {
        self.text.contains('*') || self.text.contains("_callback ")
    }

    pub fn is_size(&self) -> bool {
        self.text.starts_with("size_t ") && !self.is_pointer()
    }

    pub fn is_text(&self) -> bool {
        self.text.starts_with("const char *") && !self.text.contains("**")
    }
}

#[derive(Debug, Clone)]
pub struct Function {
    pub name: String,
    pub parameters: Vec<Parameter>,
}

pub fn text() -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("include/cupel.h");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The header without comments and without what the preprocessor reads.
pub fn code() -> String {
    let text = text();
    let mut code = String::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find("/*") {
        code.push_str(&rest[..start]);
        let end = rest[start..].find("*/").expect("every comment ends");
        rest = &rest[start + end + 2..];
    }
    code.push_str(rest);
    let lines = code.lines().filter(|line| !line.trim_start().starts_with('#'));
    lines.collect::<Vec<_>>().join("\n")
}

/// Every function that the header declares.
pub fn functions() -> Vec<Function> {
    let code = code();
    let mut functions = Vec::new();
    for declaration in
        code.split(';').filter_map(|part| part.split_once("CUPEL_API")).map(|(_, declaration)| declaration)
    {
        let declaration = declaration.split_whitespace().collect::<Vec<_>>().join(" ");
        let (head, parameters) = declaration.split_once('(').expect("a function has parameters");
        let parameters = parameters.strip_suffix(')').expect("a declaration ends with its parameters");
        let name = last_word(head);
        let parameters = parameters.split(',').map(str::trim).filter(|&parameter| parameter != "void");
        let parameters = parameters.map(|text| Parameter { name: last_word(text), text: text.replace("struct ", "") });
        functions.push(Function { name, parameters: parameters.collect() });
    }
    functions
}

fn last_word(text: &str) -> String {
    text.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().expect("there is one").to_owned()
}

/// The names of the symbols that the shared library exports.
pub fn exported() -> BTreeSet<String> {
    // Cargo puts the shared library beside the tests that are built against it.
    let library = env::current_exe().expect("a test is a program").with_file_name("libcupel.so");
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(&library).output().expect("nm runs");
    assert!(output.status.success(), "nm {}: {}", library.display(), String::from_utf8_lossy(&output.stderr));
    let symbols = String::from_utf8(output.stdout).expect("symbols are ASCII");
    symbols.lines().filter_map(|line| line.split_whitespace().last()).map(str::to_owned).collect()
}
