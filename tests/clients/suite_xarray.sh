#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# suite_xarray.sh CACHE NETCDF: xarray's own backend tests for its netcdf4 engine, with netCDF4 as PyPI has it: on its
# netCDF-C, and on Cellar by `cellar run --preload`. The same tests must pass.
set -eu
cache=$1 netcdf=$2
prefix=$(cd "$netcdf/../../.." && pwd)
venv=$cache/venv-xarray
if [ ! -f "$venv/ready" ]; then
    rm -rf "$venv"
    { python3 -m venv "$venv" && "$venv/bin/pip" install -q xarray netCDF4 dask pytest && touch "$venv/ready"; } >"$cache/venv-xarray.log" 2>&1 ||
        { echo "NOT RUN: xarray's tests on Cellar: it cannot be had from PyPI (see $cache/venv-xarray.log)"; exit 0; }
fi
work=$cache/build-xarray
rm -rf "$work"; mkdir -p "$work"; cd "$work"

tests() # NAME COMMAND...: to NAME.txt, the tests that passed
{
    name=$1; shift
    "$@" "$venv/bin/python" -m pytest -q -rA -p no:cacheprovider --tb=short --pyargs xarray.tests.test_backends -k 'NetCDF and not H5NetCDF and not Scipy' \
        >"$name.log" 2>&1 || true
    sed -n 's/^PASSED //p' "$name.log" | sort >"$name.txt"
}
tests theirs env
tests ours "$prefix/bin/cellar" run --preload --
if [ ! -s theirs.txt ] || grep -vxF -f ours.txt theirs.txt; then
    echo "xarray: these pass on netCDF-C and not on Cellar (see $work/ours.log)"
    exit 1
fi
echo "xarray: $(grep -c . ours.txt) tests of the netcdf4 engine pass, $(grep -c . theirs.txt) on netCDF-C"
