# SPDX-License-Identifier: BSD-3-Clause
# Conversions between containers, and a store that is replaced.
. "$CLI/sample.sh"
sample s 't:_DeflateLevel = 5 ; t:_Shuffle = "true" ;'
u="file://$PWD/s.zarr#mode=nczarr"
nccopy s.nc "$u" && ls -A && nccopy "$u" back.nc && same_data s.nc back.nc && chain back.nc t
nccopy -F none s.nc "$u" && ls -A && chain "$u" t; nccopy --verify "$u" back.nc && echo verified
