#!/usr/bin/env bash
# Tests the .NET binding: on Mono, and on CoreCLR where its runtime can be had; with an SDK on the path also the projects.
# The last line says how many checks passed. Exit status 77: the toolchain is not available.
#
#   CUPEL_LIB_DIR          where libcupel.so is        (target/release of the repository)
#   CUPEL_INCLUDE_DIR      where cupel.h is            (include of the repository)
#   CUPEL_CONFORMANCE_DIR  where the vectors are       (tests/conformance of the repository)
source "$(dirname "${BASH_SOURCE[0]}")/scripts/toolchain.sh"

log=$out/check.log
# shellcheck source=scripts/checks.sh
source "$root/scripts/checks.sh"

# count NAME COMMAND...: runs it, shows what it says and adds up its "N passed, M failed"
count() {
    local name=$1 summary status=0
    shift
    "$@" >"$log" 2>&1 || status=$?
    summary=$(grep -oE '[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1 || true)
    local misses=${summary##*, }
    add "$name" "${summary%% passed*}" "${misses%% *}" "$status"
    echo "$name: $(tail -n 40 "$log")"
}

# refuses SOURCE: the compiler refuses the lines that say so, and no others
refuses() {
    local expected actual
    expected=$(grep -n '// refused$' "$1" | cut -d: -f1)
    actual=$(compile_mono "$out/mono/refused.exe" exe "-r:$out/mono/Cupel.Native.dll" "$1" 2>&1 |
        sed -nE 's/.*\(([0-9]+),[0-9]+\): error CS.*/\1/p' | sort -nu)
    if [ -n "$expected" ] && [ "$expected" = "$actual" ]; then
        echo "${1##*/}: 1 passed, 0 failed"
    else
        printf '%s: refused lines, expected and actual:\n%s\n0 passed, 1 failed\n' "${1##*/}" \
            "$(diff <(echo "$expected") <(echo "$actual"))"
    fi
}

ensure_mono
ensure_python
ensure_coreclr
{ have cc && have nm; } || install_packages gcc libc6-dev binutils || unavailable "cc and nm are missing"
build_library

tests=("$here"/tests/Cupel.Native.Tests/*.cs)
compile_mono "$out/mono/tests.exe" exe "-r:$out/mono/Cupel.Native.dll" "${tests[@]}"
compile_core "$out/core/tests.dll" exe "-r:$out/core/Cupel.Native.dll" "${tests[@]}"

vectors=${CUPEL_CONFORMANCE_DIR:-tests/conformance}
case $vectors in
/*) ;;
*) vectors=$root/$vectors ;;
esac
export CUPEL_VECTORS=$out/vectors
"$python" "$here/tests/tools/flatten_vectors.py" "$vectors" "$CUPEL_VECTORS"
export CUPEL_VALUES=$out/values
"$python" "$here/tests/tools/flatten_vectors.py" "$root/tests/conformance/values.json" "$CUPEL_VALUES"

run_core "$out/core/tests.dll" --imports >"$out/imports"
count imports "$python" "$here/tests/tools/check_imports.py" \
    "$out/imports" "$CUPEL_INCLUDE_DIR/cupel.h" "$CUPEL_LIB_DIR/libcupel.so" "$out"
count refused refuses "$here/tests/refused/AsyncCallback.cs"
count coreclr run_core "$out/core/tests.dll"
# A nursery of 64 KB: a collection every few hundred calls.
COMPlus_GCgen0size=10000 count "coreclr, small heap" run_core "$out/core/tests.dll"
MONO_GC_PARAMS=nursery-size=64k count mono run_mono "$out/mono/tests.exe"

# Programs that refer to the project find the native library beside them: the one of cargo, or of a release's layout.
if command -v dotnet >/dev/null && [ -n "$(dotnet --list-sdks 2>/dev/null)" ]; then
    mkdir -p "$out/runtimes/linux-x64/native"
    cp "$CUPEL_LIB_DIR/libcupel.so" "$out/runtimes/linux-x64/native/"
    for native in "-p:CupelLibraryDir=$CUPEL_LIB_DIR" "-p:CupelRuntimesDir=$out/runtimes"; do
        rm -rf "$out/sdk"
        if dotnet pack "$here/src/Cupel.Native/Cupel.Native.csproj" -warnaserror -c Release "$native" -o "$out/packages" &&
            dotnet build "$here/tests/Cupel.Native.Tests/Cupel.Native.Tests.csproj" -warnaserror -c Release "$native" \
                -o "$out/sdk"; then
            count "sdk $native" dotnet "$out/sdk/Cupel.Native.Tests.dll"
        else
            failed=$((failed + 1))
        fi
    done
fi

report dotnet
