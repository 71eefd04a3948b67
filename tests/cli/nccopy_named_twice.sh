# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
nccopy -F "t,zstd" -F "t&count,none" s.nc o.nc
