#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cupel_fuzz::call_sequence::run(data));
