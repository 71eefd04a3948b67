#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# peers.sh SCRIPT PEERS TOOL: runs a script with the peers of scripts/peers.sh, or says loudly that it did not.
script=$1 peers=$2 tool=$3
here=$(cd "$(dirname "$0")" && pwd)
"$here/../../../scripts/peers.sh" "$peers"
not_run()
{
    echo "NOT RUN: $1 could not be installed"
    exit 77
}
needs()
{
    for package; do
        grep -qx "$package" "$peers/missing" && not_run "$package"
    done
}
case $script in
    zarr3|world) needs zarr tensorstore; exec "$peers/bin/python" "$here/$script.py" "$tool" ;;
    nczarr_peer) needs netCDF4; exec "$peers/bin/python" "$here/nczarr_peer.py" "$tool" ;;
    zarrita)     needs zarrita; exec /usr/bin/python3 "$here/zarrita.py" "$tool" "$peers/node" ;;
esac
