. "$CLI/sample.sh"
sample s
nccopy s.cdl o.nc
