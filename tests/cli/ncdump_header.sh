. "$CLI/sample.sh"
sample s
ncdump -h s.nc
