# SPDX-License-Identifier: BSD-3-Clause
# Types and dimensions of groups that are not around have their path; -Xm reads the file into memory; dates are wrapped.
cat >x.cdl <<'C'
netcdf x {
group: a { types: byte enum e { no = 0, yes = 1 } ; dimensions: d = 2 ; }
group: b { variables: /a/e v(/a/d) ; /a/e v:att = yes ; data: v = yes, no ; }
group: c { variables: double time ; time:units = "Days SINCE 2000-01-01" ; time:range = 0., 1., 2., 3., 4., 5. ; time:ends = 0., 1. ; data: time = 31 ; }
}
C
ncgen -4 -o x.nc x.cdl && ncdump -t x.nc && ncdump -Xm -t x.nc | cmp - <(ncdump -t x.nc) && ncdump x.nc | ncgen -4 -o y.nc && ncdump -n x y.nc | cmp - <(ncdump x.nc)
# Bytes of char data beyond ASCII in octal.
cat >y.cdl <<'C'
netcdf y { dimensions: n = 2 ; variables: char c(n) ; c:note = "ü" ; data: c = "ü" ; }
C
ncgen -4 -o y.nc y.cdl && ncdump y.nc | sed -n '/variables/,$p'
