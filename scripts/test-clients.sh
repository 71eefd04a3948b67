#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# test-clients.sh CACHE PREFIX [PART...]: programs that were built for netCDF-C on netCDF-C and on Cellar installed in PREFIX
# (tests/clients), then the suites of packages that are built for it. PART: the name of a list, or of a suite.
set -eu
cache=$1
prefix=$2
shift 2
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
"$here/scripts/sources.sh" "$cache" - nco netcdf-fortran netcdf-cxx 2>"$cache.log" ||
    echo "NOT RUN: what needs the sources of$(sed 's/^/ /' "$cache/missing" | tr -d '\n') (see $cache.log)"
status=0
lists=
suites=
for part; do
    if [ -f "$here/tests/clients/$part.txt" ]; then lists="$lists $part"; else suites="$suites $part"; fi
done
if [ -n "$lists" ] || [ $# = 0 ]; then
    # shellcheck disable=SC2086
    NCO_SOURCE=$cache/nco "$here/tests/clients/both.py" "$prefix" "$cache/both" $lists || status=1
fi
for suite in ${suites:-$([ $# != 0 ] || echo fortran cxx link python xarray together)}; do
    "$here/tests/clients/suite_$suite.sh" "$cache" "$prefix/lib/cellar/netcdf" || status=1
done
exit $status
