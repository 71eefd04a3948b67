#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# test-bare.sh DIR: what the README promises, on a Debian 12 that has nothing: a minimal system is made in DIR/root with
# debootstrap (as root; the package debootstrap), this working copy's last commit is put there, and in it run `make install`,
# `cellar run -- ncks ...` and `pip install ./python`. Nothing outside DIR is changed. DIR may be used again.
set -eu
dir=$1
root=$dir/root
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "test-bare: chroot needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "test-bare: install the package debootstrap" >&2; exit 1; }
mkdir -p "$dir"
if [ ! -f "$dir/ready" ]; then
    rm -rf "$root"
    debootstrap --variant=minbase bookworm "$root" ${MIRROR:-} >"$dir/debootstrap.log" ||
        { tail -5 "$dir/debootstrap.log" >&2; exit 1; }
    touch "$dir/ready"
fi
# A program finds its own folder by /proc.
if [ ! -e "$root/proc/self" ]; then
    mount -t proc proc "$root/proc"
    trap 'umount "$root/proc"' EXIT
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
# What this machine's pip needs to reach PyPI. The certificates get a name of their own: a package would replace the usual.
[ ! -f /etc/pip.conf ] || cp -L /etc/pip.conf "$root/etc/pip.conf"
if [ -f "${PIP_CERT:-}" ]; then
    cp -L "$PIP_CERT" "$root/certificates.crt"
    export PIP_CERT=/certificates.crt REQUESTS_CA_BUNDLE=/certificates.crt SSL_CERT_FILE=/certificates.crt CURL_CA_BUNDLE=/certificates.crt
fi
unset PIP_FIND_LINKS
rm -rf "$root/src" "$root/opt/cellar" "$root/try"
mkdir -p "$root/src" "$root/try"
git archive HEAD | tar -x -C "$root/src"

inside() { chroot "$root" /usr/bin/env LC_ALL=C DEBIAN_FRONTEND=noninteractive sh -euc "$1"; }
said() { echo "--- $1"; inside "$1"; }

inside 'apt-get update -qq; apt-get install -y -qq --no-install-recommends make >/dev/null 2>&1'
said 'cd /src; make install PREFIX=/opt/cellar >/try/install.log 2>&1 || { tail -20 /try/install.log; exit 1; }'
said '/opt/cellar/bin/cellar --version'

# The system's netCDF and a program on it come second, as on a machine where they are in use.
inside 'apt-get install -y -qq --no-install-recommends nco netcdf-bin >/dev/null 2>&1
    md5sum $(dpkg -L libnetcdf19 | grep "\.so") >/try/before
    cd /try; printf "netcdf in { dimensions: x = 1000; variables: float t(x); data: t = " >in.cdl
    seq -s, 1 1000 >>in.cdl; echo "; }" >>in.cdl
    ncgen -4 -o in.nc in.cdl'
said 'cd /try; PATH=/opt/cellar/bin:$PATH cellar run -- ncks -O -4 -L 1 in.nc out.nc'
said 'cd /try; ncdump -hs out.nc | grep -E "_DeflateLevel|_NCProperties"; ncdump -v t out.nc | tail -n 3'
said 'cd /try; ncks -O -4 -L 1 in.nc plain.nc; ncdump -n x -v t out.nc | sed "/history\|NCO/d" >a; ncdump -n x -v t plain.nc | sed "/history\|NCO/d" >b; cmp a b'
said '/opt/cellar/bin/cellar run -- ldd /usr/bin/ncks | grep libnetcdf | grep /opt/cellar/'
said 'ldd /usr/bin/ncks | grep libnetcdf; ! ldd /usr/bin/ncks | grep /opt/cellar; md5sum -c --quiet /try/before'

said 'cd /src; scripts/setup.sh python >/dev/null 2>&1; python3 -m venv /try/venv; /try/venv/bin/pip install -q --disable-pip-version-check ./python'
said 'cd /try; venv/bin/python -c "import cellar; print(cellar.__version__, float(cellar.open(\"out.nc\")[\"t\"][999]))"'
echo "bare Debian: everything ran"
