#!/bin/sh
# Builds every C test and example, runs them plain and under valgrind, and runs the
# scripts beside this one. CUPEL_LIB_DIR and CUPEL_INCLUDE_DIR say where the library and
# its header are (default: target/release and include).
set -eu
. "$(dirname "$0")/lib.sh"
need gcc gcc
need valgrind valgrind

# The exit status of a run with errors or leaks is one that no program here has itself.
memcheck="valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=definite,indirect,possible"

# build SOURCE OUTPUT FLAGS...
build() {
    source=$1 program=$2
    shift 2
    gcc -std=c11 -O1 -g $warnings -I"$include" -Itests/c "$source" "$@" -o "$program"
}

for source in tests/c/test_*.c examples/c/*.c; do
    name=$(basename "$source" .c)
    check "build $name" build "$source" "$output/$name" -L"$library" -lcupel -Wl,-rpath,"$library" -lpthread -lm
    case $name in
    rank) ;; # has a script of its own
    *)
        check "$name" "$output/$name"
        check "$name under valgrind" $memcheck "$output/$name"
        ;;
    esac
done

# run_static NAME: the same programs against the static library as cargo makes it; linking.sh has the one that is shipped.
run_static() {
    build "$1" "$output/static" "$library/libcupel.a" -lpthread -ldl -lm && "$output/static"
}
check "quickstart, linked statically" run_static examples/c/quickstart.c
check "test_scorers, linked statically" run_static tests/c/test_scorers.c

same "what quickstart prints" "row 0: 0.2500
row 1: 0.3000
row 2: 0.6500
row 3: 0.8000" "$("$output/quickstart")"
same "what columns prints last" equal "$("$output/columns" | tail -n 1)"
same "what custom prints" "row 0: 0.1250
row 1: 0.6667
row 2: 0.5500" "$("$output/custom")"

# refuses COMMAND...: the command ends with exit status 1.
refuses() {
    status=0
    "$@" || status=$?
    [ $status -eq 1 ]
}
data=examples/data
check "rank under valgrind" $memcheck "$output/rank" $data/scorer.json $data/agent-session.jsonl
check "rank --json under valgrind" $memcheck "$output/rank" --json $data/scorer.json $data/agent-session.jsonl
check "rank --html under valgrind" $memcheck "$output/rank" --budget 900 --html "$output/page.html" $data/scorer.json $data/agent-session.jsonl
check "rank with items that are none, under valgrind" refuses $memcheck "$output/rank" $data/scorer.json $data/scorer.json
check "rank with a scorer that is none, under valgrind" refuses $memcheck "$output/rank" $data/agent-session.jsonl
check "rank with a bad option, under valgrind" refuses $memcheck "$output/rank" --now never $data/scorer.json

for script in header exports linking rank history page; do
    check "$script.sh" "tests/c/$script.sh"
done
report c
