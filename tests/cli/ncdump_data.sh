# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
ncdump -v time,station,/g/c s.nc
ncdump -t -v time s.nc | tail -4
ncdump -i -v time s.nc | grep '^ time ='
ncdump -c s.nc | sed -n '/^data/,/^group/p'
