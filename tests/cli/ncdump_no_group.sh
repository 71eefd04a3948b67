# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
ncdump -g gg s.nc
