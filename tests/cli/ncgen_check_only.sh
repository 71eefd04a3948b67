echo 'netcdf x { dimensions: n = 2 ; }' | ncgen && ls
