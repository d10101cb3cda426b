#!/bin/sh
# Installs the library, its header, a pkg-config file and a CMake package to PREFIX (below DESTDIR, if that is set), or
# removes them.
#
#     scripts/install.sh [uninstall]
#
# The library must have been built. CUPEL_LIB_DIR and CUPEL_INCLUDE_DIR say where it and its header are (default:
# target/release and include). CUPEL_RELOCATABLE, when set, makes a pkg-config file that names folders relative to itself.
set -eu

cd "$(dirname "$0")/.."
prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}$prefix
built=${CUPEL_LIB_DIR:-target/release}
header=${CUPEL_INCLUDE_DIR:-include}/cupel.h

if [ "${1:-}" = uninstall ]; then
    rm -f "$root"/lib/libcupel.so "$root"/lib/libcupel.so.* "$root"/lib/libcupel*.dylib "$root"/lib/libcupel.a \
        "$root"/lib/libcupel.dll.a "$root/bin/cupel.dll" "$root"/include/cupel.h "$root"/include/cupel.hpp \
        "$root/lib/pkgconfig/cupel.pc"
    rm -rf "$root/include/cupel" "$root/lib/cmake/cupel" "$root/share/licenses/cupel"
    # Folders that were made for the library alone.
    for folder in lib/pkgconfig lib/cmake lib bin include share/licenses share ""; do
        rmdir "$root${folder:+/$folder}" 2>/dev/null || true
    done
    echo "Removed libcupel from $root."
    exit
fi
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
abi=$(sed -n 's/^#define CUPEL_ABI_VERSION //p' "$header")

shared=
for name in libcupel.so libcupel.dylib cupel.dll; do
    [ ! -e "$built/$name" ] || shared=$name
done
if [ ! -e "$built/libcupel.a" ] || [ -z "$shared" ]; then
    echo "There is no libcupel in $built: run make lib, or set CUPEL_LIB_DIR." >&2
    exit 1
fi
pc_prefix=$prefix
# shellcheck disable=SC2016
[ -z "${CUPEL_RELOCATABLE:-}" ] || pc_prefix='${pcfiledir}/../..'
mkdir -p "$root/lib/pkgconfig" "$root/lib/cmake/cupel" "$root/include" "$root/share/licenses/cupel"
install -m 644 "$header" bindings/cpp/include/cupel.hpp "$root/include/"
cp -R bindings/cpp/include/cupel "$root/include/"
# What a program needs of the system that links the static library.
case $shared in
libcupel.so)
    system_libs="-lpthread -ldl -lm"
    scripts/static-library.sh "$built/libcupel.a" "$root/lib/libcupel.a"
    chmod 644 "$root/lib/libcupel.a"
    install -m 755 "$built/libcupel.so" "$root/lib/libcupel.so.$version"
    ln -sf "libcupel.so.$version" "$root/lib/libcupel.so.$abi"
    ln -sf "libcupel.so.$abi" "$root/lib/libcupel.so"
    ;;
libcupel.dylib)
    system_libs=
    install -m 644 "$built/libcupel.a" "$root/lib/"
    install -m 755 "$built/libcupel.dylib" "$root/lib/libcupel.$abi.dylib"
    ln -sf "libcupel.$abi.dylib" "$root/lib/libcupel.dylib"
    ;;
cupel.dll)
    system_libs="-lws2_32 -luserenv -lntdll"
    install -m 644 "$built/libcupel.a" "$root/lib/"
    mkdir -p "$root/bin"
    install -m 755 "$built/cupel.dll" "$root/bin/"
    install -m 644 "$built/libcupel.dll.a" "$root/lib/"
    ;;
esac
fill() { sed -e "s|@PREFIX@|$pc_prefix|g" -e "s|@VERSION@|$version|g" -e "s|@SYSTEM_LIBS@|$system_libs|g" "$1" >"$2"; }
fill bindings/cpp/cupel.pc.in "$root/lib/pkgconfig/cupel.pc"
fill bindings/cpp/cupelConfig.cmake.in "$root/lib/cmake/cupel/cupelConfig.cmake"
install -m 644 bindings/cpp/cupelTargets.cmake "$root/lib/cmake/cupel/"
fill bindings/cpp/cupelConfigVersion.cmake.in "$root/lib/cmake/cupel/cupelConfigVersion.cmake"
install -m 644 LICENSE-MIT LICENSE-APACHE "$root/share/licenses/cupel/"
echo "Installed libcupel $version to $root."
