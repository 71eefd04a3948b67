#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# random_files.sh TOOLS SONAME COUNT: that many random files of h5py, read by ourselves and by libhdf5 (same_dump.sh).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tools=$1 soname=$2 count=$3
/usr/bin/python3 -c 'import h5py, numpy' 2>/dev/null || { echo "NOT RUN: there is no h5py"; exit 77; }
folder=$(mktemp -d "$PWD/h5_random_XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
/usr/bin/python3 "$here/random_files.py" files "$count" "$count"
find files -name '*.raw?' -exec ln -s {} . \; # libhdf5 seeks them here, we beside the file
"$here/same_dump.sh" "$tools" "$soname" files/*.h5
