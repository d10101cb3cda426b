#!/bin/sh
# Tests the C++ binding: under g++ and clang++, as C++17, 20 and 23, with AddressSanitizer and UBSan, linked with the
# shared and the static library, from the installed package, and the programs of the README.
#
#   CUPEL_LIB_DIR          where libcupel is (default: target/release)
#   CUPEL_INCLUDE_DIR      where cupel.h is (default: include)
#   CUPEL_CONFORMANCE_DIR  other conformance vectors than those of tests/conformance
#   CUPEL_NO_INSTALL       when set, nothing is installed; otherwise root installs with apt what is missing
#
# Exits with 0 when all tests passed, with 77 where they cannot be built, and else with 1. The last line counts.
# shellcheck disable=SC2086 # lists of flags, which are to be split
set -eu

cd "$(dirname "$0")/../.."
# shellcheck source=bindings/cpp/common.sh
. bindings/cpp/common.sh
tests=bindings/cpp/tests
log=target/cpp/check.log
# shellcheck source=scripts/checks.sh
. scripts/checks.sh

# left_out WHAT: a part that cannot run here; with CI=true that is a failure.
left_out() {
    echo "cpp: left out: $1"
    [ "${CI:-}" != true ] || failed=$((failed + 1))
}
sanitizer="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g"

require_library
install_missing g++=g++ clang++=clang doctest/doctest.h=doctest-dev toml++/toml.h=libtomlplusplus-dev \
    nlohmann/json.hpp=nlohmann-json3-dev cmake=cmake pkg-config=pkg-config nm=binutils
# Debian has clang without the runtime of its sanitizers.
links_sanitizers() { echo 'int main() { return 0; }' | "$1" $sanitizer -x c++ - -o "$output/links-sanitizers"; }
if have clang++ && ! links_sanitizers clang++ 2>/dev/null; then
    install_packages libclang-rt-dev || true
fi
for header in doctest/doctest.h toml++/toml.h nlohmann/json.hpp; do
    if [ ! -e "/usr/include/$header" ]; then
        echo "cpp: skipped, there is no $header"
        exit 77
    fi
done
compilers=
for compiler in g++ clang++; do
    if have $compiler; then
        compilers="$compilers $compiler"
    else
        left_out "what $compiler compiles, as it is missing"
    fi
done
if [ -z "$compilers" ]; then
    echo "cpp: skipped, there is no C++ compiler"
    exit 77
fi

# run_doctest NAME PROGRAM: counts the test cases of a doctest program.
run_doctest() {
    status=0
    "$2" --no-colors=true >"$log" 2>&1 || status=$?
    grep '^conformance:' "$log" || true
    add "$1" "$(sed -n 's/^\[doctest\] test cases: *[0-9]* *| *\([0-9]*\) passed.*/\1/p' "$log")" \
        "$(sed -n 's/^\[doctest\] test cases:.*| *\([0-9]*\) failed.*/\1/p' "$log")" $status
}

strict="-Wshadow -Wconversion -Wsign-conversion -Wold-style-cast"

# build_suite COMPILER STANDARD SUFFIX FLAGS...: builds the tests of the binding.
build_suite() {
    suite=suite-$1-$2$3
    compiler=$1
    standard=$2
    shift 3
    build "$compiler" "$output/$suite" -std=c++"$standard" $strict "$@" "$tests/suite.cpp" "$tests/second_unit.cpp"
}

# run_suite COMPILER STANDARD SUFFIX FLAGS...: builds and runs them.
run_suite() {
    if build_suite "$@"; then
        run_doctest "$suite" "$output/$suite"
    else
        fail "$suite does not compile"
    fi
}

# suites DO COMPILER: each edition of C++, one of them with the sanitizers, one optimized, which shows more warnings.
optimized="-O2 -Wnull-dereference"
suites() {
    case $2 in
        g++) "$1" g++ 17 -sanitized $sanitizer && "$1" g++ 20 -optimized $optimized && "$1" g++ 2b "" ;;
        *) "$1" "$2" 17 -optimized $optimized && "$1" "$2" 20 "" && "$1" "$2" 2b -sanitized $sanitizer ;;
    esac
}

