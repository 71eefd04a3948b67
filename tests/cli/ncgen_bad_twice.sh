# SPDX-License-Identifier: BSD-3-Clause
cat >x.cdl <<'C'
netcdf x { dimensions: n = 2 ; n = 3 ; }
C
ncgen -4 -o x.nc x.cdl; code=$?; ls; exit $code
