#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: h5_flips.sh PROGRAM DIRECTORY CHANGES: make the files, change each of their bytes CHANGES times
set -eu
here=$(dirname "$0")
rm -rf "$2"
/usr/bin/python3 "$here/make_h5_flips.py" "$2"
exec "$1" "$3" "$2"/*.h5
