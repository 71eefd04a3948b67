# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_DeflateLevel = 1 ;'
sizes() { ncdump -hs $1 | sed -n 's/.*\(t\|count\|c\):_\(ChunkSizes\|Storage\) = //p' | tr '\n' ' '; echo; }
nccopy s.nc o.nc && sizes o.nc
nccopy -c time/2,lat/8,lon/16 s.nc o.nc && sizes o.nc && same_data s.nc o.nc
nccopy -c t:2,2,16 s.nc o.nc && sizes o.nc && same_data s.nc o.nc
nccopy -c lat/2 -M 0 s.nc o.nc && sizes o.nc && same_data s.nc o.nc
nccopy -u s.nc o.nc && ncdump -h o.nc | grep 'time ='
