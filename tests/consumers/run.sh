#!/bin/sh
# Makes the packages for this machine's platform, and runs the program of README.md in every language from them alone, in
# folders outside the checkout.
#
# Also: two builds give the same bytes, the shared library needs an old glibc and little else, and the Debian packages
# install, upgrade and remove cleanly.
set -eu
. "$(dirname "$0")/../c/lib.sh"
. scripts/platforms.sh
need gcc gcc
need g++ g++
need readelf binutils
need pkg-config pkg-config
need cmake cmake
need meson meson
need unzip unzip
need dpkg-deb dpkg
output=$root/target/consumers
rm -rf "$output"
mkdir -p "$output"
log=$output/log
dist=$root/target/dist
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
name=$(host_platform)
unset CUPEL_LIB_DIR CUPEL_INCLUDE_DIR

make_packages() { scripts/dist.sh "$name" && cp "$dist/SHA256SUMS" "$output/first"; }
check "make dist" make_packages
[ "$failed" -eq 0 ] || { report consumers; exit 1; }

# Another build, of the same sources at another path.
changed() { git diff --name-only --diff-filter=d HEAD && git ls-files --others --exclude-standard; }
build_again() {
    git clone -q . "$output/elsewhere" && changed >"$output/changed" &&
        xargs -r -a "$output/changed" cp --parents -t "$output/elsewhere" &&
        mkdir -p "$output/elsewhere/target/dist" && ln -s "$dist/tools" "$output/elsewhere/target/dist/tools" &&
        (cd "$output/elsewhere" && CUPEL_DIST_WHEEL=no scripts/dist.sh "$name") &&
        grep -v -e '\.whl$' -e "libcupel-$version.tar.gz$" "$output/first" | diff - "$output/elsewhere/target/dist/SHA256SUMS"
}
check "another build gives the same bytes" build_again
rm -rf "$output/elsewhere"

# Outside of the checkout, with nothing but the package.
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
cp -R examples "$outside/examples"
tar xzf "$dist/libcupel-$version-$name.tar.gz" -C "$outside"
prefix=$outside/libcupel-$version-$name
sed -n '/^1.000 /,/ of 40 tokens$/p' README.md >"$output/expected"
same "lines that the README's programs print" 5 "$(wc -l <"$output/expected")"
# prints COMMAND...: the command succeeds and prints what the README shows.
prints() { LD_LIBRARY_PATH="$prefix/lib" "$@" >"$output/printed" && diff "$output/expected" "$output/printed"; }

shared=$prefix/lib/libcupel.so
newest_glibc=$(readelf -V "$shared" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
same "the newest symbol of glibc that is asked for is not newer than" "GLIBC_2.17" \
    "$(printf '%s\nGLIBC_2.17\n' "$newest_glibc" | sort -V | tail -n 1)"
same "no library is needed beyond the system's" "" "$(readelf -d "$shared" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' |
    grep -vE '^(libc|libm|libgcc_s|libpthread|libdl|ld-linux[-a-z0-9_]*)\.so\.[0-9]$' || true)"
same "the stack is not executable" "RW" "$(readelf -lW "$shared" | awk '$1 == "GNU_STACK" { print $7 }')"
same "relocations are read-only, all of them" "GNU_RELRO BIND_NOW" \
    "$(readelf -lW "$shared" | grep -o GNU_RELRO) $(readelf -d "$shared" | grep -o BIND_NOW | head -n 1)"
same "the shared library has less than 1.5 MB" smaller \
    "$([ "$(stat -c %s "$shared")" -lt 1500000 ] && echo smaller || stat -c %s "$shared")"
same "no path of this machine is in it" "" "$(grep -aoE "$root[^ ]*|$HOME/[^ ]*" "$shared" | head -n 1)"
checksums() { (cd "$dist" && sha256sum --check --quiet SHA256SUMS); }
check "the checksums" checksums

# C and C++.
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
# shellcheck disable=SC2046
by_pkg_config() { gcc -std=c11 "$outside/examples/c/keep.c" $2 $(pkg-config $1 --cflags --libs cupel) -o "$outside/keep" && prints "$outside/keep"; }
check "C, pkg-config" by_pkg_config "" ""
check "C, pkg-config, static" by_pkg_config --static -static
by_cmake() {
    rm -rf "$outside/cmake" &&
        cmake -S tests/consumers/cmake -B "$outside/cmake" -DEXAMPLES="$outside/examples" "$@" &&
        cmake --build "$outside/cmake" &&
        prints "$outside/cmake/keep_c" && prints "$outside/cmake/keep_cpp" && prints "$outside/cmake/keep_static"
}
check "CMake, find_package" by_cmake -DCMAKE_PREFIX_PATH="$prefix"
check "CMake, add_subdirectory" by_cmake -DCUPEL_SUBDIRECTORY="$root/bindings/cpp" -DCUPEL_LIB_DIR="$library" -DCUPEL_INCLUDE_DIR="$include"
by_meson() {
    mkdir "$outside/meson" && cp tests/consumers/meson/meson.build examples/c/keep.c examples/cpp/keep.cpp "$outside/meson/" &&
        (cd "$outside/meson" && meson setup build && meson compile -C build) &&
        prints "$outside/meson/build/keep_c" && prints "$outside/meson/build/keep_cpp"
}
check "meson" by_meson

