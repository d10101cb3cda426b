#!/bin/sh
# Installs the library, its header, a pkg-config file and a CMake package to PREFIX (below DESTDIR, if that is set).
set -eu

cd "$(dirname "$0")/.."
prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}$prefix
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
major=${version%%.*}

# The installed library has a name of its own for each ABI; the one in target/ is linked to as it is.
case $(uname -s) in
Darwin) flags="-C link-arg=-Wl,-install_name,$prefix/lib/libcupel.$major.dylib" shared=libcupel.dylib ;;
*) flags="-C link-arg=-Wl,-soname,libcupel.so.$major" shared=libcupel.so ;;
esac
scripts/toolchain.sh
# shellcheck disable=SC2086 # a list of flags
CARGO_TARGET_DIR=target/install cargo rustc --release --lib -- $flags
built=target/install/release

mkdir -p "$root/lib/pkgconfig" "$root/lib/cmake/cupel" "$root/include" "$root/share/licenses/cupel"
install -m 644 include/cupel.h bindings/cpp/include/cupel.hpp "$root/include/"
cp -R bindings/cpp/include/cupel "$root/include/"
install -m 644 "$built/libcupel.a" "$root/lib/"
if [ "$shared" = libcupel.so ]; then
    install -m 755 "$built/libcupel.so" "$root/lib/libcupel.so.$version"
    ln -sf "libcupel.so.$version" "$root/lib/libcupel.so.$major"
    ln -sf "libcupel.so.$major" "$root/lib/libcupel.so"
else
    install -m 755 "$built/libcupel.dylib" "$root/lib/libcupel.$major.dylib"
    ln -sf "libcupel.$major.dylib" "$root/lib/libcupel.dylib"
fi
fill() { sed -e "s|@PREFIX@|$prefix|g" -e "s|@VERSION@|$version|g" "$1" >"$2"; }
fill bindings/cpp/cupel.pc.in "$root/lib/pkgconfig/cupel.pc"
fill bindings/cpp/cupelConfig.cmake.in "$root/lib/cmake/cupel/cupelConfig.cmake"
fill bindings/cpp/cupelConfigVersion.cmake.in "$root/lib/cmake/cupel/cupelConfigVersion.cmake"
install -m 644 LICENSE-MIT LICENSE-APACHE "$root/share/licenses/cupel/"
echo "Installed libcupel $version to $root."
