. "$CLI/sample.sh"
sample s
nccopy -c lat s.nc o.nc
