# SPDX-License-Identifier: BSD-3-Clause
# Every spelling of a kind and of a language that netCDF-C's ncgen takes; what it has and this one has not is refused in a sentence.
printf 'netcdf t {\ndimensions:\n x = 2 ;\nvariables:\n int v(x) ;\ndata:\n v = 1, 2 ;\n}\n' > t.cdl
for option in -1 -3 -4 -5 -6 -7 '-k 1' '-k 2' '-k 3' '-k 4' '-k 5' '-v 2' '-v nc4' '-k nc3' '-k nc5' '-k nc6' '-k nc7' '-k hdf5' '-k enhanced' \
    '-k hdf5-nc3' '-k enhanced-nc3' '-k 64-bit-offset' '-k 64-bit-data' '-k cdf5' '-k netCDF-4' '-k netCDF-4-classic' '-k classic' -x -P '-W 9' '-D 1'; do
    ncgen $option -o x.nc t.cdl && echo "$option: $(ncdump -k x.nc)"
done
ncgen -H -o x.nc t.cdl && ncdump x.nc | grep 'v ='
ncgen -c t.cdl | grep -c nc_create
ncgen -h | head -1
for option in -f -lf77 -ljava '-k 6'; do
    ncgen $option t.cdl 2>&1
done
ncgen -4 -o x.nc t.cdl
ncdump -d 3 x.nc | grep 'v ='
ncdump -X z x.nc 2>&1
nccopy -x x.nc y.nc && ncdump -k y.nc
