# shellcheck shell=sh
# Sourced by other scripts: the platforms that packages are made for, and how each is built.
#
# A line: name, Rust target, what zig is told beyond it (the least glibc), runtime identifier of NuGet, GOOS_GOARCH,
# prefix of Debian's cross binutils, and whether tests/platforms/run.sh runs the library there or it is built only. A platform
# without a runtime identifier is for tests alone: there are no packages of it.
platform_table() {
    cat <<'END'
linux-x86_64        x86_64-unknown-linux-gnu    .2.17  linux-x64         linux_amd64    x86_64-linux-gnu-   run
linux-aarch64       aarch64-unknown-linux-gnu   .2.17  linux-arm64       linux_arm64    aarch64-linux-gnu-  run
linux-x86_64-musl   x86_64-unknown-linux-musl   -      linux-musl-x64    -              x86_64-linux-gnu-   run
linux-aarch64-musl  aarch64-unknown-linux-musl  -      linux-musl-arm64  -              aarch64-linux-gnu-  built
macos-x86_64        x86_64-apple-darwin         -      osx-x64           darwin_amd64   -                   built
macos-aarch64       aarch64-apple-darwin        -      osx-arm64         darwin_arm64   -                   built
windows-x86_64      x86_64-pc-windows-gnu       -      win-x64           windows_amd64  -                   run
linux-s390x         s390x-unknown-linux-gnu     .2.17  -                 -              s390x-linux-gnu-    run
END
}

# The platforms that packages are made for.
packaged_platforms() { platform_table | awk '$4 != "-" { print $1 }'; }

# platform NAME: sets target, zig_target, rid, go_platform, binutils and tested.
platform() {
    line=$(platform_table | awk -v name="$1" '$1 == name')
    if [ -z "$line" ]; then
        echo "There is no platform $1; there are:" $(platform_table | cut -d' ' -f1) >&2
        return 1
    fi
    # shellcheck disable=SC2086
    set -- $line
    target=$2 rid=$4 go_platform=$5 binutils=$6 tested=$7
    zig_target=$2
    [ "$3" = - ] || zig_target=$2$3
    [ "$binutils" != - ] || binutils=
}

# The platform of this machine, for tests of what can be run here.
host_platform() {
    echo "linux-$(uname -m)"
}
