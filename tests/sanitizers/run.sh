#!/bin/sh
# Runs the tests against a library that is built with a sanitizer in it.
#
#     tests/sanitizers/run.sh [short]
#
# AddressSanitizer with LeakSanitizer: the C programs, the C++ tests and example, the Rust tests, and the fuzz corpus.
# ThreadSanitizer: the C programs with threads, the C++ tests, the Rust tests with threads. Miri: what stands on unsafe code
# alone. `short` leaves out what takes minutes: C++, the Rust tests, Miri.
#
# Uses a nightly toolchain, which is installed when it is missing. Where none can be had, the default toolchain is told to
# accept the options of a nightly one. ThreadSanitizer builds the standard library as well, so that what happens inside it
# is seen. Where its source cannot be had, the prebuilt one is linked, and accesses inside it go unchecked. Parts that
# cannot run are reported as skipped; with CI=true they count as failures.
set -eu

. "$(dirname "$0")/../c/lib.sh"
need clang clang
need g++ g++ # for -lstdc++
need nm binutils
mode=${1:-full}
skipped=0
output=$output/sanitizers
mkdir -p "$output"
log=$output/log
target_dir=${CARGO_TARGET_DIR:-$PWD/target}/sanitizers

skip() {
    skipped=$((skipped + 1))
    echo "skipped: $1: $2"
}
finish() {
    echo "sanitizers: $passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ] || exit 1
    [ "$skipped" -eq 0 ] || [ "${CI:-}" != true ]
}

if rustup toolchain list 2>/dev/null | grep -q '^nightly' || rustup toolchain install nightly --profile minimal >"$log" 2>&1; then
    toolchain=nightly
    RUSTUP_TOOLCHAIN=nightly
    export RUSTUP_TOOLCHAIN
else
    toolchain=
    RUSTC_BOOTSTRAP=1
    export RUSTC_BOOTSTRAP
fi
host=$(rustc -vV | sed -n 's/^host: //p')
sysroot=$(rustc --print sysroot)
runtimes=$sysroot/lib/rustlib/$host/lib
# runtime SANITIZER: the file of the sanitizer's runtime, which carries the name of the toolchain's channel.
runtime() {
    case $1 in address) file=asan ;; thread) file=tsan ;; esac
    ls "$runtimes"/librustc-*_rt."$file".a 2>/dev/null
}
# has COMPONENT: installs it when it is missing.
has() {
    rustup component list --installed 2>/dev/null | grep -q "^$1" || rustup component add "$1" >"$log" 2>&1
}

# For the sanitizer that is given, cargo with it: sanitized address test --test conformance
sanitized() {
    sanitizer=$1
    shift
    std=
    mix=
    if [ "$sanitizer" = thread ]; then
        std=$build_std
        # rustc wants to be told that the prebuilt standard library is without the sanitizer.
        [ -n "$std" ] || mix=-Cunsafe-allow-abi-mismatch=sanitizer
    fi
    # Link-time optimisation takes long and finds no more.
    # shellcheck disable=SC2086 # one word, or none
    RUSTFLAGS="-Zsanitizer=$sanitizer -Cdebuginfo=1 $mix" CARGO_TARGET_DIR=$target_dir/$sanitizer \
        CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_STRIP=none \
        cargo "$@" $std --target "$host"
}

# compile SANITIZER "SOURCES" FLAGS...: a program in $output of the first source's name, with both halves sanitized.
compile() {
    sanitizer=$1 sources=$2
    shift 2
    program=$output/$(basename "${sources%%.*}")-$sanitizer
    case $sources in *.c) compiler="clang -std=gnu11" ;; *) compiler="clang++ -std=c++20" ;; esac
    objects=
    for source in $sources; do
        object=$output/$(basename "${source%.*}")-$sanitizer.o
        $compiler -O1 -g -fno-omit-frame-pointer -fsanitize="$sanitizer" -I"$include" -Itests/c "$@" \
            -c "$source" -o "$object" || return 1
        objects="$objects $object"
    done
    # The runtime is the Rust compiler's: there can be only one, and it is the newer of the two.
    # shellcheck disable=SC2086 # a list of files
    ${compiler%% *} $objects "$target_dir/$sanitizer/$host/release/libcupel.a" -Wl,--export-dynamic \
        -Wl,--whole-archive "$(runtime "$sanitizer")" -Wl,--no-whole-archive \
        -lstdc++ -lpthread -ldl -lm -lrt -o "$program"
}

# Leaks are errors, and so is a report; the status is one that no program here has itself.
export ASAN_OPTIONS=detect_leaks=1:exitcode=99:strict_string_checks=1:detect_stack_use_after_return=1
export TSAN_OPTIONS=exitcode=99:halt_on_error=1:second_deadlock_stack=1
symbolizer=$(command -v llvm-symbolizer || ls /usr/bin/llvm-symbolizer-* 2>/dev/null | head -n 1 || true)
[ -z "$symbolizer" ] || export ASAN_SYMBOLIZER_PATH="$symbolizer"

