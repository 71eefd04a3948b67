# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
nccopy -V time,scalar s.nc o.nc && ncdump o.nc
nccopy -v time s.nc o.nc && ncdump -v time,scalar o.nc | sed -n '/^data/,/^group/p'
nccopy -G /g s.nc o.nc && ncdump -h o.nc | grep ';$' | grep -v '='
nccopy -g / s.nc o.nc && ncdump -v /g/c o.nc | grep 'c ='
