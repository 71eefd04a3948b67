# SPDX-License-Identifier: BSD-3-Clause
# A variable in chunks of one step each: reads are timed, a copy is made and removed; how fast they are is no matter here.
mkdir tmp; export TMPDIR=$PWD/tmp
echo 'netcdf a { dimensions: time = 60 ; lat = 20 ; lon = 30 ; variables: float t(time, lat, lon) ; t:_ChunkSizes = 1, 20, 30 ;
  t:_Filter = "shuffle|zstd,level=1" ; group: g { variables: int u(time, lat, lon) ; u:_ChunkSizes = 60, 1, 1 ; } }' | ncgen -4 -o a.nc
cellar chunks --try --size 4096 a.nc | sed 's/[0-9.e+-]* ms a read, now [0-9.e+-]*: [0-9.e+-]* times/N ms a read, now M: K times/'
cellar chunks --try --json --size 4096 a.nc | python3 "$CLI/check_schema.py" "$CLI/../../docs/schema/chunks.json"
ls -A tmp
nccopy a.nc a.zarr; cellar chunks --size 4096 -v t a.zarr
cellar chunks --size 4096 --json a.zarr | python3 "$CLI/check_schema.py" "$CLI/../../docs/schema/chunks.json"
TMPDIR=/nofolder cellar chunks --try a.nc; echo "exit $?"
