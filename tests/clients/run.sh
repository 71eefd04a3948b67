#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh BUILD SCRATCH: Cellar installed to a prefix of its own; Debian's programs run on it by `cellar run`, and on
# netCDF-C without it. The small part of what `make test-clients` does.
set -eu
build=$1 scratch=$2
here=$(cd "$(dirname "$0")" && pwd)

fail() { echo "$*"; exit 1; }

for program in ncks cdo /usr/bin/ncdump /usr/bin/python3; do
    command -v "$program" >/dev/null || { echo "no $program here"; exit 77; }
done
rm -rf "$scratch"; mkdir -p "$scratch"; cd "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
cellar=$scratch/prefix/bin/cellar
libraries() { "$@" ldd "$(command -v ncks)" | grep libnetcdf; }
libraries "$cellar" run -- | grep -q "$scratch/prefix" || fail "ncks is not on Cellar"
libraries env | grep -q "$scratch" && fail "ncks is on Cellar without being asked"
"$cellar" run -- sh -c 'command -v ncdump' | grep -q "$scratch/prefix" || fail "ncdump is not ours"

# What it says of programs that it cannot help, and exit codes.
set +e
"$cellar" run -- sh -c 'exit 7'; [ $? = 7 ] || fail "the exit code is lost"
"$cellar" run --stats -- sh -c 'kill -9 $$' 2>/dev/null; [ $? = 137 ] || fail "a signal is lost"
"$cellar" run -- no-such-program 2>said.txt; [ $? = 127 ] || fail "a missing program has another code"
grep -q "was not found" said.txt || fail "a missing program is not named"
"$cellar" run 2>/dev/null; [ $? = 2 ] || fail "no command is no mistake"
echo 'int main(void) { return 0; }' >static.c
if cc -static static.c -o static 2>/dev/null; then
    "$cellar" run -- ./static 2>said.txt || fail "a static program does not run"
    grep -q "is a static program" said.txt || fail "a static program is not named as such"
fi
set -e
"$here/both.py" "$scratch/prefix" "$scratch/both" small
"$cellar" run --stats --threads 1 -- ncks -O -4 -L 1 both/in_nc4.nc out.nc 2>stats.txt
grep -q 'ta  shuffle.*deflate,level=1.*written 0.062 MB' stats.txt || { cat stats.txt; fail "--stats does not tell of ta"; }
"$cellar" run --stats -- true 2>stats.txt
grep -q "no values through Cellar" stats.txt || fail "--stats does not say that nothing was read"
