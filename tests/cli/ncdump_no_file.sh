ncdump missing.nc
