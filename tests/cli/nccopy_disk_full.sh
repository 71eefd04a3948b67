# No room for the output: a message, and nothing is left.
printf 'netcdf big { dimensions: n = 200000 ; variables: int v(n) ; data: v = %s ; }' "$(seq -s, 1 200000)" >big.cdl
ncgen -4 -o big.nc big.cdl && cp big.nc out.nc && cksum out.nc >before
(ulimit -f 100; nccopy -F "v,zstd" big.nc out.nc) 2>err; echo "exit $?"; wc -l <err
grep -o 'nccopy: .*out.nc' err | head -1
(ulimit -f 10; ncgen -4 -o new.nc big.cdl) 2>err; echo "exit $?"; wc -l <err
cksum out.nc | diff before - && ls -A
