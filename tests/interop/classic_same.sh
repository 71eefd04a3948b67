#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# classic_same.sh OURS THEIRS N: files of random content, the same bytes by both
# libraries, for N seeds of each kind; ncvalidator accepts each.
set -eu
ours=$1 theirs=$2 n=$3
refused=0
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
command -v ncvalidator >/dev/null || echo "NOT RUN: ncvalidator (pnetcdf-bin) is not installed"
for kind in 1 2 5; do
    seed=1
    while [ "$seed" -le "$n" ]; do
        "$theirs" $kind $seed "$scratch/theirs.nc"
        "$ours" $kind $seed "$scratch/ours.nc"
        cmp "$scratch/theirs.nc" "$scratch/ours.nc" || { echo "kind $kind, seed $seed: the files differ"; exit 1; }
        if command -v ncvalidator >/dev/null; then
            # some files that nc__enddef padded are refused whoever wrote them
            ncvalidator -q "$scratch/theirs.nc" 2>/dev/null >&2 || refused=$((refused + 1))
            ncvalidator -q "$scratch/ours.nc" 2>/dev/null >&2 || refused=$((refused - 1))
        fi
        seed=$((seed + 1))
    done
done
[ $refused = 0 ] || { echo "ncvalidator refuses files of ours that it takes from netCDF-C"; exit 1; }
echo "$n files of each of 3 kinds are the same"
