. "$CLI/sample.sh"
sample s
nccopy -F "scalar,zstd" s.nc o.nc
