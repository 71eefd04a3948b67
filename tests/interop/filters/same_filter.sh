#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What we say a variable's filters are is what netCDF-C's ncdump shows as _Filter.
#   same_filter.sh show_filters work-dir
set -eu
show=$1 work=$2
command -v ncdump >/dev/null 2>&1 || exit 77
unset HDF5_PLUGIN_PATH
mkdir -p "$work"
cd "$work"
"$show" filters.nc >ours.txt
ncdump -hsF filters.nc | sed -n 's/^\t*\([a-z0-9_]*\):_Filter = "\(.*\)" ;$/\1 \2/p' | sort >theirs.txt
sort ours.txt | diff - theirs.txt
test -s theirs.txt
