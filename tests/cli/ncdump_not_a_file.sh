echo 'hello' >x.nc
ncdump x.nc
