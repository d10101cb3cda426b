#!/bin/sh
# Tests the Python package: as a wheel and as a source distribution in empty environments, with the libraries that give and take
# Arrow, its types, its examples, and the programs of its README. Ends with "python: N passed, M failed".
#
#   CUPEL_TEST_ENGINES     engines that are tested besides pyarrow, Polars and DuckDB: "spark ray dask"
#   CUPEL_CONFORMANCE_DIR  where the vectors are (tests/conformance of the repository)
set -eu
cd "$(dirname "$0")"
. ./env.sh

log=$work/log
. "$root/scripts/checks.sh"

# suite WHAT ENVIRONMENT ARGUMENTS...: runs pytest there.
suite() {
    what=$1
    environment=$2
    shift 2
    status=0
    "$environment/bin/python" -m pytest -q -p no:cacheprovider "$@" >"$log" 2>&1 || status=$?
    add "$what" "$(sed -n 's/.*\b\([0-9][0-9]*\) passed.*/\1/p' "$log" | tail -n 1)" \
        "$(sed -n 's/.*\b\([0-9][0-9]*\) \(failed\|error\).*/\1/p' "$log" | tail -n 1)" $status
    echo "  $what: $(tail -n 1 "$log")"
}

# empty_environment FOLDER PYTHON
empty_environment() {
    rm -rf "$1"
    "$2" -m venv "$1"
}

echo "python: building the wheel"
wheel=$(build_wheel)

# Every interpreter that is here runs the tests that need nothing else.
for python in python3 python3.11 python3.12 python3.13 python3.14 "$HOME"/.pyenv/versions/3.1[1-9].*/bin/python; do
    fitting "$python" || continue
    version=$("$python" -c 'import platform; print(platform.python_version())')
    case " ${seen:-} " in *" $version "*) continue ;; esac
    seen="${seen:-} $version"
    environment=$work/plain-$version
    empty_environment "$environment" "$python"
    check "$version: the wheel cannot be installed" install_package "$environment" "$wheel"
    check "$version: it cannot be imported" "$environment/bin/python" -c 'import libcupel'
    pip_install "$environment" 'pytest>=8'
    suite "$version, wheel" "$environment" tests
done

# From the source distribution, as pip builds it for itself.
sdist() {
    rm -rf "$work/sdist"
    CARGO_TARGET_DIR=$work/cargo "$work/tools/bin/maturin" sdist --out "$work/sdist" &&
        CARGO_TARGET_DIR=$work/cargo "$environment/bin/pip" install -q --no-deps "$work"/sdist/*.tar.gz
}
environment=$work/from-sdist
empty_environment "$environment" python3
check "the source distribution cannot be built" sdist
pip_install "$environment" 'pytest>=8'
suite "source distribution" "$environment" tests/test_batch.py

# With everything that gives and takes Arrow, and the engines.
environment=$work/full
make_venv "$environment"
engines=${CUPEL_TEST_ENGINES:-}
set -- 'pytest>=8' 'mypy>=1.18' 'numpy>=2' 'pyarrow>=21' 'polars>=1.30' 'duckdb>=1.4' 'pandas>=2.3' 'arro3-core>=0.6' \
    'nanoarrow>=0.7' 'adbc-driver-sqlite>=1.8' bpe-openai
for engine in $engines; do
    case $engine in
    spark)
        set -- "$@" 'pyspark>=4,<5' matplotlib
        have java || install_packages default-jre-headless || install_packages openjdk-17-jre-headless
        ;;
    ray) set -- "$@" 'ray[data]>=2.50' ;;
    dask) set -- "$@" 'dask[dataframe]>=2025.7' ;;
    *)
        echo "python: CUPEL_TEST_ENGINES names $engine: it may be spark, ray or dask" >&2
        exit 2
        ;;
    esac
done
install "$environment" "$@"
install_package "$environment" "$wheel"
export CUPEL_TEST_EVERYTHING=1
suite "with everything" "$environment" tests
check "mypy" "$environment/bin/python" -m mypy --strict --cache-dir "$work/mypy" tests python examples bench
check "stubtest" "$environment/bin/python" -m mypy.stubtest libcupel._native --mypy-config-file pyproject.toml \
    --allowlist tests/stubtest-allowlist.txt


# The example ranks as its siblings do.
rank() { "$environment/bin/python" examples/rank.py --now 2026-03-10T11:30:00+01:00 "$@"; }
data=$root/examples/data
says() {
    line=$1
    shift
    rank "$@" "$data/scorer.json" "$data/agent-session.jsonl" >"$work/said" && cat "$work/said" && grep -q "$line" "$work/said"
}
refuses() { ! rank --budget 5 "$data/scorer.json" "$data/agent-session.jsonl" 2>"$work/error" && grep -q '^rank: .*pinned rows alone' "$work/error"; }
measures() { "$environment/bin/python" bench/bench.py 200; }
check "rank does not rank" says '^ 127  0.805667       42  Message ' -k 3
check "rank does not fit a budget" says '^494 of 500 tokens, 17 of 134 items$' --budget 500
check "rank takes a budget that is too small" refuses
check "the benchmark fails" measures

report python
