# SPDX-License-Identifier: BSD-3-Clause
cat >x.cdl <<'C'
netcdf x { variables: int v ; data: v = 12abc ; }
C
ncgen -4 -o x.nc x.cdl; code=$?; ls; exit $code
