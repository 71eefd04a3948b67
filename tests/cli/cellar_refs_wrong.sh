# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s
nccopy s.nc s.zarr
cellar refs; echo "exit $?"
cellar refs nofile.nc; echo "exit $?"
cellar refs s.zarr; echo "exit $?"
cellar refs --concat=depth s.nc s.nc; echo "exit $?"
echo 'netcdf a { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }' | ncgen -o a.nc
cellar refs a.nc a.nc; echo "exit $?"
cellar refs --concat=x -o two.json a.nc s.nc; echo "exit $?"
ls two.json
# A second file that begins between two chunks.
make() { echo "netcdf m { dimensions: t = UNLIMITED ; x = 2 ; variables: int v(t, x) ; v:_ChunkSizes = 2, 2 ; data: v = 1, 2, 3, 4, 5, 6 ; }" | ncgen -4 -o $1; }
make m1.nc; make m2.nc; cellar refs m1.nc m2.nc; echo "exit $?"
# Chunks that are other in the second file.
nccopy -c v:3,2 m2.nc m3.nc; cellar refs m1.nc m3.nc; echo "exit $?"
cellar refs --inlin=3 m1.nc; echo "exit $?"
