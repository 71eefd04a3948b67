# SPDX-License-Identifier: BSD-3-Clause
echo 'hello' >x.nc
ncdump x.nc
