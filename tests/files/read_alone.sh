#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# read_alone.sh BUILD: run the tests of read_alone.txt in this build, and fail if one that begins with h5_ is not listed, or
# if one that is listed is no test.
set -eu
list=$(dirname "$(readlink -f "$0")")/read_alone.txt
cd "$1"
there=$(ctest -N -LE 'long|bench' | sed -n 's/^ *Test *#[0-9]*: //p')
listed=$(sed -n 's/^\(run\|exempt\) \([^ ]*\).*/\2/p' "$list")
for name in $(echo "$there" | grep '^h5_'); do
    echo "$listed" | grep -qx "$name" || { echo "$name is not in read_alone.txt"; exit 1; }
done
for name in $listed; do
    echo "$there" | grep -qx "$name" || { echo "$name, of read_alone.txt, is no test"; exit 1; }
done
echo "exempt:" && sed -n 's/^exempt /  /p' "$list"
ctest --output-on-failure -R "^($(sed -n 's/^run //p' "$list" | paste -sd '|'))\$"
