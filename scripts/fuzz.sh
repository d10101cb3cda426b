#!/bin/sh
# Fuzzes every target for a number of seconds, or the one that is named, and prints for each what was run.
#
#     scripts/fuzz.sh SECONDS [TARGET]
#
# New inputs go to fuzz/work/TARGET, which is kept from run to run and not committed; fuzz/corpus/TARGET is only read. A finding
# is written to fuzz/artifacts/TARGET and ends the run of its target. Needs a nightly toolchain and a C++ compiler;
# cargo-fuzz is installed when it is missing. FUZZ_NICE is the niceness of the fuzzers (default 10).
set -eu

cd "$(dirname "$0")/.."
seconds=${1:?usage: scripts/fuzz.sh SECONDS [TARGET]}
targets=${2:-scorer_from_json append_json append_columns append_arrow call_sequence differential select}
: "${CARGO_TARGET_DIR:=$PWD/target}"

rustup toolchain list | grep -q '^nightly' || rustup toolchain install nightly --profile minimal
command -v cargo-fuzz >/dev/null || cargo install cargo-fuzz --locked
cargo +nightly fuzz build --features libfuzzer --target-dir "$CARGO_TARGET_DIR/fuzz"
programs=$CARGO_TARGET_DIR/fuzz/$(rustc +nightly -vV | sed -n 's/^host: //p')/release

. scripts/checks.sh
for target in $targets; do
    work=fuzz/work/$target artifacts=fuzz/artifacts/$target log=fuzz/work/$target.log
    mkdir -p "$work" "$artifacts"
    dictionary=
    case $target in *json) dictionary=-dict=fuzz/dictionaries/json.dict ;; esac
    status=0
    # shellcheck disable=SC2086 # one word, or none
    nice -n "${FUZZ_NICE:-10}" "$programs/$target" "$work" "fuzz/corpus/$target" $dictionary \
        -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$artifacts/" >"$log" 2>&1 || status=$?
    # The last line of progress has the coverage: "#N DONE cov: N ft: N corp: N/NKb ...".
    coverage=$(sed -n 's/.*\(cov: [0-9]* ft: [0-9]*\).*/\1/p' "$log" | tail -n 1)
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    if [ $status -eq 0 ]; then
        pass
        echo "$target: $executions executions in $seconds s, $coverage, no finding"
    else
        fail "$target: a finding, $coverage; see $log and $artifacts"
        tail -n 40 "$log" >&2
    fi
done
report fuzz
