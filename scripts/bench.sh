#!/bin/sh
# Measures the library beside the reference and the floor. `full` writes docs/benchmarks.md, `quick` prints the main figures.
set -eu

cd "$(dirname "$0")/.."
# Figures of an earlier run must not stand in for what this one leaves out.
rm -rf "${CARGO_TARGET_DIR:-target}/criterion"
CUPEL_BENCH=${1:-full} cargo bench --bench scoring
