# What the scripts of this folder share; they source it. Sets root, library, include
# and output, and counts what passes and fails.

root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
. scripts/packages.sh
library=${CUPEL_LIB_DIR:-target/release}
include=${CUPEL_INCLUDE_DIR:-include}
output=target/tests-c
mkdir -p "$output"
output=$(cd "$output" && pwd)
library=$(cd "$library" && pwd) || exit 1
include=$(cd "$include" && pwd) || exit 1
log=$output/$(basename "$0").log
warnings="-Wall -Wextra -Wpedantic -Werror"
passed=0
failed=0

pass() { passed=$((passed + 1)); }
fail() {
    failed=$((failed + 1))
    echo "FAILED: $*" >&2
}

# expect WHAT COMMAND...: passes when the command succeeds; shows its output if not.
expect() {
    what=$1
    shift
    if "$@" >"$log" 2>&1; then
        pass
    else
        fail "$what"
        head -n 30 "$log" | sed 's/^/    /' >&2
    fi
}

# same WHAT EXPECTED ACTUAL
same() {
    if [ "$2" = "$3" ]; then
        pass
    else
        fail "$1"
        printf '    expected: %s\n    actual:   %s\n' "$2" "$3" >&2
    fi
}

report() {
    echo "$1: $passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
