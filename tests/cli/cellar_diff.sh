# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample a 't:_Filter = "shuffle|deflate,level=5|fletcher32" ;'
say() { cellar diff "$@"; echo "exit $?"; }
# The same, stored otherwise.
nccopy -F none -c t:2,8,16 a.nc b.nc; say a.nc b.nc
nccopy a.nc a.zarr; say a.nc a.zarr
# Structure, attributes, numbers, strings.
ncdump a.nc | sed 's/1.1, 2.2/1.1, 2.25/; s/"K"/"C"/; s/scalar = 7/scalar = 8/; s/Cabauw/Delft/; s/hours since/days since/; s/short c/int c/; s/int scalar/double scalar/' |
    ncgen -4 -o c.nc -
say a.nc c.nc
say --abs 1 --ignore units a.nc c.nc
say --rel 0.03 --no-attributes -v t a.nc c.nc
say --ulps 209715 --no-attributes -v t a.nc c.nc
say --ulps 209714 --no-attributes -v t --first 1 a.nc c.nc
say --no-values a.nc c.nc
say -q a.nc c.nc
echo 'netcdf x { dimensions: lat = 9 ; n = 2 ; z = 1 ; variables: int count(lat) ; int other ; }' | ncgen -4 -o x.nc
say a.nc x.nc
