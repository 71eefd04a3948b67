# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
# What a killed run left is removed by the next run to the same target; of what another host left, only
# what is a day old. Others stay.
mkdir .o.nc.cellar-n00000000-old .o.nc.cellar-n00000000-young
for d in .o.nc.cellar-*; do touch $d/lock $d/o.nc; done
touch -d '2 days ago' .o.nc.cellar-n00000000-old/* .o.nc.cellar-n00000000-old
touch -d '2 days ago' .o.nc.cellar-999999999.nc .p.nc.cellar-999999999.nc; nccopy s.nc o.nc; ls -A
