#!/bin/sh
# The shared library exports exactly the functions that the header declares.
set -eu
. "$(dirname "$0")/lib.sh"
need gcc gcc
need nm binutils

nm -D --defined-only "$library/libcupel.so" | awk '{ print $NF }' | sort >"$output/exported"

# A declared function is a name right before a parenthesis; the names of callback types
# stand inside one.
gcc -E -P -x c -I"$include" "$include/cupel.h" | tr '\n' ' ' |
    grep -oE '\bcupel_[a-z0-9_]+ *\([^*]' | sed 's, *(.*,,' | sort >"$output/declared"

check "functions are declared" grep -q '^cupel_scorer_score_batch$' "$output/declared"
check "every declared function is exported once, and nothing else" \
    diff --label declared --label exported -u "$output/declared" "$output/exported"
report exports
