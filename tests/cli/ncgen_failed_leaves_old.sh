# SPDX-License-Identifier: BSD-3-Clause
# A failed run leaves the old file as it was and nothing else.
echo 'netcdf x { dimensions: n = 2 ; }' >x.cdl
ncgen -4 -o x.nc x.cdl && cksum x.nc >before
echo 'netcdf x { dimensions: n = 2 ; variables: int v(n) ; v:_Filter = "nosuch" ; }' >x.cdl
ncgen -4 -o x.nc x.cdl
cksum x.nc | diff before - && ls -A
