#!/bin/sh
# Shows with examples/rank.py what of the commit history of this checkout to keep under a token budget, or, where there is too
# little, of a recorded session of an agent.
set -eu
cd "$(dirname "$0")"
. ./env.sh

environment=$work/demo
make_venv "$environment"
install_package "$environment" "$(build_wheel)"
cd "$root"
rank() { "$environment/bin/python" bindings/python/examples/rank.py "$@"; }
commits=0
if command -v git >/dev/null && prefix=$(git rev-parse --show-prefix 2>/dev/null) && [ -z "$prefix" ]; then
    commits=$(git rev-list --count --max-count=1000 HEAD 2>/dev/null || echo 0)
fi
budget=1500
if [ "$commits" -ge 5 ]; then
    echo "What to keep of the last $commits commits of this checkout in $budget tokens:"
    scripts/history-items.sh --max-count=1000 HEAD | rank --budget $budget examples/data/history-scorer.json
else
    echo "No history here. What to keep of an agent's session at its end in $budget tokens:"
    rank --budget $budget --now 2026-03-10T11:30:00+01:00 examples/data/scorer.json examples/data/agent-session.jsonl
fi
