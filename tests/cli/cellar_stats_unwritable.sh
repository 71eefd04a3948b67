# SPDX-License-Identifier: BSD-3-Clause
# The files of CELLAR_STATS and CELLAR_TRACE cannot be written: one sentence each, and the work is done all the same.
. "$CLI/sample.sh"
sample s
CELLAR_STATS=/absent/x ncdump s.nc >a.cdl
CELLAR_TRACE=/absent/x ncdump s.nc >b.cdl
ncdump s.nc | cmp - a.cdl && cmp a.cdl b.cdl && echo "the values are there"
