#!/usr/bin/env bash
# Tests the Go binding against the built library: shared and static, found by
# pkg-config and without it, under the race detector, with cgo's pointer checks
# at their strictest, with a garbage collection at every use of a C pointer, and
# under AddressSanitizer with its leak check. env.sh says which library.
#
# Ends with "go: N passed, M failed"; the exit status is 77 where there is no Go.
set -eu
cd "$(dirname "$0")"
. ./env.sh

log=$work/out
. "$root/scripts/checks.sh"

# Runs go test in a module; "suite NAME MODULE ARGUMENTS".
suite() {
    name=$1
    module=$2
    shift 2
    status=0
    (cd "$module" && go test -v -count=1 "$@" ./...) >"$log" 2>&1 || status=$?
    good=$(grep -c '^ *--- PASS' "$log" || true)
    sed -i '/^ *\(=== \|--- PASS\)/d' "$log"
    add "$name" "$good" "$(grep -c '^ *--- FAIL' "$log")" $status
    echo "  $name: $good passed, $bad failed"
}

formatted() { files=$(gofmt -l .) && [ -z "$files" ] || { echo "not formatted: $files"; return 1; }; }
vetted() { (cd "$1" && go vet ./... && go vet -tags cupel_debug_gc ./...); }
check gofmt formatted
check vet vetted .
check 'vet, conformance' vetted conformance
check 'vet, Arrow' vetted arrow
# The binding itself needs nothing but Go and the library.
alone() { modules=$(go list -m all) && echo "$modules" && [ "$(echo "$modules" | wc -l)" = 1 ]; }
check 'no dependencies' alone

suite 'shared, race detector' . -race
suite 'shared, race detector, vectors' conformance -race
GOEXPERIMENT=cgocheck2 suite 'shared, cgocheck2' .
GOEXPERIMENT=cgocheck2 suite 'shared, cgocheck2, Arrow' arrow
GOGC=1 in_checkout suite 'static, GC at every pointer' . -tags cupel_nopkgconfig,cupel_static,cupel_debug_gc
GOGC=1 in_checkout suite 'static, GC at every pointer, vectors' conformance -tags cupel_nopkgconfig,cupel_static,cupel_debug_gc
GOGC=1 in_checkout suite 'static, GC at every pointer, Arrow' arrow -short -tags cupel_nopkgconfig,cupel_static,cupel_debug_gc
if printf 'int main(void) { return 0; }' | "${CC:-cc}" -fsanitize=address -x c - -o "$work/asan" 2>/dev/null && "$work/asan"; then
    suite 'shared, AddressSanitizer' . -asan
    suite 'shared, AddressSanitizer, Arrow' arrow -short -asan
    loses() { ! CUPEL_TEST_LEAK=1 go test -asan -run '^$' . >"$work/leak" 2>&1 && grep -q 'C memory was lost' "$work/leak"; }
    check 'the leak check finds a leak' loses
else
    echo "  AddressSanitizer: skipped, the C compiler has none"
    # With CI=true everything has to run.
    [ "${CI:-}" != true ] || failed=$((failed + 1))
fi

# Each way to link gives a program that needs the shared library, or does not,
# and ranks the same.
needs_shared() { readelf -d "$1" | grep -q 'NEEDED.*libcupel'; }
ranks() {
    "$1" --now 2026-03-10T11:30:00+01:00 --json "$root/examples/data/scorer.json" "$root/examples/data/agent-session.jsonl" >"$work/json" &&
        [ "$(wc -l <"$work/json")" = "$(wc -l <"$root/examples/data/agent-session.jsonl")" ] &&
        cmp "$work/json" "$work/first-json"
}
linked() {
    go build -tags "$1" -o "$work/rank" ./examples/rank && [ -e "$work/first-json" ] ||
        "$work/rank" --now 2026-03-10T11:30:00+01:00 --json "$root/examples/data/scorer.json" "$root/examples/data/agent-session.jsonl" >"$work/first-json"
    case $1 in
        *static*) ! needs_shared "$work/rank" && LD_LIBRARY_PATH= ranks "$work/rank" ;;
        *) needs_shared "$work/rank" && ranks "$work/rank" ;;
    esac
}
# Without cgo the compiler gives one error, which says why.
needs_cgo() {
    ! CGO_ENABLED=0 go build . 2>"$work/stderr"
    cat "$work/stderr"
    [ "$(grep -c '^\./' "$work/stderr")" = 1 ] && grep -q 'libcupel_needs_cgo' "$work/stderr"
}
check 'without cgo' needs_cgo

