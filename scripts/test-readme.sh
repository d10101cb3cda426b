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

log=$out/log
. scripts/checks.sh
last=
# program BLOCK FILE: a program of the README is the file beside it. tests/consumers runs the files.
program() {
    check "README.md shows another $2" diff "$1" "$2"
}
for block in "$out"/[0-9][0-9].*; do
    case $block in
    *.python) program "$block" examples/python/keep.py ;;
    *.cpp) program "$block" examples/cpp/keep.cpp ;;
    *.go) program "$block" examples/go/keep.go ;;
    *.csharp) program "$block" examples/dotnet/Keep.cs ;;
    *.rust) program "$block" examples/rust/keep.rs ;;
    *.c) program "$block" examples/c/keep.c ;;
    *.sh)
        if [ "$(cat "$block")" = "make test" ]; then
            continue # is what runs this
        fi
        last=$block.out
        if sh -eu "$block" >"$last" 2>"$block.err"; then
            pass
        else
            fail "$(cat "$block")"
            cat "$last" "$block.err"
        fi
        ;;
    *.text)
        if grep -q ' of 40 tokens$' "$block"; then
            "${CC:-cc}" -std=c11 -Iinclude examples/c/keep.c -L"${CUPEL_LIB_DIR:-target/release}" -lcupel \
                -Wl,-rpath,"${CUPEL_LIB_DIR:-$PWD/target/release}" -o "$out/keep"
            last=$out/keep.out
            "$out/keep" >"$last"
        fi
        # The history goes on after the README is written: of a table of commits the head must be there.
        if cmp -s "$block" "$last" ||
            { grep -q '^The last .* commits' "$block" && head_line=$(sed -n 2p "$block") && grep -qxF "$head_line" "$last"; } ||
            { grep -q '^The last .* commits' "$block" && grep -q '^No history here' "$last"; }; then
            pass
        else
            fail "README.md says"
            cat "$block"
            echo "and it printed"
            cat "$last"
        fi
        ;;
    esac
done
report readme && [ "$passed" -ge 10 ]
