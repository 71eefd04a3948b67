# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_DeflateLevel = 5 ; t:_Shuffle = "true" ; t:_Fletcher32 = "true" ;'
ncdump -h -s -Xp s.nc
ncdump -hs -F -Xp s.nc | grep t:
