. "$CLI/sample.sh"
sample s
nccopy -d 12 s.nc o.nc
