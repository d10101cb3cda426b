#!/bin/sh
# Makes the static library that is shipped from the one that cargo makes.
#
#     scripts/static-library.sh IN OUT
#
# cargo's archive holds the Rust standard library with all its global symbols and its debug information. Two such archives
# in one program define the same symbols twice, and a shared object that links one exports them all. Here the archive is
# linked into one object, in which only cupel_* stays global. LD, OBJCOPY, READELF and AR name other binutils, for another
# target for example. For ELF; elsewhere the archive is copied as it is.
set -eu

in=$1
out=$2
mkdir -p "$(dirname "$out")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ "$(uname -s)" = Darwin ]; then
    cp "$in" "$out"
    exit 0
fi
# nm would hand objects with bitcode in them to a plugin of LLVM, where one is installed, and that may be too old to read them.
"${READELF:-readelf}" -Ws "$in" | awk '$5 == "GLOBAL" && $7 != "UND" && $8 ~ /^cupel_/ { print $8 }' | sort -u >"$work/public"
if [ ! -s "$work/public" ]; then
    echo "static-library.sh: $in is no archive that defines cupel_ functions" >&2
    exit 1
fi
sed 's/^/--undefined=/' "$work/public" >"$work/roots"
# Groups are dissolved: a linker that met the same group twice would drop one, whose symbols are local by now.
"${LD:-ld}" -r --force-group-allocation "@$work/roots" "$in" -o "$work/linked.o"
"${OBJCOPY:-objcopy}" --strip-debug --remove-section=.llvmbc --remove-section=.llvmcmd \
    --keep-global-symbols="$work/public" "$work/linked.o" "$work/cupel.o"
"${AR:-ar}" rcsD "$work/libcupel.a" "$work/cupel.o"
# Moved into place, so that no reader sees half of it.
cp "$work/libcupel.a" "$out.new"
mv "$out.new" "$out"