# shared_objects COMPILER: a program with two plugins that each have the binding to themselves.
shared_objects() {
    for plugin in first second; do
        build "$1" "$output/$plugin-plugin-$1.so" -std=c++17 -shared -fPIC -fvisibility=hidden -fvisibility-inlines-hidden \
            $strict "$tests/shared_objects/plugin.cpp" || return 1
    done
    build "$1" "$output/shared_objects-$1" -std=c++17 $strict "$tests/shared_objects/host.cpp" &&
        "$output/shared_objects-$1" "$output/first-plugin-$1.so" "$output/second-plugin-$1.so"
}

# conformance COMPILER STANDARD NAME FLAGS...: builds and runs the conformance runner.
conformance() {
    compiler=$1
    standard=$2
    name=conformance-$1-$2$3
    shift 3
    if build "$compiler" "$output/$name" -std=c++"$standard" "$@" "-DCUPEL_OWN_CONFORMANCE_DIR=\"$PWD/tests/conformance\"" \
        "$tests/conformance.cpp"; then
        run_doctest "$name" "$output/$name"
    else
        fail "$name does not compile"
    fi
}

has_sanitizer() { nm "$1" | grep -q __asan_init; }

# The compilers work at the same time; what does not build is built again, and told, when its turn comes.
for compiler in $compilers; do
    suites build_suite "$compiler" >/dev/null 2>&1 &
done
wait

for compiler in $compilers; do
    suites run_suite "$compiler"
    for program in "$output/suite-$compiler"-*-sanitized; do
        check "$program has no sanitizer" has_sanitizer "$program"
    done
    if build "$compiler" "$output/no_exceptions-$compiler" -std=c++17 -fno-exceptions $strict "$tests/no_exceptions.cpp"; then
        check "no_exceptions-$compiler" "$output/no_exceptions-$compiler"
    else
        fail "no_exceptions does not compile with $compiler"
    fi
    check "shared_objects-$compiler" shared_objects "$compiler"
done

