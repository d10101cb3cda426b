# shellcheck shell=sh
# Sourced by the demos, which call it in the root of the checkout.

# rank_history RANK...: shows with a program like examples/c/rank.c what of the commit history of this checkout to keep under a
# token budget, or, where there is no history to speak of, of a recorded agent session.
rank_history() {
    # An unpacked archive may lie inside somebody's checkout; that history is not ours.
    commits=0
    if command -v git >/dev/null 2>&1 && prefix=$(git rev-parse --show-prefix 2>/dev/null) && [ -z "$prefix" ]; then
        commits=$(git rev-list --count --max-count=1000 HEAD 2>/dev/null || echo 0)
    fi
    budget=1500
    if [ "$commits" -ge 5 ]; then
        mkdir -p target
        scripts/history-items.sh --max-count=1000 HEAD >target/history.jsonl
        echo "What to keep of the last $commits commits of this checkout in $budget tokens:"
        "$@" --budget $budget examples/data/history-scorer.json target/history.jsonl
    else
        echo "No history here. What to keep of an agent's session at its end in $budget tokens:"
        "$@" --budget $budget --now 2026-03-10T11:30:00+01:00 examples/data/scorer.json examples/data/agent-session.jsonl
    fi
}
