#!/bin/sh
# Shows that the library works on every platform that can be run here, and gives the same bits on each.
#
#     tests/platforms/run.sh [PLATFORM...]      default: all
#
# On each platform: the C tests, the conformance vectors, and one hash of the scores of random batches, which must be that of
# this machine's own library. aarch64 and s390x, which is big-endian, run under QEMU, Windows under Wine, WebAssembly in Node.js.
# The platforms that scripts/platforms.sh marks as built, macOS among them, are built and not run.
#
# A platform whose tools cannot be had is skipped; under CI=true that counts as a failure.
set -eu
. "$(dirname "$0")/../c/lib.sh"
. scripts/platforms.sh
need python3 python3
scripts/toolchain.sh
output=$root/target/platforms
mkdir -p "$output"
log=$output/log
native=$(host_platform)
skipped=
built_only=

# This machine's own platform first, as the others are compared with it.
if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046
    set -- "$native" $(platform_table | awk -v native="$native" '$1 != native { print $1 }') wasm32-wasip1 wasm32-unknown-unknown
fi

# tools COMMAND PACKAGE...: whether the command is there, or can be installed.
tools() {
    command=$1
    shift
    have "$command" || install_packages "$@" >/dev/null && have "$command"
}

wine=/usr/lib/wine/wine64
# prepare NAME: gets what the platform needs, and sets compiler and library flags.
prepare() {
    flags="-lpthread -lm"
    case $1 in
    "$native") compiler=gcc && tools gcc gcc ;;
    linux-aarch64)
        compiler=aarch64-linux-gnu-gcc
        tools $compiler gcc-aarch64-linux-gnu libc6-dev-arm64-cross && tools qemu-aarch64 qemu-user
        ;;
    linux-s390x)
        compiler=s390x-linux-gnu-gcc
        tools $compiler gcc-s390x-linux-gnu libc6-dev-s390x-cross && tools qemu-s390x qemu-user
        ;;
    "$native-musl") compiler=musl-gcc && tools $compiler musl-tools ;;
    windows-x86_64)
        compiler=x86_64-w64-mingw32-gcc flags="-static -lpthread"
        tools $compiler gcc-mingw-w64-x86-64 || return 1
        [ -x $wine ] || install_packages wine64 || true
        [ -x $wine ]
        ;;
    wasm32-*) tools node nodejs && rustup target add "$1" ;;
    *)
        platform "$1" || exit 2
        [ "$tested" = built ]
        ;;
    esac
}

# on NAME PROGRAM: runs a program of the platform. The library is found beside it.
on() {
    folder=$(dirname "$2")
    case $1 in
    linux-aarch64) qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$folder" "$2" ;;
    linux-s390x) qemu-s390x -L /usr/s390x-linux-gnu -E LD_LIBRARY_PATH="$folder" "$2" ;;
    # Programs there end their lines with a carriage return too.
    windows-*)
        status=0
        WINEPREFIX=$output/wine WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=" $wine "$2.exe" >"$folder/printed" || status=$?
        tr -d '\r' <"$folder/printed"
        return $status
        ;;
    wasm32-*) node --no-warnings --experimental-wasi-unstable-preview1 tests/platforms/run-wasm.mjs "$2.wasm" ;;
    *) LD_LIBRARY_PATH="$folder" "$2" ;;
    esac
}

# build_vectors NAME: builds the program of the vectors, and puts it beside the library.
build_vectors() {
    (
        PATH=$root/target/dist/tools/bin:$PATH
        export CARGO_TARGET_DIR="$output/vectors"
        manifest=tests/platforms/vectors/Cargo.toml
        case $1 in
        "$native" | wasm32-*) cargo build --quiet --manifest-path $manifest --target "$target" ;;
        *) cargo zigbuild --quiet --manifest-path $manifest --target "$target" ;;
        esac
    ) && cp "$output/vectors/$target/debug/cupel-vectors$suffix" "$there/"
}

# build SOURCE PROGRAM
build() {
    # shellcheck disable=SC2086
    $compiler -std=c11 -O1 -g $warnings -I"$include" -Itests/c "$1" "$there"/$linked $flags -o "$2$suffix"
}

