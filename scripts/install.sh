#!/bin/sh
# Installs the library, its header, a pkg-config file and a CMake package to PREFIX (below DESTDIR, if that is set).
#
# The library must have been built. CUPEL_LIB_DIR and CUPEL_INCLUDE_DIR say where it and its header are (default:
# target/release and include).
set -eu

cd "$(dirname "$0")/.."
prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}$prefix
built=${CUPEL_LIB_DIR:-target/release}
header=${CUPEL_INCLUDE_DIR:-include}/cupel.h
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
abi=$(sed -n 's/^#define CUPEL_ABI_VERSION //p' "$header")

if [ ! -e "$built/libcupel.a" ] || { [ ! -e "$built/libcupel.so" ] && [ ! -e "$built/libcupel.dylib" ]; }; then
    echo "There is no libcupel in $built: run make lib, or set CUPEL_LIB_DIR." >&2
    exit 1
fi
mkdir -p "$root/lib/pkgconfig" "$root/lib/cmake/cupel" "$root/include" "$root/share/licenses/cupel"
install -m 644 "$header" bindings/cpp/include/cupel.hpp "$root/include/"
cp -R bindings/cpp/include/cupel "$root/include/"
scripts/static-library.sh "$built/libcupel.a" "$root/lib/libcupel.a"
chmod 644 "$root/lib/libcupel.a"
if [ -e "$built/libcupel.so" ]; then
    install -m 755 "$built/libcupel.so" "$root/lib/libcupel.so.$version"
    ln -sf "libcupel.so.$version" "$root/lib/libcupel.so.$abi"
    ln -sf "libcupel.so.$abi" "$root/lib/libcupel.so"
else
    install -m 755 "$built/libcupel.dylib" "$root/lib/libcupel.$abi.dylib"
    ln -sf "libcupel.$abi.dylib" "$root/lib/libcupel.dylib"
fi
fill() { sed -e "s|@PREFIX@|$prefix|g" -e "s|@VERSION@|$version|g" "$1" >"$2"; }
fill bindings/cpp/cupel.pc.in "$root/lib/pkgconfig/cupel.pc"
fill bindings/cpp/cupelConfig.cmake.in "$root/lib/cmake/cupel/cupelConfig.cmake"
install -m 644 bindings/cpp/cupelTargets.cmake "$root/lib/cmake/cupel/"
fill bindings/cpp/cupelConfigVersion.cmake.in "$root/lib/cmake/cupel/cupelConfigVersion.cmake"
install -m 644 LICENSE-MIT LICENSE-APACHE "$root/share/licenses/cupel/"
echo "Installed libcupel $version to $root."
