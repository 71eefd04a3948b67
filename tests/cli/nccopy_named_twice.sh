. "$CLI/sample.sh"
sample s
nccopy -F "t,zstd" -F "t&count,none" s.nc o.nc
