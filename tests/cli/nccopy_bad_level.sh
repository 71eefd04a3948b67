# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
nccopy -F "t,deflate,level=99" s.nc o.nc
