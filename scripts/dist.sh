#!/bin/sh
# Makes the packages of a release in target/dist.
#
#     scripts/dist.sh [PLATFORM...]        all platforms, if none is named; scripts/platforms.sh lists them
#
# libcupel-VERSION-PLATFORM.tar.gz   library, headers, pkg-config file and CMake package, for any folder
# libcupel1_*.deb, libcupel-dev_*    for Debian, of the Linux platforms with glibc
# libcupel-go-VERSION.zip            the Go module with the static libraries of the platforms that were named
# nuget/runtimes                     the folder that the .NET project is packed with
# cupel-capi-VERSION.crate           the crate
# libcupel-*.whl, libcupel-*.tar.gz  the Python package: bindings/python/dist.sh
# SHA256SUMS                         of all of them
#
# The same commit gives the same bytes: times are those of the commit, owners are root, names are sorted.
set -eu

cd "$(dirname "$0")/.."
. scripts/packages.sh
. scripts/platforms.sh
need zip zip

dist=$PWD/target/dist
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
abi=$(sed -n 's/^#define CUPEL_ABI_VERSION //p' include/cupel.h)
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || date -r Cargo.toml +%s)}"
export SOURCE_DATE_EPOCH
umask 022

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# set_times FOLDER: every file gets the time of the release.
set_times() { find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +; }

# archive FOLDER FILE: a compressed tar of a folder.
archive() {
    tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar \
        -C "$(dirname "$1")" "$(basename "$1")" | gzip -9 -n >"$2"
}

# deb NAME ARCHITECTURE ROOT: a Debian package of the files under ROOT, with the control file of scripts/debian.
deb() {
    root=$3
    mkdir -p "$root/DEBIAN" "$root/usr/share/doc/$1"
    cat LICENSE-MIT LICENSE-APACHE >"$root/usr/share/doc/$1/copyright"
    gzip -9 -n <CHANGELOG.md >"$root/usr/share/doc/$1/changelog.gz"
    size=$(du -k -s --apparent-size "$root" | cut -f1)
    sed -e "s/@VERSION@/$version/g" -e "s/@ARCHITECTURE@/$2/g" -e "s/@SIZE@/$size/g" \
        "scripts/debian/$1.control" >"$root/DEBIAN/control"
    (cd "$root" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$root/DEBIAN/md5sums"
    if [ -e "scripts/debian/$1.triggers" ]; then
        cp "scripts/debian/$1.triggers" "$root/DEBIAN/triggers"
        echo "libcupel $abi $1 (>= $version)" >"$root/DEBIAN/shlibs"
    fi
    set_times "$root"
    dpkg-deb --root-owner-group --uniform-compression -Zxz --build "$root" "$dist/${1}_${version}_$2.deb" >/dev/null
}

# debian_packages PREFIX: from the files of an installation, the packages to run with and to develop with.
debian_packages() {
    case $target in
    x86_64-*) architecture=amd64 ;;
    aarch64-*) architecture=arm64 ;;
    esac
    libdir=usr/lib/${target%%-*}-linux-gnu
    run=$work/deb/run develop=$work/deb/develop
    rm -rf "$work/deb"
    mkdir -p "$run/$libdir" "$develop/$libdir" "$develop/usr/include"
    cp -a "$1/lib/libcupel.so.$version" "$1/lib/libcupel.so.$abi" "$run/$libdir/"
    chmod 644 "$run/$libdir/libcupel.so.$version"
    cp -a "$1/lib/libcupel.so" "$1/lib/libcupel.a" "$1/lib/cmake" "$1/lib/pkgconfig" "$develop/$libdir/"
    cp -a "$1/include/." "$develop/usr/include/"
    sed -e 's|^prefix=.*|prefix=/usr|' -e "s|^libdir=.*|libdir=/$libdir|" "$1/lib/pkgconfig/cupel.pc" \
        >"$develop/$libdir/pkgconfig/cupel.pc"
    deb "libcupel$abi" "$architecture" "$run"
    deb libcupel-dev "$architecture" "$develop"
}

go_module=$work/libcupel-go-$version
nuget=$dist/nuget/runtimes
mkdir -p "$dist"
rm -rf "$dist"/*.tar.gz "$dist"/*.deb "$dist"/*.zip "$dist"/*.crate "$dist"/*.whl "$dist/nuget" "$dist/SHA256SUMS"

# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(packaged_platforms)
for name in "$@"; do
    echo "== $name"
    platform "$name"
    built=$(scripts/cross-build.sh "$name")
    prefix=$work/libcupel-$version-$name
    [ -z "$binutils" ] || need "${binutils}ld" "binutils-$(echo "${binutils%-}" | tr _ -)"
    LD=${binutils}ld OBJCOPY=${binutils}objcopy AR=${binutils}ar READELF=${binutils}readelf \
        CUPEL_LIB_DIR=$built PREFIX=$prefix CUPEL_RELOCATABLE=1 scripts/install.sh
    cp README.md CHANGELOG.md "$prefix/"
    case $tested in
    run) echo "$name ($target): the tests of the project run on this platform." ;;
    built) echo "$name ($target): this platform is built only. The tests of the project do not run on it." ;;
    esac >"$prefix/PLATFORM.txt"
    archive "$prefix" "$dist/libcupel-$version-$name.tar.gz"
    case $name in
    linux-*-musl) ;;
    linux-*) ! have dpkg-deb || debian_packages "$prefix" ;;
    esac
    mkdir -p "$nuget/$rid/native"
    for library in "$built/libcupel.so" "$built/libcupel.dylib" "$built/cupel.dll"; do
        [ ! -e "$library" ] || install -m 755 "$library" "$nuget/$rid/native/"
    done
    if [ "$go_platform" != - ]; then
        mkdir -p "$go_module/lib/$go_platform"
        cp "$prefix/lib/libcupel.a" "$go_module/lib/$go_platform/"
    fi
done

if [ -d "$go_module/lib" ]; then
    # Of the binding only what a program is built from. The libraries that are not brought along are left to pkg-config.
    mkdir -p "$go_module/arrow"
    for file in bindings/go/*.go bindings/go/*.c bindings/go/*.h bindings/go/go.mod bindings/go/README.md bindings/go/arrow/*; do
        case $file in
        *_test.go) ;;
        */arrow/*) cp "$file" "$go_module/arrow/" ;;
        *) cp "$file" "$go_module/" ;;
        esac
    done
    cp include/cupel.h LICENSE-MIT LICENSE-APACHE "$go_module/"
    scripts/go-bundled-link.sh "$go_module/lib" >"$go_module/link.go"
    set_times "$go_module"
    (cd "$work" && find "libcupel-go-$version" -type f | LC_ALL=C sort | TZ=UTC zip -q -X -@ "$dist/libcupel-go-$version.zip")
fi

cargo package --quiet --no-verify --allow-dirty --target-dir "$work/crate"
cp "$work/crate/package/cupel-capi-$version.crate" "$dist/"
# CUPEL_DIST_WHEEL=no leaves the Python package out.
[ "${CUPEL_DIST_WHEEL:-}" = no ] || bindings/python/dist.sh "$dist" "$@"
(cd "$dist" && find . -maxdepth 1 -type f ! -name SHA256SUMS | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum) >"$work/SHA256SUMS"
mv "$work/SHA256SUMS" "$dist/"
cat "$dist/SHA256SUMS"
