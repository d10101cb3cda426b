#!/bin/sh
# Runs the commands and programs of README.md as they stand there, and holds what they print against what it says they print.
set -eu

cd "$(dirname "$0")/.."
out=target/readme
rm -rf "$out"
mkdir -p "$out"

# Block N of the README goes to N.LANGUAGE.
awk -v out="$out" '
    /^```/ && !inside { inside = 1; file = sprintf("%s/%02d.%s", out, ++number, substr($0, 4)); printf "" > file; next }
    /^```/ { inside = 0; close(file); next }
    inside { print > file }
' README.md

passed=0
failed=0
last=
for block in "$out"/[0-9][0-9].*; do
    case $block in
    *.c) cp "$block" "$out/link.c" ;;
    *.sh)
        if [ "$(cat "$block")" = "make test" ]; then
            continue # is what runs this
        fi
        last=$block.out
        if sh -eu "$block" >"$last" 2>"$block.err"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED: $(cat "$block")"
            cat "$last" "$block.err"
        fi
        ;;
    *.text)
        # The history goes on after the README is written: of a table of commits the head must be there.
        if cmp -s "$block" "$last" ||
            { grep -q '^The last .* commits' "$block" && head_line=$(sed -n 2p "$block") && grep -qxF "$head_line" "$last"; } ||
            { grep -q '^The last .* commits' "$block" && grep -q '^No history here' "$last"; }; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED: README.md says"
            cat "$block"
            echo "and it printed"
            cat "$last"
        fi
        ;;
    esac
done
echo "readme: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 5 ]
