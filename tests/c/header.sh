#!/bin/sh
# include/cupel.h compiles by itself, once and twice included, as C and as C++, without
# a warning, under two compilers.
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
            expect "$compiler $standard, $times" \
                $compiler -x c -std=$standard $warnings -I"$include" -fsyntax-only - <"$output/$times.h"
        done
    done
    for standard in c++17 c++20; do
        for compiler in g++ clang++; do
            expect "$compiler $standard, $times" \
                $compiler -x c++ -std=$standard $warnings -I"$include" -fsyntax-only - <"$output/$times.h"
        done
    done
done
report header
