# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
nccopy -d 5 -F "*,zstd" s.nc o.nc
