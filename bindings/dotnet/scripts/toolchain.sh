# Sourced by test.sh, demo.sh and bench.sh. Finds what compiles and runs C# without an SDK: Mono's compiler, Mono, and the
# CoreCLR that the Python package dotnetcore2 ships. Installs what is missing, by package name.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
root=$(cd "$here/../.." && pwd)
out=$root/target/dotnet
: "${CUPEL_LIB_DIR:=$root/target/release}"
: "${CUPEL_INCLUDE_DIR:=$root/include}"
export CUPEL_LIB_DIR CUPEL_INCLUDE_DIR
# shellcheck source=scripts/packages.sh
source "$root/scripts/packages.sh"

unavailable() {
    echo "dotnet: toolchain unavailable: $*" >&2
    exit 77
}

ensure_mono() {
    if ! command -v mcs >/dev/null || ! command -v mono >/dev/null; then
        install_packages mono-mcs mono-runtime libmono-system-numerics4.0-cil libmono-system-core4.0-cil ||
            unavailable "mcs and mono are missing"
    fi
}

ensure_python() {
    make_venv "$out/venv" || unavailable "python3 is missing"
    python=$out/venv/bin/python
    "$python" -c 'import tomllib' 2>/dev/null || "$python" -c 'import tomli' 2>/dev/null ||
        pip_install "$out/venv" tomli || unavailable "cannot install tomli"
}

ensure_coreclr() {
    [ "$(uname -sm)" = "Linux x86_64" ] || unavailable "dotnetcore2 has a runtime for Linux on x86-64 only"
    "$python" -c 'import dotnetcore2' 2>/dev/null || pip_install "$out/venv" dotnetcore2 ||
        unavailable "cannot install dotnetcore2"
    local bin
    bin=$("$python" -c 'import dotnetcore2, os; print(os.path.join(os.path.dirname(dotnetcore2.__file__), "bin"))')
    coreclr=$bin/dotnet
    [ -x "$coreclr" ] || chmod +x "$coreclr"
    framework=$(echo "$bin"/shared/Microsoft.NETCore.App/*)
    # The runtime would look for an ICU and an OpenSSL of its time; nothing here needs a culture or a certificate.
    export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 DOTNET_CLI_TELEMETRY_OPTOUT=1
    core_references=()
    local assembly
    for assembly in "$framework"/System.*.dll; do
        case ${assembly##*/} in
        System.Core.dll | System.Data.dll | System.Numerics.dll | System.Net.dll | System.Xml.dll | System.Web.dll | \
            System.Drawing.dll | System.Transactions.dll | System.Security.dll | System.ServiceModel.Web.dll | \
            System.Xml.Linq.dll | System.ServiceProcess.dll | System.Configuration.dll | System.Windows.dll | \
            System.IO.Compression.FileSystem.dll | System.ComponentModel.DataAnnotations.dll | System.Runtime.Serialization.dll) ;;
        *) core_references+=("-r:$assembly") ;;
        esac
    done
}

# compile_mono OUTPUT library|exe OPTIONS... SOURCES...
compile_mono() {
    local output=$1 kind=$2
    shift 2
    mcs "-target:$kind" -unsafe -langversion:7.2 -warn:4 -warnaserror -optimize+ -r:System.Numerics.dll "-out:$output" "$@"
}

# compile_core OUTPUT library|exe OPTIONS... SOURCES...: the form that has Span
compile_core() {
    local output=$1 kind=$2
    shift 2
    mcs "-target:$kind" -unsafe -langversion:7.2 -warn:4 -warnaserror -nowarn:1702 -optimize+ -nostdlib -noconfig -d:NETCOREAPP \
        "${core_references[@]}" "-out:$output" "$@"
    if [ "$kind" = exe ]; then
        cat >"${output%.*}.runtimeconfig.json" <<CONFIG
{"runtimeOptions": {"framework": {"name": "Microsoft.NETCore.App", "version": "${framework##*/}"}, "configProperties": {"System.GC.Server": false}}}
CONFIG
    fi
}

library_sources=()
while IFS= read -r source; do
    library_sources+=("$source")
done < <(find "$here/src/Cupel.Native" -name '*.cs' -not -path '*/obj/*' -not -path '*/bin/*' | LC_ALL=C sort)

# build_library: both forms of Cupel.Native, each with the native library beside it in the search path
build_library() {
    mkdir -p "$out/mono" "$out/core"
    [ -e "$CUPEL_LIB_DIR/libcupel.so" ] || {
        echo "dotnet: no libcupel.so in $CUPEL_LIB_DIR; build the native library first" >&2
        exit 1
    }
    compile_mono "$out/mono/Cupel.Native.dll" library "-doc:$out/mono/Cupel.Native.xml" "${library_sources[@]}"
    compile_core "$out/core/Cupel.Native.dll" library "${library_sources[@]}"
}

run_mono() {
    LD_LIBRARY_PATH=$CUPEL_LIB_DIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} mono "$@"
}

run_core() {
    LD_LIBRARY_PATH=$CUPEL_LIB_DIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$coreclr" "$@"
}
