#!/bin/sh
# Tests the Rust crate and the C ABI from Rust: format, lints, documentation, unit and integration tests, the fuzz corpus.
set -eu

cd "$(dirname "$0")/.."

# A minimal toolchain has neither of the two.
for component in clippy rustfmt; do
    cargo "${component#rust}" --version >/dev/null 2>&1 || rustup component add "$component"
done

cargo fmt --all --check
cargo clippy --quiet --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps
RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --quiet --no-deps --document-private-items
cargo build --release --lib

# The reference of the differential tests must not reach the people who use the library.
if cargo tree -e normal | grep -E 'cupel v|chrono|criterion|proptest'; then
    echo "A development dependency is among the normal ones." >&2
    exit 1
fi

cargo test --profile test-release
cargo test --manifest-path fuzz/Cargo.toml --profile test-release
