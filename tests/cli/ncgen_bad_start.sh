cat >x.cdl <<'C'
hello world
C
ncgen -4 -o x.nc x.cdl; code=$?; ls; exit $code
