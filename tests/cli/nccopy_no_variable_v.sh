. "$CLI/sample.sh"
sample s
nccopy -v cuont s.nc o.nc
