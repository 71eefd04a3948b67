# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
nccopy -F "scalar,zstd" s.nc o.nc
