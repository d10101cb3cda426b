# shellcheck shell=sh
# Sourced by the scripts beside it: finds a Python, and makes the environments in which the package is built and used.
#
# What is made lies in target/python of the repository. Exits with 77, which stands for "skipped", where there is no Python
# that is new enough, and none can be installed.

root=$(cd ../.. && pwd)
work=$root/target/python
here=$PWD
mkdir -p "$work"

. "$root/scripts/packages.sh"

# fitting PYTHON: whether it is CPython 3.11 or later, with what an environment takes.
fitting() {
    "$1" -c 'import sys, ensurepip, venv; sys.exit(sys.implementation.name != "cpython" or sys.version_info < (3, 11))' \
        >/dev/null 2>&1
}

fitting python3 || install_packages python3 python3-venv || true
fitting python3 || {
    echo "python: skipped: there is no CPython 3.11 or later, and none can be installed" >&2
    exit 77
}
# ensurepip is there without what it installs where a Debian system lacks python3-venv.
make_venv "$work/tools" || { rm -rf "$work/tools" && install_packages python3-venv && make_venv "$work/tools"; }
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1

# install ENVIRONMENT REQUIREMENT...: installs what is missing there.
install() {
    environment=$1
    shift
    "$environment/bin/python" - "$@" <<'PYTHON' || pip_install "$environment" "$@"
import importlib.metadata
import re
import sys

for requirement in sys.argv[1:]:
    name, *_ = re.split(r"[\[<>=]", requirement)
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        sys.exit(1)
    if "==" in requirement and not requirement.endswith("==" + version):
        sys.exit(1)
PYTHON
}

# build_wheel: makes the wheel; prints its path.
build_wheel() {
    install "$work/tools" 'maturin>=1.14,<2' || return 1
    rm -rf "$work/wheel"
    CARGO_TARGET_DIR=$work/cargo "$work/tools/bin/maturin" build --release --quiet --out "$work/wheel" \
        --interpreter "$work/tools/bin/python" >&2 || return 1
    echo "$work"/wheel/*.whl
}

# install_package ENVIRONMENT FILE: installs a wheel or a source distribution, and nothing else, in place of an earlier one.
install_package() {
    "$1/bin/pip" install -q --force-reinstall --no-deps "$2"
}
