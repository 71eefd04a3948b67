#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hdf5_loaded.sh TOOLS LIBRARY SONAME OTHER NAMELESS: libhdf5 is loaded when it is needed, and not before; where it cannot
# be, a sentence says what was sought. OTHER is a libhdf5 of another version, NAMELESS one without its functions.
set -eu
tools=$1 library=$2 soname=$3 other=$4 nameless=$5

fail() { echo "$*"; exit 1; }

if readelf -d "$library" | grep NEEDED | grep -i hdf5; then
    fail "the library is linked to libhdf5"
fi
cat >one.cdl <<CDL
netcdf one { dimensions: x = 9; variables: int v(x); data: v = 1, 2, 3, 4, 5, 6, 7, 8, 9; }
CDL
"$tools/ncgen" -3 -o classic.nc one.cdl
"$tools/ncgen" -4 -o one.nc one.cdl
LD_DEBUG=files "$tools/ncdump" classic.nc >classic.txt 2>loaded.txt
if grep -q "$soname" loaded.txt; then
    fail "libhdf5 is loaded for a classic file"
fi
LD_DEBUG=files "$tools/ncdump" one.nc >one.txt 2>loaded.txt
if grep -q "$soname" loaded.txt; then
    fail "libhdf5 is loaded to read a netCDF-4 file"
fi
LD_DEBUG=files "$tools/ncgen" -4 -o two.nc one.cdl 2>loaded.txt
grep -q "$soname" loaded.txt || fail "libhdf5 is not loaded for a new netCDF-4 file"

refused() # SENTENCE LIBRARY
{
    rm -rf instead
    mkdir instead
    cp "$2" "instead/$soname"
    if LD_LIBRARY_PATH=$PWD/instead "$tools/ncgen" -4 -o three.nc one.cdl >refused.txt 2>&1; then
        fail "made a file with $2 for libhdf5"
    fi
    grep -q "$1" refused.txt || { cat refused.txt; fail "nothing says: $1"; }
}
refused "libhdf5 is needed and was not loaded: .*$soname.*; install" one.cdl
refused "$soname has no H5" "$nameless"
refused "$soname is libhdf5 9.8.7, and Cellar was built with" "$other"
