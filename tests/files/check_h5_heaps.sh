#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Heaps with filters: the same values where libhdf5 cannot be loaded, and through it.
# usage: check_h5_heaps.sh H5_FILTERED_HEAP H5_VALUES DIRECTORY SONAME
set -e
mkdir -p "$3/without" && cd "$3"
echo none >"without/$4"
"$1" heaps.h5
LD_LIBRARY_PATH=$PWD/without "$2" heaps.h5 >ours.txt
HDF5_USE_FILE_LOCKING=FALSE "$2" heaps.h5 >libhdf5.txt
cmp ours.txt libhdf5.txt
! grep -q a_dataset_with_a_long_name heaps.h5 || { echo "the heaps have no filters"; exit 1; }
lines=$(wc -l <ours.txt)
[ "$lines" -eq 4224 ] || { echo "$lines datasets"; exit 1; }
grep -q '^/huge_sums/huge_3 () 3$' ours.txt || { echo "no huge objects"; exit 1; }
