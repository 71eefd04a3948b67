# SPDX-License-Identifier: BSD-3-Clause
echo 'netcdf x { dimensions: n = 2 ; }' >x.cdl
ncdump x.cdl
