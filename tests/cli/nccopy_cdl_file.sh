. "$CLI/sample.sh"; sample in
nccopy in.cdl out.nc
