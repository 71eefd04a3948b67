. "$CLI/sample.sh"
sample s
nccopy -s s.nc o.nc
