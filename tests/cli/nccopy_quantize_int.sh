. "$CLI/sample.sh"
sample s
nccopy --quantize "count:bitround=9" s.nc o.nc
