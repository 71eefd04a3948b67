# SPDX-License-Identifier: BSD-3-Clause
# A variable behind a codec or filter that nobody here has is left out by name; --strict fails.
. "$CLI/sample.sh"
sample s 't:_Filter = "shuffle|zstd" ;'
nccopy s.nc s.zarr && sed -i 's/"zstd"/"weird"/' s.zarr/t/.zarray
nccopy s.zarr t.nc; echo $?
ncdump -h t.nc | grep '^	[a-z].*(.*) ;'
nccopy --strict s.zarr u.nc; echo $?
