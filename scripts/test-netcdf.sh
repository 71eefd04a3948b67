#!/bin/sh
# test-netcdf.sh CACHE PREFIX [PART]: netCDF-C's own test programs and scripts (Debian 13's source package, 4.9.3),
# unchanged, against Cellar installed in PREFIX. tests/netcdf/expected.txt lists what ends otherwise, with the reason.
set -eu
cache=$1
prefix=$2
part=${3:-}
here=$(cd "$(dirname "$0")/.." && pwd)

if ! "$here/scripts/sources.sh" "$cache" trixie netcdf 2>"$cache.log" && [ ! -d "$cache/netcdf" ]; then
    echo "NOT RUN: netCDF-C's own tests: its source package cannot be had from this machine's mirror (see $cache.log)"
    exit 0
fi
cache=$(cd "$cache" && pwd)
status=0
python3 "$here/tests/netcdf/programs.py" "$cache/netcdf" "$prefix" "$part" || status=1
python3 "$here/tests/netcdf/scripts.py" "$cache/netcdf" "$prefix" "$part" || status=1
exit $status
