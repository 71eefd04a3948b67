#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# test-hdf5.sh CACHE VERSION: Cellar built against another libhdf5 (scripts/hdf5.sh) and its HDF5 tests run.
#
# Left out are tests whose own peer is linked to the system's libhdf5 in the same process: two libhdf5 in one
# process is no case of ours. Programs that are peers (ncdump, h5dump, h5py) run by themselves and stay.
set -eu

cache=$1
version=$2
here=$(cd "$(dirname "$0")/.." && pwd)
tests='^(h5_|test_h5|test_hdf5_own|container_suite_netcdf4|show_filters_hdf5|fault_memory_netcdf4|kill_.*_netcdf4|regress_)'
besides='zarr'

if ! "$here/scripts/hdf5.sh" "$cache" "$version"; then
    echo "NOT RUN: the HDF5 tests with libhdf5 $version: its source cannot be had or built (see $cache/*.log)"
    exit 0
fi
cache=$(cd "$cache" && pwd)
build=$cache/cellar-$version
PKG_CONFIG_PATH=$(dirname "$(find "$cache/$version" -name hdf5.pc)") \
    cmake -G Ninja ${LAUNCH:-} -DCELLAR_WERROR=ON -DCELLAR_HDF5_MODULES=hdf5 -S "$here" -B "$build" >"$build.log"
cmake --build "$build" -j "${JOBS:-2}"
cd "$build"
exec ctest --output-on-failure -j "${JOBS:-2}" -LE 'long|bench' -R "$tests" -E "$besides"
