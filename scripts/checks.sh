# shellcheck shell=sh disable=SC2154 # log
# Sourced by the scripts that test: counts what passes and what fails. They set log, the file for what a check says.

passed=0
failed=0

pass() { passed=$((passed + 1)); }

# fail WHAT
fail() {
    failed=$((failed + 1))
    echo "FAILED: $*" >&2
}

# check WHAT COMMAND...: passes if the command succeeds; if not, shows what it said.
check() {
    what=$1
    shift
    if "$@" >"$log" 2>&1; then
        pass
    else
        fail "$what"
        sed 's/^/    /' "$log" >&2
    fi
}

# add WHAT PASSED FAILED STATUS: adds the counts of a suite of which the log tells. One that ends with an error and without a
# failure, such as a crash or a leak, and one in which nothing ran count as a failure. Shows the log of a suite that fails.
add() {
    good=${2:-0} bad=${3:-0}
    [ "$4" = 0 ] || [ "$bad" -gt 0 ] || bad=1
    [ "$good" -gt 0 ] || [ "$bad" -gt 0 ] || bad=1
    passed=$((passed + good))
    failed=$((failed + bad))
    if [ "$bad" -gt 0 ]; then
        echo "FAILED: $1 (exit $4)" >&2
        sed 's/^/    /' "$log" >&2
    fi
}

# report NAME: the last line of a suite. Fails if a check failed, or if there was none.
report() {
    echo "$1: $passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
