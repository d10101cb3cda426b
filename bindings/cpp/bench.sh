#!/bin/sh
# Measures what it costs to cross into the library from C++; with the argument `small`, only batches of 20 rows and custom
# scorers, and with `report` the rows that scripts/bench.sh adds to the report of all benchmarks. CUPEL_LIB_DIR and CUPEL_INCLUDE_DIR as for test.sh.
set -eu

cd "$(dirname "$0")/../.."
# shellcheck source=bindings/cpp/common.sh
. bindings/cpp/common.sh
require_library
install_missing c++=g++
compiler=$(first_compiler) || { echo "cpp: there is no C++ compiler"; exit 77; }
build "$compiler" "$output/bench" -std=c++17 -O2 bindings/cpp/bench/bench.cpp
exec "$output/bench" "$@"
