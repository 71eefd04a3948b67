# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
nccopy -k netcdf5 s.nc o.nc
