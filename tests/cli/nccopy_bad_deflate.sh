# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
nccopy -d 12 s.nc o.nc
