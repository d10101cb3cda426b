//! Makes the C header from the functions of `src/capi`.
//!
//! The header is written beside the build's other output, where the tests find it. `CUPEL_UPDATE_HEADER=1` has it replace
//! the one in `include/`, which is committed.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=src/capi");
    println!("cargo:rerun-if-changed=cbindgen.toml");
    println!("cargo:rerun-if-env-changed=CUPEL_UPDATE_HEADER");

    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("cupel.h");
    let mut config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml is in order");
    let introduction = std::fs::read_to_string(root.join("src/capi/introduction.h"));
    config.header = Some(introduction.expect("src/capi/introduction.h is there").trim_end().to_owned());
    let bindings = cbindgen::Builder::new().with_config(config).with_crate(&root).generate();
    bindings.expect("src/capi is something that cbindgen reads").write_to_file(&out);
    if env::var_os("CUPEL_UPDATE_HEADER").is_some_and(|update| update == "1") {
        std::fs::copy(&out, root.join("include/cupel.h")).expect("include/ can be written to");
    }
}