# catches WHAT PROGRAM: passes when the sanitizer ends the program.
catches() {
    status=0
    "$2" >"$log" 2>&1 || status=$?
    same "$1" 99 "$status"
}
has_header() { echo "#include <$1>" | clang++ -std=c++20 -fsyntax-only -x c++ - 2>"$log"; }
# cpp_tests SANITIZER: the tests of the C++ binding, linked to the sanitized library.
cpp_tests() {
    tests=bindings/cpp/tests
    for header in doctest/doctest.h=doctest-dev toml++/toml.h=libtomlplusplus-dev nlohmann/json.hpp=nlohmann-json3-dev; do
        if ! has_header "${header%=*}" && ! { install_packages "${header#*=}" && has_header "${header%=*}"; }; then
            skip "the C++ tests under the $1 sanitizer" "there is no ${header%=*}, which ${header#*=} has"
            return 0
        fi
    done
    check "compile the C++ tests" compile "$1" "$tests/suite.cpp $tests/second_unit.cpp" -Ibindings/cpp/include
    check "the C++ tests" "$output/suite-$1"
    check "compile the C++ conformance tests" compile "$1" "$tests/conformance.cpp" -Ibindings/cpp/include \
        "-DCUPEL_OWN_CONFORMANCE_DIR=\"$PWD/tests/conformance\""
    check "the C++ conformance tests" "$output/conformance-$1"
}
# instrumented SANITIZER FUNCTION: the library's own code calls the sanitizer.
instrumented() {
    nm "$target_dir/$1/$host/release/libcupel.a" 2>/dev/null | grep -q " U $2\$"
}

echo "== AddressSanitizer and LeakSanitizer"
if [ -z "$(runtime address)" ]; then
    skip "AddressSanitizer" "the toolchain has none for $host"
else
    check "the library with AddressSanitizer" sanitized address build --release --lib
    check "AddressSanitizer is in the library" instrumented address __asan_init
    check "a program that lends too little" compile address tests/sanitizers/overflow.c
    catches "AddressSanitizer sees the library read too far" "$output/overflow-address"
    check "a program that leaks" compile address tests/sanitizers/leak.c
    catches "LeakSanitizer sees a handle that is not freed" "$output/leak-address"
    for source in tests/c/test_*.c examples/c/quickstart.c examples/c/columns.c examples/c/custom.c tests/abi/old_host.c \
        tests/sanitizers/threads.c; do
        name=$(basename "$source" .c)
        check "compile $name" compile address "$source"
        check "$name" "$output/$name-address"
    done
    if [ "$mode" = full ]; then
        cpp_tests address
        check "compile rank" compile address examples/cpp/rank.cpp -Ibindings/cpp/include
        check "rank in C++" "$output/rank-address" examples/data/scorer.json examples/data/agent-session.jsonl
        check "the Rust tests" sanitized address test --release --lib --test conformance --test memory --test callbacks
        check "the fuzz corpus" sanitized address test --release --manifest-path fuzz/Cargo.toml
    fi
fi

echo "== ThreadSanitizer"
build_std=-Zbuild-std
if ! has rust-src; then
    echo "The source of the standard library cannot be had: the prebuilt one is linked, and not checked."
    build_std=
fi
if [ -z "$(runtime thread)" ]; then
    skip "ThreadSanitizer" "the toolchain has none for $host"
else
    check "the library with ThreadSanitizer" sanitized thread build --release --lib
    check "ThreadSanitizer is in the library" instrumented thread __tsan_func_entry
    check "a program with a race" compile thread tests/sanitizers/race.c
    catches "ThreadSanitizer sees a race" "$output/race-thread"
    check "a program that changes a batch from two threads" compile thread tests/sanitizers/library_race.c
    catches "ThreadSanitizer sees a race in the library" "$output/library_race-thread"
    for source in tests/sanitizers/threads.c tests/c/test_threads.c tests/c/test_callbacks.c; do
        name=$(basename "$source" .c)
        check "compile $name" compile thread "$source"
        check "$name" "$output/$name-thread"
    done
    if [ "$mode" = full ]; then
        cpp_tests thread
        check "the Rust tests with threads" sanitized thread test --release --lib --test callbacks
    fi
fi

echo "== Miri"
if [ "$mode" = short ]; then
    echo "left out of the short run"
elif [ -z "$toolchain" ] || ! has miri || [ -z "$build_std" ]; then
    skip "Miri" "it cannot be had for this toolchain"
else
    check "memory under Miri" env CARGO_TARGET_DIR="$target_dir/miri" cargo miri test --lib memory::
fi
finish
