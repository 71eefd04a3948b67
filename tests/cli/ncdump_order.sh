# SPDX-License-Identifier: BSD-3-Clause
# A chain that the separate attributes could not rebuild is printed whole.
. "$CLI/sample.sh"
sample s 't:_Filter = "deflate,level=3|fletcher32" ;'
ncdump -hs s.nc | grep 't:_Fi\|t:_De\|t:_Fl'
