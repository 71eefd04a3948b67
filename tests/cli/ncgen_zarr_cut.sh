# SPDX-License-Identifier: BSD-3-Clause
# A string longer than _nczarr_maxstrlen is an error that says what to do: nothing is cut.
cat > t.cdl <<'CDL'
netcdf t {
variables:
	string s ;
		s:_nczarr_maxstrlen = 4 ;
data:
 s = "0123456789" ;
}
CDL
! ncgen -o "file://$PWD/t.zarr#mode=zarr" t.cdl
