#!/usr/bin/env bash
# Measures building and scoring 20 to 100,000 items through the binding, on CoreCLR and on Mono. With `report` it writes the rows
# that scripts/bench.sh adds to the report of all benchmarks, of CoreCLR.
source "$(dirname "${BASH_SOURCE[0]}")/scripts/toolchain.sh"

ensure_mono
ensure_python
ensure_coreclr
build_library
compile_core "$out/core/bench.dll" exe "-r:$out/core/Cupel.Native.dll" "$here/bench/Cupel.Native.Bench/Bench.cs"
if [ "${1:-}" = report ]; then
    run_core "$out/core/bench.dll" report
    exit
fi
compile_mono "$out/mono/bench.exe" exe "-r:$out/mono/Cupel.Native.dll" "$here/bench/Cupel.Native.Bench/Bench.cs"
run_core "$out/core/bench.dll"
echo
run_mono "$out/mono/bench.exe"
