# SPDX-License-Identifier: BSD-3-Clause
cat >x.cdl <<'C'
netcdf x { dimensions: n = 100 ; variables: int v(n) ;
  v:_DeflateLevel = 11 ; }
C
ncgen -4 -o x.nc x.cdl; code=$?; ls; exit $code
