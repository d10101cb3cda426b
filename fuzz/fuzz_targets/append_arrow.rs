#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cupel_fuzz::append_arrow::run(data));
