#!/bin/sh
# Measures what it costs to cross into the library from Python; with `report` it prints the rows that scripts/bench.sh adds to the
# report of all benchmarks. Arguments go to bench/bench.py.
set -eu
cd "$(dirname "$0")"
. ./env.sh

environment=$work/bench
make_venv "$environment"
install "$environment" 'pyarrow>=21'
install_package "$environment" "$(build_wheel)"
exec "$environment/bin/python" bench/bench.py "$@"
