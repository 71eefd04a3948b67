# SPDX-License-Identifier: BSD-3-Clause
# Ended at 24 random moments of a run, by each signal in turn: the old output stays, nothing else does.
printf 'netcdf big { dimensions: t = unlimited ; y = 400 ; x = 500 ; variables: float v(t, y, x) ; v:_ChunkSizes = 1, 100, 100 ; data: v = %s ; }' "$(seq -s, 1 200000)" >big.cdl
ncgen -4 -o big.nc big.cdl
began=${EPOCHREALTIME/./}
nccopy -F "v,bzip2,level=9" big.nc out.nc && cksum out.nc >after
long=$((${EPOCHREALTIME/./} - began)) # microseconds of a run
cp big.nc out.nc && cksum out.nc >before
for i in 1 2 3 4 5 6 7 8; do
    for sig in INT TERM KILL; do
        nccopy -F "v,bzip2,level=9" big.nc out.nc & pid=$!
        sleep "$(printf '0.%06d' $(((RANDOM * 32768 + RANDOM) % (long > 900000 ? 900000 : long))))"
        kill -$sig $pid 2>/dev/null
        wait $pid; code=$?
        [ $code = 0 ] && cp big.nc out.nc # it was faster
        [ $sig = KILL ] && cksum out.nc | diff after - >/dev/null && cp big.nc out.nc # complete, but killed before it could say so
        cksum out.nc | diff before - >/dev/null || echo "changed after SIG$sig"
        [ $code = 0 ] || [ $code = $((128 + $(kill -l $sig))) ] || echo "exit code $code after SIG$sig"
        left=$(ls -A | grep cellar)
        [ -z "$left" ] || [ $sig = KILL ] || echo "left by SIG$sig: $left"
        [ $i = 8 ] || rm -rf .out.nc.cellar-* # the last one is for the next run to remove
    done 2>/dev/null
done
nccopy big.nc out.nc && ls -A | grep cellar; echo done
