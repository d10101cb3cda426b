#!/bin/sh
# Makes the wheel and the source distribution of the Python package.
#
#     bindings/python/dist.sh FOLDER
#
# The wheel is for the platform of this machine, for CPython 3.11 and later, and on Linux for glibc 2.17 and later: zig links it.
set -eu

folder=$(cd "$1" && pwd)
cd "$(dirname "$0")"
. ./env.sh

tools=$root/target/dist/tools
install "$tools" 'maturin>=1.14,<2' 'ziglang>=0.15,<0.18' >&2
PATH=$tools/bin:$PATH
export CARGO_TARGET_DIR="${CUPEL_DIST_BUILD:-$root/target/dist/build}/python"
export RUSTFLAGS="--remap-path-prefix=$root=libcupel --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
rm -f "$folder"/libcupel-*.whl
case $(uname -s) in
Linux) maturin build --release --quiet --strip --zig --compatibility manylinux2014 --interpreter "$tools/bin/python" --out "$folder" >&2 ;;
*) maturin build --release --quiet --strip --interpreter "$tools/bin/python" --out "$folder" >&2 ;;
esac
maturin sdist --out "$folder" >&2
