#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# suite_together.sh CACHE NETCDF: h5py and netCDF4 as PyPI has them, each with a libhdf5 of its own, and Cellar in one
# process, in every order (together.py); then the same with netCDF4 running on Cellar by `cellar run --preload`.
set -eu
cache=$1 netcdf=$2
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(cd "$netcdf/../../.." && pwd)
venv=$cache/venv-together
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import h5py, netCDF4' 2>/dev/null; then
    rm -rf "$venv"
    { python3 -m venv "$venv" && "$venv/bin/pip" install -q numpy h5py netCDF4; } >"$cache/venv-together.log" 2>&1 ||
        { echo "NOT RUN: h5py and netCDF4 beside Cellar: they cannot be had from PyPI (see $cache/venv-together.log)"; exit 0; }
fi
work=$cache/together
rm -rf "$work"; mkdir -p "$work"
library=$(find "$prefix" -name 'libcellar.so' | head -1)
status=0
for order in hnc hcn nhc nch chn cnh; do
    "$venv/bin/python" "$here/together.py" "$library" "$work" $order || { echo "$order: wrong"; status=1; }
    "$prefix/bin/cellar" run --preload -- "$venv/bin/python" "$here/together.py" "$library" "$work" $order ||
        { echo "$order, netCDF4 on Cellar: wrong"; status=1; }
done
"$prefix/bin/cellar" run --preload -- "$venv/bin/python" -c 'import netCDF4; print(netCDF4.getlibversion())' | grep -q Cellar ||
    { echo "netCDF4 does not run on Cellar"; status=1; }
[ $status = 0 ] && echo "h5py, netCDF4 and Cellar in one process: right in every order"
exit $status
