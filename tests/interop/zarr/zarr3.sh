#!/bin/sh
# zarr3.sh PEERS TOOL: runs zarr3.py in the virtual environment, or says loudly that it did not.
here=$(cd "$(dirname "$0")" && pwd)
"$here/../../../scripts/peers.sh" "$1"
if grep -Eq 'zarr|tensorstore' "$1/missing"; then
    echo "NOT RUN: $(tr '\n' ' ' < "$1/missing")could not be installed from PyPI"
    exit 77
fi
exec "$1/bin/python" "$here/zarr3.py" "$2"
