#!/bin/sh
# Measures what the crossing costs: building and scoring 20, 1,000 and 100,000
# items by item, by columns, and by a C call per field. Arguments go to go test,
# such as -bench=Score or -benchtime=3s. env.sh says which library.
set -eu
cd "$(dirname "$0")"
. ./env.sh
go test -run='^$' -bench=. -benchtime=0.3s "$@" .
