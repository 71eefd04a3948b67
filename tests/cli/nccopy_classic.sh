# SPDX-License-Identifier: BSD-3-Clause
# Classic kinds in and out; filters that such an output cannot have are told once.
. "$CLI/sample.sh"
cat >c.cdl <<'C'
netcdf c { dimensions: t = unlimited ; y = 20 ; x = 30 ; variables: float v(t, y, x) ; v:units = "m" ; int t(t) ; double w(y, x) ;
data: t = 1, 2, 3 ; w = 1, 2, 3 ; v = 1, 2, 3, 4, 5 ; }
C
ncgen -3 -o c.nc c.cdl && ncdump -k c.nc
for k in -3 -5 -6 -4 -7; do nccopy $k c.nc k.nc && ncdump -k k.nc && same_data c.nc k.nc; done
nccopy -d 5 -s c.nc d.nc && ncdump -k d.nc && chain d.nc v && same_data c.nc d.nc
nccopy -3 d.nc e.nc && ncdump -k e.nc && same_data c.nc e.nc
nccopy -F none -3 d.nc e.nc && same_data c.nc e.nc
nccopy c.nc z.zarr && nccopy -6 z.zarr f.nc && same_data c.nc f.nc
nccopy -u -3 c.nc u.nc && ncdump -h u.nc | grep 't = '
