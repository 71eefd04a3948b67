# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
nccopy --quantize "count:bitround=9" s.nc o.nc
