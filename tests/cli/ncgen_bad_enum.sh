# SPDX-License-Identifier: BSD-3-Clause
cat >x.cdl <<'C'
netcdf x { types: byte enum cloud { Clear = 0, Cumulus = 1 } ; variables: cloud v ; data: v = Clera ; }
C
ncgen -4 -o x.nc x.cdl; code=$?; ls; exit $code
