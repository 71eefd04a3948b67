#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bzip2 then szip, written by us: h5dump must read every chunk.
#   bzip2_szip.sh bzip2_szip plugin-dir work-dir
set -eu
program=$1 plugins=$2 work=$3
mkdir -p "$work"
cd "$work"
"$program" both.nc raw.bin
command -v h5dump >/dev/null 2>&1 || exit 77
HDF5_PLUGIN_PATH=$plugins h5dump -d /var -b LE -o theirs.bin both.nc >/dev/null
cmp raw.bin theirs.bin
