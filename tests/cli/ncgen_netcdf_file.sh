. "$CLI/sample.sh"; sample in
ncgen -o out.nc in.nc
