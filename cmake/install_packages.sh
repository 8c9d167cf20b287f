#!/bin/sh
# install_packages.sh PACKAGE...: installs the Debian packages that are missing, and says which.
#
# Uses sudo when not root. The package lists are fetched anew only when something is missing.
# Exit code 0: all are there; 1: they could not be installed, with a line that says why.
set -eu

fail() {
    echo "install_packages: $*" >&2
    exit 1
}

missing=
for package in "$@"; do
    state=$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null) || state=
    case $state in
        ii*) ;;
        *) missing="$missing $package" ;;
    esac
done
if [ -z "$missing" ]; then
    echo "packages: all $# are installed"
    exit 0
fi
echo "packages to install:$missing"
command -v apt-get >/dev/null ||
    fail "no apt-get here; install what your system calls these packages:$missing"

as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
        fail "neither root nor sudo; as root run: apt-get install$missing"
    as_root=sudo
fi
# What apt prints matters only if it fails.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
    if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 "$@" >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        fail "apt-get $* failed; the end of what it said stands above"
    fi
}
apt update
# $missing is a list of names: it has to fall apart into words.
# shellcheck disable=SC2086
apt install --no-install-recommends $missing