check 'link: shared, pkg-config' linked ''
check 'link: shared, no pkg-config' in_checkout linked cupel_nopkgconfig
check 'link: static, pkg-config' linked cupel_static
check 'link: static, no pkg-config' in_checkout linked cupel_nopkgconfig,cupel_static
# Without any shared library, libc's among them.
fully_static() {
    go build -tags "$1" -ldflags '-extldflags -static' -o "$work/rank" ./examples/rank && LD_LIBRARY_PATH='' ranks "$work/rank" &&
        ! readelf -d "$work/rank" | grep NEEDED
}
check 'link: fully static, pkg-config' fully_static cupel_static
check 'link: fully static, no pkg-config' in_checkout fully_static cupel_nopkgconfig,cupel_static

fails_with() {
    text=$1
    shift
    status=0
    "$@" >"$work/stdout" 2>"$work/stderr" </dev/null || status=$?
    cat "$work/stderr"
    [ "$status" = 1 ] && [ ! -s "$work/stdout" ] && grep -q "^rank: .*$text" "$work/stderr"
}
check 'rank: no scorer' fails_with 'no scorer' "$work/rank"
check 'rank: no such file' fails_with 'no such file' "$work/rank" "$work/nowhere"
check 'rank: a file that is no scorer' fails_with 'agent-session.jsonl: cupel: ' "$work/rank" "$root/examples/data/agent-session.jsonl"
check 'rank: no items' fails_with 'no items' "$work/rank" "$root/examples/data/scorer.json"
check 'rank: an unknown option' fails_with 'colour' "$work/rank" --colour
check 'rank: an instant that is none' fails_with 'instant' "$work/rank" --now soon "$root/examples/data/scorer.json"
chats() {
    go run ./examples/chat | tee "$work/chat" | grep -q '^Tokens that the cache had seen: [1-9]' && [ "$(grep -c '%)  ' "$work/chat")" = 24 ]
}
check 'chat' chats
check 'rank: the table' sh -c '"$0" -k 3 "$1" "$2" | tee /dev/stderr | sed -n "5{/^3 of [0-9]* items$/p}" | grep -q .' "$work/rank" "$root/examples/data/scorer.json" "$root/examples/data/agent-session.jsonl"
budgeted() {
    "$work/rank" --now 2026-03-10T11:30:00+01:00 --budget 2000 -k 3 "$root/examples/data/scorer.json" "$root/examples/data/agent-session.jsonl" >"$work/table"
    cat "$work/table"
    grep -q '^ *0 .*  pinned  ' "$work/table" && grep -q '^and [0-9]* more$' "$work/table" &&
        tokens=$(sed -n 's/^\[=*#*\.*\]  \([0-9]*\) of 2000 tokens, [0-9]* of them pinned (=)$/\1/p' "$work/table") &&
        [ "$tokens" -gt 1500 ] && [ "$tokens" -le 2000 ]
}
check 'rank: a budget' budgeted
check 'rank: a budget of nothing' fails_with 'whole number of 1 or more' "$work/rank" --budget 0 "$root/examples/data/scorer.json"
check 'rank: a budget that pinned items exceed' fails_with 'pinned rows alone exceed it' "$work/rank" --budget 100 "$root/examples/data/scorer.json" "$root/examples/data/agent-session.jsonl"

# The first program of README.md, in a module of a user's.
readme() {
    mkdir "$work/user" && cd "$work/user" && go mod init example.org/user &&
        go mod edit -require=github.com/libcupel/libcupel/bindings/go@v0.0.0 -replace=github.com/libcupel/libcupel/bindings/go="$here" &&
        awk '/^```/ { if (inside) exit; inside = /go$/; next } inside' "$here/README.md" >main.go &&
        expected=$(sed -n 's,.*Printf.* // ,,p' main.go) && [ -n "$expected" ] &&
        actual=$(go run .) && echo "$actual" && [ "$actual" = "$expected" ]
}
here=$PWD
check 'the program of README.md' readme

report go
