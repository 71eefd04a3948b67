#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# newest_files.sh TOOLS SONAME COUNT PYTHON: that many random files of the newest h5py, whose HDF5 writes what Debian's libhdf5
# cannot read. We alone read them; libhdf5 reads the files that Debian's h5py makes of the same contents.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tools=$1 soname=$2 count=$3 python=$4
for p in "$python" /usr/bin/python3; do
    "$p" -c 'import h5py, numpy' 2>/dev/null || { echo "NOT RUN: $p has no h5py"; exit 77; }
done
folder=$(mktemp -d "$PWD/h5_newest_XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$python" "$here/random_files.py" new "$count" 7 plain
/usr/bin/python3 "$here/random_files.py" old "$count" 7 plain
find old -name '*.raw?' -exec ln -s {} . \; -exec ln -f {} new \; # libhdf5 seeks them here, we beside the file
CEL_OLD_FILES=old "$here/same_dump.sh" "$tools" "$soname" new/*.h5
