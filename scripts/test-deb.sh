#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# test-deb.sh DIR: the packages of DIR/packages on a Debian 12 that has nothing (as root): installed, used and removed. The bare
# system is made once, in DIR/bare, with debootstrap; each run has a copy of it in DIR/root.
set -eu
cd "$(dirname "$0")/.."
dir=$(cd "$1" && pwd)
root=$dir/root
[ "$(id -u)" = 0 ] || { echo "test-deb: NOT RUN: chroot needs root" >&2; exit 1; }
if [ ! -f "$dir/bare/ready" ]; then
    rm -rf "$dir/bare"
    debootstrap --variant=minbase "${SUITE:-bookworm}" "$dir/bare" ${MIRROR:-} >"$dir/debootstrap.log" ||
        { tail -5 "$dir/debootstrap.log" >&2; exit 1; }
    touch "$dir/bare/ready"
fi
rm -rf "$root"
cp -a "$dir/bare" "$root"
trap 'umount "$root/proc" 2>/dev/null || true' EXIT
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir "$root/packages" "$root/try"
cp "$dir"/packages/*.deb "$root/packages/"
rm -f "$root"/packages/*dbgsym*
cp tests/install/outside.c examples/demo.c "$root/try/"

inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive sh -euc "cd /try; $1"; }
said() { echo "--- $1"; inside "$1"; }

# What others have on such a machine comes first, and must be as it was at the end.
inside 'apt-get update -qq; apt-get install -y -qq --no-install-recommends nco netcdf-bin python3-h5py python3-netcdf4 gcc libc6-dev pkg-config >install.log 2>&1 || { tail install.log; exit 1; }
    find / -xdev \( -path /try -o -path /packages -o -path /proc -o -path /var -o -path /tmp \) -prune -o -name __pycache__ -prune -o -print | sort >before
    md5sum $(dpkg -L libnetcdf19 netcdf-bin | grep -e "\.so" -e /bin/nc) >sums'
said 'apt-get install -y -qq --no-install-recommends /packages/*.deb >install.log 2>&1 || { tail install.log; exit 1; }'
said 'dpkg-query -W -f "\${Package} \${Version} \${Installed-Size} kB\n" | grep cellar'
said 'cellar --version; cellar doctor | head -4'

# A program by pkg-config, and by cellar-config.
said 'cc outside.c -o outside $(pkg-config --cflags --libs cellar); ./outside'
said 'cc outside.c -o outside $(cellar-config --cflags --libs); ./outside'
said 'cc demo.c -o demo $(pkg-config --cflags --libs cellar) -lm; ./demo /usr/bin/cellar-nccopy >demo.txt; cat demo.txt; [ $(grep -c "none, bit for bit" demo.txt) = 6 ]'

# The tools, then h5py on what they wrote: libhdf5 finds the plugins with nothing set.
inside 'printf "netcdf in { dimensions: x = 1000; variables: float t(x); data: t = " >in.cdl; seq -s, 1 1000 >>in.cdl; echo "; }" >>in.cdl'
said 'cellar-ncgen -4 -o in.nc in.cdl; cellar-nccopy -F "*,shuffle|zstd,level=3" in.nc zstd.nc; cellar-nccopy -F "*,ndlorenzo|bitshuffle|lz4" in.nc nd.nc; cellar-ncdump -hs zstd.nc | grep _Filter'
said 'python3 -c "import h5py; print([float(h5py.File(name)[\"t\"][999]) for name in (\"zstd.nc\", \"nd.nc\")])" | grep -F "[1000.0, 1000.0]"'
said 'cellar verify zstd.nc nd.nc'

# Programs for libnetcdf.
said 'cellar run -- ncks -O -4 -L 1 in.nc out.nc; ncdump -hs out.nc | grep -i cellar; cellar run -- ldd /usr/bin/ncks | grep cellar/netcdf; ! ldd /usr/bin/ncks | grep cellar'
said 'cellar run -- ncdump -v t zstd.nc | tail -n 2'
said 'PKG_CONFIG_PATH=$(echo /usr/lib/*/cellar/netcdf/lib/pkgconfig) pkg-config --libs netcdf'

# Python.
said 'python3 -c "import cellar; print(cellar.__version__, float(cellar.open(\"nd.nc\")[\"t\"][999]))"'
said 'python3 -c "import cellar.netcdf4, netCDF4; print(float(netCDF4.Dataset(\"nd.nc\")[\"t\"][999]))"'
said 'python3 -c "import importlib.metadata as m; print(m.version(\"cellar\"), m.entry_points(group=\"xarray.backends\"))" | grep CellarBackendEntrypoint'

# Nothing is left, and nothing of others was touched.
said 'apt-get purge -y -qq "*cellar*" >purge.log 2>&1 || { tail purge.log; exit 1; }; apt-get autoremove -y -qq >>purge.log 2>&1'
said 'find / -xdev \( -path /try -o -path /packages -o -path /proc -o -path /var -o -path /tmp \) -prune -o -name __pycache__ -prune -o -print | sort >after; grep -i cellar after && exit 1; [ -z "$(comm -23 before after)" ]; md5sum -c --quiet sums'
rm -rf "$root/try" "$root/packages"
echo "packages on a bare Debian: installed, used, removed"
