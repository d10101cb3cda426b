//! Runs the conformance vectors through the C functions on the platform that it is built for. The vectors are part of the
//! program.
//!
//! `wasm32-unknown-unknown` has no standard output: there the host provides `host.print`.

#[path = "../../../support/capi.rs"]
mod capi;
#[path = "../../../support/vector.rs"]
#[allow(dead_code)] // The runner of `tests/conformance.rs` uses more of it.
mod vector;

include!(concat!(env!("OUT_DIR"), "/vectors.rs"));

/// Whether the platform has neither output nor a system clock.
const BARE: bool = cfg!(all(target_family = "wasm", target_os = "unknown"));

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn print(line: &str) {
    println!("{line}");
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn print(line: &str) {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        fn print(data: *const u8, len: usize);
    }
    // SAFETY: the host reads the bytes during the call.
    unsafe { print(line.as_ptr(), line.len()) };
}

/// The system clock gives a time, or an error where there is none.
fn system_clock() -> Result<(), String> {
    let vector = r#"
        [test]
        name = "the age of a row by the system clock"
        stage = "scoring"
        scorer = "decay"
        expect_scoring_error = true
        [clock]
        type = "system"
        [config.curve]
        type = "window"
        max_age_secs = 1.0
        [[items]]
        content = "old"
        tokens = 1
        timestamp_ns = 0
        [error]
        status = "INVALID_ARGUMENT"
        message_contains = ["no system clock"]
    "#;
    let complaints = vector::run(vector, vector::UnknownFields::Refuse).expect("its stage is known");
    match (complaints.is_empty(), BARE) {
        (true, true) | (false, false) => Ok(()),
        _ => Err(format!("the system clock: {complaints:?}")),
    }
}

fn main() {
    if BARE {
        std::panic::set_hook(Box::new(|info| print(&info.to_string())));
    }
    let mut failures = 0;
    let mut run = 0;
    for (name, text) in VECTORS {
        if BARE && name.ends_with("clock-system.toml") {
            print(&format!("skipped, as there is no system clock: {name}"));
            continue;
        }
        let complaints = vector::run(text, vector::UnknownFields::Refuse);
        let complaints = complaints.unwrap_or_else(|| vec!["is of a stage that is not known".to_owned()]);
        run += 1;
        for complaint in &complaints {
            print(&format!("{name}: {complaint}"));
        }
        failures += usize::from(!complaints.is_empty());
    }
    if let Err(complaint) = system_clock() {
        print(&complaint);
        failures += 1;
    }
    print(&format!("vectors: {run} ran, {failures} failed"));
    assert!(run > 0 && failures == 0, "vectors failed");
}
