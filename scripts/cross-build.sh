#!/bin/sh
# Builds the library for a platform with zig as its linker, and prints the folder that has it.
#
#     scripts/cross-build.sh PLATFORM
#
# scripts/platforms.sh lists the platforms. zig links against the oldest glibc that is supported, whatever this machine has.
# Paths of this machine are left out of the result, so that two builds of one commit are the same bytes.
set -eu

cd "$(dirname "$0")/.."
. scripts/packages.sh
. scripts/platforms.sh
scripts/toolchain.sh >&2
platform "$1"

tools=$PWD/target/dist/tools
if [ ! -x "$tools/bin/cargo-zigbuild" ]; then
    make_venv "$tools" && pip_install "$tools" 'ziglang>=0.15,<0.18' 'cargo-zigbuild>=0.20,<1'
fi
PATH=$tools/bin:$PATH
if ! rustc --print target-libdir --target "$target" >/dev/null 2>&1 || [ ! -d "$(rustc --print target-libdir --target "$target")" ]; then
    rustup target add "$target" >&2
fi
RUSTFLAGS="--remap-path-prefix=$PWD=libcupel --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
case $target in
# A shared library for musl needs its C library to be a shared one too.
*-musl) RUSTFLAGS="$RUSTFLAGS -C target-feature=-crt-static" ;;
# zig would ask for a newer macOS than the Rust standard library does.
*-apple-darwin)
    MACOSX_DEPLOYMENT_TARGET=11.0
    export MACOSX_DEPLOYMENT_TARGET
    ;;
esac
export RUSTFLAGS
CARGO_TARGET_DIR=${CUPEL_DIST_BUILD:-$PWD/target/dist/build}
export CARGO_TARGET_DIR
cargo zigbuild --quiet --release --lib --target "$zig_target" >&2
echo "$CARGO_TARGET_DIR/$target/release"
