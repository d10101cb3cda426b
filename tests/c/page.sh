#!/bin/sh
# The page of rank --html as a browser shows it: every item once, kept ones filling the bar, scores by scorer, and texts of items that
# look like markup as text.
set -eu
. "$(dirname "$0")/lib.sh"
need chromium chromium
rank=$output/rank
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT

# dom FILE: the page after its script has run.
dom() {
    chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --user-data-dir="$profile" --enable-logging=stderr --dump-dom \
        "file://$1" 2>"$profile/messages"
}
count() { grep -o "$1" "$output/dom" | wc -l; }

check "rank --html" "$rank" --budget 1500 --html "$output/page.html" --now 2026-03-10T11:30:00+01:00 \
    examples/data/scorer.json examples/data/agent-session.jsonl
dom "$output/page.html" >"$output/dom"
same "errors of the page" "" "$(grep -E 'CONSOLE.*(Error|error)' "$profile/messages" || true)"
items=$(wc -l <examples/data/agent-session.jsonl)
kept=$("$rank" --budget 1500 --json --now 2026-03-10T11:30:00+01:00 examples/data/scorer.json examples/data/agent-session.jsonl |
    grep -c '"kept":true')
same "a line of a table for each item" "$items" "$(count '<tr id="row-[0-9]*">')"
same "a box in the bar for each item that is kept" "$kept" "$(count '<a [^>]*href="#row-')"
same "scorers in the legend" 9 "$(count ', weight [0-9.]*<')"
same "the summary" 1 "$(count "$kept of $items items fill 1498 of 1500 tokens; 240 of them are pinned")"
same "a bar of scores for each item that is not pinned" "$((items - 3))" "$(count '<div class="parts">')"

cat >"$output/hostile.jsonl" <<'END'
{"content": "</script><img src=x onerror=document.title='run'>", "tokens": 5, "kind": "<b>kind</b>"}
{"content": "<!-- <script> \u2028 & \"quoted\" \\ back", "tokens": 900}
END
echo '{"type": "recency"}' >"$output/recency.json"
check "rank --html with markup in the items" "$rank" --budget 10 --html "$output/hostile.html" "$output/recency.json" "$output/hostile.jsonl"
dom "$output/hostile.html" >"$output/dom"
same "errors of that page" "" "$(grep -E 'CONSOLE.*(Error|error)' "$profile/messages" || true)"
same "markup in the items makes no elements" 0 "$(count '<img\|<b>')"
same "it is shown as text" 2 "$(count '&lt;/script&gt;&lt;img src=x')"
same "its title" 1 "$(count '<title>What to keep</title>')"
same "its lines" 2 "$(count '<tr id="row-[0-9]*">')"

refused() { ! "$rank" --html "$output/none.html" examples/data/scorer.json examples/data/agent-session.jsonl && [ ! -e "$output/none.html" ]; }
check "--html without a budget is refused" refused
unwritable() { ! "$rank" --budget 10 --html "$output/no/such/folder.html" "$output/recency.json" "$output/hostile.jsonl"; }
check "a file that cannot be written is an error" unwritable
report page
