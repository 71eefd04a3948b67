# Ended at random moments by each signal: the old output stays, nothing else does.
printf 'netcdf big { dimensions: t = unlimited ; y = 400 ; x = 500 ; variables: float v(t, y, x) ; v:_ChunkSizes = 1, 100, 100 ; data: v = %s ; }' "$(seq -s, 1 200000)" >big.cdl
ncgen -4 -o big.nc big.cdl && nccopy -F "v,bzip2,level=9" big.nc out.nc && cksum out.nc >after && cp big.nc out.nc && cksum out.nc >before
for i in 1 2 3 4 5 6 7; do
    for sig in INT TERM KILL; do
        nccopy -F "v,bzip2,level=9" big.nc out.nc & pid=$!
        sleep 0.0$((RANDOM % 10)); kill -$sig $pid 2>/dev/null
        wait $pid; code=$?
        [ $code = 0 ] && cp big.nc out.nc # it was faster
        [ $sig = KILL ] && cksum out.nc | diff after - >/dev/null && cp big.nc out.nc # complete, but killed before it could say so
        cksum out.nc | diff before - >/dev/null || echo "changed after SIG$sig"
        left=$(ls -A | grep cellar)
        [ -z "$left" ] || [ $sig = KILL ] || echo "left by SIG$sig: $left"
        [ $i = 7 ] || rm -f .out.nc.cellar-* # the last one is for the next run to remove
    done 2>/dev/null
done
nccopy big.nc out.nc && ls -A | grep cellar; echo done
