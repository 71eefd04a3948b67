. "$CLI/sample.sh"
sample s
nccopy -k netcdf5 s.nc o.nc
