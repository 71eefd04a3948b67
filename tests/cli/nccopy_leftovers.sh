. "$CLI/sample.sh"
sample s
# What a killed run left is removed by the next run to the same target; others stay.
touch .o.nc.cellar-999999999.nc .p.nc.cellar-999999999.nc; nccopy s.nc o.nc; ls -A
