# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_Filter = "shuffle|deflate,level=5" ;'
# Sizes of compressed chunks are the encoder's affair.
hide() { sed -E 's/[0-9.]+ k?B/N B/g; s/^[#.]+ +[0-9]+ %/BAR/; s/ +[0-9]+\.[0-9][0-9] / R /; s/ +N B/ N B/g; s/ratio [0-9.]+/ratio R/'; }
cellar info s.nc | hide
chunks() { cellar info --chunks=t $1 | sed -E 's/[0-9.]+ k?B/N B/g; s/^[1-9#]+$/MAP/'; }
chunks s.nc
nccopy s.nc s.zarr
cellar info s.zarr | hide
chunks s.zarr
