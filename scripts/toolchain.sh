#!/bin/sh
# Gets a C compiler and a Rust toolchain that is new enough, where they are missing and can be had by package name.
set -eu

least_minor=88

have() { command -v "$1" >/dev/null 2>&1; }

new_enough() {
    have cargo && minor=$(cargo --version | sed -n 's/^cargo 1\.\([0-9]*\).*/\1/p') && [ "${minor:-0}" -ge "$least_minor" ]
}

install() {
    have apt-get && [ "$(id -u)" -eq 0 ] || return 1
    [ -n "${apt_updated:-}" ] || { apt-get update -qq && apt_updated=1; }
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

if ! have cc; then
    install gcc libc6-dev || { echo "There is no C compiler (cc). Install one, gcc for example." >&2; exit 1; }
fi
if ! new_enough; then
    if have rustup || install rustup; then
        rustup toolchain install stable --profile minimal --component clippy --component rustfmt >/dev/null || true
    else
        install cargo rustc rust-clippy rustfmt || true
    fi
fi
if ! new_enough; then
    echo "There is no Rust toolchain of version 1.$least_minor or later. Install one with rustup." >&2
    exit 1
fi
