#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# corpus.sh CACHE NCDUMP [PART]: the data files of others' test suites, by Debian source package, dumped and compared.
# Debian 12's packages whatever the machine runs: tests/corpus/expected.txt lists what differs in those.
# Packages that the mirror does not have are named; without any of them nothing is run, and that is said too.
set -eu

cache=$1
ncdump=$2
here=$(cd "$(dirname "$0")/.." && pwd)
needed="hdf5 netcdf pytables"
welcome="nco h5py netcdf4-python cdo" # few data files or none

"$here/scripts/sources.sh" "$cache" bookworm $needed $welcome 2>"$cache.log" || true
have=
for package in $needed $welcome; do
    if [ -d "$cache/$package" ]; then
        have="$have $package"
    else
        echo "NOT RUN: the files of $package: its source package cannot be had from this machine's mirror (see $cache.log)"
    fi
done
if [ -z "$have" ]; then
    echo "NOT RUN: test-corpus: there are no files to compare"
    exit 0
fi
echo "files of$have"

# A report of the sanitizers is a crash; one of ncdump's own errors ends with 1.
ASAN_OPTIONS=exitcode=99:detect_leaks=0 UBSAN_OPTIONS=exitcode=99:print_stacktrace=1 \
    exec python3 "$here/tests/corpus/corpus.py" "$cache" "$ncdump" "$here/tests/corpus/expected.txt" "${3:-}"