# build_static: the hash, linked with the static library as it is shipped.
build_static() {
    prefix=$there/installed
    LD=${binutils}ld OBJCOPY=${binutils}objcopy AR=${binutils}ar READELF=${binutils}readelf \
        CUPEL_LIB_DIR=$built CUPEL_INCLUDE_DIR=$include PREFIX=$prefix scripts/install.sh || return 1
    libraries=$(sed -n 's/^Libs.private: //p' "$prefix/lib/pkgconfig/cupel.pc")
    case $name in
    # Debian's musl-gcc has no unwinder for musl; zig has.
    *-musl) compiler="$root/target/dist/tools/bin/python-zig cc -target ${target%%-*}-linux-musl" libraries="$libraries -lunwind" ;;
    esac
    # shellcheck disable=SC2086
    $compiler -std=c11 -O1 $warnings -I"$prefix/include" tests/platforms/hash.c -static "$prefix/lib/libcupel.a" $libraries \
        -o "$there/static$suffix"
}
static_hash() { on "$1" "$there/static" >"$there/static.txt" && diff "$there/hash.txt" "$there/static.txt"; }

hashed() { on "$1" "$there/hash" >"$there/hash.txt"; }
vectors() { on "$1" "$there/cupel-vectors" >"$there/vectors.txt" || { cat "$there/vectors.txt"; return 1; }; }

expected=
for name in "$@"; do
    started=$(date +%s)
    echo "== $name"
    if ! prepare "$name"; then
        skipped="$skipped $name"
        echo "skipped: its tools cannot be had here"
        continue
    fi
    there=$output/$name
    rm -rf "$there"
    mkdir -p "$there"
    suffix= linked=libcupel.so
    case $name in
    wasm32-*)
        target=$name suffix=.wasm
        check "$name: build of the vectors" build_vectors "$name"
        check "$name: vectors" vectors "$name"
        tail -n 1 "$there/vectors.txt" 2>/dev/null || true
        continue
        ;;
    esac
    platform "$name"
    if [ "$name" = "$native" ]; then
        built=$library
    elif ! built=$(scripts/cross-build.sh "$name"); then
        fail "$name: build"
        continue
    fi
    if [ "$tested" = built ]; then
        built_only="$built_only $name"
        check "$name: static library" test -s "$built/libcupel.a"
        case $name in
        macos-*) same "$name: the least macOS" 11.0 "$(python3 tests/platforms/least_macos.py "$built/libcupel.dylib")" ;;
        *) check "$name: shared library" test -s "$built/libcupel.so" ;;
        esac
        echo "built only: it is not run here"
        continue
    fi
    case $name in
    windows-*)
        suffix=.exe linked=libcupel.dll.a
        cp "$built/cupel.dll" "$built/libcupel.dll.a" "$there/"
        check "$name: stub" $compiler -shared -O1 tests/platforms/bcryptprimitives.c -ladvapi32 -o "$there/bcryptprimitives.dll"
        ;;
    *) cp "$built/libcupel.so" "$built/libcupel.so.1" "$there/" ;;
    esac
    check "$name: build of the hash" build tests/platforms/hash.c "$there/hash"
    check "$name: hash" hashed "$name"
    hash=$(cat "$there/hash.txt" 2>/dev/null || true)
    echo "$hash"
    # The first platform is this machine's own, unless others were named.
    expected=${expected:-$hash}
    same "$name: the hash" "$expected" "$hash"
    for source in tests/c/test_*.c; do
        test=$(basename "$source" .c)
        check "$name: build of $test" build "$source" "$there/$test"
        check "$name: $test" on "$name" "$there/$test"
    done
    check "$name: build with the static library" build_static
    check "$name: hash with the static library" static_hash "$name"
    check "$name: build of the vectors" build_vectors "$name"
    check "$name: vectors" vectors "$name"
    tail -n 1 "$there/vectors.txt" 2>/dev/null || true
    echo "$(($(date +%s) - started)) s"
done

echo
[ -z "$built_only" ] || echo "built, not run:$built_only"
if [ -n "$skipped" ]; then
    echo "skipped:$skipped"
    [ "${CI:-}" != true ] || fail "a platform that is skipped counts as failed when CI=true"
fi
report platforms
