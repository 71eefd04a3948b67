. "$CLI/sample.sh"
sample s
nccopy -F "t,zstdd" s.nc o.nc; code=$?; ls -A; exit $code