# Debian packages, in a root of their own. No maintainer script runs, so that no shell is needed in there.
debian=$outside/debian
mkdir -p "$debian/var/lib/dpkg"
touch "$debian/var/lib/dpkg/status"
# Without root, files keep the owner that unpacks them.
dpkg_in() { dpkg --root="$debian" --force-not-root --force-script-chrootless --log=/dev/null --force-depends "$@"; }
architecture=$(dpkg --print-architecture)
debs="$dist/libcupel1_${version}_$architecture.deb $dist/libcupel-dev_${version}_$architecture.deb"
# shellcheck disable=SC2086
check "dpkg --install" dpkg_in --install $debs
from_debian() {
    prefix=$debian/usr/lib/$(gcc -print-multiarch)/..
    PKG_CONFIG_PATH= PKG_CONFIG_SYSROOT_DIR=$debian PKG_CONFIG_LIBDIR=$debian/usr/lib/$(gcc -print-multiarch)/pkgconfig \
        PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 by_pkg_config "" "-Wl,-rpath,$debian/usr/lib/$(gcc -print-multiarch)"
}
check "C from the Debian packages" from_debian
check "CMake from the Debian packages" by_cmake -DCMAKE_PREFIX_PATH="$debian/usr" -DCMAKE_LIBRARY_ARCHITECTURE="$(gcc -print-multiarch)"
newer() {
    dpkg-deb --raw-extract "$dist/libcupel1_${version}_$architecture.deb" "$outside/newer" &&
        sed -i "s/^Version: .*/Version: $version.1/" "$outside/newer/DEBIAN/control" &&
        dpkg-deb --root-owner-group --build "$outside/newer" "$outside/newer.deb" && dpkg_in --install "$outside/newer.deb" &&
        dpkg_in --list libcupel1 | grep -q "^ii.* $version.1 "
}
check "an upgrade" newer
check "dpkg --purge" dpkg_in --purge libcupel-dev libcupel1
same "files that are left" "" "$(cd "$debian" && find . -path ./var -prune -o ! -type d -print | head -n 3)"

# make install and make uninstall.
uninstall() {
    PREFIX=$outside/prefix CUPEL_LIB_DIR=$library CUPEL_INCLUDE_DIR=$include scripts/install.sh &&
        PREFIX=$outside/prefix scripts/install.sh uninstall && [ ! -e "$outside/prefix" ]
}
check "make uninstall leaves nothing" uninstall

# Go, from the module with the libraries in it.
module=$dist/libcupel-go-$version.zip # env.sh has a version of its own
go_consumer() (
    cd bindings/go && . ./env.sh && unset PKG_CONFIG_PATH LD_LIBRARY_PATH CGO_CFLAGS CGO_LDFLAGS &&
        mkdir "$outside/go" && cd "$outside/go" && unzip -q "$module" &&
        cp "$outside/examples/go/keep.go" . && go mod init consumer &&
        go mod edit -require=github.com/libcupel/libcupel/bindings/go@v0.0.0 \
            -replace=github.com/libcupel/libcupel/bindings/go="./$(basename "$module" .zip)" &&
        go build -o keep . && ./keep >printed && diff "$output/expected" printed
)
check "Go" go_consumer

# Rust, from the crate.
rust_consumer() {
    cp -R tests/consumers/rust "$outside/rust" && mkdir "$outside/rust/src" "$outside/rust/cupel" &&
        cp "$outside/examples/rust/keep.rs" "$outside/rust/src/main.rs" &&
        tar xzf "$dist/cupel-capi-$version.crate" -C "$outside/rust/cupel" --strip-components=1 &&
        CARGO_TARGET_DIR=$output/rust cargo build --quiet --manifest-path "$outside/rust/Cargo.toml" &&
        prints "$output/rust/debug/consumer"
}
check "Rust" rust_consumer

# Python, from the wheel.
python_consumer() (
    cd bindings/python && . ./env.sh && empty=$outside/python && python3 -m venv "$empty" &&
        "$empty/bin/pip" install -q --no-deps "$dist"/libcupel-*.whl && cd "$outside" &&
        "$empty/bin/python" "$outside/examples/python/keep.py" >printed && diff "$output/expected" printed
)
check "Python" python_consumer

# C#, with the native library as the NuGet package lays it out.
dotnet_consumer() {
    bash -c 'source bindings/dotnet/scripts/toolchain.sh && ensure_mono && CUPEL_LIB_DIR=$1 && mkdir "$2/dotnet" &&
        compile_mono "$2/dotnet/Cupel.Native.dll" library "${library_sources[@]}" &&
        compile_mono "$2/dotnet/keep.exe" exe "-r:$2/dotnet/Cupel.Native.dll" "$2/examples/dotnet/Keep.cs" &&
        run_mono "$2/dotnet/keep.exe" | diff "$3" -' \
        consumer "$dist/nuget/runtimes/$(platform "$name" && echo "$rid")/native" "$outside" "$output/expected"
}
check "C#" dotnet_consumer
report consumers
