echo 'netcdf x { }' | ncgen -l java
