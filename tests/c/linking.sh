#!/bin/sh
# The ways to link: the SONAME, the static library that is shipped, programs without any shared library, other Rust code in
# the same program, shared objects of a host's own, and what is installed.
set -eu
. "$(dirname "$0")/lib.sh"
need gcc gcc
need clang clang
need readelf binutils
need pkg-config pkg-config
output=$output/linking
rm -rf "$output"
mkdir -p "$output"
log=$output/log
abi=$(sed -n 's/^#define CUPEL_ABI_VERSION //p' "$include/cupel.h")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)

soname() { readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p'; }
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p'; }
globals() { nm -g --defined-only "$1" | awk 'NF == 3 { print $3 }' | sort; }
exports() { nm -D --defined-only "$1" | awk '{ print $NF }' | sort; }

same "the constant in the header is the one in the source" "$abi" \
    "$(sed -n 's/^pub const CUPEL_ABI_VERSION: u32 = \([0-9]*\);$/\1/p' src/capi/version.rs)"
same "the SONAME ends in the ABI version" "libcupel.so.$abi" "$(soname "$library/libcupel.so")"

# The static library that is shipped.
archive=$output/libcupel.a
check "static-library.sh" scripts/static-library.sh "$library/libcupel.a" "$archive"
exports "$library/libcupel.so" >"$output/public"
globals "$archive" >"$output/globals"
check "the static library has the globals of the shared one, and no others" diff "$output/public" "$output/globals"
same "debug information in the static library" 0 "$(readelf -SW "$archive" | grep -cE ' \.debug_| \.llvm' || true)"
check "static-library.sh of its own result" scripts/static-library.sh "$archive" "$output/again.a"
globals "$output/again.a" >"$output/globals-again"
check "has the same globals" diff "$output/globals" "$output/globals-again"
: >"$output/empty.a"
refused() { ! scripts/static-library.sh "$1" "$output/refused.a" && [ ! -e "$output/refused.a" ]; }
check "static-library.sh refuses a file that is no library" refused "$output/empty.a"

# One list of flags links in every way, and warns of nothing.
"$output/../quickstart" >"$output/expected"
# links NAME COMPILER FLAGS...
links() {
    program=$output/$1 compiler=$2
    shift 2
    "$compiler" -std=c11 -I"$include" examples/c/quickstart.c "$@" -o "$program" && "$program" | diff "$output/expected" -
}
for compiler in gcc clang; do
    check "$compiler, static library" links program $compiler "$archive" -lpthread -ldl -lm -Wl,--fatal-warnings
    same "$compiler: the program does without libcupel.so" "" "$(needed "$output/program" | grep cupel || true)"
    for mode in -static -static-pie; do
        check "$compiler $mode" links fully $compiler $mode "$archive" -lpthread -ldl -lm
        same "$compiler $mode: shared libraries of the program" "" "$(needed "$output/fully")"
    done
    check "$compiler -static-libgcc" links program $compiler -static-libgcc "$archive" -lpthread -ldl -lm
done

# Another Rust library in the same program, with a standard library and a panic of its own.
cat >"$output/other.rs" <<'END'
#[unsafe(no_mangle)]
pub extern "C" fn other_caught_panic() -> i32 {
    std::panic::set_hook(Box::new(|_| ()));
    let caught = std::panic::catch_unwind(|| -> i32 { panic!("on purpose") });
    let lines = std::thread::spawn(|| format!("{:?}", std::time::Duration::from_secs(1))).join();
    if caught.is_err() && lines.is_ok_and(|text| text == "1s") { 7 } else { 0 }
}
END
cat >"$output/two.c" <<'END'
#include "cupel.h"
#include <stdio.h>
#include <string.h>

int other_caught_panic(void);

int main(void) {
    cupel_scorer *scorer = NULL;
    cupel_error *error = NULL;
    int other = other_caught_panic();
    cupel_status status = cupel_scorer_from_json("{\"type\": 1}", 11, NULL, &scorer, &error);
    printf("%d %d\n", other, status != CUPEL_STATUS_OK && strlen(cupel_error_message(error)) > 0);
    cupel_error_free(error);
    return 0;
}
END
check "another Rust library" rustc --edition 2024 -O --crate-type staticlib -o "$output/libother.a" "$output/other.rs"
two() {
    gcc -std=c11 -I"$include" "$output/two.c" "$@" -lpthread -ldl -lm -o "$output/two" && [ "$("$output/two")" = "7 1" ]
}
for mode in "" -static; do
    check "two Rust libraries $mode" two $mode "$archive" "$output/libother.a"
    check "two Rust libraries, the other way round $mode" two $mode "$output/libother.a" "$archive"
    check "two Rust libraries, all of both $mode" \
        two $mode -Wl,--whole-archive "$archive" "$output/libother.a" -Wl,--no-whole-archive
done

# A shared object of a host's own exports what the host defines and cupel_*; with --exclude-libs, only the former.
cat >"$output/host.c" <<'END'
#include "cupel.h"

unsigned host_abi(void) { return cupel_abi_version(); }
END
shared_object() { gcc -shared -fPIC -I"$include" "$output/host.c" "$@" -lpthread -ldl -lm -o "$output/libhost.so"; }
check "a shared object of a host's own" shared_object "$archive"
same "it exports nothing of Rust" "host_abi" "$(exports "$output/libhost.so" | grep -v '^cupel_')"
check "with --exclude-libs" shared_object -Wl,--exclude-libs,libcupel.a "$archive"
same "it exports only its own" "host_abi" "$(exports "$output/libhost.so")"

# What is installed, by pkg-config.
install_to() { DESTDIR=$1 PREFIX=/usr CUPEL_LIB_DIR=$library CUPEL_INCLUDE_DIR=$include scripts/install.sh; }
installed=$output/installed
check "install.sh" install_to "$installed"
same "the library that is installed" "libcupel.so.$version" "$(readlink "$installed/usr/lib/libcupel.so.$abi")"
same "the name that it is linked by" "libcupel.so.$abi" "$(readlink "$installed/usr/lib/libcupel.so")"
check "the static library that is installed" cmp "$archive" "$installed/usr/lib/libcupel.a"
export PKG_CONFIG_SYSROOT_DIR="$installed" PKG_CONFIG_LIBDIR="$installed/usr/lib/pkgconfig"
PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
export PKG_CONFIG_ALLOW_SYSTEM_LIBS PKG_CONFIG_ALLOW_SYSTEM_CFLAGS
# shellcheck disable=SC2046 # lists of flags
by_pkg_config() {
    gcc -std=c11 $1 examples/c/quickstart.c $(pkg-config $2 --cflags --libs cupel) -o "$output/by-pkg-config" &&
        LD_LIBRARY_PATH="$installed/usr/lib" "$output/by-pkg-config" | diff "$output/expected" -
}
check "pkg-config" by_pkg_config "" ""
same "the program asks for the ABI version" "libcupel.so.$abi" "$(needed "$output/by-pkg-config" | grep cupel)"
check "pkg-config --static, with -static" by_pkg_config -static --static
same "the program asks for nothing" "" "$(needed "$output/by-pkg-config")"
nothing_built() {
    mkdir -p "$output/nothing"
    ! DESTDIR=$output/nowhere CUPEL_LIB_DIR=$output/nothing scripts/install.sh && [ ! -e "$output/nowhere" ]
}
check "install.sh without a library installs nothing" nothing_built
report linking
