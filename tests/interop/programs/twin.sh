#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# twin.sh OURS THEIRS NCDUMP DIR: run both programs, each in a directory of its own
# so that all names are the same, and compare what they said and wrote.
set -u
ours=$1; theirs=$2; ncdump=$3; dir=$4
rm -rf "$dir"; mkdir -p "$dir/ours" "$dir/theirs" || exit 1
run() { # DIRECTORY PROGRAM
  (cd "$dir/$1" && "$2" file.nc > said 2> complaints; echo "exit $?" >> said; sed -i 's/[^ ]*\/\([a-z_A-Z0-9]*\.c\): /\1: /' said)
  (cd "$dir/$1" && "$ncdump" file.nc > dump 2>&1; "$ncdump" -hs file.nc 2>&1 | grep -v _NCProperties > special)
}
run ours "$ours"
run theirs "$theirs"
status=0
for part in said dump special; do
  diff -u "$dir/theirs/$part" "$dir/ours/$part" || status=1
done
[ -s "$dir/ours/complaints" ] && { cat "$dir/ours/complaints"; status=1; }
exit $status
