# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_DeflateLevel = 5 ; t:_Fletcher32 = "true" ;'
nccopy --report json s.nc "file://$PWD/s.zarr#mode=nczarr" | grep -o '"filters": "[^"]*deflate[^"]*"\|"note": "flet[^"]*"'
