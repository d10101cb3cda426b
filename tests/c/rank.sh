#!/bin/sh
# examples/c/rank.c as a user meets it: tables, JSON, options, and a message with exit
# status 1 for everything that is wrong.
set -eu
. "$(dirname "$0")/lib.sh"
rank=$output/rank
scorer=examples/data/scorer.json
session=examples/data/agent-session.jsonl
now="--now 2026-03-10T11:30:00+01:00"
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

items='{"content":"  first\n\tline\u0007 \u001b[31mred \u202eabc","tokens":5,"kind":"Note","priority":1,"timestamp":"2026-01-01T00:00:00Z"}
{"content":"second","tokens":-6,"priority":2,"timestamp":"2025-12-31T23:58:00Z"}
{"content":"third","tokens":7,"priority":1,"timestamp":"2024-01-01T00:00:00Z"}
{"content":"fourth","tokens":8,"kind":"Äußerst langer Kind","priority":3}'
printf '%s\n' "$items" >"$temporary/items"
echo '{"type":"priority"}' >"$temporary/priority"

expected='rank     score   tokens  kind            age  content
   1  1.000000        8  Äußerst l...      -  fourth
   2  0.000000        5  Note             0s  first line [31mred abc
   3  0.000000        7  Message          2y  third
3 of 4 items'
same "a table, ties in input order, without the item of negative tokens" "$expected" \
    "$("$rank" --now 2026-01-01T00:00:00Z "$temporary/priority" "$temporary/items")"
same "the clock in Unix nanoseconds" "$expected" \
    "$("$rank" --now 1767225600000000000 "$temporary/priority" "$temporary/items")"
same "items on standard input" "$expected" \
    "$("$rank" --now 1767225600000000000 "$temporary/priority" <"$temporary/items")"
same "the scorer on standard input" "$expected" \
    "$("$rank" --now 1767225600000000000 - "$temporary/items" <"$temporary/priority")"
same "-k" "$(echo "$expected" | sed '4,$d'; echo '2 of 4 items')" \
    "$("$rank" -k 2 --now 1767225600000000000 -- "$temporary/priority" "$temporary/items")"
expected='kept, in the order of the prompt
 row     score   tokens  kind            age  why               content
   4  1.000000        2  Message           -  pinned            sixth
   3  1.000000        8  Äußerst l...      -  scored            fourth

dropped, best first
   0  0.000000        5  Note             0s  budget            first line [31mred abc
and 3 more

[=======#############################....]  10 of 11 tokens, 2 of them pinned (=)
2 of 6 items'
{
    printf "%s\n" "$items"
    echo '{"content":"sixth","tokens":2,"pinned":true}'
    echo '{"content":"fourth","tokens":8}'
} >"$temporary/pinned"
same "--budget" "$expected" "$("$rank" --budget 11 -k 1 --now 2026-01-01T00:00:00Z "$temporary/priority" "$temporary/pinned")"
same "--budget --json says of every row why" '0 false budget
1 false negative tokens
2 false budget
3 true scored
4 true pinned
5 false duplicate' "$("$rank" --budget 11 --json "$temporary/priority" "$temporary/pinned" |
    sed 's/.*"row":\([0-9]*\).*"kept":\([a-z]*\),"reason":"\([a-z ]*\)".*/\1 \2 \3/')"
same "--json has every row in input order" '{"row":0,"score":0}
{"row":1,"score":0.66666666666666663}
{"row":2,"score":0}
{"row":3,"score":1}' "$("$rank" --json -k 1 "$temporary/priority" "$temporary/items")"

text=$(printf 'ä%.0s' 1 2 3 4 5 6 7 8 9 10 11 12)
long=$text$text$text$text$text$text
echo "[{\"content\":\"$long\",\"tokens\":1},{\"content\":\"x$long\",\"tokens\":1}]" >"$temporary/long"
same "72 characters fit" "$long" "$("$rank" "$temporary/priority" "$temporary/long" | sed -n 's/^   1 .*- *//p')"
same "73 are cut between characters" "x${long%ääää}..." "$("$rank" "$temporary/priority" "$temporary/long" | sed -n 's/^   2 .*- *//p')"

rows=$(wc -l <"$session")
same "the session has rows enough" yes "$([ "$rows" -ge 120 ] && echo yes)"
same "the session: one score a row" "$rows" "$("$rank" --json $now $scorer $session | wc -l)"
same "the session: ten rows" "10 of $rows items" "$("$rank" $now $scorer $session | tail -n 1)"
same "the session: the task and the rules are among the ten best" 2 \
    "$("$rank" $now $scorer $session | grep -cE 'You are the coding agent|Reviewed, two remarks')"
same "--help" "usage: rank" "$("$rank" --help | cut -c 1-11 | head -n 1)"

# refused WHAT PART ARGUMENTS...: exit status 1, nothing on standard output, and one
# line on standard error that has the part.
refused() {
    what=$1 part=$2
    shift 2
    status=0
    "$rank" "$@" >"$temporary/out" 2>"$temporary/err" </dev/null || status=$?
    if [ $status -eq 1 ] && [ ! -s "$temporary/out" ] && [ "$(wc -l <"$temporary/err")" -eq 1 ] &&
        grep -q "^rank: .*$part" "$temporary/err"; then
        pass
    else
        fail "refused: $what (status $status)"
        sed 's/^/    /' "$temporary/err" >&2
    fi
}

: >"$temporary/empty"
echo '[]' >"$temporary/no-items"
printf '{"content":"a","tokens":1}\n{"content":"b","tokens":"1"}\n' >"$temporary/bad-items"
printf '{"type":"kind","kindWeights":{"a":-1}}' >"$temporary/bad-scorer"
refused "no arguments" "no scorer"
refused "an unknown option" "unknown option" --fast $scorer $session
refused "too many files" "unexpected argument" $scorer $session $session
refused "-k without a value" "-k takes a value" $scorer $session -k
refused "-k 0" "whole number" -k 0 $scorer $session
refused "-k -1" "whole number" -k -1 $scorer $session
refused "--budget 0" "whole number" --budget 0 $scorer $session
refused "--budget without a value" "--budget takes a value" $scorer $session --budget
refused "a budget that pinned items exceed" "pinned rows alone exceed it: rows 0, 1, 10" --budget 5 $scorer $session
refused "-k 3x" "whole number" -k 3x $scorer $session
refused "-k that overflows" "whole number" -k 99999999999999999999 $scorer $session
refused "--now without an offset" "takes an instant" --now 2026-01-01T00:00:00 $scorer $session
refused "--now with a quote" "takes an instant" --now '2026"' $scorer $session
refused "--now that overflows" "takes an instant" --now 9223372036854775808 $scorer $session
refused "--now of no text" "takes an instant" --now '' $scorer $session
refused "a scorer that is not there" "$temporary/none: No such file" "$temporary/none" $session
refused "items that are not there" "$temporary/none: No such file" $scorer "$temporary/none"
refused "a folder" "$temporary: Is a directory" $scorer "$temporary"
refused "an empty scorer" "$temporary/empty: .*INVALID_JSON" "$temporary/empty" $session
refused "an empty file of items" "$temporary/empty: there are no items" $scorer "$temporary/empty"
refused "an empty list of items" "$temporary/no-items: there are no items" $scorer "$temporary/no-items"
refused "empty standard input" "standard input: there are no items" $scorer
refused "both from standard input" "cannot both" - -
refused "bad items" "$temporary/bad-items: .*line 2" $scorer "$temporary/bad-items"
refused "a bad scorer" "$temporary/bad-scorer: .*kindWeights" "$temporary/bad-scorer" $session
if [ -w /dev/full ]; then
    status=0
    "$rank" $scorer $session >/dev/full 2>"$temporary/err" || status=$?
    same "a full disk" "1 rank: standard output: No space left on device" "$status $(cat "$temporary/err")"
fi
report rank
