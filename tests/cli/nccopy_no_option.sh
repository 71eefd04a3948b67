. "$CLI/sample.sh"
sample s
nccopy --verfiy s.nc o.nc
