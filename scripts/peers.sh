#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# peers.sh DIR: a virtual environment with the test peers that Debian does not have
# (zarr-python 3, newest numcodecs, TensorStore, newest netCDF4, h5py and xarray, kerchunk, Blosc2, hdf5plugin, PyTables; zarrita from npm), made once.
# What cannot be had is named in DIR/missing; tests then say "NOT RUN".
set -eu
dir=$1
[ -f "$dir/ready-5" ] && exit 0 # a new number whenever the list changes
# zarr-python 3 wants Python 3.11 or newer; Debian 12 has 3.11.
/usr/bin/python3 -m venv "$dir"
: > "$dir/missing"
for package in zarr tensorstore netCDF4 blosc2 h5py kerchunk xarray scipy hdf5plugin tables; do
    timeout 600 "$dir/bin/pip" install -q --disable-pip-version-check "$package" >"$dir/$package.log" 2>&1 ||
        echo "$package" >> "$dir/missing"
done
mkdir -p "$dir/node"
if command -v npm >/dev/null; then
    (cd "$dir/node" && npm init -y && timeout 300 npm install zarrita) >"$dir/zarrita.log" 2>&1 || echo zarrita >> "$dir/missing"
else
    echo zarrita >> "$dir/missing"
fi
touch "$dir/ready-5"
