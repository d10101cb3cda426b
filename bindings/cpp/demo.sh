#!/bin/sh
# Builds examples/cpp/rank.cpp and shows what of the commit history of this checkout to keep under a token budget, or, where
# there is no history to speak of, of a recorded agent session. CUPEL_LIB_DIR and CUPEL_INCLUDE_DIR say where the library and its header are
# (default: target/release and include). Exits with 77 where there is no C++ compiler.
set -eu

cd "$(dirname "$0")/../.."
# shellcheck source=bindings/cpp/common.sh
. bindings/cpp/common.sh
require_library
install_missing c++=g++
compiler=$(first_compiler) || { echo "cpp: there is no C++ compiler"; exit 77; }
build "$compiler" "$output/rank" -std=c++17 -O2 examples/cpp/rank.cpp

# shellcheck source=scripts/rank-history.sh
. scripts/rank-history.sh
rank_history "$output/rank"
