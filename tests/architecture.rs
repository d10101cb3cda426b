//! The modules of the library form layers: a module uses those below it and no others. The graph is drawn from the paths in `src`
//! that begin with `crate::`, tests left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules, from the bottom to the top. Those of one layer do not know each other.
const LAYERS: [&[&str]; 9] = [
    &["memory", "kernel"],
    &["error", "text"],
    &["column"],
    &["ingest"],
    &["batch"],
    &["scorer"],
    &["select"],
    &["json", "arrow"],
    &["capi"],
];

/// Which modules each module uses, with a file that does.
type Graph = BTreeMap<String, BTreeMap<String, PathBuf>>;

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

fn files_below(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The modules that a source text names after `crate::`, one by one or in braces.
fn used_modules(source: &str) -> BTreeSet<String> {
    let code = source.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut used = BTreeSet::new();
    for path in code.split("crate::").skip(1) {
        let entries = match path.strip_prefix('{') {
            Some(list) => list.split_once("};").map_or(list, |(list, _)| list).split(',').collect(),
            None => vec![path],
        };
        for entry in entries {
            let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
            let entry = entry.trim_start();
            used.insert(entry[..entry.find(|character| !is_name(character)).unwrap_or(entry.len())].to_owned());
        }
    }
    used
}

fn graph(source: &Path) -> Graph {
    let mut files = Vec::new();
    files_below(source, &mut files);
    let mut graph = Graph::new();
    for file in files {
        let inside = file.strip_prefix(source).unwrap();
        let module = inside.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs");
        // The root names every module, and test files are no part of the library.
        if module == "lib" || inside.ends_with("tests.rs") {
            continue;
        }
        let uses = graph.entry(module.to_owned()).or_default();
        for used in used_modules(&fs::read_to_string(&file).unwrap()) {
            if used != module {
                uses.entry(used).or_insert_with(|| inside.to_owned());
            }
        }
    }
    graph
}

/// What in a graph does not fit the layers.
fn complaints(graph: &Graph) -> Vec<String> {
    let mut complaints = Vec::new();
    for (module, uses) in graph {
        let Some(own) = layer(module) else {
            complaints.push(format!("src/{module} belongs to no layer"));
            continue;
        };
        for (used, file) in uses {
            match layer(used) {
                Some(below) if below < own => {}
                Some(_) => complaints.push(format!("src/{} uses {used}, which is not below {module}", file.display())),
                None => complaints.push(format!("src/{} uses {used}, which belongs to no layer", file.display())),
            }
        }
    }
    complaints
}

#[test]
fn every_module_uses_those_below_it_alone() {
    let graph = graph(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let modules: BTreeSet<&str> = graph.keys().map(String::as_str).collect();
    assert_eq!(modules, LAYERS.concat().into_iter().collect(), "the modules of src and those of the layers");
    assert!(graph["capi"].contains_key("batch") && graph["scorer"].contains_key("kernel"), "{graph:?}");
    assert!(graph["kernel"].is_empty(), "kernel is a leaf: {:?}", graph["kernel"]);
    let complaints = complaints(&graph);
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// The test itself: what it must not let pass.
#[test]
fn an_arrow_upwards_is_found() {
    let source = "use crate::{json::Reader, memory::Heap};\n// crate::capi\nfn f() { crate::scorer::g() }\n\
                  #[cfg(test)]\nmod tests { use crate::select::Policy; }";
    let used = used_modules(source);
    assert_eq!(used.iter().map(String::as_str).collect::<Vec<_>>(), ["json", "memory", "scorer"]);
    let uses = used.into_iter().map(|used| (used, PathBuf::from("batch/rows.rs"))).collect();
    let found = complaints(&Graph::from([("batch".into(), uses), ("model".into(), BTreeMap::new())]));
    assert_eq!(
        found,
        [
            "src/batch/rows.rs uses json, which is not below batch",
            "src/batch/rows.rs uses scorer, which is not below batch",
            "src/model belongs to no layer"
        ]
    );
}
