#!/bin/sh
# Measures what the crossing costs: building and scoring 20, 1,000 and 100,000
# items by item, by columns, and by a C call per field. Arguments go to go test,
# such as -bench=Score or -benchtime=3s. env.sh says which library.
#
# With "report" it writes the rows that scripts/bench.sh adds to the report of all
# benchmarks: name, median and fastest, with tabs between them.
set -eu
cd "$(dirname "$0")"
. ./env.sh
if [ "${1:-}" != report ]; then
    go test -run='^$' -bench=. -benchtime=0.3s "$@" .
    exit
fi

go test -run='^$' -bench='^BenchmarkReport$' -benchtime=0.05s -count=15 . >"$work/bench"
# row BENCHMARK DIVISOR NAME
row() {
    awk -v name="BenchmarkReport/$1" -v divisor="$2" '{ sub(/-[0-9]*$/, "", $1) } $1 == name { print $3 / divisor }' "$work/bench" | sort -g |
        awk -v name="$3" '{ times[NR] = $1 } END { if (!NR) exit 1; printf "%s\t%s\t%s\n", name, times[int((NR + 1) / 2)], times[1] }'
}
row small 1 'Go, 20 rows: make by columns, score by the composite, close; ns a batch'
row items 10000 'Go, custom scorer that reads a field item by item, 10k; ns a row'
row column 10000 'Go, custom scorer that reads a field by column, 10k; ns a row'
row priority 10000 'Go, priority, 10k; ns a row'
