#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# test-netcdf.sh CACHE PREFIX [PART]: netCDF-C's own test programs and scripts (Debian 13's source package, 4.9.3),
# and those of netCDF-C++4, unchanged, against Cellar installed in PREFIX. tests/netcdf/expected.txt lists what ends otherwise, with the reason.
set -eu
cache=$1
prefix=$2
part=${3:-}
here=$(cd "$(dirname "$0")/.." && pwd)

if ! "$here/scripts/sources.sh" "$cache" trixie netcdf 2>"$cache.log" && [ ! -d "$cache/netcdf" ]; then
    echo "NOT RUN: netCDF-C's own tests: its source package cannot be had from this machine's mirror (see $cache.log)"
    exit 0
fi
cache=$(cd "$cache" && pwd)
# netCDF-C's own library: for helpers of its scripts that look into its insides.
aux=$cache/netcdf-library
if ! { cmake -S "$cache/netcdf" -B "$aux" -DCMAKE_BUILD_TYPE=Release -DNETCDF_ENABLE_DAP=OFF -DNETCDF_ENABLE_BYTERANGE=OFF \
    -DNETCDF_ENABLE_TESTS=OFF -DNETCDF_ENABLE_FILTER_TESTING=OFF -DNETCDF_ENABLE_NCZARR_ZIP=OFF -DNETCDF_ENABLE_LIBXML2=OFF &&
    cmake --build "$aux" --target netcdf -j "$(nproc)"; } >"$cache-library.log" 2>&1; then
    echo "NOT BUILT: netCDF-C's own library (see $cache-library.log): scripts that look into its insides cannot pass"
    aux=-
fi
status=0
python3 "$here/tests/netcdf/programs.py" "$cache/netcdf" "$prefix" "$part" || status=1
python3 "$here/tests/netcdf/scripts.py" "$cache/netcdf" "$prefix" "$aux" "$part" || status=1
if "$here/scripts/sources.sh" "$cache" trixie netcdf-cxx 2>>"$cache.log" || [ -d "$cache/netcdf-cxx" ]; then
    python3 "$here/tests/netcdf/cxx4.py" "$cache/netcdf-cxx" "$prefix" "$part" || status=1
else
    echo "NOT RUN: netCDF-C++4's own tests: its source package cannot be had from this machine's mirror (see $cache.log)"
fi
exit $status
