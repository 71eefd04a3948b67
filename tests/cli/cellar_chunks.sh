# SPDX-License-Identifier: BSD-3-Clause
# Rew's example: 98128 x 277 x 349 floats give 33x5x6 for 4 KiB and 1032x29x35 for 4 MiB.
cat >big.cdl <<'CDL'
netcdf big { dimensions: time = 98128 ; lat = 277 ; lon = 349 ; level = 10 ;
variables: float t(time, lat, lon) ; t:_ChunkSizes = 1, 277, 349 ; t:_NoFill = "true" ;
  short u(time, level, lat, lon) ; u:_ChunkSizes = 100, 1, 10, 10 ; u:_NoFill = "true" ; float time(time) ; time:_ChunkSizes = 1000 ; time:_NoFill = "true" ; }
CDL
ncgen -4 -o big.nc big.cdl
for size in 4096 4194304; do cellar chunks -v t --size=$size big.nc; done
cellar chunks --for "time series 30%, maps 70%" big.nc
cellar chunks --for "time 1, level lat lon 9" -v u big.nc
cellar chunks --json big.nc | python3 "$CLI/check_schema.py" "$CLI/../../docs/schema/chunks.json"
# Small arrays: one chunk; short dimensions: single values.
echo 'netcdf s { dimensions: t = 3 ; y = 4 ; x = 5 ; variables: double v(t, y, x) ; }' | ncgen -4 -o s.nc
cellar chunks s.nc; cellar chunks --size=16 s.nc
