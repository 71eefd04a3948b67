. "$CLI/sample.sh"
sample s
nccopy s.nc ./s.nc
