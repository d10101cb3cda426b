#!/bin/sh
# Tests the documentation: links, the guide as a site, the reference of the headers without a warning, and the code, policies and plots
# of the guide with the Python package. Ends with "docs: N passed, M failed".
set -eu

cd "$(dirname "$0")/.."
. scripts/packages.sh
out=$PWD/target/docs
mkdir -p "$out"
log=$out/log
. scripts/checks.sh

make_venv "$out/venv"
check "links" "$out/venv/bin/python" scripts/test-docs.py links
check "the guide and the reference" scripts/guide.sh
check "a page of the guide" test -s target/guide/policies.html
check "a page of the reference" test -s target/doc/c/html/cupel_8h.html

# The package, from the wheel that its tests made, or a new one.
package() (
    cd bindings/python && . ./env.sh &&
        { [ -e "$work"/wheel/*.whl ] && [ -z "$(find ../../src src -newer "$work"/wheel/*.whl -name '*.rs' | head -n 1)" ] || build_wheel; } &&
        install_package "$out/venv" "$work"/wheel/*.whl
)
check "the Python package" package
check "code and policies of the guide" "$out/venv/bin/python" scripts/test-docs.py code \
    docs/start.md docs/items.md docs/policies.md docs/custom.md docs/selecting.md
check "plots" "$out/venv/bin/python" docs/plots/plots.py --check

report docs
