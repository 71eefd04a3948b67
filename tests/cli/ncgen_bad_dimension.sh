# SPDX-License-Identifier: BSD-3-Clause
cat >x.cdl <<'C'
netcdf x { dimensions: lat = 2 ; variables: float v(lta) ; }
C
ncgen -4 -o x.nc x.cdl; code=$?; ls; exit $code
