. "$CLI/sample.sh"
sample s
ncdump -v tme s.nc
