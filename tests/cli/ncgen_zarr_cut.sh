# A string longer than _nczarr_maxstrlen is cut after a whole character, with a warning; an error where CELLAR_STRICT is set.
cat > t.cdl <<'CDL'
netcdf t {
variables:
	string s ;
		s:_nczarr_maxstrlen = 4 ;
	string c ;
		c:_nczarr_maxstrlen = 4 ;
data:
 s = "0123456789" ;
 c = "abcäöü" ;
}
CDL
ncgen -o "file://$PWD/t.zarr#mode=zarr" t.cdl && ncdump "file://$PWD/t.zarr#mode=zarr" | sed -n '/^data/,$p'
! CELLAR_STRICT=1 ncgen -o "file://$PWD/u.zarr#mode=zarr" t.cdl
