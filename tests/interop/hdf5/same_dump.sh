#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# same_dump.sh TOOLS SONAME FILE...: ncdump says the same of each file whether libhdf5 reads it (as it does where file locks
# are turned off) or cannot be loaded at all, so that we alone read it. Why something cannot be read may be worded differently,
# and such things may be listed in another order. CEL_OLD_FILES: a folder with files of the same names and contents, which
# libhdf5 reads instead; attributes may stand in another order there, and where rows of their values end depends on what stands
# before them (as in netCDF-C): there, rows of values are one line each.
set -u
tools=$1 soname=$2
shift 2
mkdir -p without
echo none >without/"$soname"

join_rows()
{
    awk '{ sub(rest ? "^ +" : "^$", "") } /[,=] *$/ { sub(/ *$/, " "); printf "%s", $0; rest = 1; next } { print; rest = 0 }'
}

dump()
{
    "$tools/ncdump" "$1" >all.txt 2>&1
    grep -av ' cannot be read: ' all.txt | if [ "${CEL_OLD_FILES:-}" ]; then join_rows | sort; else cat; fi
    sed -n 's/ cannot be read: .*/ cannot be read/p' all.txt | sort
}
different=0
for file; do
    HDF5_USE_FILE_LOCKING=FALSE dump "${CEL_OLD_FILES:-$(dirname "$file")}/$(basename "$file")" >libhdf5.txt
    LD_LIBRARY_PATH=$PWD/without dump "$file" >alone.txt
    cmp -s libhdf5.txt alone.txt && continue
    different=$((different + 1))
    echo "$file: libhdf5 (<) and we (>) differ:"
    diff libhdf5.txt alone.txt | head -n 8
done
echo "$# files, $different differences"
[ "$different" = 0 ] && [ $# -gt 0 ]
