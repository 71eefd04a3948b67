# "" as an attribute is one NUL in netCDF-C's files, not text of length 0: the files of both are the same.
printf 'netcdf t {\nvariables:\n\tint v ;\n\t\tv:a = "" ;\n// global attributes:\n\t\t:g = "" ;\n\t\t:two = "", "" ;\n}\n' > t.cdl
ncgen -3 -o ours.nc t.cdl && ncdump -h ours.nc
od -An -c ours.nc | tr -s ' \n' ' ' | grep -o 'g \\0 \\0 \\0 \\0 \\0 \\0 002 \\0 \\0 \\0 001'
[ ! -x /usr/bin/ncgen ] || { /usr/bin/ncgen -3 -o theirs.nc t.cdl && cmp ours.nc theirs.nc; }
