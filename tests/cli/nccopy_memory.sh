# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_DeflateLevel = 3 ;'
nccopy -w s.nc w.nc && same_data s.nc w.nc
nccopy -r s.nc r.nc && same_data s.nc r.nc
nccopy -m 100 -c t:2,8,16 s.nc m.nc && same_data s.nc m.nc
nccopy -h 1K -e 3 -c t:2,8,16 s.nc h.nc && same_data s.nc h.nc
nccopy --threads 1 -d 6 s.nc one.nc && nccopy --threads 8 -d 6 s.nc eight.nc && cmp one.nc eight.nc && echo same bytes
