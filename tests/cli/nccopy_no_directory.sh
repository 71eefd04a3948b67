. "$CLI/sample.sh"
sample s
nccopy s.nc nowhere/o.nc
