#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# deb-suite.sh DIR SUITE: the source package of DIR/packages built for another Debian (trixie) in a bare system of it (as root), with
# nothing but its Build-Depends; the packages are in DIR/packages-SUITE, installed there, and the command is run.
set -eu
dir=$(cd "$1" && pwd)
suite=$2
root=$dir/root-$suite
[ "$(id -u)" = 0 ] || { echo "deb-suite: NOT RUN: chroot needs root" >&2; exit 1; }
if [ ! -f "$root/ready" ]; then
    rm -rf "$root"
    debootstrap --variant=minbase "$suite" "$root" ${MIRROR:-} >"$dir/debootstrap.log" ||
        { tail -5 "$dir/debootstrap.log" >&2; exit 1; }
    touch "$root/ready"
fi
trap 'umount "$root/proc" 2>/dev/null || true' EXIT
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf"
rm -rf "$root/work" "$dir/packages-$suite"
mkdir "$root/work"
cp "$dir"/packages/*.dsc "$dir"/packages/*.tar.* "$root/work/"
chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive sh -euc '
    apt-get update -qq
    cd /work
    apt-get install -y -qq --no-install-recommends build-essential fakeroot
    apt-get build-dep -y -qq --no-install-recommends ./cellar_*.dsc
    dpkg-source -x cellar_*.dsc source
    cd source
    dpkg-buildpackage -us -uc -b
    cd ..
    rm -rf source
    rm -f *dbgsym*
    apt-get install -y -qq --no-install-recommends ./*.deb
    ' >"$dir/deb-$suite.log" 2>&1 || { tail -40 "$dir/deb-$suite.log" >&2; exit 1; }
chroot "$root" sh -euc 'cellar --version; cellar doctor | head -4; python3 -c "import cellar; print(cellar.__version__)"'
mv "$root/work" "$dir/packages-$suite"
echo "deb: built for $suite: $(ls "$dir/packages-$suite"/*.deb | wc -l) packages"
