ncdump -Z x.nc
