# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
cp s.nc o.nc; cksum o.nc >before; nccopy -F "t,nosuch" s.nc o.nc; cksum o.nc | diff before - && ls -A