set -- $compilers
first=$1
conformance "$first" 17 ""
if [ $# -gt 1 ]; then
    conformance "$2" 2b -sanitized $sanitizer
fi

# Every header stands alone.
for header in cupel.hpp cupel/version.hpp cupel/span.hpp cupel/error.hpp cupel/result.hpp cupel/handle.hpp cupel/time.hpp \
    cupel/metadata.hpp cupel/item.hpp cupel/columns.hpp cupel/values.hpp cupel/arrow.hpp cupel/column_set.hpp \
    cupel/batch_reader.hpp cupel/batch.hpp cupel/clock.hpp cupel/scorer.hpp cupel/selector.hpp; do
    up_to_date "$output/headers" && pass && continue
    echo "#include <$header>" >"$output/alone.cpp"
    check "$header does not stand alone" "$first" -std=c++17 -fsyntax-only -Wall -Wextra -Wpedantic -Werror $strict \
        -Ibindings/cpp/include -I"$include" "$output/alone.cpp"
done
[ "$failed" != 0 ] || touch "$output/headers"

# With the static library.
if [ -e "$library/libcupel.a" ]; then
    link_static() {
        "$first" -std=c++17 -Wall -Wextra -Wpedantic -Werror -Ibindings/cpp/include -I"$include" -o "$output/static" \
            "$tests/package/main.cpp" "$output/libcupel.a" -lpthread -ldl -lm "$@"
    }
    check "the static library cannot be made" scripts/static-library.sh "$library/libcupel.a" "$output/libcupel.a"
    check "a program with the static library does not link" link_static
    check "a program with the static library fails" "$output/static"
    check "a program without shared libraries does not link" link_static -static
    check "a program without shared libraries fails" "$output/static"
fi

# The example prints what its sibling in C prints, also when something is wrong.
same_as_c() {
    if "$output/rank-c" "$@" >"$output/rank-c.out" 2>"$output/rank-c.err"; then c_status=0; else c_status=$?; fi
    if "$output/rank" "$@" >"$output/rank.out" 2>"$output/rank.err"; then cpp_status=0; else cpp_status=$?; fi
    cmp "$output/rank-c.out" "$output/rank.out" && diff "$output/rank-c.err" "$output/rank.err" && [ $c_status = $cpp_status ]
}
# Only the one in C writes a page.
same_help() {
    "$output/rank-c" --help | sed -e 's/ \[--html FILE\]//' -e '/^  --html FILE/,/takes --budget$/d' >"$output/rank-c.out"
    "$output/rank" --help >"$output/rank.out" && diff "$output/rank-c.out" "$output/rank.out"
}
if build "$first" "$output/rank" -std=c++17 -O2 $strict examples/cpp/rank.cpp; then
    data=examples/data
    now=2026-03-10T11:30:00+01:00
    check "rank fails" "$output/rank" --now $now $data/scorer.json $data/agent-session.jsonl
    if have cc && cc -std=c11 -I"$include" examples/c/rank.c -L"$library" -lcupel -Wl,-rpath,"$library" -o "$output/rank-c"; then
        check "rank: the table differs" same_as_c --now $now $data/scorer.json $data/agent-session.jsonl
        check "rank: -k differs" same_as_c -k 1000 --now $now $data/scorer.json $data/agent-session.jsonl
        check "rank: --budget differs" same_as_c --budget 1500 --now $now $data/scorer.json $data/agent-session.jsonl
        check "rank: --budget --json differs" same_as_c --budget 1500 --json --now $now $data/scorer.json $data/agent-session.jsonl
        check "rank: a budget that is too small differs" same_as_c --budget 5 --now $now $data/scorer.json $data/agent-session.jsonl
        check "rank: --json differs" same_as_c --json --now 1773138600000000000 $data/scorer.json $data/agent-session.jsonl
        check "rank: --help differs" same_help
        check "rank: an error differs" same_as_c -k 0 $data/scorer.json
        check "rank: an error differs" same_as_c --now yesterday $data/scorer.json $data/agent-session.jsonl
        check "rank: an error differs" same_as_c --now
        check "rank: an error differs" same_as_c --what
        check "rank: an error differs" same_as_c - -
        check "rank: an error differs" same_as_c $data/agent-session.jsonl $data/scorer.json
    fi
else
    fail "rank does not compile"
fi

if build "$first" "$output/chat" -std=c++17 -O2 $strict examples/cpp/chat.cpp; then
    check "chat fails" "$output/chat"
else
    fail "chat does not compile"
fi

# What the README shows compiles and runs: a block with a main as it stands, the others together in one program.
readme_programs() {
    rm -rf "$output/readme" && mkdir -p "$output/readme" &&
        awk -v directory="$output/readme" '
            /^```cpp$/ { block = ""; inside = 1; next }
            /^```$/ && inside {
                inside = 0; count++
                if (block ~ /int main/) { printf "%s", block > (directory "/program" count ".cpp") }
                else { fragments = fragments "static void fragment" count "() {\n" block "}\n"; calls = calls "    fragment" count "();\n" }
            }
            inside { block = block $0 "\n" }
            END {
                print "#include \"readme.hpp\"\n" fragments "int main() {\n" calls "}" > (directory "/fragments.cpp")
            }' bindings/cpp/README.md &&
        for program in "$output"/readme/*.cpp; do
            "$first" -std=c++17 -Wall -Wextra -Werror -I"$tests" -Ibindings/cpp/include -I"$include" "$program" \
                -o "${program%.cpp}" -L"$library" -lcupel -Wl,-rpath,"$library" -lpthread && "${program%.cpp}" || return 1
        done
}
check "a program of the README fails" readme_programs

# The installed package serves a program that has nothing else.
if have cmake; then
    install_package() {
        rm -rf "$output/package" &&
            cmake -S bindings/cpp -B "$output/package/binding" -DCMAKE_CXX_COMPILER="$first" -DCUPEL_LIB_DIR="$library" \
                -DCUPEL_INCLUDE_DIR="$include" &&
            cmake --install "$output/package/binding" --prefix "$PWD/$output/package/made"
    }
    use_package() {
        cmake -S "$tests/package" -B "$output/package/consumer" -DCMAKE_CXX_COMPILER="$first" \
            -DCMAKE_PREFIX_PATH="$PWD/$output/package/moved" &&
            run_consumer "$output/package/consumer"
    }
    # Programs by the same names and with the same targets, from the checkout.
    use_subdirectory() {
        cmake -S "$tests/package" -B "$output/package/subdirectory" -DCMAKE_CXX_COMPILER="$first" \
            -DCUPEL_SOURCE_DIR="$PWD/bindings/cpp" -DCUPEL_LIB_DIR="$library" -DCUPEL_INCLUDE_DIR="$include" &&
            run_consumer "$output/package/subdirectory"
    }
    run_consumer() {
        cmake --build "$1" && "$1/consumer" &&
            { [ ! -e "$library/libcupel.a" ] || { "$1/consumer_static" && "$1/consumer_full_static"; }; }
    }
    # components STATUS MESSAGE COMPONENTS: what find_package says of them.
    components() {
        rm -rf "$output/package/components"
        status=0
        cmake -S "$tests/package" -B "$output/package/components" -DCMAKE_CXX_COMPILER="$first" \
            -DCMAKE_PREFIX_PATH="$PWD/$output/package/moved" -DCUPEL_COMPONENTS="$3" >"$output/components.log" 2>&1 || status=1
        cat "$output/components.log"
        [ $status = "$1" ] && { [ -z "$2" ] || tr -s ' \n' ' ' <"$output/components.log" | grep -qF "$2"; }
    }
    # The installed library has the names that its SONAME and the linker ask for.
    has_names() {
        [ ! -e "$library/libcupel.so" ] ||
            { soname=$(readelf -d "$1/libcupel.so" | sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p') && [ -L "$1/libcupel.so" ] &&
                [ -L "$1/$soname" ] && cmp "$1/$soname" "$library/libcupel.so"; }
    }
    refuse_version() {
        ! cmake -S "$tests/package" -B "$output/package/refused" -DCMAKE_CXX_COMPILER="$first" \
            -DCMAKE_PREFIX_PATH="$PWD/$output/package/moved" -DCUPEL_WANTED_VERSION=99.0
    }
    use_pkg_config() {
        export PKG_CONFIG_PATH="$PWD/$output/package/made/lib/pkgconfig"
        # shellcheck disable=SC2046 # lists of flags
        "$first" -std=c++17 "$tests/package/main.cpp" -o "$output/package/by-pkg-config" $(pkg-config --cflags --libs cupel) &&
            LD_LIBRARY_PATH="$output/package/made/lib" "$output/package/by-pkg-config"
    }
    check "the package cannot be installed" install_package
    check "the installed library lacks a name" has_names "$output/package/made/lib"
    if have pkg-config; then
        check "the package cannot be used by pkg-config" use_pkg_config
    else
        left_out "pkg-config, which is missing"
    fi
    # Moved, because a package must not know where it was made.
    mv "$output/package/made" "$output/package/moved"
    check "the package cannot be used by CMake" use_package
    check "the package answers to a version that it is not" refuse_version
    check "the package lacks its components" components 0 "" "shared;static"
    check "the package has a component that it has not" components 1 "cupel has no component gpu" "shared;gpu"
    mv "$output/package/moved/lib/libcupel.a" "$output/package/libcupel.a"
    check "a component without its file is found" components 1 "there is no static libcupel in" "static"
    check "add_subdirectory does not do what the package does" use_subdirectory
else
    left_out "the package, as cmake is missing"
fi

report cpp
