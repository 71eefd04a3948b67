#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# suite_cxx.sh CACHE NETCDF: netCDF-C++4's own tests, built from Debian's source against Cellar's libnetcdf. All of
# them must pass.
set -eu
cache=$1 netcdf=$2
[ -d "$cache/netcdf-cxx" ] || { echo "NOT RUN: netCDF-C++4's tests: no source"; exit 0; }
build=$cache/build-cxx
rm -rf "$build"; mkdir -p "$build"; cd "$build"
PATH=$netcdf/bin:$PATH
export PATH LD_LIBRARY_PATH="$netcdf/lib"
"$cache/netcdf-cxx/configure" --disable-static CPPFLAGS="-I$netcdf/include $(pkg-config --cflags hdf5-serial 2>/dev/null || pkg-config --cflags hdf5)" LDFLAGS="-L$netcdf/lib" \
    >configure.txt 2>&1 || { tail -5 configure.txt; exit 1; }
make -j "$(nproc)" >make.txt 2>&1 || { tail -20 make.txt; exit 1; }
make -k check >check.txt 2>&1 || true
pass=$(grep -c '^PASS:' check.txt || true)
if grep '^\(FAIL\|ERROR\|XPASS\):' check.txt || [ "$pass" = 0 ]; then
    echo "netCDF-C++4: $pass tests passed, and these did not (see $build)"
    exit 1
fi
echo "netCDF-C++4: all $pass tests pass"
