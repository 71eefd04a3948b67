mkdir d; nccopy d o.nc; code=$?; ls -A; exit $code
