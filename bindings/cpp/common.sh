# shellcheck shell=sh disable=SC2034
# Sourced by the scripts beside it, from the root of the checkout: where things are, and how programs are built.

library=${CUPEL_LIB_DIR:-target/release}
include=${CUPEL_INCLUDE_DIR:-include}
output=target/cpp

require_library() {
    if [ ! -e "$library/libcupel.so" ] && [ ! -e "$library/libcupel.a" ] && [ ! -e "$library/libcupel.dylib" ]; then
        echo "cpp: there is no libcupel in $library: run cargo build --release, or set CUPEL_LIB_DIR" >&2
        exit 1
    fi
    if [ ! -e "$include/cupel.h" ]; then
        echo "cpp: there is no cupel.h in $include: set CUPEL_INCLUDE_DIR" >&2
        exit 1
    fi
    library=$(cd "$library" && pwd)
    include=$(cd "$include" && pwd)
    mkdir -p "$output"
}

# shellcheck source=scripts/packages.sh
. scripts/packages.sh

# install_missing COMMAND-OR-HEADER=PACKAGE...: installs the packages of what is missing, where that is possible.
install_missing() {
    packages=
    for pair in "$@"; do
        case ${pair%%=*} in
            */*) [ -e "/usr/include/${pair%%=*}" ] || packages="$packages ${pair#*=}" ;;
            *) have "${pair%%=*}" || packages="$packages ${pair#*=}" ;;
        esac
    done
    # shellcheck disable=SC2086 # a list of names
    [ -z "$packages" ] || install_packages $packages || true
}

# up_to_date OUTPUT: whether the output exists and nothing that it may depend on is newer.
up_to_date() {
    [ -e "$1" ] && [ -z "$(find bindings/cpp examples/cpp "$include/cupel.h" \
        \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' \) -newer "$1" -print -quit)" ]
}

# build COMPILER OUTPUT FLAGS...: compiles one program and links it with the library, unless that was done before and
# nothing has changed.
build() {
    compiler=$1
    program=$2
    shift 2
    set -- "$compiler" "$@" -Wall -Wextra -Wpedantic -Werror -Ibindings/cpp/include -I"$include" -o "$program" \
        -L"$library" -lcupel -Wl,-rpath,"$library" -lpthread -ldl -lm
    if [ -e "$library/libcupel.so" ] && up_to_date "$program" && [ "$(cat "$program.command" 2>/dev/null)" = "$*" ]; then
        return 0
    fi
    "$@" && echo "$*" >"$program.command"
}

# The first C++ compiler there is.
first_compiler() {
    for candidate in "${CXX:-}" c++ g++ clang++; do
        if [ -n "$candidate" ] && have "$candidate"; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}
