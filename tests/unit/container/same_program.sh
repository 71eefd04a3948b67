#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs the same program linked to libcellar and to netCDF-C, and compares what
# netCDF-C's ncdump shows of their files. usage: same_program.sh OURS THEIRS
set -u
ours=$1 theirs=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0
dump() { ncdump -s -n x "$1" 2>&1 | grep -v _NCProperties; }
cases=$("$ours") && [ -n "$cases" ] || { echo "$ours: lists no cases"; exit 1; }
for case in $cases; do
    "$theirs" "$case" "$dir/theirs.nc" && "$ours" "$case" "$dir/ours.nc" || { echo "$case: did not run"; failed=1; continue; }
    dump "$dir/theirs.nc" > "$dir/theirs.txt"
    dump "$dir/ours.nc" > "$dir/ours.txt"
    diff "$dir/theirs.txt" "$dir/ours.txt" || { echo "$case: differs"; failed=1; }
done
exit $failed
