# SPDX-License-Identifier: BSD-3-Clause
# Bytes that are no UTF-8 in text attributes: as they are in a file, as netCDF-C has them everywhere; escaped in a pipe, which
# may lead to a terminal. ncgen reads both.
cat > t.cdl <<'CDL'
netcdf t {

// global attributes:
		:title = "25 \260C \233" ;
}
CDL
ncgen -o t.nc t.cdl && ncdump t.nc > file.cdl && ncdump t.nc | cat > pipe.cdl
grep title pipe.cdl
od -An -tx1 < file.cdl | tr -d '\n ' | grep -o '3235.*9b'
ncgen -o file.nc file.cdl && ncgen -o pipe.nc pipe.cdl && cmp file.nc pipe.nc && echo same
