# SPDX-License-Identifier: BSD-3-Clause
cat >x.cdl <<'C'
netcdf x { variables: int v ; v:a = 1, "b" ; }
C
ncgen -4 -o x.nc x.cdl; code=$?; ls; exit $code
