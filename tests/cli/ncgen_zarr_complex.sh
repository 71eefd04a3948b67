# SPDX-License-Identifier: BSD-3-Clause
# Complex numbers: Zarr has them, and no other compound.
cat >c.cdl <<CDL
netcdf c {
types: compound wave { float r ; float i ; } ;
dimensions: x = 4 ;
variables:
	wave v(x) ; wave v:_FillValue = {1, NaNf} ; v:_ChunkSizes = 3 ;
	wave one ;
data: v = {1, 2}, {3, 4}, _, {-Infinityf, 0} ; one = {7, 8} ;
}
CDL
for mode in zarr zarr,v3; do
    ncgen -o "file://$PWD/c.zarr#mode=$mode" c.cdl
    cat c.zarr/v/.zarray c.zarr/v/zarr.json 2>/dev/null | tr -d ' \n' | grep -o '"d[a-z_]*type":"[^"]*"\|"fill_value":[^]]*]'
    ncdump c.zarr | sed -n '/^data/,$p'
    rm -r c.zarr
done
ncgen -o "file://$PWD/c.zarr#mode=nczarr" c.cdl
printf 'netcdf p { types: compound pair { int a ; float b ; } ; dimensions: x = 1 ; variables: pair v(x) ; }' >p.cdl
ncgen -o "file://$PWD/p.zarr#mode=zarr" p.cdl
