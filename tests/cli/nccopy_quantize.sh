# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_Filter = "shuffle|zstd" ;'
nccopy --quantize "t:bitround=4" --verify s.nc o.nc && ncdump -h o.nc | grep Quantize
nccopy --quantize "*:granular=2" s.nc o.nc && ncdump -h o.nc | grep Quantize
nccopy o.nc again.nc && same_data o.nc again.nc
