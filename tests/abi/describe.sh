#!/bin/sh
# Prints what a compiled program depends on in a header: constants, layouts, types and prototypes, one a line.
#
#     tests/abi/describe.sh HEADER
#
# Numbers come from the C compiler, so that they are what a program gets. Comments, spacing and the order of declarations do
# not matter; names of parameters do, as bindings are made from them.
set -eu

header=$1
folder=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One declaration a line, without comments and macros.
gcc -E -P -x c "$header" | tr '\n' ' ' | awk -f "$folder/declarations.awk" >"$work/declarations"
sed -n 's/^#define \(CUPEL_[A-Z0-9_]*\) [-0-9].*/\1/p' "$header" | grep -v '^CUPEL_VERSION_' >"$work/constants"
awk -f "$folder/layout.awk" "$work/constants" "$work/declarations" >"$work/layout.c"
gcc -std=c11 -Wall -Werror -include "$header" "$work/layout.c" -o "$work/layout"
{
    "$work/layout"
    sed -n 's/^typedef struct \(cupel_[a-z_]*\) \1;$/handle \1/p' "$work/declarations"
    sed -n 's/^typedef \(.*([*]cupel_.*\);$/callback \1/p' "$work/declarations"
    sed -n '/^typedef/!s/^\(.*cupel_[a-z_]*(.*)\);$/function \1/p' "$work/declarations"
} | LC_ALL=C sort
