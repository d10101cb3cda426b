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
. scripts/checks.sh

# same WHAT EXPECTED ACTUAL
same() {
    if [ "$2" = "$3" ]; then
        pass
    else
        fail "$1"
        printf '    expected: %s\n    actual:   %s\n' "$2" "$3" >&2
    fi
}
