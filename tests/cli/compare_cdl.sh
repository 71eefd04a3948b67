#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# compare_cdl.sh OURS PEERS CDL_DIR: every CDL case through both libraries' tools.
# The peer's ncdump must show our ncgen's file as it shows its own, and our
# ncdump must show the peer's file as the peer does, with -h, -s, -t and data.
# Two lines may differ: who wrote the file, and netCDF-C's guess of _IsNetcdf4.
# A case's first line "// ncgen -4" says its options. A build without the classic
# format leaves those kinds out and makes netCDF-4 of the others.
set -u
ours=$1 peers=$2 cases=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8
bad=0 n=0

show() { "$@" 2>/dev/null | grep -v ':_NCProperties =\|:_IsNetcdf4 ='; }
same() { diff -w "$work/1" "$work/2" >"$work/diff" || { echo "$1"; head -10 "$work/diff"; bad=$((bad + 1)); }; }

echo 'netcdf x { }' >"$work/x.cdl"
classic=$("$ours/ncgen" -3 -o "$work/x.nc" "$work/x.cdl" 2>/dev/null && echo yes)
for cdl in "$cases"/*.cdl; do
    name=$(basename "$cdl" .cdl)
    options=$(sed -n '1s,^// ncgen ,,p' "$cdl")
    [ "$classic" ] || options=${options:--4}
    case $options in -[356]) [ "$classic" ] || continue ;; esac
    n=$((n + 1))
    "$peers/ncgen" $options -o "$work/peer.nc" "$cdl" || { echo "$name: the peer's ncgen fails"; bad=$((bad + 1)); continue; }
    "$ours/ncgen" $options -o "$work/ours.nc" "$cdl" || { echo "$name: ncgen fails"; bad=$((bad + 1)); continue; }
    for how in -h -s -t -c; do
        [ "$how$options" = "-s-5" ] && continue # netCDF-C's ncdump ends at the first variable of a cdf5 file
        show "$peers/ncdump" $how -n x "$work/peer.nc" >"$work/1"
        show "$peers/ncdump" $how -n x "$work/ours.nc" >"$work/2"; same "$name: ncgen makes another file (ncdump $how)"
        show "$ours/ncdump" $how -n x "$work/ours.nc" >"$work/2"; same "$name: ncdump $how reads its own file otherwise"
        show "$ours/ncdump" $how -n x "$work/peer.nc" >"$work/2"; same "$name: ncdump $how prints another text"
    done
done
echo "$n cases, $bad differences"
[ $bad = 0 ] && [ $n -ge 100 ]
