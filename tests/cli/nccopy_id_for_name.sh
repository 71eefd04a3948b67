. "$CLI/sample.sh"
sample s
nccopy -F 307,9 s.nc o.nc
