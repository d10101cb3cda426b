#!/bin/sh
# include/cupel.h compiles by itself, once and twice included, as C and as C++, without
# a warning, under two compilers; and the program in it runs.
set -eu
. "$(dirname "$0")/lib.sh"
need gcc gcc
need g++ g++
need clang clang

printf '#include "cupel.h"\n' >"$output/once.h"
printf '#include "cupel.h"\n#include "cupel.h"\n' >"$output/twice.h"

for times in once twice; do
    for standard in c99 c11; do
        for compiler in gcc clang; do
            check "$compiler $standard, $times" \
                $compiler -x c -std=$standard $warnings -I"$include" -fsyntax-only - <"$output/$times.h"
        done
    done
    for standard in c++17 c++20; do
        for compiler in g++ clang++; do
            check "$compiler $standard, $times" \
                $compiler -x c++ -std=$standard $warnings -I"$include" -fsyntax-only - <"$output/$times.h"
        done
    done
done

# The program in its introduction, as it stands.
sed -n '/^ \*\/$/q; s/^ \*     //p' "$include/cupel.h" >"$output/introduction.c"
check "the introduction's program compiles" \
    gcc -std=c11 $warnings -I"$include" "$output/introduction.c" -L"$library" -lcupel -Wl,-rpath,"$library" -o "$output/introduction"
same "and prints the scores" "0.333 0.733" "$("$output/introduction")"
report header
