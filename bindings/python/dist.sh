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
install "$tools" 'maturin>=1.14,<2' 'ziglang>=0.15,<0.18' 'cargo-zigbuild>=0.20,<1' 'wheel>=0.45' >&2
PATH=$tools/bin:$PATH
export CARGO_TARGET_DIR="${CUPEL_DIST_BUILD:-$root/target/dist/build}/python"
flags="--remap-path-prefix=$root=libcupel --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"

# maturin has every library of a build for Windows export the module's entry, which the library of the crate has not. So this
# wheel is another platform's, with the extension for Windows in place of its own.
windows_wheel() {
    set -- "$folder"/libcupel-*linux*.whl
    [ -e "$1" ] || { echo "A wheel for Windows is made from one for Linux: name a Linux platform before it." >&2; return 1; }
    RUSTFLAGS=$flags PYO3_NO_PYTHON=1 cargo zigbuild --quiet --release --lib --target "$target" >&2
    rm -rf "$CARGO_TARGET_DIR/windows"
    "$tools/bin/python" -m wheel unpack --dest "$CARGO_TARGET_DIR/windows" "$1" >&2
    rm "$CARGO_TARGET_DIR"/windows/*/libcupel/_native.abi3.so
    cp "$CARGO_TARGET_DIR/$target/release/_native.dll" "$(echo "$CARGO_TARGET_DIR"/windows/*/libcupel)/_native.pyd"
    sed -i -e '/^Tag: /d' -e '/^Root-Is-Purelib: /a Tag: cp311-abi3-win_amd64' "$CARGO_TARGET_DIR"/windows/*/*.dist-info/WHEEL
    "$tools/bin/python" -m wheel pack --dest "$folder" "$CARGO_TARGET_DIR"/windows/* >&2
}

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
        windows_wheel
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
