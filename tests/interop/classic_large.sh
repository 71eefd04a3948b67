#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# classic_large.sh OURS THEIRS: files of 7 and 10 GB, mostly holes, written by one library
# and read by the other; and both refuse the same sizes with the same codes.
set -eu
ours=$1 theirs=$2
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
for kind in 2 5; do
    "$ours" write $kind "$scratch/ours.nc"
    [ "$(stat -c %s "$scratch/ours.nc")" -gt 4294967296 ] || { echo "kind $kind: not above 4 GiB"; exit 1; }
    "$theirs" read $kind "$scratch/ours.nc"
    "$ours" read $kind "$scratch/ours.nc"
    ! command -v ncvalidator >/dev/null || ncvalidator -q "$scratch/ours.nc"
    "$theirs" write $kind "$scratch/theirs.nc"
    "$ours" read $kind "$scratch/theirs.nc"
    [ "$(stat -c %s "$scratch/ours.nc")" = "$(stat -c %s "$scratch/theirs.nc")" ] || { echo "kind $kind: sizes differ"; exit 1; }
    rm "$scratch/ours.nc" "$scratch/theirs.nc"
done
"$ours" limits - "$scratch/limit.nc" >"$scratch/a"
"$theirs" limits - "$scratch/limit.nc" >"$scratch/b"
diff "$scratch/b" "$scratch/a"
grep -q -- '-62$' "$scratch/a" # NC_EVARSIZE
echo "$(wc -l <"$scratch/a") limits are the same"
