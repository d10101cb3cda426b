#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cupel_fuzz::scorer_from_json::run(data));
