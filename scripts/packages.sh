# shellcheck shell=sh
# Sourced by other scripts, sh or bash: installs missing tools by package name, with apt-get or pip.
#
# apt-get runs as root, or through sudo where that asks for no password. CUPEL_NO_INSTALL, when set, forbids every
# installation; a missing tool is then an error.

have() { command -v "$1" >/dev/null 2>&1; }

# install_packages PACKAGE...: installs Debian packages. Fails, with the reason on standard error, when it cannot.
install_packages() {
    if [ -n "${CUPEL_NO_INSTALL:-}" ]; then
        echo "missing packages: $*; CUPEL_NO_INSTALL forbids to install them" >&2
        return 1
    fi
    if ! have apt-get; then
        echo "missing packages: $*; there is no apt-get to install them with" >&2
        return 1
    fi
    sudo=
    [ "$(id -u)" = 0 ] || sudo="sudo -n"
    apt_log=$(mktemp)
    echo "installing $*" >&2
    # The package lists may be missing or out of date, and a mirror may fail for a moment.
    for attempt in 1 2 3; do
        if $sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -q \
            --no-install-recommends "$@" >"$apt_log" 2>&1; then
            rm -f "$apt_log"
            return 0
        fi
        [ "$attempt" = 1 ] || sleep 5
        $sudo apt-get update -q >>"$apt_log" 2>&1 || true
    done
    echo "cannot install $*:" >&2
    tail -n 20 "$apt_log" >&2
    rm -f "$apt_log"
    return 1
}

# need COMMAND PACKAGE: installs the package when the command is missing; ends the script when it cannot.
need() {
    have "$1" || install_packages "$2" || true
    have "$1" || { echo "$1 is missing: install the package $2" >&2; exit 1; }
}

# make_venv FOLDER: a Python virtual environment, unless it is there already.
make_venv() {
    [ ! -x "$1/bin/pip" ] || return 0
    python3 -c 'import ensurepip, venv' 2>/dev/null || install_packages python3 python3-venv || return 1
    python3 -m venv "$1"
}

# pip_install FOLDER REQUIREMENT...: installs Python packages into that virtual environment.
pip_install() {
    venv=$1
    shift
    if [ -n "${CUPEL_NO_INSTALL:-}" ]; then
        echo "missing Python packages: $*; CUPEL_NO_INSTALL forbids to install them" >&2
        return 1
    fi
    echo "installing with pip: $*" >&2
    "$venv/bin/pip" install -q --disable-pip-version-check "$@" >&2
}
