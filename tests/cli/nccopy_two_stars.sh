. "$CLI/sample.sh"
sample s
nccopy -F none -F "*,zstd" s.nc o.nc
