# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
ncdump -b c -v c -g g s.nc | tail -8
ncdump -f f -v count s.nc | sed -n '/^data/,$p' | head -6
ncdump -p 3 -l 40 -v t s.nc | sed -n '/^data/,$p' | head -8
ncdump -k s.nc
