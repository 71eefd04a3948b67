. "$CLI/sample.sh"
sample s
nccopy -F t s.nc o.nc
