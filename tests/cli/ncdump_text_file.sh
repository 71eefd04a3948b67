echo 'netcdf x { dimensions: n = 2 ; }' >x.cdl
ncdump x.cdl
