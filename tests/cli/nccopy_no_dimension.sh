# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
nccopy -c lta/3 s.nc o.nc
