#!/bin/sh
# Measures the library beside the reference and the floor. `full` writes docs/benchmarks.md, `quick` prints the main figures.
set -eu

cd "$(dirname "$0")/.."
# Figures of an earlier run must not stand in for what this one leaves out.
target=${CARGO_TARGET_DIR:-target}
rm -rf "$target/criterion"

# What a binding costs: lines of name, median and fastest, with tabs between them. A binding whose toolchain cannot be had is left
# out.
rows=$target/bindings-bench.tsv
measure() {
    status=0
    CUPEL_LIB_DIR=$(cd "$target/release" && pwd) "bindings/$1/bench.sh" report >"$rows.part" || status=$?
    case $status in
    0) cat "$rows.part" >>"$rows" ;;
    77) ;;
    *) exit "$status" ;;
    esac
    rm "$rows.part"
}

cargo build --release --lib
: >"$rows"
measure cpp
measure dotnet
measure go
measure python

CUPEL_BENCH=${1:-full} CUPEL_BENCH_BINDINGS=$rows cargo bench --bench scoring
