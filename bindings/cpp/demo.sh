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

# An unpacked archive may lie inside somebody's checkout; that history is not ours.
commits=0
budget=1500
if have git && prefix=$(git rev-parse --show-prefix 2>/dev/null) && [ -z "$prefix" ]; then
    commits=$(git rev-list --count --max-count=1000 HEAD 2>/dev/null || echo 0)
fi

if [ "$commits" -ge 5 ]; then
    scripts/history-items.sh --max-count=1000 HEAD >"$output/history.jsonl"
    echo "What to keep of the last $commits commits of this checkout in $budget tokens:"
    exec "$output/rank" --budget $budget examples/data/history-scorer.json "$output/history.jsonl"
fi
echo "No history here. What to keep of an agent's session at its end in $budget tokens:"
exec "$output/rank" --budget $budget --now 2026-03-10T11:30:00+01:00 examples/data/scorer.json examples/data/agent-session.jsonl
