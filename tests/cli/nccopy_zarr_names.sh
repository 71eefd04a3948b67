# SPDX-License-Identifier: BSD-3-Clause
# Names that no key of a store may have: what has one is left out by name, all else is copied, in every kind of store.
long=$(printf 'y%.0s' $(seq 256))
cat > n.cdl <<CDL
netcdf n {
variables:
	int plain ;
	int a\\\\b ;
	int zarr.json ;
	int $long ;
data:
 plain = 1 ;
 a\\\\b = 2 ;
group: g\\\\h {
  variables:
  	int inside ;
}
group: ok {
  variables:
  	int q\\\\ ;
  	int kept ;
}
}
CDL
ncgen -4 -o n.nc n.cdl
for mode in nczarr zarr zarr,v3 nczarr,zip; do
    nccopy n.nc "file://$PWD/o.$mode#mode=$mode" 2>err; echo "$mode $? $(grep -c 'is not copied' err)"
    ncdump -h "file://$PWD/o.$mode#mode=$mode" | grep -o 'int .*;'
done
sed 's/y\{256\}/Y/' err
! nccopy --strict n.nc "file://$PWD/strict.zarr#mode=nczarr" 2>err && sed "s,$PWD,DIR," err
