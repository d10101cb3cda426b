#!/bin/sh
# Compares two descriptions of the ABI, and fails when a program that was compiled against the first could go wrong with the
# second while CUPEL_ABI_VERSION is the same.
#
#     tests/abi/compare.sh BASELINE NOW
#
# Additions are compatible, and a struct that begins with its struct_size may grow at its end. Everything else that differs
# is not.
set -eu

baseline=$1
now=$2
version() { sed -n 's/^constant CUPEL_ABI_VERSION //p' "$1"; }

# What the baseline promises and the other does not keep.
broken=$(awk '
    FNR == NR {
        is[$0] = 1
        if ($1 == "struct") size[$2] = $4
        next
    }
    $0 in is || $2 == "CUPEL_ABI_VERSION" { next }
    $1 == "struct" && ("field " $2 ".struct_size at 0 size 8 type size_t") in is && size[$2] + 0 > $4 + 0 { next }
    { print "  " $0 }' "$now" "$baseline")

[ -n "$broken" ] || exit 0
if [ "$(version "$now")" -gt "$(version "$baseline")" ]; then
    printf 'Incompatible, as CUPEL_ABI_VERSION %s says:\n%s\n' "$(version "$now")" "$broken"
    exit 0
fi
printf 'A program compiled against the baseline relies on this, which is no longer so:\n%s\n' "$broken" >&2
echo "Take the change back, or move CUPEL_ABI_VERSION." >&2
exit 1
