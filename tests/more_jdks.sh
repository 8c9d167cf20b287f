#!/usr/bin/env bash
# tests/more_jdks.sh [VERSION...]: puts JDKs that this Debian does not have into build/jdks (default: 21
# 26 27 28), for
#
#   DDM_MORE_JDKS=$PWD/build/jdks python3 tests/jvm/run.py "stacks are those"
#
# tests/run.sh asks for them, too. They come from newer suites of Debian and want a newer C library,
# which lies beside them; their programs are told of it by patchelf. Nothing else is installed, and a
# JDK that runs is kept. One that cannot be had is skipped, with a line that says why.
set -u
cd "$(dirname "$0")/.." || exit 1
into=$PWD/build/jdks
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The suite that has a JDK.
suite_of() { if [ "$1" -le 21 ]; then echo trixie; else echo sid; fi; }

# An apt of its own for one suite: suite_apt SUITE COMMAND...
suite_apt() {
    local here=$work/$1
    shift
    apt-get -q -q -o Dir::Etc::SourceList="$here/sources" -o Dir::Etc::SourceParts="$here/none" \
        -o Dir::State::Lists="$here/lists" -o Dir::State::status="$here/status" \
        -o Dir::Cache="$here/cache" -o APT::Sandbox::User=root "$@"
}

open_suite() {
    local here=$work/$1 site
    [ -d "$here" ] && return
    mkdir -p "$here"/{none,lists/partial,cache/archives/partial}
    touch "$here/status"
    chmod -R a+rX "$work"
    # shellcheck disable=SC2016  # apt's own
    site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -1)
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site $1 main" > "$here/sources"
    suite_apt "$1" update
}

# What the packages have is unpacked to a folder: unpack SUITE FOLDER PACKAGE...
unpack() {
    local suite=$1 folder=$2
    shift 2
    rm -rf "$work/debs"
    mkdir -p "$work/debs" "$folder"
    (cd "$work/debs" && suite_apt "$suite" download "$@") || return 1
    local deb
    for deb in "$work"/debs/*.deb; do dpkg -x "$deb" "$folder" || return 1; done
}

c_library() {
    local suite=$1 lib=$into/$1-lib
    [ -e "$lib/libc.so.6" ] && return
    unpack "$suite" "$work/c-$suite" libc6 libgcc-s1 libstdc++6 zlib1g || return 1
    rm -rf "$lib" "$lib.new"
    mkdir -p "$lib.new"
    find "$work/c-$suite" -path '*x86_64-linux-gnu/*.so*' -exec cp -a {} "$lib.new/" \;
    mv "$lib.new" "$lib"  # whole or not at all, whoever ends this script
}

one_jdk() {
    local version=$1 suite root home link program
    suite=$(suite_of "$version")
    root=$work/jdk-$version
    open_suite "$suite" || return 1
    c_library "$suite" || return 1
    unpack "$suite" "$root" "openjdk-$version-jre-headless" "openjdk-$version-jdk-headless" || return 1
    home=$work/home-$version
    mv "$root/usr/lib/jvm/java-$version-openjdk-amd64" "$home" || return 1
    # Debian keeps a JDK's configuration in /etc.
    find "$home" -type l -lname '/etc/*' | while read -r link; do
        program=$root$(readlink "$link")
        rm "$link"
        [ ! -e "$program" ] || cp -aL "$program" "$link"
    done
    for program in "$home"/bin/* "$home/lib/jspawnhelper" "$home/lib/jexec"; do
        patchelf --set-interpreter "$into/$suite-lib/ld-linux-x86-64.so.2" --force-rpath \
            --set-rpath "\$ORIGIN/../lib:\$ORIGIN:$into/$suite-lib" "$program" 2> /dev/null
    done
    "$home/bin/java" -version > /dev/null 2>&1 || return 1
    rm -rf "$into/jdk-$version"
    mv "$home" "$into/jdk-$version"
}

if [ "$(uname -m)" != x86_64 ]; then echo "more JDKs: skipped: for x86-64 only"; exit 0; fi
./cmake/install_packages.sh patchelf > /dev/null || { echo "more JDKs: skipped: no patchelf"; exit 0; }
mkdir -p "$into"
[ $# -gt 0 ] || set -- 21 26 27 28
for version in "$@"; do
    # Its programs name the C library by its path, so that a moved tree has none that run.
    if "$into/jdk-$version/bin/java" -version > /dev/null 2>&1; then
        echo "JDK $version: is there"
    elif one_jdk "$version" > "$work/log" 2>&1; then
        echo "JDK $version: $("$into/jdk-$version/bin/java" -version 2>&1 | sed -n 2p)"
    else
        echo "JDK $version: skipped: $(tail -1 "$work/log")"
    fi
done
