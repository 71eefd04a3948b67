# SPDX-License-Identifier: BSD-3-Clause
# The specification's nccopy examples.
. "$CLI/sample.sh"
sample unfiltered
nccopy -F "t,307,9" unfiltered.nc filtered.nc && chain filtered.nc t && same_data unfiltered.nc filtered.nc
nccopy -F "*,307,9" unfiltered.nc all.nc && chain all.nc t && chain all.nc count && chain all.nc c
nccopy -F "t&count,307,9|4,32,32" unfiltered.nc two.nc && chain two.nc t && chain two.nc count && same_data unfiltered.nc two.nc
nccopy -F none filtered.nc none.nc && chain none.nc t && same_data unfiltered.nc none.nc
nccopy -F "*,none" filtered.nc none.nc && chain none.nc t
nccopy -F "t,none" filtered.nc none.nc && chain none.nc t
nccopy -F "t&count,none" two.nc none.nc && chain none.nc t && chain none.nc count
nccopy -F "/g/c,307,9" unfiltered.nc g.nc && chain g.nc c && same_data unfiltered.nc g.nc
