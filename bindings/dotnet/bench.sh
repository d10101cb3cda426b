#!/usr/bin/env bash
# Measures building and scoring 1,000 and 100,000 items through the binding, on CoreCLR and on Mono.
source "$(dirname "${BASH_SOURCE[0]}")/scripts/toolchain.sh"

ensure_mono
ensure_python
ensure_coreclr
build_library
compile_core "$out/core/bench.dll" exe "-r:$out/core/Cupel.Native.dll" "$here/bench/Cupel.Native.Bench/Bench.cs"
compile_mono "$out/mono/bench.exe" exe "-r:$out/mono/Cupel.Native.dll" "$here/bench/Cupel.Native.Bench/Bench.cs"
run_core "$out/core/bench.dll"
echo
run_mono "$out/mono/bench.exe"
