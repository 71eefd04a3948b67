#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# test-zarr.sh TOOL NCCOPY PEERS MORE CASES [PEER...]: random Zarr arrays both ways with every peer, CASES each way, each also
# copied to a netCDF-4 file and back. PEERS is the folder of scripts/peers.sh, MORE that of scripts/zarr-peers.sh. A peer that is not there is named loudly and fails nothing.
set -u
tool=$1 nccopy=$2 peers=$3 more=$4 cases=$5
shift 5
here=$(cd "$(dirname "$0")" && pwd)
failed=
not_run=

has() # NAME FILE
{
    ! grep -qs "^$1\(:\|\$\)" "$peers/missing" "$more/missing" && [ -e "$2" ]
}

matrix() # LABEL NEEDED FILE PYTHON PEER [ARGUMENT]
{
    label=$1 needed=$2 file=$3 python=$4
    shift 4
    if ! has "$needed" "$file"; then
        echo "NOT RUN: $label: $(grep -hs "^$needed" "$peers/missing" "$more/missing" || echo "$file is not there")"
        not_run="$not_run $label"
        return
    fi
    peer=$1
    shift
    NCCOPY=$nccopy "$python" "$here/../tests/interop/zarr/matrix.py" "$tool" "$peer" "$cases" "$@" || failed="$failed $label"
}

run() # LABEL
{
    case $1 in
        zarr-new)    matrix "$1" zarr-new "$more/zarr-new/bin/python" "$more/zarr-new/bin/python" zarr3 ;;
        zarr3)       matrix "$1" zarr "$peers/bin/python" "$peers/bin/python" zarr3 ;;
        zarr218)     matrix "$1" zarr218 "$more/zarr218/bin/python" "$more/zarr218/bin/python" zarr2 ;;
        zarr2)       matrix "$1" zarr2 /usr/lib/python3/dist-packages/zarr /usr/bin/python3 zarr2 ;;
        zarrs)       matrix "$1" zarrs "$more/zarrs/release/zarrs_peer" /usr/bin/python3 zarrs "$more/zarrs/release/zarrs_peer" ;;
        tensorstore) matrix "$1" tensorstore "$peers/bin/python" "$peers/bin/python" tensorstore ;;
        zarrita)     matrix "$1" zarrita "$peers/node/node_modules/zarrita" /usr/bin/python3 zarrita "$peers/node" ;;
        gdal)        matrix "$1" gdal /usr/lib/python3/dist-packages/osgeo /usr/bin/python3 gdal ;;
        *)           echo "test-zarr: no peer '$1'" >&2; exit 2 ;;
    esac
}

for peer in ${*:-zarr-new zarr3 zarr218 zarr2 zarrs tensorstore zarrita gdal}; do
    run "$peer"
done
[ -z "$not_run" ] || echo "NOT RUN:$not_run"
[ -z "$failed" ] || { echo "FAILED:$failed"; exit 1; }
