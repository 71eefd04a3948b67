# SPDX-License-Identifier: BSD-3-Clause
# Every byte of a classic file is known: the header, a fixed variable, two records of three variables.
cat >c.cdl <<'CDL'
netcdf c {
dimensions: time = UNLIMITED ; x = 5 ;
variables: short a(time, x) ; a:_FillValue = -9s ; int b(x) ; double time(time) ; byte y(time) ;
data: a = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ; b = 1, 2, 3, 4, 5 ; time = 1, 2 ; y = 1, 2 ;
}
CDL
ncgen -o c.nc c.cdl
cellar info --layout c.nc
