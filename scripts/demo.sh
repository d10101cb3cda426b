#!/bin/sh
# Builds examples/c/rank.c and shows what of the commit history of this checkout to keep
# under a token budget, or, where there is no history to speak of, of a recorded agent
# session.
#
# The library must have been built. CUPEL_LIB_DIR and CUPEL_INCLUDE_DIR say where it
# and its header are (default: target/release and include).
set -eu

cd "$(dirname "$0")/.."
library=${CUPEL_LIB_DIR:-target/release}
include=${CUPEL_INCLUDE_DIR:-include}
output=target/examples
fewest_commits=5
most_commits=1000
budget=1500

mkdir -p "$output"
library=$(cd "$library" && pwd)
"${CC:-cc}" -std=c11 -O2 -Wall -Wextra -I"$include" examples/c/rank.c \
    -L"$library" -lcupel -Wl,-rpath,"$library" -o "$output/rank"

# An unpacked archive may lie inside somebody's checkout; that history is not ours.
commits=0
if command -v git >/dev/null 2>&1 && prefix=$(git rev-parse --show-prefix 2>/dev/null) && [ -z "$prefix" ]; then
    commits=$(git rev-list --count --max-count="$most_commits" HEAD 2>/dev/null || echo 0)
fi

if [ "$commits" -ge "$fewest_commits" ]; then
    scripts/history-items.sh --max-count="$most_commits" HEAD >"$output/history.jsonl"
    echo "What to keep of the last $commits commits of this checkout in $budget tokens:"
    exec "$output/rank" --budget $budget examples/data/history-scorer.json "$output/history.jsonl"
else
    echo "No history here. What to keep of an agent's session at its end in $budget tokens:"
    exec "$output/rank" --budget $budget --now 2026-03-10T11:30:00+01:00 examples/data/scorer.json examples/data/agent-session.jsonl
fi
