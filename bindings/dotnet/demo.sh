#!/usr/bin/env bash
# Shows what of the commit history of this checkout to keep under a token budget, or, where there are too few commits, of a
# recorded agent session; then a chat with a stable front.
source "$(dirname "${BASH_SOURCE[0]}")/scripts/toolchain.sh"

ensure_mono
ensure_python
ensure_coreclr
build_library
compile_core "$out/core/rank.dll" exe "-r:$out/core/Cupel.Native.dll" "$here/examples/Rank/Rank.cs"

cd "$root"
budget=1500
commits=0
if command -v git >/dev/null && prefix=$(git rev-parse --show-prefix 2>/dev/null) && [ -z "$prefix" ]; then
    commits=$(git rev-list --count --max-count=1000 HEAD 2>/dev/null || echo 0)
fi
if [ "$commits" -ge 5 ]; then
    echo "What to keep of the last $commits commits of this checkout in $budget tokens:"
    scripts/history-items.sh --max-count=1000 HEAD |
        run_core "$out/core/rank.dll" --budget $budget examples/data/history-scorer.json
else
    echo "What to keep of an agent's session at its end in $budget tokens:"
    run_core "$out/core/rank.dll" --budget $budget --now 2026-03-10T11:30:00+01:00 \
        examples/data/scorer.json examples/data/agent-session.jsonl
fi

echo
echo "A chat that outgrows its window, with a stable front and without:"
compile_core "$out/core/chat.dll" exe "-r:$out/core/Cupel.Native.dll" "$here/examples/Chat/Chat.cs"
run_core "$out/core/chat.dll"
