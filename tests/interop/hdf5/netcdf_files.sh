#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# netcdf_files.sh TOOLS SONAME CDL NCGEN: files that an ncgen, netCDF-C's or ours, makes of CDL, read by ourselves and by
# libhdf5 (same_dump.sh). What it cannot make is left out.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tools=$1 soname=$2 cdl=$3
ncgen=$(command -v "$4") || { echo "NOT RUN: there is no $4"; exit 77; }
folder=$(mktemp -d "$PWD/h5_netcdf_XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir files
for c in "$cdl"/*.cdl; do
    name=$(basename "$c" .cdl)
    "$ncgen" -4 -o "files/$name.nc" "$c" >said.txt 2>&1 || rm -f "files/$name.nc"
done
"$here/same_dump.sh" "$tools" "$soname" files/*.nc
