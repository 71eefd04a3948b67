#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sources.sh DIR SUITE PACKAGE...: Debian source packages, downloaded and unpacked to DIR/PACKAGE, once.
#
# The mirror is the one this machine installs from; SUITE is a Debian suite ("bookworm", "trixie",
# "sid", "experimental") or "-" for the machine's own. apt keeps lists and cache under DIR, so
# neither root nor a change of the machine's configuration is needed. A package that cannot be had is
# named on stderr and in DIR/missing, and the exit status is 1: the caller says "NOT RUN".
set -eu

dir=$1
suite=$2
shift 2

say() { echo "sources: $*" >&2; }

command -v apt-get >/dev/null && command -v dpkg-source >/dev/null || {
    say "apt-get and dpkg-source are needed to fetch Debian source packages; on another system unpack them to $dir yourself"
    exit 1
}

if [ "$suite" = - ]; then
    suite=$(. /etc/os-release && echo "${VERSION_CODENAME:?}")
fi

# The first archive this machine installs from that has no suite of its own kind (security, backports).
mirror() {
    apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' 2>/dev/null |
        awk '$2 !~ /security|backports|updates/ { print $1; exit }'
}

apt_folder=$dir/apt-$suite
private_apt() {
    apt-get -o Dir::Etc::sourcelist="$apt_folder/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State="$apt_folder/state" -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$apt_folder/cache" \
        -o APT::Sandbox::User=root -o Acquire::Retries=3 -o Acquire::Languages=none "$@"
}

prepare() {
    mkdir -p "$apt_folder/state/lists/partial" "$apt_folder/cache/archives/partial"
    apt_folder=$(cd "$apt_folder" && pwd)
    site=$(mirror)
    [ -n "$site" ] || { say "no Debian mirror among this machine's apt sources"; return 1; }
    # The archive's key is the machine's; main is where all our packages are.
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site $suite main" > "$apt_folder/sources.list"
    private_apt update -qq || { say "the mirror has no list of sources for $suite"; return 1; }
}

# Downloads to a folder of its own and unpacks to a second name: an interrupted run leaves no half tree.
# A mirror that lacks Debian's patches still has the upstream tar file, which holds all data files.
fetch() {
    work=$dir/.$1.fetch
    rm -rf "$work" && mkdir -p "$work/tree"
    (cd "$work" && private_apt source -qq --download-only "$1" && rmdir tree && dpkg-source -q --no-check -x ./*.dsc tree) >&2 ||
        (cd "$work" && mkdir -p tree && private_apt source -qq --download-only --tar-only "$1" &&
            tar -xf ./*.orig.tar.* -C tree --strip-components=1) >&2 || return 1
    mv "$work/tree" "$dir/$1" && rm -rf "$work"
}

mkdir -p "$dir"
wanted=
for package in "$@"; do
    [ -d "$dir/$package" ] || wanted="$wanted $package"
done
[ -n "$wanted" ] || exit 0
status=0
: > "$dir/missing"
prepare || { echo "$wanted" > "$dir/missing"; exit 1; }
for package in $wanted; do
    say "fetching $package ($suite)"
    fetch "$package" || { say "$package of $suite cannot be had"; echo "$package" >> "$dir/missing"; status=1; }
done
exit $status
