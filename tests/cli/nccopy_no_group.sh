. "$CLI/sample.sh"
sample s
nccopy -g gg s.nc o.nc
