#!/bin/sh
# Makes wheels of the Python package and its source distribution.
#
#     bindings/python/dist.sh FOLDER [PLATFORM...]      this machine's platform, if none is named; scripts/platforms.sh lists them
#
# A wheel serves CPython 3.11 and later. zig links it, on Linux for glibc 2.17 and later or for musl 1.2. A wheel for another
# platform is built only: it is tested where it can be installed.
set -eu

folder=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")"
. ./env.sh
. "$root/scripts/platforms.sh"
[ $# -gt 0 ] || set -- "$(host_platform)"

tools=$root/target/dist/tools
install "$tools" 'maturin>=1.14,<2' 'ziglang>=0.15,<0.18' >&2
PATH=$tools/bin:$PATH
export CARGO_TARGET_DIR="${CUPEL_DIST_BUILD:-$root/target/dist/build}/python"
flags="--remap-path-prefix=$root=libcupel --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
rm -f "$folder"/libcupel-*.whl
for name in "$@"; do
    platform "$name"
    [ -d "$(rustc --print target-libdir --target "$target")" ] || rustup target add "$target" >&2
    RUSTFLAGS=$flags
    case $name in
    linux-*-musl)
        RUSTFLAGS="$flags -C target-feature=-crt-static"
        tag=musllinux_1_2
        ;;
    linux-*) tag=manylinux2014 ;;
    windows-*)
        # maturin has every library of the build export the module's entry, and the crate has a library of its own.
        echo "There is no wheel for $name: build it there, from the source distribution." >&2
        continue
        ;;
    *) tag=off ;;
    esac
    export RUSTFLAGS
    # The least macOS, as scripts/cross-build.sh has it.
    MACOSX_DEPLOYMENT_TARGET=11.0 maturin build --release --quiet --strip --zig --target "$target" --compatibility "$tag" \
        --interpreter "$tools/bin/python" --out "$folder" >&2
done
maturin sdist --out "$folder" >&2
