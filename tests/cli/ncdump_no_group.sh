. "$CLI/sample.sh"
sample s
ncdump -g gg s.nc
