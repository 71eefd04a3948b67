# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
nccopy -3 -F "t,zstd" s.nc o.nc
