# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
ncdump -v tme s.nc
