#!/bin/sh
# Tests the core and every language, or the ones that are named, and says of each whether it passed.
#
# A language whose toolchain cannot be had here is skipped; under CI=true that counts as a failure, and the Python package is tested
# with the engines that take long to install too.
set -eu

cd "$(dirname "$0")/.."
: "${CUPEL_LIB_DIR:=$PWD/target/release}" "${CUPEL_INCLUDE_DIR:=$PWD/include}"
export CUPEL_LIB_DIR CUPEL_INCLUDE_DIR
if [ "${CI:-}" = true ]; then
    export CUPEL_TEST_ENGINES="${CUPEL_TEST_ENGINES-spark ray dask}"
fi

[ $# -gt 0 ] || set -- rust readme abi sanitizers c cpp go dotnet python docs packages
scripts/toolchain.sh
case " $* " in
*" rust "*) ;; # builds the library itself
*) cargo build --release --lib ;;
esac

suite() {
    case $1 in
    rust) scripts/test-rust.sh ;;
    readme) scripts/test-readme.sh ;;
    abi) scripts/test-abi.sh ;;
    sanitizers) scripts/test-sanitizers.sh short ;;
    c) tests/c/run.sh ;;
    docs) scripts/test-docs.sh ;;
    packages) tests/consumers/run.sh ;;
    platforms) tests/platforms/run.sh ;; # builds the library many times, so it is not among the suites above
    cpp | go | dotnet | python) "bindings/$1/test.sh" ;;
    *)
        echo "There is no suite $1." >&2
        return 2
        ;;
    esac
}

passed=0
failed=0
skipped=0
summary=""
for name in "$@"; do
    echo
    echo "== $name"
    status=0
    started=$(date +%s)
    suite "$name" || status=$?
    took=$(($(date +%s) - started))
    case $status in
    0) passed=$((passed + 1)) result=passed ;;
    77) skipped=$((skipped + 1)) result="skipped: its toolchain cannot be had here" ;;
    *) failed=$((failed + 1)) result=FAILED ;;
    esac
    summary="$summary
  $name: $result ($took s)"
done

echo
echo "Suites:$summary"
if [ "${CI:-}" = true ] && [ "$skipped" -gt 0 ]; then
    echo "A suite that is skipped counts as failed when CI=true."
    failed=$((failed + skipped))
    skipped=0
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
