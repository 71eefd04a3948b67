#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# classic_peers.sh TOOLS CASES: classic files by NCO, CDO and PnetCDF, dumped by our ncdump
# and by netCDF-C's, are the same; and nccopy -d5 -s of them has the same values.
set -u
tools=$1 cases=$2
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
bad=0 tried=0
same()
{
    tried=$((tried + 1))
    /usr/bin/ncdump -p 9,17 "$2" > "$scratch/theirs.txt" && "$tools/ncdump" -p 9,17 "$2" > "$scratch/ours.txt" &&
        diff "$scratch/theirs.txt" "$scratch/ours.txt" >/dev/null || { echo "$1: the dumps differ"; bad=$((bad + 1)); }
    "$tools/nccopy" -q -d5 -s "$2" "$scratch/deflated.nc" && /usr/bin/ncdump -p 9,17 -n "$(basename "$2" .nc)" "$scratch/deflated.nc" |
        diff "$scratch/theirs.txt" - >/dev/null || { echo "$1: nccopy -d5 -s changed it"; bad=$((bad + 1)); }
}
missing()
{
    command -v "$1" >/dev/null && return 1
    echo "NOT RUN: $1 is not installed"
}
for name in classic_records classic_one_record_variable classic_padding; do
    /usr/bin/ncgen -k nc3 -o "$scratch/in.nc" "$cases/$name.cdl"
    missing ncks || for kind in 3 6 5; do ncks -O -$kind "$scratch/in.nc" "$scratch/nco.nc" && same "ncks -$kind $name" "$scratch/nco.nc"; done
    missing ncmpigen || for kind in 1 2 5; do ncmpigen -v $kind -o "$scratch/p.nc" "$cases/$name.cdl" 2>/dev/null && same "ncmpigen -v $kind $name" "$scratch/p.nc"; done
done
missing cdo || for kind in nc1 nc2 nc5; do
    cdo -s -f $kind -random,r36x18 "$scratch/cdo.nc" && same "cdo -f $kind" "$scratch/cdo.nc"
done
echo "$tried files, $bad failures"
exit $((bad > 0 || tried == 0))
