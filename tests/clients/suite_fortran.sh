#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# suite_fortran.sh CACHE NETCDF: netCDF-Fortran's own tests, built from Debian's source against Cellar's libnetcdf. All of
# them must pass, but for the two that ask for the default cache of netCDF-C 4.9.0; that of 4.9.3 and ours is another.
set -eu
cache=$1 netcdf=$2
[ -d "$cache/netcdf-fortran" ] || { echo "NOT RUN: netCDF-Fortran's tests: no source"; exit 0; }
build=$cache/build-fortran
rm -rf "$build"; mkdir -p "$build"; cd "$build"
PATH=$netcdf/bin:$PATH
export PATH LD_LIBRARY_PATH="$netcdf/lib"
"$cache/netcdf-fortran/configure" --disable-static --disable-doxygen CPPFLAGS="-I$netcdf/include" LDFLAGS="-L$netcdf/lib" \
    FCFLAGS=-fallow-argument-mismatch FFLAGS=-fallow-argument-mismatch >configure.txt 2>&1 || { tail -5 configure.txt; exit 1; }
make -j "$(nproc)" >make.txt 2>&1 || { tail -20 make.txt; exit 1; }
make -k check >check.txt 2>&1 || true
pass=$(grep -c '^PASS:' check.txt || true)
if grep '^\(FAIL\|ERROR\|XPASS\):' check.txt | grep -v ' \(f03tst\|ftst\)_vars$' || [ "$pass" = 0 ]; then
    echo "netCDF-Fortran: $pass tests passed, and these did not (see $build)"
    exit 1
fi
echo "netCDF-Fortran: $pass tests pass, all that must"
