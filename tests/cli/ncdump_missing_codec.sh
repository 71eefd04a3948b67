# SPDX-License-Identifier: BSD-3-Clause
# -hs shows the codecs of a Zarr array also where one is missing.
. "$CLI/sample.sh"
sample s 't:_Filter = "shuffle|zstd" ;'
nccopy s.nc s.zarr && sed -i 's/"zstd"/"weird"/' s.zarr/t/.zarray
ncdump -hs s.zarr | grep t:_
ncdump -v count s.zarr >/dev/null && echo others are readable
ncdump -v t s.zarr >/dev/null
