#!/bin/sh
# Gets a C compiler and a Rust toolchain that is new enough, where they are missing and can be had by package name.
set -eu

. "$(dirname "$0")/packages.sh"
least_minor=88

new_enough() {
    have cargo && minor=$(cargo --version | sed -n 's/^cargo 1\.\([0-9]*\).*/\1/p') && [ "${minor:-0}" -ge "$least_minor" ]
}

if ! have cc; then
    install_packages gcc libc6-dev || { echo "There is no C compiler (cc). Install one, gcc for example." >&2; exit 1; }
fi
if ! new_enough; then
    if have rustup || install_packages rustup; then
        rustup toolchain install stable --profile minimal --component clippy --component rustfmt >/dev/null || true
    else
        install_packages cargo rustc rust-clippy rustfmt || true
    fi
fi
if ! new_enough; then
    echo "There is no Rust toolchain of version 1.$least_minor or later. Install one with rustup." >&2
    exit 1
fi
