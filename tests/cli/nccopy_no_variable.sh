. "$CLI/sample.sh"
sample s
nccopy -F "tme,zstd" s.nc o.nc; code=$?; ls -A; exit $code
