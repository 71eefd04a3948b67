. "$CLI/sample.sh"
sample s
nccopy missing.nc o.nc
